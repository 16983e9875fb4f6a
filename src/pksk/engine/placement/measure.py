"""How much a partition holds, and where it can be cut: read from its rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from pksk.partitions import Partition, Partitions, middle, split_point

if TYPE_CHECKING:
    from pksk.engine.layout import Rows
    from pksk.engine.storage import Reader
    from pksk.engine.tables.table import Table

__all__ = ["Held", "held", "held_in_all", "middle_of", "placed_rows"]


class Held(NamedTuple):
    """How many items a partition has, and the bytes of these and of their entries in local indexes."""

    items: int
    size: int


def placed_rows(table: Table, index_name: str | None) -> tuple[Rows, Partitions]:
    """The rows that partitions are of: a table's own or a global index's."""
    if index_name is None:
        return table.rows, table.partitions
    return table.indexes[index_name], table.index_partitions[index_name]


def held_in_all(reader: Reader, table: Table, rows: Rows) -> Held:
    """What all partitions hold together."""
    items, size = reader.totals(rows.space)
    if rows.name is None and table.collections is not None:
        size = reader.totals(table.collections)[1]
    return Held(items, size)


def held(reader: Reader, table: Table, rows: Rows, part: Partition) -> Held:
    """What one partition holds; this reads all of its rows."""
    items = size = 0
    for row in reader.rows(rows.space, part.low, part.high):
        items += 1
        size += row.size
    if rows.name is None and table.collections is not None:
        size = sum(row.size for row in reader.rows(table.collections, part.low, part.high))
    return Held(items, size)


def middle_of(reader: Reader, table: Table, rows: Rows, part: Partition) -> bytes | None:
    """Where half of a partition's bytes lie before, and half after; without rows, the middle of its range.

    None where it cannot be cut: it holds a single row, or the items of one partition key, which local
    indexes keep together.
    """
    together = rows.name is None and table.collections is not None
    space = table.collections if together and table.collections is not None else rows.space

    def weighted() -> Iterator[tuple[bytes, int]]:
        return ((row.key, row.size) for row in reader.rows(space, part.low, part.high))

    total = sum(size for _, size in weighted())
    if total == 0:
        return middle(part.low, part.high)
    return split_point(weighted(), total, whole=together)
