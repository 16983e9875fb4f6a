"""Plans a GeoQuery: its ranges of cells by statistics, and what is left after a query that ended at its limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from math import cos, pi, radians, sqrt
from typing import TYPE_CHECKING, Final

from pksk.cells import GEOHASH, CellPlan, CellQuery, CellStatistics, Cover, Region, plan_queries, plan_region
from pksk.cells.coordinates import HALF_CIRCUMFERENCE_M
from pksk.cells.ranges import too_many_queries
from pksk.model.access_options import AccessOptions
from pksk.model.cost.item_sizes import ItemSizes
from pksk.values import WireItem, item_size

if TYPE_CHECKING:
    from pksk.model.requests.geo_query import GeoQuery

# The size of an item is the average of so many.
_MEASURED: Final = 32
# A first circle that is somewhat larger than the average one with enough items.
_ENOUGH: Final = 1.3


def plan_cells(
    query: GeoQuery,
    statistics: CellStatistics | Callable[[Cover], CellStatistics],
    region: Region,
    read: Sequence[range] = (),
) -> CellPlan:
    """The ranges of a region that cost the least, without cells that were read before."""
    cells, level = query.cells, query.level
    plan = plan_region(
        region,
        level,
        statistics,
        most_queries=query.most_queries,
        stored_level=level if len(cells.levels) == 1 else None,
        suffix=cells.suffix(level),
        cost=query.cost,
    )
    if plan.cover.level < cells.levels[0]:
        raise too_many_queries(query.most_queries, level)
    if not read:
        return plan
    return plan_queries(
        plan.cover, plan.statistics, cost=query.cost, wanted_level=plan.wanted_level, read=read
    )


def declared_statistics(query: GeoQuery) -> CellStatistics:
    """What is known before a store runs the query: statistics that were passed, or figures of the design."""
    if query.statistics is not None:
        return query.statistics
    options = query.pattern.options if query.pattern else AccessOptions()
    return CellStatistics(item_bytes=item_bytes(query, options.item_size), source="not counted yet")


def item_bytes(query: GeoQuery, declared: int | None = None) -> int | None:
    """The size of an item or an index entry: as declared, or of a sample."""
    declaration = query.entity.__pksk__
    return ItemSizes(declaration, declared).entry(declaration.indexes[query.key])


def seen_statistics(
    query: GeoQuery, items: Sequence[WireItem], evaluated: int, cells: int, as_of: datetime | None = None
) -> CellStatistics:
    """What an answer shows: how many items it evaluated in so many cells, and how large those are that it returned."""
    if query.model is not None or not items:  # the rest of the items was billed as well
        average = float(item_bytes(query) or _ASSUMED_BYTES)
    else:
        measured = items[:_MEASURED]
        average = sum(map(item_size, measured)) / len(measured)
    return CellStatistics.seen(evaluated, cells, round(average * evaluated), as_of)


_ASSUMED_BYTES: Final = 256


def rest_of(
    plan: CellPlan, read: CellQuery, last_cell: str, seen: CellStatistics, *, several: bool
) -> CellPlan:
    """What is left of a partition after a query ended at its limit, in this cell."""
    suffix = last_cell[len(read.prefix) :]
    return plan.rest(read, suffix, seen, several_items=several)


def cells_until(read: CellQuery, last_cell: str) -> int:
    """How many cells are from the first of a query to this one."""
    return GEOHASH.number(last_cell) - GEOHASH.number(read.prefix + read.first) + 1


def first_radius(query: GeoQuery, density: float | None) -> float:
    """The radius of the first circle of a search for the nearest items, in metres.

    By the items of a cell, if their number is known; otherwise the height of a cell.
    """
    assert query.centre is not None
    columns, rows = GEOHASH.grid(query.level)
    height = HALF_CIRCUMFERENCE_M / (1 << rows)
    if not density:
        return height
    width = max(cos(radians(query.centre[0])), 1e-3) * 2 * HALF_CIRCUMFERENCE_M / (1 << columns)
    wanted = (query.nearest_count or 1) * _ENOUGH / density
    return max(height, sqrt(wanted * width * height / pi))
