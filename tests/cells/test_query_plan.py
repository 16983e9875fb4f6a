"""Plans: every cell is read, and no other way to read the same cells is estimated to cost less."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from math import inf, nan
from random import Random

import pytest

from pksk.cells import (
    GEOHASH,
    Box,
    CellPlan,
    CellQuery,
    CellStatistics,
    Circle,
    Cover,
    Polygon,
    ReadCost,
    cover,
    level_of_zoom,
    plan_queries,
    plan_region,
    view_of_screen,
)
from pksk.cells.read_cost import cheapest_ranges, joined_near, touched_blocks
from pksk.errors import InvalidValue

LEVELS = range(3, 9)
SPARSE_TO_DENSE = (0.0, 0.0001, 0.01, 0.02, 0.2, 1.0, 5.0)
SIZES = (60, 100, 400, 4000)


def random_cover(random: Random) -> Cover:
    zoom = random.randrange(4, 20)
    place = random.uniform(-60, 60), random.uniform(-180, 180)
    level = level_of_zoom(zoom, levels=LEVELS)
    if random.random() < 0.3:
        return cover(Circle(*place, radius_m=4_000_000 / 2**zoom), level)
    return cover(view_of_screen(*place, zoom), level)


def random_statistics(random: Random) -> CellStatistics:
    return CellStatistics(random.choice(SPARSE_TO_DENSE), random.choice(SIZES), "declared")


def random_cost(random: Random) -> ReadCost:
    return ReadCost(random.choice([0, 0.1, 0.25, 1.0]), consistent=random.random() < 0.3)


def test_a_plan_reads_every_cell_once_in_order() -> None:
    random = Random()
    for _ in range(60):
        found = random_cover(random)
        plan = plan_queries(found, random_statistics(random), cost=random_cost(random))

        read = [number for query in plan.queries for number in numbers(query)]
        assert len(read) == len(set(read)) == plan.cells
        assert read == sorted(read)
        assert {number for each in found.ranges for number in each} <= set(read)


def test_no_other_way_to_read_the_same_cells_costs_less() -> None:
    random = Random()
    for _ in range(100):
        plan = plan_queries(random_cover(random), random_statistics(random), cost=random_cost(random))

        costs = {way.name: way.units + plan.cost.request_units * way.requests for way in plan.ways()}
        mine = costs.pop("this plan")
        batch = costs.pop("BatchGetItem")
        assert mine <= min(costs.values()) + 1e-9, plan.explain()
        # A hundred keys share a request, so many single cells apart from each other may cost less that way.
        assert mine <= batch + plan.cost.request_units * len(plan.cover.ranges)
        assert plan.units == pytest.approx(sum(query_units(plan, each) for each in plan.queries))


def test_no_fixed_gap_costs_less_by_more_than_one_rounding() -> None:
    random = Random()
    for _ in range(100):
        plan = plan_queries(random_cover(random), random_statistics(random))
        size = (plan.statistics.items_per_cell or 0) * (plan.statistics.item_bytes or 0)

        mine = fixed = 0.0
        for _, ranges in plan.cover.by_partition():
            block = cheapest_ranges(ranges, size, plan.cost, 1024)
            mine += plan.cost.total([len(each) * size for each in block])
            every_gap = [
                [len(each) * size for each in joined_near(ranges, gap)] for gap in (0, 1, 4, 16, 64, 256, inf)
            ]
            fixed += min(plan.cost.total(sizes) for sizes in every_gap)
        assert mine <= fixed * 1.02 + 0.5


def test_ranges_cost_hardly_more_than_the_best_of_all_ways_to_join_them() -> None:
    """All ways to join up to eight ranges are tried."""
    random, mine, best = Random(), 0.0, 0.0
    for _ in range(300):
        ranges = random_ranges(random)
        size, cost = random.choice(SPARSE_TO_DENSE) * random.choice(SIZES), random_cost(random)

        found = cheapest_ranges(ranges, size, cost, 1024)

        assert covers(found, ranges)
        own = cost.total([len(each) * size for each in found])
        least = min(cost.total([len(each) * size for each in way]) for way in ways_to_join(ranges))
        # Each query rounds up by less than one step.
        assert own <= least + cost.step * len(ranges)
        mine, best = mine + own, best + least
    assert mine <= best * 1.02


def test_the_gap_follows_from_density_size_and_the_price_of_a_request() -> None:
    exact = [range(0, 8), range(50, 60)]

    def joins(size: float, cost: ReadCost) -> bool:
        return len(cheapest_ranges([*exact, range(30_000, 30_050)], size, cost, 1024)) == 2

    assert joins(95, ReadCost())
    assert not joins(950, ReadCost())
    assert not joins(95, ReadCost(request_units=0))
    assert joins(95, ReadCost(consistent=True, request_units=0.5))
    assert [int(ReadCost(each).worthwhile_gap(100)) for each in (0.25, 1)] == [40, 102]


def test_a_view_of_a_full_partition_takes_9_requests_and_23_units() -> None:
    """At zoom 15, of 32,768 cells of 100 bytes."""
    found = cover(view_of_screen(49.2606, -123.1139, 15), 7)
    dense = CellStatistics(1, 100, "declared")
    sparse = CellStatistics(0.01, 100, "declared")

    plans = [plan_queries(found, each) for each in (dense, sparse)]

    ways = [{way.name: way for way in plan.ways()} for plan in plans]
    assert 1000 < len(found) < 1800
    assert ways[0]["this plan"].units * 3 < ways[0]["whole blocks"].units
    assert ways[0]["this plan"].units * 2 < ways[0]["exact ranges"].units
    assert ways[0]["BatchGetItem"].units == len(found) / 2
    assert ways[1]["this plan"].units <= ways[1]["whole partitions"].units


def test_counted_partitions_are_planned_by_their_own_density() -> None:
    found = cover(Box(51.4, -0.3, 51.6, 0.1), 6)
    full, empty = found.partitions()
    counted = CellStatistics(0.5, 95, "counted", partition_items={full: 32_768, empty: 10})

    plan = plan_queries(found, counted)

    assert len([each for each in plan.queries if each.prefix == full]) > 5
    assert len([each for each in plan.queries if each.prefix == empty]) == 1
    assert plan_queries(found, CellStatistics(0, 95)).units == 1


@dataclass
class Stored:
    """Items of cells in memory, read as queries read them."""

    cells: list[int]
    item_bytes: int
    cost: ReadCost
    requests: int = 0
    units: float = 0

    def read(self, query: CellQuery) -> tuple[list[int], bool]:
        """The cells that a query returns, and whether its limit ended it."""
        within = numbers(query)
        found = [each for each in self.cells if each in within]
        limited = query.limit is not None and len(found) >= query.limit
        found = found[: query.limit]
        self.requests += 1
        self.units += self.cost.units(len(found) * self.item_bytes)
        return found, limited

    def read_all(self, plan: CellPlan) -> list[int]:
        """What a plan returns, with the rest of first queries."""
        found = []
        for query in plan.queries:
            some, limited = self.read(query)
            found += some
            if limited:
                last = GEOHASH.name(some[-1], plan.cover.level)[-3:]
                cells = some[-1] - numbers(query)[0] + 1
                seen = CellStatistics.seen(len(some), cells, len(some) * self.item_bytes)
                found += self.read_all(plan.rest(query, last, seen))
        return found


def test_where_nothing_is_known_the_first_query_shows_how_to_go_on() -> None:
    """It takes one more request in a partition at most, and over all views no single way costs less."""
    random = Random(7)
    totals: dict[str, float] = {}
    for _ in range(300):
        found = random_cover(random)
        density, size = random.choice(SPARSE_TO_DENSE[1:-1]), random.choice(SIZES[:3])
        stored = Stored(filled(random, found, density), size, ReadCost())

        plan = plan_queries(found, CellStatistics(item_bytes=size))
        read = stored.read_all(plan)

        wanted = {number for each in found.ranges for number in each}
        assert [each for each in read if each in wanted] == [each for each in stored.cells if each in wanted]
        known = plan_queries(found, CellStatistics(density, size))
        assert plan.units is plan.requests is None
        assert plan.ways() == []
        totals["adaptive"] = totals.get("adaptive", 0) + stored.units + 0.25 * stored.requests
        for way in known.ways()[1:]:
            totals[way.name] = totals.get(way.name, 0) + way.units + 0.25 * way.requests

    assert totals["adaptive"] == min(totals.values())


def test_a_first_query_that_returns_everything_was_the_cheapest() -> None:
    found = cover(Box(51.4, -0.3, 51.6, 0.1), 6)
    stored = Stored([next(iter(found.ranges))[0]], 95, ReadCost())

    plan = plan_queries(found, CellStatistics(item_bytes=95))
    stored.read_all(plan)

    assert (stored.requests, stored.units) == (2, 1.0) == (found.partition_count, found.partition_count / 2)
    assert {query.limit for query in plan.queries} == {43}
    assert {query.limit for query in plan_queries(found, CellStatistics()).queries} == {16}


def test_a_shape_that_takes_too_many_queries_is_read_in_larger_cells() -> None:
    polar = Circle(89.5, 0, radius_m=50_000)
    dense = CellStatistics(1, 100, "declared")

    plan = plan_region(polar, 8, dense, most_queries=50)

    assert (plan.wanted_level, plan.cover.level) == (8, 4)
    assert len(plan.queries) <= 50
    assert "level 8 would take too many queries" in plan.explain()
    assert "too many" not in plan_region(polar, 4, dense, most_queries=50).explain()


def test_a_shape_of_items_at_one_level_is_only_followed_less_closely() -> None:
    lake = Polygon([(46, -88), (48.5, -88.5), (47, -85), (46.4, -86)])
    sparse = CellStatistics(0.5, 400, "declared")

    plan = plan_region(lake, 6, sparse, stored_level=6, most_queries=60)

    assert plan.cover.level == plan.wanted_level == 6
    assert len(plan.queries) <= 60
    assert set(cover(lake, 4).cells()) <= {cell[:4] for cell in plan.cover.cells()}


def test_statistics_may_depend_on_the_level() -> None:
    levels = []

    def known(found: Cover) -> CellStatistics:
        levels.append(found.level)
        return CellStatistics(1, 100, "declared")

    plan_region(Circle(89.5, 0, radius_m=50_000), 5, known, most_queries=50)

    assert levels[-1] == 4


def test_a_region_that_is_too_large_at_every_level_is_rejected() -> None:
    dense = CellStatistics(1, 100, "declared")
    with pytest.raises(InvalidValue, match="more than 40 queries") as caught:
        plan_region(Box(-90, -180, 90, 180), 6, dense, most_queries=40, suffix=4, stored_level=8)

    assert caught.value.code == "cell-too-many"


def test_a_plan_explains_itself_with_the_source_of_its_statistics() -> None:
    found = cover(Box(51.4, -0.3, 51.6, 0.1), 6)
    counted = CellStatistics(0.5, 95, "counted", datetime(2026, 3, 1, 12, tzinfo=UTC), {"gcp": 9000})

    lines = plan_queries(found, counted).explain().splitlines()

    assert lines[0] == "1,406 cells of level 6 in 2 partitions, 69 exact ranges"
    assert "1 partitions counted (counted, as of 2026-03-01 12:00)" in lines[1]
    assert [line.split("  ")[0] for line in lines[2:]] == [
        "way",
        "this plan",
        "exact ranges",
        "one range a partition",
        "whole blocks",
        "whole partitions",
        "BatchGetItem",
    ]
    assert "2 first queries with a limit" in plan_queries(found, CellStatistics()).explain()


@pytest.mark.parametrize("value", [-1, nan, inf])
@pytest.mark.parametrize("name", ["items_per_cell", "item_bytes"])
def test_statistics_that_are_not_numbers_from_0_are_rejected(name: str, value: float) -> None:
    with pytest.raises(InvalidValue, match=name) as caught:
        CellStatistics(**{name: value})  # type: ignore[arg-type]

    assert caught.value.code == "cell-statistics"


def numbers(query: CellQuery) -> range:
    first, last = (GEOHASH.number(query.prefix + each) for each in (query.first, query.last))
    return range(first, last + 1)


def query_units(plan: CellPlan, query: CellQuery) -> float:
    return plan.cost.units(query.size_bytes or 0)


def filled(random: Random, found: Cover, density: float) -> list[int]:
    """The cells that exist, of the partitions of a cover."""
    cells = []
    for number, _ in found.by_partition():
        cells += [each for each in range(number << 15, number + 1 << 15) if random.random() < density]
    return cells


def random_ranges(random: Random) -> list[range]:
    found, start = [], random.randrange(100)
    for _ in range(random.randrange(1, 9)):
        stop = start + random.choice([1, 2, 8, 40, 300])
        found.append(range(start, stop))
        start = stop + random.choice([1, 3, 20, 100, 2000])
    return found


def ways_to_join(ranges: list[range]) -> Iterator[list[range]]:
    gaps = range(1, len(ranges))
    for count in range(len(ranges)):
        for kept in combinations(gaps, count):
            begins, ends = (0, *kept), (*kept, len(ranges))
            yield [range(ranges[i].start, ranges[j - 1].stop) for i, j in zip(begins, ends, strict=True)]


def covers(found: list[range], ranges: list[range]) -> bool:
    return all(any(each[0] in one and each[-1] in one for one in found) for each in ranges)


def test_blocks_are_those_that_ranges_touch() -> None:
    assert touched_blocks([range(1000, 1030), range(5000, 5001)], 1024) == [range(0, 2048), range(4096, 5120)]
