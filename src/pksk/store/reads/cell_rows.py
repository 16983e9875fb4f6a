"""The rows of ranges of cells in order: read in parallel, and planned again where density was not known before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pksk.cells import CellPlan, CellQuery, CellRange, CellStatistics, Cover
from pksk.dataclass import dataclass
from pksk.model.planning import CellInKey, Plan
from pksk.model.requests.geo_query import GeoQuery
from pksk.model.requests.geo_query_plan import cells_until, item_bytes, rest_of, seen_statistics
from pksk.sending import Core, Steps, Together
from pksk.sending.seen_cells import SEEN, CellPlace
from pksk.store.reads.request_expressions import with_attributes
from pksk.store.reads.rows import Paginator
from pksk.values import WireItem


class CellRow(NamedTuple):
    """An item or index entry, the paginator that read it, and its cell."""

    paginator: Paginator
    item: WireItem
    cell: str


@dataclass
class _Segment:
    """One query of a plan."""

    paginator: Paginator
    read: CellQuery
    in_key: CellInKey
    statistics: CellStatistics | None = None
    counted: int = 0


class CellRows:
    """The rows of a plan, in the order of their cells.

    The queries that come next are read ahead in parallel: `ahead` of them at first, then more each time. A query that
    ends at its limit is replaced by the queries that cost the least for the rest of its partition.
    """

    def __init__(
        self,
        core: Core,
        query: GeoQuery,
        plan: CellPlan,
        *,
        ahead: int,
        start: WireItem | None = None,
        page_items: int | None = None,
    ) -> None:
        self._core, self._query, self._ahead = core, query, ahead
        self._plan = plan.guarded() if plan.statistics.source == SEEN else plan
        # The numbers of the cells that were read completely.
        self.read: list[range] = []
        self._page_items = page_items
        self.base: Plan = query.base_plan(plan.queries)
        self._index = query.entity.__pksk__.indexes[query.key]
        self._in_keys: dict[str, CellInKey] = {}
        self._segments = [self._segment(each) for each in self._plan.queries]
        if start is not None and self._segments:
            self._resume(self._segments[0], start)

    @property
    def is_finished(self) -> bool:
        """Whether there are no more rows, as far as is known."""
        return all(each.paginator.is_finished and not each.paginator.rows for each in self._segments)

    def batch(self) -> Steps[list[CellRow] | None]:
        """The next rows, at least one; None at the end."""
        while self._segments:
            if self._segments[0].paginator.needs_more:
                yield from self._fill()
            rows = list(self._take())
            if rows:
                return rows
        return None

    def _take(self) -> Iterator[CellRow]:
        """The rows that were read, up to the first query that is not finished."""
        while self._segments:
            segment = self._segments[0]
            for item in segment.paginator.rows:
                cell = segment.in_key.cell_of(item)
                if cell is not None:
                    yield CellRow(segment.paginator, item, cell)
            segment.paginator.rows.clear()
            if not segment.paginator.is_finished:
                return
            del self._segments[0]

    def _fill(self) -> Steps[None]:
        """Read one page of the queries that come next."""
        waiting = [each for each in self._segments[: self._ahead] if each.paginator.needs_more]
        self._ahead = min(2 * self._ahead, self._core.max_parallel)
        if len(waiting) == 1:
            yield from waiting[0].paginator.fill(self._core, self._query, until_found=False)
        else:
            fills = (each.paginator.fill(self._core, self._query, until_found=False) for each in waiting)
            yield Together(tuple(fills))
        for each in waiting:
            self._after_page(each)

    def _after_page(self, segment: _Segment) -> None:
        paginator, read = segment.paginator, segment.read
        if segment.statistics is None or not segment.statistics.item_bytes:
            segment.statistics = seen_statistics(
                self._query, [*paginator.rows], paginator.evaluated, read.cells
            )
        if paginator.is_finished:
            self._remember(segment, read.cells)
            first = self._plan.cover.curve.number(read.prefix + read.first)
            self.read.append(range(first, first + read.cells))
        elif read.limit is not None and paginator.evaluated >= read.limit:
            self._plan_rest(segment)

    def _plan_rest(self, segment: _Segment) -> None:
        """Replace a query that ended at its limit, by the density that it showed."""
        assert segment.paginator.start is not None
        last = segment.in_key.cell_of(segment.paginator.start)
        if last is None:  # an item of another entity, so that the place in the range is not known
            return
        cells = cells_until(segment.read, last)
        known = self._remember(segment, cells)
        several = self._query.cells.several_items
        first = self._plan.cover.curve.number(segment.read.prefix + segment.read.first)
        self.read.append(range(first, first + cells - several))
        rest = rest_of(self._plan, segment.read, last, known, several=several)
        position = self._segments.index(segment)
        following = [self._segment(each) for each in rest.queries]
        if several and following and rest.queries[0].first == last[len(segment.read.prefix) :]:
            following[0].paginator.start = segment.paginator.start
        segment.paginator.is_finished = True
        self._segments[position + 1 : position + 1] = following

    def _remember(self, segment: _Segment, cells: int) -> CellStatistics:
        """What a query has shown of so many cells; the store remembers it for later queries."""
        assert segment.statistics is not None
        size = segment.statistics.item_bytes or 0.0
        now, evaluated = self._core.now(), segment.paginator.evaluated
        place = place_of(self._query, segment.read.prefix)
        self._core.seen_cells.add(
            place, items=evaluated, cells=cells, size_bytes=size * evaluated, now=self._core.clock()
        )
        return CellStatistics.seen(evaluated, cells, round(size * evaluated), now)

    def _segment(self, read: CellQuery) -> _Segment:
        request = self._query.request_of(self.base, read)
        names = [*self._index.keys]
        of = self._query.cells.of
        if of is not None and not self.base.reads_table:
            names += [self._query.entity.__pksk__.attribute(name) for name in of]
        request = with_attributes(request, names)
        if self._page_items is not None:
            request["Limit"] = min(self._page_items, read.limit or self._page_items)
        level = len(read.prefix) + len(read.first)
        paginator = Paginator(level, "Query", request, self.base, self._index)
        return _Segment(paginator, read, self._in_key(read))

    def _in_key(self, read: CellQuery) -> CellInKey:
        found = self._in_keys.get(read.prefix)
        if found is None:
            ranges = CellRange(*read[:3])
            found = self._in_keys[read.prefix] = self._query.cells.cell_in_key(self._query.parts, ranges)
        return found

    def _resume(self, segment: _Segment, start: WireItem) -> None:
        """Start after the item of a cursor, if its cell is the first that is left."""
        cell = segment.in_key.cell_of(start)
        if cell == segment.read.prefix + segment.read.first:
            segment.paginator.start = start


def place_of(query: GeoQuery, prefix: str) -> CellPlace:
    """What the density of a partition is remembered under: its key, and the beginning of its sort keys."""
    declaration = query.entity.__pksk__
    first = prefix + "0" * (query.cells.suffix(query.level))
    ranges = CellRange(prefix, first[len(prefix) :], first[len(prefix) :])
    partition, _ = query.cells.key_range(query.parts, ranges)
    before = query.cells.cell_in_key(query.parts, ranges).before
    return (
        declaration.table.name,
        declaration.indexes[query.key].name,
        str(partition.attributes),
        before,
        len(first),
    )


def known_statistics(core: Core, query: GeoQuery, found: Cover) -> CellStatistics:
    """The statistics for a plan: those of the query, or what the store has seen of these partitions."""
    if query.statistics is not None:
        return query.statistics
    declared = query.pattern.options.item_size if query.pattern else None
    places = {prefix: place_of(query, prefix) for prefix in found.partitions()}
    return core.seen_cells.statistics(
        places, 1 << found.suffix_bits, item_bytes(query, declared), core.clock()
    )
