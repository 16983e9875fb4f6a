"""Streams of a table: enabled and disabled, described and listed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from typing import Any, Final

from pksk.engine.core import Answer, Core
from pksk.engine.service_errors import validation
from pksk.engine.state.change_records import format_sequence_number, last_number
from pksk.engine.state.shards import (
    Shard,
    Stream,
    is_past_retention,
    readable_shards,
    with_first_shards,
    with_shards_closed,
)
from pksk.engine.state.table_record import to_milliseconds
from pksk.engine.storage import Writer
from pksk.engine.streams.find_stream import FoundStream, all_streams
from pksk.engine.streams.maintenance import find_maintained_stream
from pksk.engine.streams.orphaned_streams import drop_trimmed_orphans
from pksk.engine.texts import tables as texts
from pksk.partitions import Partitions

from ..state.table_record import TableRecord, open_stream


def check_created_stream(specification: Mapping[str, Any] | None) -> None:
    """Check the StreamSpecification of a new table."""
    if specification is None:
        return
    enabled, view = specification["StreamEnabled"], specification.get("StreamViewType")
    if enabled and view is None:
        raise validation(texts.STREAM_CREATED_ENABLED)
    if not enabled and view is not None:
        raise validation(texts.STREAM_CREATED_DISABLED)


def check_stream_update(record: TableRecord, specification: Mapping[str, Any]) -> None:
    """Check that a request enables a missing stream or disables an existing one."""
    enabled, view = specification["StreamEnabled"], specification.get("StreamViewType")
    running = open_stream(record) is not None
    if enabled and running:
        raise validation(texts.stream_exists(record["TableName"]))
    if enabled and view is None:
        raise validation(texts.STREAM_ENABLED_VIEW)
    if not enabled and view is not None:
        raise validation(texts.STREAM_DISABLED_VIEW)
    if not enabled and not running:
        raise validation(texts.stream_missing(record["TableName"]))


def open_new_stream(
    record: TableRecord, view: str, writer: Writer, now: float, orphaned: frozenset[str]
) -> list[Stream]:
    """The streams of a table with a new one; streams past their retention are dropped.

    The new label differs from the labels of orphaned streams.
    """
    readable: list[Stream] = []
    for stream in record.get("streams", ()):
        if is_past_retention(stream, now):
            writer.drop_space(stream["space"])
        else:
            readable.append(stream)
    label = _label(now, orphaned.union(stream["label"] for stream in readable))
    opened: Stream = {
        "label": label,
        "view": view,
        "space": writer.make_space(),
        "opened": now,
        "shards": [],
    }
    partitions = [part.number for part in Partitions.from_record(record["partitions"])]
    return [*readable, with_first_shards(opened, count(1).__next__, now, partitions)]


def close_stream(record: TableRecord, writer: Writer, now: float) -> list[Stream]:
    """The streams of a table, the last of which is closed."""
    *others, last = record["streams"]
    return [*others, with_shards_closed(last, last_number(writer, last), now)]


def _label(now: float, used: Iterable[str]) -> str:
    moment = datetime.fromtimestamp(now, UTC)
    while (label := moment.isoformat(timespec="milliseconds")[:-6]) in used:
        moment += timedelta(milliseconds=1)
    return label


_MOST_SHARDS: Final = 100


def describe_stream(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DescribeStream request."""
    shard_filter = request.get("ShardFilter", {})
    if len(shard_filter) == 1:
        raise validation(texts.FILTER_INCOMPLETE)
    found = find_maintained_stream(core, request["StreamArn"])
    start, limit = request.get("ExclusiveStartShardId", ""), request.get("Limit", _MOST_SHARDS)
    now = core.now()
    after = (
        _children(found, shard_filter["ShardId"], start, now)
        if shard_filter
        else readable_shards(found.stream, now, start)
    )
    shards = list(islice(after, limit + 1))
    description = {**_stream(core, found), "Shards": list(map(_shard, shards[:limit]))}
    if len(shards) > limit:
        description["LastEvaluatedShardId"] = shards[limit - 1]["id"]
    return {"StreamDescription": description}


def _children(found: FoundStream, parent: str, start: str, now: float) -> Iterator[Shard]:
    """The children of a shard, from after an id on. They may outlive the shard itself."""
    children = [shard for shard in readable_shards(found.stream, now, parent) if shard["parent"] == parent]
    if not children:
        found.find_shard("id", parent, now)
    return (shard for shard in children if shard["id"] > start)


def _stream(core: Core, found: FoundStream) -> Answer:
    stream = found.stream
    return {
        "StreamArn": found.arn,
        "StreamLabel": stream["label"],
        "StreamStatus": found.status(core),
        "StreamViewType": stream["view"],
        "CreationRequestDateTime": to_milliseconds(stream["opened"]),
        "TableName": found.record["TableName"],
        "KeySchema": found.record["KeySchema"],
    }


def _shard(shard: Shard) -> Answer:
    numbers = {"StartingSequenceNumber": format_sequence_number(shard["start"])}
    if "end" in shard:
        numbers["EndingSequenceNumber"] = format_sequence_number(shard["end"])
    description: Answer = {"ShardId": shard["id"], "SequenceNumberRange": numbers}
    if shard["parent"] is not None:
        description["ParentShardId"] = shard["parent"]
    return description


_MOST_STREAMS: Final = 100


def list_streams(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a ListStreams request."""
    drop_trimmed_orphans(core)
    start, limit = request.get("ExclusiveStartStreamArn", ""), request.get("Limit", _MOST_STREAMS)
    streams = [found for found in all_streams(core, request.get("TableName")) if found.arn > start]
    answer: Answer = {
        "Streams": [
            {
                "StreamArn": found.arn,
                "TableName": found.record["TableName"],
                "StreamLabel": found.stream["label"],
            }
            for found in streams[:limit]
        ]
    }
    if len(streams) > limit:
        answer["LastEvaluatedStreamArn"] = streams[limit - 1].arn
    return answer
