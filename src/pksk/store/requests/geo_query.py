"""Runs queries by region: all results in the order of cells or by distance, the nearest ones, and pages."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final, Generic, NamedTuple, Protocol, TypeAlias, cast

from pydantic import BaseModel

from pksk.cells import GEOHASH, CellPlan, CellStatistics, Circle, Cover, Region, cover, decode, encode
from pksk.cells.ranges import joined
from pksk.cells.region import Relation
from pksk.dataclass import replace
from pksk.errors import DesignError, InvalidValue, PkskError
from pksk.model.requests.geo_query import GeoQuery
from pksk.model.requests.geo_query_plan import first_radius, plan_cells
from pksk.sending import Core, Steps
from pksk.store.arguments import M, UnreadableItems, check_request_kind, check_unreadable_list
from pksk.store.reads.cell_rows import CellRow, CellRows, known_statistics
from pksk.store.reads.cursor import RowPosition, decode_cursor, encode_cursor
from pksk.store.reads.results import Results
from pksk.store.reads.rows import Read, Row
from pksk.store.requests.page import Page, page
from pksk.store.requests.query import ResultReader
from pksk.values import WireItem

Position: TypeAlias = tuple[float, float]

# The next circle of a search that has found too few items, or none.
_WIDER: Final = 3.0
_MUCH_WIDER: Final = 10.0
# A circle is followed roughly: the one after it reads what is left out now. So its cells are found in little time.
_ROUGH_QUERIES: Final = 16
# A region with more ranges of cells is compared with each cell.
_MOST_RANGES: Final = 1000
_ANY_NUMBER: Final = 1 << 62
# A cursor has the number of a cell and its level.
_LEVEL_BITS: Final = 4
_LEVEL_MASK: Final = 15
# Of an item that is not in the region, and of one whose position is not in the index.
_OUTSIDE: Final[Position] = (inf, inf)
_UNKNOWN: Final[Position] = (inf, -inf)


class Found(NamedTuple):
    """A result, its row, and how far it is from the centre, if there is one."""

    row: Row
    cell: str
    result: BaseModel
    distance: float

    @property
    def rank(self) -> tuple[float, str]:
        """Sorts by distance, and items at one distance by their key."""
        paginator, item = self.row
        return self.distance, str([item[name] for name in paginator.index.keys])


class RowsOfPlan(Protocol):
    """Where a reader has the rows of a plan from: queries, or also a cache."""

    @property
    def read(self) -> Sequence[range]:
        """The numbers of the cells that were read completely so far."""

    @property
    def is_finished(self) -> bool:
        """Whether there are no more rows, as far as is known."""

    def batch(self) -> Steps[list[CellRow] | None]:
        """The next rows, at least one; None at the end."""


class GeoReader(Generic[M]):
    """The results of a query by region, batch by batch."""

    def __init__(
        self, core: Core, query: GeoQuery[M], unreadable: UnreadableItems = None, *, ahead: int = 1
    ) -> None:
        check_unreadable_list("iter", unreadable)
        if core.meters:
            core.meters.used(query)
        self._core, self._query, self._ahead = core, query, ahead
        self._results = Results(core, query, unreadable)
        self._rows: RowsOfPlan | None = None
        self._filter: RegionFilter | None = None
        self._remaining = query.max_results
        self._done = self._has_more = False

    def batch(self) -> Steps[Sequence[M] | None]:
        """The next results; None at the end."""
        found = yield from self.found()
        return None if found is None else [cast("M", each.result) for each in found]

    def found(self) -> Steps[list[Found] | None]:
        """The next results with their rows and distances."""
        if self._query.centre is None:
            return (yield from self._next())
        if self._done:
            return None
        self._done = True
        if self._query.nearest_count is None:
            return (yield from self._by_distance())
        return (yield from self._nearest())

    def _next(self) -> Steps[list[Found] | None]:
        if self._rows is None:
            self._rows = self.rows(self._plan())
        while self._remaining is None or self._remaining > 0:
            rows = yield from self._rows.batch()
            if rows is None:
                return None
            found = yield from self._read(rows, self._remaining)
            if self._remaining is not None:
                self._remaining -= len(found)
            if found:
                return found
        return None

    def _plan(self) -> CellPlan:
        query = self._query
        return plan_cells(query, self._known, query.region)

    def page(self, position: RowPosition | None) -> Steps[tuple[list[Found], bool]]:
        """The results after a position, up to the limit, and whether there may be more."""
        found: list[Found] = []
        self._rows = self.rows(self._plan()) if position is None else self._rows_after(position)
        while (some := (yield from self._next())) is not None:
            found += some
        return found, self._remaining == 0 and (self._has_more or not self._rows.is_finished)

    def _rows_after(self, position: RowPosition) -> RowsOfPlan:
        """The rows after an item, by a new plan; at the level of the one before."""
        query = self._query
        number, level = position.paginator >> _LEVEL_BITS, position.paginator & _LEVEL_MASK
        if len(query.cells.levels) > 1:
            query = query.replace(level=level, most_queries=_ANY_NUMBER)
        plan = plan_cells(query, self._known, query.region, [range(number)] if number else [])
        return self.rows(plan, position.key)

    def _known(self, found: Cover) -> CellStatistics:
        return known_statistics(self._core, self._query, found)

    def rows(self, plan: CellPlan, start: WireItem | None = None) -> RowsOfPlan:
        """The rows of a plan, of which the filter keeps those in the region."""
        self._filter = RegionFilter(self._query, plan.cover.level)
        most = None if self._query.centre is not None else self._query.max_results
        return self.rows_of(plan, start, most)

    def rows_of(self, plan: CellPlan, start: WireItem | None, most: int | None) -> RowsOfPlan:
        """The rows of a plan, read with pages of at most so many items."""
        return CellRows(self._core, self._query, plan, ahead=self._ahead, start=start, page_items=most)

    def _by_distance(self) -> Steps[list[Found] | None]:
        """All results, the nearest first."""
        self._rows = self.rows(self._plan())
        everything: list[Found] = []
        while (rows := (yield from self._rows.batch())) is not None:
            everything += yield from self._read(rows)
        return sorted(everything, key=lambda each: each.rank)[: self._query.max_results]

    def _nearest(self) -> Steps[list[Found] | None]:
        """The nearest results, in circles that grow until one has enough; no cell is read twice."""
        query, region = self._query, self._query.region
        assert isinstance(region, Circle)
        wanted = min(query.nearest_count or 1, query.max_results or _ANY_NUMBER)
        known: dict[tuple[float, str], Found] = {}
        read: list[range] = []
        radius = min(region.radius_m, first_radius(query, self._density_at_centre()))
        while True:
            plan = self._circle_plan(replace(region, radius_m=radius), read, len(known))
            if plan.queries:
                rows = self._rows = self.rows(plan)
                while (some := (yield from rows.batch())) is not None:
                    known |= {each.rank: each for each in (yield from self._read(some))}
                read = joined(sorted([*read, *rows.read], key=lambda each: each.start))
            candidates = [known[rank] for rank in sorted(known)]
            inside = sum(each.distance <= radius for each in candidates)
            if inside >= wanted or radius >= region.radius_m:
                return [each for each in candidates[:wanted] if each.distance <= region.radius_m]
            # A circle with all candidates that are wanted has enough of them.
            wider = radius * (_WIDER if candidates else _MUCH_WIDER)
            enough = candidates[wanted - 1].distance if len(candidates) >= wanted else wider
            radius = min(region.radius_m, enough)

    def _density_at_centre(self) -> float | None:
        query = self._query
        assert query.centre is not None
        number = GEOHASH.number(encode(*query.centre, query.level))
        here = Cover(query.level, (range(number, number + 1),), query.cells.suffix(query.level))
        known = known_statistics(self._core, query, here)
        return known.density(here.partitions()[0], 1 << here.suffix_bits)

    def _circle_plan(self, circle: Circle, read: Sequence[range], found: int) -> CellPlan:
        query = self._query
        for most in (min(_ROUGH_QUERIES, query.most_queries), query.most_queries):
            try:
                return plan_cells(query.replace(most_queries=most), self._known, circle, read)
            except InvalidValue as error:
                if error.code != "cell-too-many":
                    raise
        raise InvalidValue(
            "geo-closest-far",
            f"{query.cells.where}.closest: {found:,} of {query.nearest_count:,} items were found so far, and the cells "
            f"within {circle.radius_m:,.0f} m take more than {query.most_queries:,} queries.",
            fix="pass within=, in metres, or allow more queries: .using(most_queries=...).",
        )

    def _read(self, rows: Sequence[CellRow], most: int | None = None) -> Steps[list[Found]]:
        """The results of rows that are in the region, up to a limit."""
        assert self._filter is not None
        kept = [
            (each, position) for each in rows if (position := self._filter.position(each)) is not _OUTSIDE
        ]
        found: list[Found] = []
        start = 0
        while start < len(kept) and (most is None or len(found) < most):
            size = len(kept) if most is None else most - len(found)
            chunk = kept[start : start + size]
            start += size
            known = {id(row.item): (row, position) for row, position in chunk}
            pairs, _ = yield from self._results.with_rows([(row.paginator, row.item) for row, _ in chunk])
            for row, result in pairs:
                position = self._filter.position_of_result(*known[id(row[1])], result)
                if position is not _OUTSIDE:
                    found.append(
                        Found(row, known[id(row[1])][0].cell, result, self._query.distance(position))
                    )
        self._has_more = start < len(kept)
        return found


class RegionFilter:
    """Keeps the items in a region: by their positions, or by their cells if they have none."""

    def __init__(self, query: GeoQuery, level: int) -> None:
        self._query = query
        # The nearest items are chosen by their distance.
        self._accepts_all = query.nearest_count is not None
        self._cells: Cover | None = None
        if query.cells.of is None and not self._accepts_all:
            self._cells = _cells_of(query.region, level)

    def position(self, row: CellRow) -> Position:
        """The position of a row; `_UNKNOWN` if its item must be read first, `_OUTSIDE` if it is not in the region."""
        query = self._query
        if query.cells.of is None:
            return self._position_of_cell(row)
        try:
            position = query.position_of(row.item)
        except PkskError:  # an item that cannot be read, which is found out later
            return _UNKNOWN
        return _UNKNOWN if position is None else self._if_inside(position)

    def position_of_result(self, row: CellRow, position: Position, result: BaseModel) -> Position:
        """The same for a row whose item was read; an item that has no position is found by its cell."""
        of = self._query.cells.of
        if of is None or not (position is _UNKNOWN or row.paginator.plan.reads_table):
            return position
        # The item in the table may have moved since its index entry was written.
        lat, lng = (getattr(result, name, None) for name in of)
        if lat is not None and lng is not None:
            return self._if_inside((float(lat), float(lng)))
        return self._position_of_cell(row) if position is _UNKNOWN else position

    def _position_of_cell(self, row: CellRow) -> Position:
        inside = self._accepts_all or self._has_cell(row.cell)
        return decode(row.cell).centre if inside else _OUTSIDE

    def _if_inside(self, position: Position) -> Position:
        return position if self._accepts_all or position in self._query.region else _OUTSIDE

    def _has_cell(self, cell: str) -> bool:
        if self._cells is not None:
            return cell in self._cells
        box = decode(cell)
        return self._query.region.relation(box.south, box.west, box.north, box.east) is not Relation.DISJOINT


def _cells_of(region: Region, level: int) -> Cover | None:
    """The cells of a region; None if these are too many to list."""
    try:
        return cover(region, level, suffix=1, most=_MOST_RANGES)
    except InvalidValue:
        return None


def all_results(core: Core, query: GeoQuery[M], unreadable: UnreadableItems = None) -> Steps[list[M]]:
    """All results of a query by region in a list."""
    return (yield from read_all(GeoReader(core, query, unreadable, ahead=core.max_parallel)))


def read_all(reading: GeoReader[M]) -> Steps[list[M]]:
    """All results of a reader in a list."""
    results: list[M] = []
    while (batch := (yield from reading.batch())) is not None:
        results += batch
    return results


def current_statistics(core: Core, query: GeoQuery) -> CellStatistics:
    """The statistics of the partitions of a query, as far as they are known now."""
    check_request_kind("cell_statistics", query, "GeoQuery")
    return known_statistics(core, query, query.cell_plan.cover)


def geo_page(
    core: Core, query: GeoQuery[M], after: str | None, before: str | None, unreadable: UnreadableItems
) -> Steps[Page[M]]:
    """The results after a cursor, up to the limit of the query; a cursor is the position of an item on the curve."""
    if before is not None or query.centre is not None:
        raise DesignError(
            "geo-page",
            f"page: {'before= on a query by region' if before is not None else 'a query that is ordered by distance'}.",
            expected="A page begins where the one before it ended, in the order of cells.",
            fix="keep the cursors of earlier pages."
            if before is not None
            else "run it with limit(...), or leave out the order.",
        )
    reading = GeoReader(core, query, unreadable)
    pairs, more = yield from reading.page(None if after is None else decode_cursor(core.secret, query, after))

    def cursor(number: int) -> str:
        (paginator, item), cell = pairs[number].row, pairs[number].cell
        key = {name: item[name] for name in paginator.index.keys}
        place = GEOHASH.number(cell) << _LEVEL_BITS | len(cell)
        return encode_cursor(core.secret, query, RowPosition(place, key))

    return Page(tuple(cast("M", each.result) for each in pairs), cursor(-1) if more else None, None, cursor)


def read_page(
    core: Core,
    read: Read | GeoQuery,
    *,
    after: str | None = None,
    before: str | None = None,
    unreadable: UnreadableItems = None,
) -> Steps[Page[BaseModel]]:
    """A page of a query, a scan or a query by region."""
    if isinstance(read, GeoQuery):
        return (yield from geo_page(core, read, after, before, unreadable))
    return (yield from page(core, read, after=after, before=before, unreadable=unreadable))


def result_reader(
    core: Core, read: Read | GeoQuery[BaseModel], unreadable: UnreadableItems
) -> GeoReader[BaseModel] | ResultReader[BaseModel]:
    """What reads the results of a query, a scan or a query by region, batch by batch."""
    if isinstance(read, GeoQuery):
        return GeoReader(core, read, unreadable)
    return ResultReader(core, read, unreadable=unreadable)
