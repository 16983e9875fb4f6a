"""Streams of a table: enabled and disabled, described and listed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from typing import Final

from pksk.engine.core import Answer, Core, Request
from pksk.engine.service_errors import invalid_parameter, validation
from pksk.engine.state import Shard, Stream, TableRecord, stream_record, table_record
from pksk.engine.storage import Writer
from pksk.engine.streams.find_stream import TableStream, all_streams, drop_trimmed_orphans, read_stream_arn
from pksk.engine.streams.maintenance import find_maintained_stream
from pksk.partitions import Partitions


def check_created_stream(specification: Request | None) -> None:
    """Check the StreamSpecification of a new table."""
    if specification is None:
        return
    enabled, view = specification["StreamEnabled"], specification.get("StreamViewType")
    if enabled and view is None:
        raise invalid_parameter(
            "Table is being created with a stream enabled, UpdateViewType must be specified"
        )
    if not enabled and view is not None:
        raise invalid_parameter(
            "Table is being created with a stream disabled, UpdateViewType should not be specified"
        )


def check_stream_update(record: TableRecord, specification: Request) -> None:
    """Check that a request enables a missing stream or disables an existing one."""
    enabled, view = specification["StreamEnabled"], specification.get("StreamViewType")
    running = table_record.open_stream(record) is not None
    if enabled and running:
        raise validation(f"Table already has an enabled stream: TableName: {record['TableName']}")
    if enabled and view is None:
        raise invalid_parameter("If stream is being enabled, then UpdateViewType must be specified")
    if not enabled and view is not None:
        raise invalid_parameter("If stream is being disabled, then UpdateViewType must not be specified")
    if not enabled and not running:
        raise validation(f"Table has no stream to disable: TableName: {record['TableName']}")


def open_new_stream(
    record: TableRecord, view: str, writer: Writer, now: float, orphaned: frozenset[str]
) -> list[Stream]:
    """The streams of a table with a new one; streams past their retention are dropped.

    The new label differs from the labels of orphaned streams.
    """
    readable: list[Stream] = []
    for stream in record.get("streams", ()):
        if stream_record.is_past_retention(stream, now):
            writer.drop_space(stream["space"])
        else:
            readable.append(stream)
    label = _label(now, orphaned.union(stream["label"] for stream in readable))
    opened: Stream = {"label": label, "view": view, "space": writer.make_space(), "opened": now, "shards": []}
    partitions = [part.number for part in Partitions.from_record(record["partitions"])]
    return [*readable, stream_record.with_first_shards(opened, count(1).__next__, now, partitions)]


def close_stream(record: TableRecord, writer: Writer, now: float) -> list[Stream]:
    """The streams of a table, the last of which is closed."""
    *others, last = record["streams"]
    return [*others, stream_record.with_shards_closed(last, stream_record.last_number(writer, last), now)]


def _label(now: float, used: Iterable[str]) -> str:
    moment = datetime.fromtimestamp(now, UTC)
    while (label := moment.isoformat(timespec="milliseconds")[:-6]) in used:
        moment += timedelta(milliseconds=1)
    return label


_MOST_SHARDS: Final = 100


def describe_stream(core: Core, request: Request) -> Answer:
    """Answer a DescribeStream request."""
    shard_filter = request.get("ShardFilter", {})
    if len(shard_filter) == 1:
        raise invalid_parameter("ShardFilter must have both Type and ShardId")
    stream = find_maintained_stream(core, request["StreamArn"])
    start, limit = request.get("ExclusiveStartShardId", ""), request.get("Limit", _MOST_SHARDS)
    now = core.now()
    after = (
        _children(stream, shard_filter["ShardId"], start, now)
        if shard_filter
        else stream_record.readable_shards(stream.record, now, start)
    )
    shards = list(islice(after, limit + 1))
    description = {**_stream(core, stream), "Shards": list(map(_shard, shards[:limit]))}
    if len(shards) > limit:
        description["LastEvaluatedShardId"] = shards[limit - 1]["id"]
    return {"StreamDescription": description}


def _children(stream: TableStream, parent: str, start: str, now: float) -> Iterator[Shard]:
    """The children of a shard, from after an id on. They may outlive the shard itself."""
    children = [
        shard
        for shard in stream_record.readable_shards(stream.record, now, parent)
        if shard["parent"] == parent
    ]
    if not children:
        stream.find_shard("id", parent, now)
    return (shard for shard in children if shard["id"] > start)


def _stream(core: Core, stream: TableStream) -> Answer:
    record = stream.record
    return {
        "StreamArn": stream.arn,
        "StreamLabel": record["label"],
        "StreamStatus": stream.status(core),
        "StreamViewType": record["view"],
        "CreationRequestDateTime": table_record.to_milliseconds(record["opened"]),
        "TableName": stream.owner["TableName"],
        "KeySchema": stream.owner["KeySchema"],
    }


def _shard(shard: Shard) -> Answer:
    numbers = {"StartingSequenceNumber": stream_record.format_sequence_number(shard["start"])}
    if "end" in shard:
        numbers["EndingSequenceNumber"] = stream_record.format_sequence_number(shard["end"])
    description: Answer = {"ShardId": shard["id"], "SequenceNumberRange": numbers}
    if shard["parent"] is not None:
        description["ParentShardId"] = shard["parent"]
    return description


_MOST_STREAMS: Final = 100


def list_streams(core: Core, request: Request) -> Answer:
    """Answer a ListStreams request."""
    drop_trimmed_orphans(core)
    start, limit = request.get("ExclusiveStartStreamArn", ""), request.get("Limit", _MOST_STREAMS)
    if start:
        read_stream_arn(start)
    streams = [stream for stream in all_streams(core, request.get("TableName")) if stream.arn > start]
    answer: Answer = {
        "Streams": [
            {
                "StreamArn": stream.arn,
                "TableName": stream.owner["TableName"],
                "StreamLabel": stream.record["label"],
            }
            for stream in streams[:limit]
        ]
    }
    if len(streams) > limit:
        answer["LastEvaluatedStreamArn"] = streams[limit - 1].arn
    return answer
