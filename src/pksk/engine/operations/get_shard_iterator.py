"""GetShardIterator: the position in a shard where GetRecords begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.core import Answer, Core
from pksk.engine.service_errors import service_error, validation
from pksk.engine.state.change_records import (
    first_number_since,
    is_trimmed,
    last_number_of_shard,
    parse_sequence_number,
    trim_horizon,
)
from pksk.engine.state.shards import Shard
from pksk.engine.storage import Reader
from pksk.engine.streams.find_stream import FoundStream
from pksk.engine.streams.maintenance import find_maintained_stream
from pksk.engine.streams.shard_iterator import ShardPosition, write_iterator
from pksk.engine.texts import tables as texts

_BY_NUMBER: Final = frozenset({"AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"})


def get_shard_iterator(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a GetShardIterator request."""
    _check(request)
    found = find_maintained_stream(core, request["StreamArn"])
    now = core.now()
    if request.get("Timestamp", now) > now:
        raise validation(texts.FUTURE_TIMESTAMP)
    shard = found.find_shard("id", request["ShardId"], now)
    with core.storage.reading() as reader:
        number = _number(reader, request, found, shard, now)
    return {"ShardIterator": write_iterator(ShardPosition(found, shard, number), now)}


def _check(request: Mapping[str, Any]) -> None:
    kind = request["ShardIteratorType"]
    if ("SequenceNumber" in request) != (kind in _BY_NUMBER):
        raise validation(texts.NUMBER_MISSING if kind in _BY_NUMBER else texts.NUMBER_GIVEN)
    if ("Timestamp" in request) != (kind == "AT_TIMESTAMP"):
        raise validation(texts.TIMESTAMP_MISSING if kind == "AT_TIMESTAMP" else texts.TIMESTAMP_GIVEN)


def _number(reader: Reader, request: Mapping[str, Any], found: FoundStream, shard: Shard, now: float) -> int:
    """The position of a request."""
    kind, space = request["ShardIteratorType"], found.stream["space"]
    if kind == "LATEST":
        return last_number_of_shard(reader, space, shard) + 1
    if kind in _BY_NUMBER:
        number = _given_number(reader, request, space, shard)
        if is_trimmed(reader, space, shard, number, now):
            raise service_error("TrimmedDataAccessException", texts.TRIMMED)
        return number + 1 if kind == "AFTER_SEQUENCE_NUMBER" else number
    return first_number_since(reader, space, shard, max(trim_horizon(now), request.get("Timestamp", 0)))


def _given_number(reader: Reader, request: Mapping[str, Any], space: int, shard: Shard) -> int:
    number = parse_sequence_number(request["SequenceNumber"])
    if number is None or not shard["start"] <= number <= last_number_of_shard(reader, space, shard):
        raise validation(texts.FOREIGN_NUMBER)
    return number
