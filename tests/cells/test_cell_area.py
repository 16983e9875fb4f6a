"""The area of a cell: exactly the cells in it; and covers without what was read before."""

from __future__ import annotations

from random import Random

import pytest

from pksk.cells import (
    GEOHASH,
    Box,
    CellArea,
    CellStatistics,
    Circle,
    Union,
    cover,
    decode,
    encode,
    level_of_region,
    plan_queries,
)
from pksk.cells.ranges import joined
from tests.cells.random_regions import SHAPES, random_position


@pytest.mark.parametrize("level", [3, 4, 6])
def test_the_area_of_a_cell_has_the_cells_whose_names_begin_with_it(level: int) -> None:
    found = cover(CellArea("gcp"), level)

    assert len(found) == 32 ** (level - 3)
    assert all(cell.startswith("gcp") for cell in found.cells())
    assert len(found.ranges) == 1


def test_larger_cells_of_an_area_are_the_one_around_it() -> None:
    assert [*cover(CellArea("gcpj"), 2, suffix=1).cells()] == ["gc"]


def test_several_areas_are_joined_where_they_follow_each_other() -> None:
    found = cover(Union([CellArea("gcp2"), CellArea("gcp0"), CellArea("gcp1")]), 6)

    assert found.key_ranges() == [("gcp", "000", "2zz")]


def test_positions_of_an_area_are_those_whose_cell_it_is() -> None:
    random = Random(1)
    for _ in range(500):
        lat, lng = random_position(random)
        area = CellArea(encode(*random_position(random), random.choice([1, 1, 2])))

        assert ((lat, lng) in area) == (encode(lat, lng, len(area.cell)) == area.cell)


def test_an_area_is_disjoint_only_from_rectangles_without_its_positions() -> None:
    random = Random(2)
    for _ in range(500):
        area, box = CellArea(encode(*random_position(random), 2)), decode(encode(*random_position(random), 3))
        relation = area.relation(box.south, box.west, box.north, box.east)

        inside = [position in area for position in (box.centre, (box.south, box.west), (box.north, box.east))]
        assert relation.value != "disjoint" or not any(inside)
        assert relation.value != "covers" or all(inside)


def test_what_is_left_of_a_cover_has_the_other_cells() -> None:
    random = Random(3)
    for _ in range(30):
        one, other = (cover(random.choice(SHAPES)(random), 2, suffix=1) for _ in range(2))

        left = one.without(other.ranges)

        assert set(left.cells()) == set(one.cells()) - set(other.cells())


def test_a_plan_reads_no_cell_that_was_read_before() -> None:
    random = Random(4)
    for _ in range(25):
        circle = Circle(51.5, -0.1, random.uniform(500, 20_000))
        inner = cover(Circle(51.5, -0.1, circle.radius_m / 2), 6)
        read = joined(sorted(inner.ranges, key=lambda each: each.start))
        density = random.choice([None, 0.0, 0.001, 1.0])

        plan = plan_queries(cover(circle, 6), CellStatistics(density, 100), read=read)

        queried = [
            number
            for each in plan.queries
            for number in range(
                GEOHASH.number(each.prefix + each.first), GEOHASH.number(each.prefix + each.last) + 1
            )
        ]
        assert not any(number in part for number in queried for part in read)
        assert {GEOHASH.name(each, 6) for each in queried} >= set(cover(circle, 6).cells()) - set(
            inner.cells()
        )


@pytest.mark.parametrize("several", [False, True])
def test_the_rest_of_a_query_ends_where_the_query_does(several: bool) -> None:
    view = cover(Box(51.4, -0.3, 51.6, 0.1), 6)
    plan = plan_queries(view, CellStatistics(0.001, 100)).guarded()
    query = plan.queries[0]._replace(last="v00")

    rest = plan.rest(query, "uz8", CellStatistics(1, 100), several_items=several)

    assert rest.queries[0].first in (("uz8",) if several else ("uz9",))
    assert rest.queries[-1].last <= "v00"


def test_the_level_of_a_region_has_at_most_so_many_cells() -> None:
    random = Random(5)
    for _ in range(12):
        region = random.choice(SHAPES)(random)
        level = level_of_region(region, 300, range(2, 5))

        assert level == 2 or len(cover(region, level, suffix=1)) <= 300
