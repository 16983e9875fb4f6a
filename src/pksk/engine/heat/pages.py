"""Notes what a page of a query or scan consumes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.capacity.units import query_units, read_units
from pksk.limits import PAGE_BYTES
from pksk.partitions import PLACE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pksk.engine.reading.page import Page
    from pksk.engine.storage import Row

    from .meter import Meter

__all__ = ["note_page"]


def note_page(
    meter: Meter,
    page: Page,
    evaluated: Sequence[Row],
    size: int,
    fetched: Iterable[Row] = (),
    *,
    consistent: bool,
) -> None:
    """Note a page by the rows that it evaluated, their size, and the items that it fetched from the table."""
    units = query_units(size, consistent=consistent)
    if _is_scan(page):
        meter.scanned(page.table, page.rows, page.low, evaluated, units, size)
    else:
        key = evaluated[0].key if evaluated else page.low
        meter.queried(page.table, page.rows, key, units, size)
        if size > PAGE_BYTES:
            meter.unbounded(page.table, page.rows, key, units)
    for row in fetched:
        meter.read(page.table, row.key, read_units(row.size, consistent=consistent), row.size)


def _is_scan(page: Page) -> bool:
    # A scan ends with a place or never; a query within the rows of a partition key.
    return page.high is None or len(page.high) <= PLACE_BYTES
