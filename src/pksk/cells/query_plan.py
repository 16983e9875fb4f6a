"""The cheapest queries for a cover: its ranges, of which near ones are joined where that costs less."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from math import ceil, inf
from typing import Final, NamedTuple

from pksk.cells.box import Box
from pksk.cells.cell_area import CellArea
from pksk.cells.cover import SUFFIX, Cover
from pksk.cells.cover import cover as cover_region
from pksk.cells.curve import Curve
from pksk.cells.geohash import GEOHASH
from pksk.cells.ranges import too_many_queries
from pksk.cells.read_cost import READ_COST, ReadCost, cheapest_ranges, touched_blocks
from pksk.cells.region import Region
from pksk.cells.statistics import CellStatistics
from pksk.dataclass import dataclass, replace
from pksk.errors import InvalidValue
from pksk.limits import BATCH_GET_ITEMS

# Only decides how many items the first query of a partition may read if nothing is known about their size.
_ASSUMED_ITEM_BYTES: Final = 256
# How many times as many items as expected a query reads before the rest is planned again.
_SURPRISE: Final = 2
MOST_QUERIES: Final = 100
# A shape with more exact ranges than this for each query that it may take is followed at a coarser level.
_RANGES_A_QUERY: Final = 8
# At least so many times as many ranges has a cover of the next smaller cells, if it has many.
_MORE_RANGES: Final = 4


class CellQuery(NamedTuple):
    """One query: the cells from `first` to `last`, both included, in the partition of `prefix`.

    A query with a `limit` is the first one of a partition about which nothing is known; `CellPlan.rest` plans what it
    leaves. `cells` are in the range. `size_bytes` is an estimate, None if nothing is known.
    """

    prefix: str
    first: str
    last: str
    limit: int | None
    cells: int
    size_bytes: float | None


class Way(NamedTuple):
    """What one way to read a cover costs, by the same statistics."""

    name: str
    requests: int
    units: float
    cells: int


@dataclass(frozen=True)
class CellPlan:
    """The queries for a cover, in the order of their cells, and what they are estimated to cost.

    `wanted_level` is the level of the call; that of the cover is less if it would have taken too many queries. `read`
    are the numbers of cells that were read before.

    Example:
        >>> from pksk.cells import Box, cover
        >>> view = cover(Box(51.4, -0.3, 51.6, 0.1), 6)
        >>> dense = plan_queries(view, CellStatistics(items_per_cell=1, item_bytes=95, source="declared"))
        >>> len(view.key_ranges()), len(dense.queries), dense.units
        (69, 11, 26.5)
        >>> sparse = plan_queries(view, CellStatistics(items_per_cell=0.001, item_bytes=95, source="declared"))
        >>> len(sparse.queries), sparse.units
        (2, 1.0)
    """

    cover: Cover
    statistics: CellStatistics
    cost: ReadCost
    queries: tuple[CellQuery, ...]
    wanted_level: int
    read: tuple[range, ...] = ()

    @property
    def requests(self) -> int | None:
        """The estimated number of requests, None if nothing is known; a query of more than 1 MB takes several."""
        sizes = self._sizes()
        return None if sizes is None else sum(map(self.cost.requests, sizes))

    @property
    def units(self) -> float | None:
        """The estimated read units, None if nothing is known."""
        sizes = self._sizes()
        return None if sizes is None else sum(map(self.cost.units, sizes))

    @property
    def cells(self) -> int:
        """How many cells are in the ranges of the queries; the cover has `len(plan.cover)` of them."""
        return sum(query.cells for query in self.queries)

    def guarded(self) -> CellPlan:
        """The same queries, with limits where they read cells beside the cover: there may be more items by now.

        A query that ends at its limit is followed by `rest`, as if nothing had been known.

        Example:
            >>> from pksk.cells import Box, cover
            >>> view = cover(Box(51.4, -0.3, 51.6, 0.1), 6)
            >>> sparse = plan_queries(view, CellStatistics(items_per_cell=0.001, item_bytes=95))
            >>> [query.limit for query in sparse.guarded().queries]
            [47, 46]
        """
        exact = {tuple(each) for each in self.cover.key_ranges()}
        return replace(
            self,
            queries=tuple(each if each[:3] in exact else self._guarded(each) for each in self.queries),
        )

    def _guarded(self, query: CellQuery) -> CellQuery:
        expected = (query.size_bytes or 0) / (self.statistics.item_bytes or inf)
        limit = _first_limit(self.statistics, self.cost) + ceil(_SURPRISE * expected)
        return query if query.limit is not None else query._replace(limit=limit)

    def rest(
        self, query: CellQuery, last: str, seen: CellStatistics, *, several_items: bool = False
    ) -> CellPlan:
        """What is left after the first query of a partition ended because of its limit, at the cell of suffix `last`.

        If a cell can have several items, the last one is read on. `seen` is what the answer showed.
        """
        curve = self.cover.curve
        first = curve.number(query.prefix + last) + (not several_items)
        stop = curve.number(query.prefix + query.last) + 1
        left = (range(max(each.start, first), min(each.stop, stop)) for each in self.cover.ranges)
        part = Cover(self.cover.level, tuple(each for each in left if each), self.cover.suffix, curve)
        return plan_queries(part, seen, cost=self.cost, read=self.read)

    def ways(self) -> list[Way]:
        """What other ways to read the same cells cost, by the same statistics; empty if nothing is known."""
        parts = [*self._partitions()]
        if any(size is None for _, size in parts):
            return []
        known = [(ranges, size or 0.0) for ranges, size in parts]
        block = 1 << self.cover.curve.bits * (self.cover.suffix - 1)
        partition = 1 << self.cover.suffix_bits
        one = [([range(ranges[0].start, ranges[-1].stop)], size) for ranges, size in known]
        return [
            Way("this plan", self.requests or 0, self.units or 0.0, self.cells),
            self._way("exact ranges", known),
            self._way("one range a partition", one),
            self._way("whole blocks", [(touched_blocks(ranges, block), size) for ranges, size in known]),
            self._way(
                "whole partitions", [(touched_blocks(ranges, partition), size) for ranges, size in known]
            ),
            self._batch_get(),
        ]

    def explain(self) -> str:
        """The plan, the statistics that it is based on, and other ways, as text."""
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """The lines of the explanation."""
        cover = self.cover
        yield (
            f"{_number(len(cover), 'cell')} of level {cover.level} in "
            f"{_number(cover.partition_count, 'partition')}, {_number(len(cover.key_ranges()), 'exact range')}"
        )
        yield str(self.statistics)
        if self.wanted_level != cover.level:
            yield f"level {self.wanted_level} would take too many queries"
        if not (ways := self.ways()):
            limited = sum(query.limit is not None for query in self.queries)
            if limited:
                first = _number(limited, "first query", "first queries")
                yield f"{first} with a limit; the rest follows from what is found"
            return
        rows = [("way", "requests", "read units", "cells")]
        rows += [(way.name, f"{way.requests:,}", f"{way.units:,g}", f"{way.cells:,}") for way in ways]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for name, *figures in rows:
            texts = [text.rjust(width) for text, width in zip(figures, widths[1:], strict=True)]
            yield "  ".join([name.ljust(widths[0]), *texts])

    def _sizes(self) -> list[float] | None:
        sizes = [query.size_bytes for query in self.queries]
        known = [size for size in sizes if size is not None]
        return known if len(known) == len(sizes) else None

    def _partitions(self) -> Iterator[tuple[list[range], float | None]]:
        """The ranges of each partition, and the bytes of a cell there."""
        for number, ranges in self.cover.by_partition():
            yield ranges, _bytes_per_cell(self.cover, self.statistics, number)

    def _way(self, name: str, parts: Sequence[tuple[Sequence[range], float]]) -> Way:
        sizes = [len(each) * size for ranges, size in parts for each in ranges]
        cells = sum(len(each) for ranges, _ in parts for each in ranges)
        return Way(name, sum(map(self.cost.requests, sizes)), sum(map(self.cost.units, sizes)), cells)

    def _batch_get(self) -> Way:
        """Each item by its key: it is rounded up alone, and a missing one costs as much as a small one."""
        cells = ceil(len(self.cover) * max(1, self.statistics.items_per_cell or 0))
        each = self.cost.units(self.statistics.item_bytes or 0)
        return Way("BatchGetItem", -(-cells // BATCH_GET_ITEMS), cells * each, cells)


def plan_queries(
    cover: Cover,
    statistics: CellStatistics,
    *,
    cost: ReadCost = READ_COST,
    wanted_level: int | None = None,
    read: Sequence[range] = (),
) -> CellPlan:
    """The cheapest queries that read the cells of a cover, and others where that costs less than another request.

    In a partition about which nothing is known, the first query has a limit: it shows how dense the cells are, and
    often returns everything. `read` are the numbers of cells that were read before, in ascending order: they are not
    read again, not even between others.

    Example:
        >>> from pksk.cells import Circle, cover
        >>> plan = plan_queries(cover(Circle(51.5, -0.12, radius_m=300), 7), CellStatistics())
        >>> plan.queries[0]
        CellQuery(prefix='gcpu', first='vny', last='vre', limit=16, cells=80, size_bytes=None)
    """
    queries: list[CellQuery] = []
    block = 1 << cover.curve.bits * (cover.suffix - 1)
    left = cover.without(read) if read else cover
    for number, ranges in left.by_partition():
        size = _bytes_per_cell(cover, statistics, number)
        for run in _runs(ranges, read):
            if size is None:
                one = range(run[0].start, run[-1].stop)
                # A single range is read in any case.
                limit = _first_limit(statistics, cost) if len(run) > 1 else None
                queries.append(_query(cover, one, None, limit))
            else:
                queries += [_query(cover, each, size) for each in cheapest_ranges(run, size, cost, block)]
    return CellPlan(left, statistics, cost, tuple(queries), wanted_level or cover.level, tuple(read))


def _runs(ranges: Sequence[range], read: Sequence[range]) -> Iterator[Sequence[range]]:
    """Ranges that may be joined, since nothing between them was read before."""
    first = 0
    for position in range(1, len(ranges)):
        after = bisect_left(read, ranges[position - 1].stop, key=lambda each: each.start)
        if after < len(read) and read[after].start < ranges[position].start:
            yield ranges[first:position]
            first = position
    yield ranges[first:]


def plan_region(
    region: Region,
    level: int,
    statistics: CellStatistics | Callable[[Cover], CellStatistics],
    *,
    most_queries: int = MOST_QUERIES,
    stored_level: int | None = None,
    suffix: int = SUFFIX,
    curve: Curve = GEOHASH,
    cost: ReadCost = READ_COST,
) -> CellPlan:
    """The cheapest queries for a region at a level, or at a coarser one if that would take too many queries.

    If items are stored at every level, as counts of cells are, larger cells are read, and `statistics` can be a
    function of the cover, which has a level. If they are stored at one, pass it as `stored_level`: then the region is
    only followed less closely.

    Example:
        >>> from pksk.cells import Circle
        >>> polar = Circle(89.5, 0, radius_m=50_000)
        >>> plan = plan_region(polar, 5, CellStatistics(items_per_cell=1, item_bytes=95, source="declared"))
        >>> plan.wanted_level, plan.cover.level, len(plan.queries)
        (5, 4, 46)
    """
    least = suffix if stored_level is None else 1
    for found in _covers(region, level, least, suffix, curve, _RANGES_A_QUERY * most_queries):
        cover = found if stored_level is None else replace(found.at_level(stored_level), suffix=suffix)
        if cover.partition_count > most_queries:
            continue
        known = statistics(cover) if callable(statistics) else statistics
        plan = plan_queries(cover, known, cost=cost, wanted_level=level)
        if len(plan.queries) <= most_queries:
            return plan
    raise too_many_queries(most_queries, level)


def _number(count: int, thing: str, things: str = "") -> str:
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"


def _covers(region: Region, level: int, least: int, suffix: int, curve: Curve, most: int) -> Iterator[Cover]:
    """Covers of a region from a level to larger cells, without those that have too many ranges."""

    def found(each: int) -> Cover | None:
        try:
            return cover_region(region, each, suffix=min(suffix, each), curve=curve, most=most)
        except InvalidValue as error:
            if error.code != "cell-too-many":
                raise
            return None

    if isinstance(region, (Box, CellArea)) and (wanted := found(level)) is not None:
        yield wanted
    # From large cells to small ones: larger ones take a fraction of the time.
    covers: list[Cover] = []
    for each in range(least, level + 1):
        cover = found(each)
        if cover is None:
            break
        covers.append(cover)
        if len(cover.ranges) * _MORE_RANGES > most:
            break
    yield from reversed(covers)


def _query(cover: Cover, numbers: range, bytes_per_cell: float | None, limit: int | None = None) -> CellQuery:
    size = None if bytes_per_cell is None else len(numbers) * bytes_per_cell
    return CellQuery(*cover.key_range(numbers), limit, len(numbers), size)


def _bytes_per_cell(cover: Cover, statistics: CellStatistics, number: int) -> float | None:
    if not statistics.partition_items:
        return statistics.bytes_per_cell("", 1)
    prefix = cover.curve.name(number, cover.level - cover.suffix)
    return statistics.bytes_per_cell(prefix, 1 << cover.suffix_bits)


def _first_limit(statistics: CellStatistics, cost: ReadCost) -> int:
    """As many items as cost no more to read than another request does."""
    size = statistics.item_bytes or _ASSUMED_ITEM_BYTES
    return max(1, int(cost.worthwhile_gap(size)))
