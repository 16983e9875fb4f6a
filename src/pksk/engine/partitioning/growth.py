"""Follows the growth of partitions, and splits those that became too large."""

from __future__ import annotations

from typing import Final

from pksk.engine.core import LOG, Core
from pksk.engine.state import Outcome, Table, Write
from pksk.engine.storage import SpaceMissing, StorageClosed, StorageProblem

from .split import partition_size, partitioned_rows, split_partition, total_size

# A table is first measured after so many bytes were written, as a share of a partition: measuring makes a file
# count all its rows.
_UNMEASURED_SHARE: Final = 64
# A partition that cannot be split is tried again when it has grown by this factor.
_RETRY_GROWTH: Final = 1.1


def follow_growth(core: Core, write: Write, outcome: Outcome) -> None:
    """Count the bytes that a stored write added, and split partitions that became too large. Never raises."""
    headroom = write.table.headroom
    old = outcome.old
    grown = outcome.new_size if old is None else outcome.new_size - old.size
    if headroom.sizes:
        _count_write(write, outcome, grown)
    for entry in outcome.entries:
        grown += max(0, entry.after - entry.before)
    if grown > 0:
        headroom.bytes_left -= grown
        if headroom.bytes_left < 0:
            _measure(core, write.table)


def _count_write(write: Write, outcome: Outcome, grown: int) -> None:
    """Update the sizes of the partitions that were counted."""
    table = write.table
    counted = table.headroom.sizes
    with table.headroom.counting:
        sizes = counted.get(table.layout.space)
        if sizes is not None:
            grown += sum(each.after - each.before for each in outcome.entries if each.layout.kind == "lsi")
            number = table.partitions.find(write.key).number
            if number in sizes:
                sizes[number] += grown
        for entry in outcome.entries:
            sizes = counted.get(entry.layout.space)
            partitions = table.index_partitions.get(entry.layout.name or "")
            if sizes is not None and partitions is not None:
                number = partitions.find(entry.key).number
                if number in sizes:
                    sizes[number] += entry.after - entry.before


def _measure(core: Core, table: Table) -> None:
    headroom, limit = table.headroom, core.settings.partitioning.partition_bytes
    if not headroom.is_measured:
        headroom.is_measured = True
        headroom.bytes_left += limit // _UNMEASURED_SHARE
        if headroom.bytes_left >= 0:
            return
    # One thread measures at a time; the others need not wait.
    if not headroom.measuring.acquire(blocking=False):
        return
    try:
        indexes = [name for name in table.index_partitions if name in table.indexes]
        headroom.bytes_left = min(_bytes_left(core, table, name, limit) for name in (None, *indexes))
        _forget_old_partitions(table)
    except (KeyError, SpaceMissing, StorageClosed):  # an index or the table was deleted meanwhile
        headroom.bytes_left = 0
    except StorageProblem as problem:  # such as a full disk
        LOG.warning("splitting partitions of %s failed: %s", table.name, problem)
        headroom.bytes_left = limit // _UNMEASURED_SHARE
    except Exception:
        # The write is stored, and a split can wait.
        LOG.exception("splitting partitions of %s failed", table.name)
        headroom.bytes_left = limit // _UNMEASURED_SHARE
    finally:
        headroom.measuring.release()


def _bytes_left(core: Core, table: Table, index_name: str | None, limit: int) -> float:
    """How many bytes a table or an index can grow before a partition must split; splits those that must."""
    rows, _ = partitioned_rows(table, index_name)
    headroom = table.headroom
    if rows.space not in headroom.sizes:
        with core.storage.reading() as reader:
            total = total_size(reader, table, rows).size
        if total <= limit:
            return limit - total
    while True:
        sizes = _partition_sizes(core, table, index_name)
        limits = {number: headroom.retry_at.get((rows.space, number), limit) for number in sizes}
        large = next((number for number, size in sizes.items() if size > limits[number]), None)
        if large is None:
            return min(limits[number] - size for number, size in sizes.items())
        if split_partition(core, table, index_name, large) is None:
            headroom.retry_at[rows.space, large] = sizes[large] * _RETRY_GROWTH


def _partition_sizes(core: Core, table: Table, index_name: str | None) -> dict[int, int]:
    """The bytes of all current partitions; counts the new ones."""
    rows, partitions = partitioned_rows(table, index_name)
    with table.headroom.counting:
        sizes = table.headroom.sizes.setdefault(rows.space, {})
        for number in sizes.keys() - {part.number for part in partitions}:
            del sizes[number]
        new = [part for part in partitions if part.number not in sizes]
        # Added before they are read, so that no write is missed; a concurrent write may count twice.
        sizes.update(dict.fromkeys((part.number for part in new), 0))
    try:
        with core.storage.reading() as reader:
            new_sizes = {part.number: partition_size(reader, table, rows, part).size for part in new}
    except BaseException:
        table.headroom.sizes.pop(rows.space, None)
        raise
    with table.headroom.counting:
        for number, size in new_sizes.items():
            sizes[number] += size
        return dict(sizes)


def _forget_old_partitions(table: Table) -> None:
    """Forget the sizes of deleted indexes, and of partitions that have split."""
    headroom = table.headroom
    with table.headroom.counting:
        for space in headroom.sizes.keys() - {rows.space for rows in (table.layout, *table.indexes.values())}:
            del headroom.sizes[space]
        for space, number in list(headroom.retry_at):
            if number not in headroom.sizes.get(space, ()):
                del headroom.retry_at[space, number]
