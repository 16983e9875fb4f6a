"""Splits a partition in two: no row moves, since a partition is a range of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.engine.tables.record import status_of

from .cut import cut
from .measure import middle_of, placed_rows

if TYPE_CHECKING:
    from pksk.engine.core import Core
    from pksk.engine.tables.table import Table

__all__ = ["split_partition"]


def split_partition(
    core: Core, table: Table, index_name: str | None, number: int, at: bytes | None = None
) -> tuple[int, int] | None:
    """Split a partition at a row key, or in the middle of its bytes; gives the numbers of both halves.

    None where it cannot be split, or is gone: another has split it meanwhile, or has deleted the table.
    """
    if at is None:
        rows, partitions = placed_rows(table, index_name)
        part = partitions.get(number)
        if part is None:
            return None
        # Beside writers, since a large partition takes its time.
        with core.storage.reading() as reader:
            at = middle_of(reader, table, rows, part)
        if at is None:
            return None
    core.meter.fold(table)
    with core.catalogue.changing() as change:
        record = table.settings
        if not table.alive or (index_name is not None and index_name not in table.indexes):
            return None
        _, partitions = placed_rows(table, index_name)
        part = partitions.get(number)
        if status_of(record) == "DELETING" or part is None:
            return None
        change.save(table, cut(core, change.writer, change.now, record, index_name, number, at))
        _, partitions = placed_rows(table, index_name)
    left, right = (each.number for each in partitions if each.parent == number)
    return left, right
