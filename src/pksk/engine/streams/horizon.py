"""Where a shard can be read from: changes older than a day are gone, whether removed yet or not."""

from __future__ import annotations

from pksk.engine.storage import Reader, Row

from .lineage import KEPT_SECONDS, Shard, shard_key
from .rows import created, first_row, number_of, shard_end, trimmed_until

__all__ = ["first_since", "is_trimmed", "kept_since"]


def kept_since(now: float) -> int:
    """The time before which changes are gone; it is in whole seconds, as their times are."""
    return int(now) - KEPT_SECONDS


def first_since(reader: Reader, space: int, shard: Shard, since: float) -> int:
    """The first position of a shard from which on all changes were made at a time or later."""
    number = shard["number"]
    start: int = max(shard["start"], trimmed_until(reader, space, number) + 1)
    first = first_row(reader, space, number, start)
    if first is None or created(first) >= since:
        return start
    newest = next(iter(reader.rows(space, shard_key(number), shard_end(number), backwards=True)))
    if created(newest) < since:
        return number_of(newest) + 1
    # Times rise with the numbers, so it is found in few steps also where a day's changes stand before it.
    before, found = number_of(first), number_of(newest)
    while found - before > 1:
        middle = (before + found) // 2
        row = first_row(reader, space, number, middle)
        if row is not None and created(row) < since:
            before = number_of(row)
        else:
            found = middle
    return found


def is_trimmed(reader: Reader, space: int, shard: Shard, position: int, now: float) -> bool:
    """Whether a change of a shard is gone at a position or after it."""
    number = shard["number"]
    if trimmed_until(reader, space, number) >= position:
        return True
    row: Row | None = first_row(reader, space, number, position)
    return row is not None and created(row) < kept_since(now)
