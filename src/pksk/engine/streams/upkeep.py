"""Looks after streams: closes shards that are due, and removes what is trimmed, a part of it at a time."""

from __future__ import annotations

from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Final

from pksk.engine.storage import Reader, StorageProblem, Writer

from .horizon import kept_since
from .lineage import KEPT_SECONDS, Shard, Stream, is_gone, open_shards, rolled, shard_key
from .rows import created, first_row, forget_shard, mark_trimmed, number_of, shard_end, unreadable_rows

if TYPE_CHECKING:
    from pksk.engine.core import Core
    from pksk.engine.tables.table import Table

__all__ = ["follow_commit", "roll", "tend"]

# How many changes one call removes at most.
_MOST_REMOVED: Final = 200
# For how long nobody tries again what failed, or what another is about to do.
_PAUSE_SECONDS: Final = 1.0


def follow_commit(core: Core, table: Table) -> None:
    """Look after the open stream of a table if it is time; never fails."""
    space, now = table.changes, core.now()
    if space is None or now < core.tending.get(space, -inf):
        return
    core.tending[space] = now + _PAUSE_SECONDS
    try:
        tend(core, table)
    except StorageProblem:  # what was written is stored, and this can wait
        return


def tend(core: Core, table: Table) -> None:
    """Look after all streams of a table."""
    if not table.settings.get("streams"):
        return
    with core.catalogue.changing() as change:
        record = table.settings
        if not table.alive:
            return
        streams: list[Stream] = []
        left = _MOST_REMOVED
        for stream in record.get("streams", ()):
            if is_gone(stream, change.now):
                change.writer.drop_space(stream["space"])
            else:
                tended, left = _tended(core, change.writer, stream, change.now, left)
                streams.append(tended)
        if streams != record["streams"]:
            change.save(table, {**record, "streams": streams})
        # Where there may be more to remove, all shards need not be looked at to know that it is due.
        due = _due(core, change.writer, streams, change.now) if left else change.now
        space = table.changes
    if space is not None:
        core.tending[space] = due


def roll(core: Core, table: Table) -> list[str]:
    """Close each open shard of a table's stream and open a child of it; gives the ids of the new ones."""
    with core.catalogue.changing() as change:
        record = table.settings
        if table.changes is None or not table.alive:
            return []
        *others, last = record["streams"]
        after = rolled(last, core.sequences.drawn(change.writer, last), change.now)
        change.save(table, {**record, "streams": [*others, after]})
    return [shard["id"] for shard in open_shards(after).values()]


def _tended(core: Core, writer: Writer, stream: Stream, now: float, left: int) -> tuple[Stream, int]:
    """A stream after what was due for it, and how many changes may still be removed with this call."""
    space = stream["space"]
    if "closed" not in stream:
        until = now - core.settings.partitioning.shard_seconds
        stream = rolled(stream, core.sequences.drawn(writer, stream), now, opened_until=until)
    for row in islice(unreadable_rows(writer, space), left):
        writer.delete(space, row.key)
        left -= 1
    emptied: set[int] = set()
    for shard in stream["shards"]:
        if not left:
            break
        left -= _removed(writer, space, shard, now, left)
        # It leaves the list when nothing of it is left in the space.
        if is_gone(shard, now) and first_row(writer, space, shard["number"], 0) is None:
            forget_shard(writer, space, shard["number"])
            emptied.add(shard["number"])
    if emptied:
        shards = [shard for shard in stream["shards"] if shard["number"] not in emptied]
        stream = {**stream, "shards": shards}
    return stream, left


def _removed(writer: Writer, space: int, shard: Shard, now: float, most: int) -> int:
    """Remove the oldest changes of a shard that are trimmed, and give how many."""
    number, since = shard["number"], inf if is_gone(shard, now) else kept_since(now)
    removed, last = 0, 0
    for row in islice(writer.rows(space, shard_key(number), shard_end(number)), most):
        if created(row) >= since:
            break
        writer.delete(space, row.key)
        removed, last = removed + 1, number_of(row)
    if removed:
        mark_trimmed(writer, space, number, last)
    return removed


def _due(core: Core, reader: Reader, streams: list[Stream], now: float) -> float:
    """When there will be something to do for the streams of a table."""
    moments = [now + KEPT_SECONDS]
    for stream in streams:
        seconds = core.settings.partitioning.shard_seconds
        moments += [shard["opened"] + seconds for shard in open_shards(stream).values()]
        moments += [
            entry["closed"] + KEPT_SECONDS for entry in (stream, *stream["shards"]) if "closed" in entry
        ]
        for shard in stream["shards"]:
            oldest = first_row(reader, stream["space"], shard["number"], 0)
            if oldest is not None:
                moments.append(created(oldest) + KEPT_SECONDS + 1)
    return min(moments)
