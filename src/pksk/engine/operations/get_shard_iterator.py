"""GetShardIterator: where to begin in a shard, for GetRecords."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.core import Answer, Core
from pksk.engine.faults import fault, validation
from pksk.engine.storage import Reader
from pksk.engine.streams.find import Found
from pksk.engine.streams.horizon import first_since, is_trimmed, kept_since
from pksk.engine.streams.iterator import Position, write_iterator
from pksk.engine.streams.lineage import Shard
from pksk.engine.streams.rows import last_of_shard
from pksk.engine.streams.sequences import read_number
from pksk.engine.streams.tended import tended_stream
from pksk.engine.texts import streams as texts

__all__ = ["get_shard_iterator"]

_BY_NUMBER: Final = frozenset({"AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"})


def get_shard_iterator(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a GetShardIterator request."""
    _check(request)
    found = tended_stream(core, request["StreamArn"])
    now = core.now()
    if request.get("Timestamp", now) > now:
        raise validation(texts.FUTURE_TIMESTAMP)
    shard = found.shard("id", request["ShardId"], now)
    with core.storage.reading() as reader:
        number = _number(reader, request, found, shard, now)
    return {"ShardIterator": write_iterator(Position(found, shard, number), now)}


def _check(request: Mapping[str, Any]) -> None:
    kind = request["ShardIteratorType"]
    if ("SequenceNumber" in request) != (kind in _BY_NUMBER):
        raise validation(texts.NUMBER_MISSING if kind in _BY_NUMBER else texts.NUMBER_GIVEN)
    if ("Timestamp" in request) != (kind == "AT_TIMESTAMP"):
        raise validation(texts.TIMESTAMP_MISSING if kind == "AT_TIMESTAMP" else texts.TIMESTAMP_GIVEN)


def _number(reader: Reader, request: Mapping[str, Any], found: Found, shard: Shard, now: float) -> int:
    """The position that a request means."""
    kind, space = request["ShardIteratorType"], found.stream["space"]
    if kind == "LATEST":
        return last_of_shard(reader, space, shard) + 1
    if kind in _BY_NUMBER:
        number = _given_number(reader, request, space, shard)
        if is_trimmed(reader, space, shard, number, now):
            raise fault("TrimmedDataAccessException", texts.TRIMMED)
        return number + 1 if kind == "AFTER_SEQUENCE_NUMBER" else number
    return first_since(reader, space, shard, max(kept_since(now), request.get("Timestamp", 0)))


def _given_number(reader: Reader, request: Mapping[str, Any], space: int, shard: Shard) -> int:
    number = read_number(request["SequenceNumber"])
    if number is None or not shard["start"] <= number <= last_of_shard(reader, space, shard):
        raise validation(texts.FOREIGN_NUMBER)
    return number
