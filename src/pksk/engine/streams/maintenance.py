"""Maintains streams: rolls shards that are due, and removes trimmed changes in batches."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from math import inf
from typing import Final

from pksk.engine.core import Core
from pksk.engine.state import Shard, Stream, Table, stream_record
from pksk.engine.storage import Reader, StorageProblem, Writer

from .find_stream import TableStream, drop_trimmed_orphans, find_stream

# One call removes at most so many changes.
_MOST_REMOVED: Final = 200
# The wait after a failure, or while another thread maintains the stream.
_PAUSE_SECONDS: Final = 1.0


def maintain_after_commit(core: Core, table: Table) -> None:
    """Maintain the open stream of a table if that is due; never raises."""
    space, now = table.change_space, core.now()
    if space is None or now < core.maintenance_due.get(space, -inf):
        return
    core.maintenance_due[space] = now + _PAUSE_SECONDS
    try:
        _maintain_streams(core, table)
    except StorageProblem:  # the write is stored, and this can wait
        return


def _maintain_streams(core: Core, table: Table) -> None:
    """Maintain all streams of a table."""
    if not table.record.get("streams"):
        return
    with core.catalogue.change() as change:
        record = table.record
        if not table.exists:
            return
        streams: list[Stream] = []
        removable = _MOST_REMOVED
        for stream in record.get("streams", ()):
            if stream_record.is_past_retention(stream, change.now):
                change.writer.drop_space(stream["space"])
            else:
                maintained, removable = _maintain(core, change.writer, stream, change.now, removable)
                streams.append(maintained)
        if streams != record["streams"]:
            change.save(table, {**record, "streams": streams})
        # If the limit was reached, there may be more to remove now.
        due = _next_due(core, change.writer, streams, change.now) if removable else change.now
        space = table.change_space
    if space is not None:
        core.maintenance_due[space] = due


def roll_open_shards(core: Core, table: Table) -> list[str]:
    """Close each open shard of a table's stream and open a child of it; returns the ids of the children."""
    with core.catalogue.change() as change:
        record = table.record
        if table.change_space is None or not table.exists:
            return []
        *others, last = record["streams"]
        after = stream_record.roll_shards(
            last, core.sequence_numbers.counter(change.writer, last), change.now
        )
        change.save(table, {**record, "streams": [*others, after]})
    return [shard["id"] for shard in stream_record.open_shards(after).values()]


def _maintain(core: Core, writer: Writer, stream: Stream, now: float, removable: int) -> tuple[Stream, int]:
    """Maintain one stream; returns it, and how many more changes this call may remove."""
    space = stream["space"]
    if "closed" not in stream:
        until = now - core.settings.partitioning.shard_seconds
        stream = stream_record.roll_shards(
            stream, core.sequence_numbers.counter(writer, stream), now, opened_until=until
        )
    emptied: set[int] = set()
    for shard in stream["shards"]:
        if not removable:
            break
        removable -= _remove_trimmed(writer, space, shard, now, removable)
        if (
            stream_record.is_past_retention(shard, now)
            and stream_record.first_change(writer, space, shard["number"], 0) is None
        ):
            stream_record.forget_shard(writer, space, shard["number"])
            emptied.add(shard["number"])
    if emptied:
        shards = [shard for shard in stream["shards"] if shard["number"] not in emptied]
        stream = {**stream, "shards": shards}
    return stream, removable


def _remove_trimmed(writer: Writer, space: int, shard: Shard, now: float, limit: int) -> int:
    """Remove trimmed changes of a shard, oldest first; returns how many."""
    number, since = (
        shard["number"],
        inf if stream_record.is_past_retention(shard, now) else stream_record.trim_horizon(now),
    )
    removed, last = 0, 0
    for row in islice(
        writer.rows(space, stream_record.shard_key(number), stream_record.shard_end(number)), limit
    ):
        if stream_record.created_at(row) >= since:
            break
        writer.delete(space, row.key)
        removed, last = removed + 1, stream_record.sequence_number(row)
    if removed:
        stream_record.mark_trimmed(writer, space, number, last)
    return removed


def _next_due(core: Core, reader: Reader, streams: list[Stream], now: float) -> float:
    """When the streams of a table need maintenance next. Until then, a write only compares two times."""
    moments = [now + stream_record.RETENTION_SECONDS]
    for stream in streams:
        seconds = core.settings.partitioning.shard_seconds
        moments += [shard["opened"] + seconds for shard in stream_record.open_shards(stream).values()]
        moments += [
            entry["closed"] + stream_record.RETENTION_SECONDS
            for entry in (stream, *stream["shards"])
            if "closed" in entry
        ]
        for shard in stream["shards"]:
            oldest = stream_record.first_change(reader, stream["space"], shard["number"], 0)
            if oldest is not None:
                moments.append(stream_record.created_at(oldest) + stream_record.RETENTION_SECONDS + 1)
    return min(moments)


def find_maintained_stream(core: Core, arn: str) -> TableStream:
    """The stream with an ARN, after due maintenance."""
    stream = find_stream(core, arn)
    table = core.catalogue.find(stream.owner["TableName"])
    drop_trimmed_orphans(core)
    if table is not None and core.now() >= core.maintenance_due.get(stream.record["space"], -inf):
        with suppress(StorageProblem):  # a file that cannot be written may still be readable
            _maintain_streams(core, table)
    return find_stream(core, arn)
