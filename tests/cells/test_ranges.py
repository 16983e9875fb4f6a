"""Exact ranges beside brute force over all cells: none is missing, none is too many, none could be joined."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random

import pytest

from pksk.cells import (
    GEOHASH,
    Box,
    Circle,
    Curve,
    Region,
    Relation,
)
from pksk.cells.coordinates import HALF_CIRCUMFERENCE_M
from pksk.cells.ranges import exact_ranges
from pksk.errors import InvalidValue
from tests.cells.hilbert import HILBERT
from tests.cells.random_regions import (
    random_box,
    random_circle,
    random_line,
    random_polygon,
    random_position,
    random_union,
)
from tests.conftest import LONG

TRIALS = 1000 if LONG else 60
ALL = 10**9
CURVES = pytest.mark.parametrize("curve", [GEOHASH, HILBERT], ids=["geohash", "hilbert"])
MAKERS = pytest.mark.parametrize("make", [random_circle, random_polygon, random_line, random_union])


@CURVES
def test_a_view_has_exactly_the_cells_that_it_touches(curve: Curve) -> None:
    random = Random()
    for _ in range(TRIALS * 2):
        box = random_box(random)

        assert numbers(box, curve) == touched(box, curve), box


@CURVES
@MAKERS
def test_a_region_has_exactly_the_cells_from_which_it_is_not_disjoint(
    make: Callable[[Random], Region], curve: Curve
) -> None:
    random = Random()
    for _ in range(TRIALS):
        region = make(random)

        assert numbers(region, curve) == related(region, curve), region


def test_ranges_of_small_cells_are_those_of_larger_ones_divided() -> None:
    random = Random()
    for _ in range(TRIALS):
        (lat, lng), size = random_position(random), random.uniform(0, 0.02)
        box = Box(max(-90, lat - size), lng, min(90, lat + size), lng + size)

        fine = exact_ranges(box, 6, GEOHASH, ALL)

        parents = {number >> 5 for each in fine for number in each}
        coarse = {number for each in exact_ranges(box, 5, GEOHASH, ALL) for number in each}
        assert parents == coarse, box
        assert_maximal(fine)


def numbers(region: Region, curve: Curve) -> set[int]:
    """The numbers of the cells of level 2 that are found; asserts that ranges are in order and maximal."""
    found = exact_ranges(region, 2, curve, ALL)
    assert_maximal(found)
    return {number for each in found for number in each}


def assert_maximal(ranges: list[range]) -> None:
    assert all(len(each) > 0 for each in ranges)
    assert all(one.stop < other.start for one, other in pairwise(ranges))


def touched(box: Box, curve: Curve) -> set[int]:
    """The cells of level 2 that share a position with a box: their southern and western borders are theirs."""
    found = set()
    for number, (south, west, north, east) in rectangles(curve):
        up = south <= box.north and (box.south < north or north == 90)
        across = any(west <= part.east and (part.west < east or east == 180) for part in box.parts)
        if up and across:
            found.add(number)
    return found


def related(region: Region, curve: Curve) -> set[int]:
    return {
        number
        for number, rectangle in rectangles(curve)
        if region.relation(*rectangle) is not Relation.DISJOINT
    }


def rectangles(curve: Curve) -> list[tuple[int, tuple[float, float, float, float]]]:
    """The number and the borders of each cell of level 2."""
    columns, rows = curve.grid(2)
    width, height = 360 / (1 << columns), 180 / (1 << rows)
    found = []
    for column in range(1 << columns):
        for row in range(1 << rows):
            south, west = row * height - 90, column * width - 180
            number = curve.number(curve.at(column, row, 2))
            found.append((number, (south, west, south + height, west + width)))
    return found


def test_a_circle_of_the_whole_earth_is_one_range_also_from_a_pole() -> None:
    for lat, lng in ((-90.0, 0.0), (90.0, 17.0), (0.0, 180.0)):
        found = exact_ranges(Circle(lat, lng, radius_m=HALF_CIRCUMFERENCE_M), 8, GEOHASH, most=1)

        assert found == [range(32**8)]


def test_millions_of_cells_side_by_side_around_a_hole_at_a_pole_are_rejected() -> None:
    with pytest.raises(InvalidValue, match="blocks at its border"):
        exact_ranges(Circle(-90, 0, radius_m=HALF_CIRCUMFERENCE_M - 1), 9, GEOHASH, most=20)
