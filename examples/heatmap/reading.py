"""Reads the cells of a view with the fewest, cheapest queries, without knowing how many of them exist."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pksk import Store
from pksk.cells import CellPlan, CellQuery, CellStatistics, Cover, ReadCost, plan_queries

from .cells import Cell
from .views import LENGTHS, SUFFIX

ITEM_BYTES: Final = 95
_LARGER_BYTES: Final = 67
# Reports are denser in the middle of a town than around it. If a request counts like two units, the first query reads
# enough to tell, and the rest is divided only where that saves much.
_COST: Final = ReadCost(request_units=2)


def read_cells(db: Store, found: Cover) -> Iterator[Cell]:
    """The stored cells of a cover, in the order of their names.

    The first query of each partition has a limit. Usually it returns everything, since few of all cells exist. If
    not, it shows how dense they are there, and the rest is read as ranges that follow from that.
    """
    plan = plan_queries(
        found, CellStatistics(item_bytes=_item_bytes(found.level), source="declared"), cost=_COST
    )
    for query in plan.queries:
        yield from (each for each in _read(db, plan, query) if each.cell in found)


def _read(db: Store, plan: CellPlan, query: CellQuery) -> Iterator[Cell]:
    wanted = Cell.within(query.prefix, query.first, query.last)
    if query.limit is None:
        yield from db.iter(wanted)
        return
    page = db.page(wanted.limit(query.limit))
    yield from page
    if page.next is not None:
        last = page[-1]
        spanned = plan.cover.curve.number(last.cell) - plan.cover.curve.number(query.prefix + query.first) + 1
        seen = CellStatistics.seen(len(page), spanned, len(page) * _item_bytes(plan.cover.level))
        rest = plan.rest(query, last.cell[-SUFFIX:], seen)
        for following in rest.queries:
            yield from _read(db, rest, following)


def _item_bytes(length: int) -> int:
    """Only the two smallest sizes have the time of the last report."""
    return ITEM_BYTES if length >= LENGTHS[-2] else _LARGER_BYTES
