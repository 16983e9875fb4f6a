"""Maintains streams: closes shards that are due, and removes trimmed changes a batch at a time."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Final

from pksk.engine.core import Core
from pksk.engine.storage import Reader, StorageProblem, Writer

from ..state.change_records import (
    created_at,
    first_change,
    forget_shard,
    mark_trimmed,
    sequence_number,
    shard_end,
    trim_horizon,
)
from ..state.shards import (
    RETENTION_SECONDS,
    Shard,
    Stream,
    is_past_retention,
    open_shards,
    roll_shards,
    shard_key,
)
from .find_stream import FoundStream, find_stream
from .orphaned_streams import drop_trimmed_orphans

if TYPE_CHECKING:
    from pksk.engine.state.table import Table

__all__ = ["find_maintained_stream", "maintain_after_commit", "maintain_streams", "roll_open_shards"]

# How many changes one call removes at most.
_MOST_REMOVED: Final = 200
# For how long nobody tries again what failed, or what another is about to do.
_PAUSE_SECONDS: Final = 1.0


def maintain_after_commit(core: Core, table: Table) -> None:
    """Look after the open stream of a table if it is time; never fails."""
    space, now = table.change_space, core.now()
    if space is None or now < core.maintenance_due.get(space, -inf):
        return
    core.maintenance_due[space] = now + _PAUSE_SECONDS
    try:
        maintain_streams(core, table)
    except StorageProblem:  # what was written is stored, and this can wait
        return


def maintain_streams(core: Core, table: Table) -> None:
    """Look after all streams of a table."""
    if not table.record.get("streams"):
        return
    with core.catalogue.change() as change:
        record = table.record
        if not table.exists:
            return
        streams: list[Stream] = []
        left = _MOST_REMOVED
        for stream in record.get("streams", ()):
            if is_past_retention(stream, change.now):
                change.writer.drop_space(stream["space"])
            else:
                tended, left = _maintain(core, change.writer, stream, change.now, left)
                streams.append(tended)
        if streams != record["streams"]:
            change.save(table, {**record, "streams": streams})
        # Where there may be more to remove, all shards need not be looked at to know that it is due.
        due = _next_due(core, change.writer, streams, change.now) if left else change.now
        space = table.change_space
    if space is not None:
        core.maintenance_due[space] = due


def roll_open_shards(core: Core, table: Table) -> list[str]:
    """Close each open shard of a table's stream and open a child of it; gives the ids of the new ones."""
    with core.catalogue.change() as change:
        record = table.record
        if table.change_space is None or not table.exists:
            return []
        *others, last = record["streams"]
        after = roll_shards(last, core.sequence_numbers.drawn(change.writer, last), change.now)
        change.save(table, {**record, "streams": [*others, after]})
    return [shard["id"] for shard in open_shards(after).values()]


def _maintain(core: Core, writer: Writer, stream: Stream, now: float, left: int) -> tuple[Stream, int]:
    """A stream after what was due for it, and how many changes may still be removed with this call."""
    space = stream["space"]
    if "closed" not in stream:
        until = now - core.settings.partitioning.shard_seconds
        stream = roll_shards(stream, core.sequence_numbers.drawn(writer, stream), now, opened_until=until)
    emptied: set[int] = set()
    for shard in stream["shards"]:
        if not left:
            break
        left -= _remove_trimmed(writer, space, shard, now, left)
        # It leaves the list when nothing of it is left in the space.
        if is_past_retention(shard, now) and first_change(writer, space, shard["number"], 0) is None:
            forget_shard(writer, space, shard["number"])
            emptied.add(shard["number"])
    if emptied:
        shards = [shard for shard in stream["shards"] if shard["number"] not in emptied]
        stream = {**stream, "shards": shards}
    return stream, left


def _remove_trimmed(writer: Writer, space: int, shard: Shard, now: float, most: int) -> int:
    """Remove the oldest changes of a shard that are trimmed, and give how many."""
    number, since = shard["number"], inf if is_past_retention(shard, now) else trim_horizon(now)
    removed, last = 0, 0
    for row in islice(writer.rows(space, shard_key(number), shard_end(number)), most):
        if created_at(row) >= since:
            break
        writer.delete(space, row.key)
        removed, last = removed + 1, sequence_number(row)
    if removed:
        mark_trimmed(writer, space, number, last)
    return removed


def _next_due(core: Core, reader: Reader, streams: list[Stream], now: float) -> float:
    """When there will be something to do for the streams of a table."""
    moments = [now + RETENTION_SECONDS]
    for stream in streams:
        seconds = core.settings.partitioning.shard_seconds
        moments += [shard["opened"] + seconds for shard in open_shards(stream).values()]
        moments += [
            entry["closed"] + RETENTION_SECONDS for entry in (stream, *stream["shards"]) if "closed" in entry
        ]
        for shard in stream["shards"]:
            oldest = first_change(reader, stream["space"], shard["number"], 0)
            if oldest is not None:
                moments.append(created_at(oldest) + RETENTION_SECONDS + 1)
    return min(moments)


def find_maintained_stream(core: Core, arn: str) -> FoundStream:
    """The stream with an ARN, after what was due for it was done."""
    found = find_stream(core, arn)
    table = core.catalogue.find(found.record["TableName"])
    drop_trimmed_orphans(core)
    if table is not None and core.now() >= core.maintenance_due.get(found.stream["space"], -inf):
        with suppress(StorageProblem):  # a file that cannot be written to can be read all the same
            maintain_streams(core, table)
    return find_stream(core, arn)
