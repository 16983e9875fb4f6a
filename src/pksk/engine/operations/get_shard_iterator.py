"""GetShardIterator: the position in a shard where GetRecords begins."""

from __future__ import annotations

from typing import Final

from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.service_errors import invalid_parameter, service_error, validation
from pksk.engine.state import Shard, stream_record
from pksk.engine.storage import Reader
from pksk.engine.streams.find_stream import TableStream
from pksk.engine.streams.maintenance import find_maintained_stream
from pksk.engine.streams.shard_iterator import ShardPosition, write_iterator

_BY_NUMBER: Final = frozenset({"AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"})


def get_shard_iterator(core: Core, request: Request) -> Answer:
    """Answer a GetShardIterator request."""
    _check(request)
    stream = find_maintained_stream(core, request["StreamArn"])
    now = core.now()
    if request.get("Timestamp", now) > now:
        raise invalid_parameter("Timestamp cannot be in the future")
    shard = stream.find_shard("id", request["ShardId"], now)
    with core.storage.reading() as reader:
        number = _number(reader, request, stream, shard, now)
    return {"ShardIterator": write_iterator(ShardPosition(stream, shard, number), now)}


def _check(request: Request) -> None:
    kind = request["ShardIteratorType"]
    if ("SequenceNumber" in request) != (kind in _BY_NUMBER):
        raise validation(
            "SequenceNumber cannot be null"
            if kind in _BY_NUMBER
            else "SequenceNumber should not be passed for this iterator type"
        )
    if ("Timestamp" in request) != (kind == "AT_TIMESTAMP"):
        raise validation(
            "Timestamp cannot be null"
            if kind == "AT_TIMESTAMP"
            else "Timestamp should not be passed for this iterator type"
        )


def _number(reader: Reader, request: Request, stream: TableStream, shard: Shard, now: float) -> int:
    """The position of a request."""
    kind, space = request["ShardIteratorType"], stream.record["space"]
    if kind == "LATEST":
        return stream_record.last_number_of_shard(reader, space, shard) + 1
    if kind in _BY_NUMBER:
        number = _requested_number(reader, request, space, shard)
        if stream_record.is_trimmed(reader, space, shard, number, now):
            raise service_error("TrimmedDataAccessException", texts.TRIMMED)
        return number + 1 if kind == "AFTER_SEQUENCE_NUMBER" else number
    return stream_record.first_number_since(
        reader, space, shard, max(stream_record.trim_horizon(now), request.get("Timestamp", 0))
    )


def _requested_number(reader: Reader, request: Request, space: int, shard: Shard) -> int:
    number = stream_record.parse_sequence_number(request["SequenceNumber"])
    if number is None or not shard["start"] <= number <= stream_record.last_number_of_shard(
        reader, space, shard
    ):
        raise validation("Invalid SequenceNumber for the shard")
    return number
