"""Predicates and distances equal brute force, also at the antimeridian and at poles."""

from __future__ import annotations

import pickle
from itertools import pairwise
from math import asin, cos, pi, radians, sin, sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.geo import Geometry, Position
from tests.geometry.shapes import Ring, line, moved, parks, point, polygon, read, square, star

# On a quarter of a degree, so that positions often fall on edges and corners.
PLACES = st.tuples(st.integers(-4, 4).map(lambda n: n / 4), st.integers(-4, 4).map(lambda n: n / 4))
ON_EARTH = st.tuples(st.floats(-180, 180), st.floats(-90, 90)).map(lambda p: (round(p[0], 4), round(p[1], 4)))
RADIUS_M = 6_371_008.8


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=3, max_size=3), PLACES)
def test_a_triangle_contains_the_places_on_the_inner_side_of_its_edges(
    corners: list[tuple[int, int]], place: tuple[float, float]
) -> None:
    a, b, c = corners
    if _side(a, b, c) == 0:
        return
    triangle = read(polygon([list(a), list(b), list(c), list(a)]))
    sides = [_side(*each, place) * _side(a, b, c) for each in ((a, b), (b, c), (c, a))]

    assert triangle.contains(Position(*place)) == (min(sides) >= 0)
    assert triangle.intersects(Position(*place)) == (min(sides) >= 0)
    assert read(point(*place)).within(triangle) == (min(sides) >= 0)


def _side(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@given(parks(), PLACES)
def test_polygons_contain_the_places_that_a_ray_leaves_through_an_odd_number_of_edges(
    polygons: list[list[Ring]], place: tuple[float, float]
) -> None:
    park = read({"type": "MultiPolygon", "coordinates": polygons})
    west, south, east, north = park.envelope
    # Between the corners, so that no ray passes through one.
    x, y = west + (place[0] + 1) / 2 * (east - west), south + (place[1] + 1) / 2 * (north - south) + 3e-8
    inside = sum(_crosses(ring, x, y) for rings in polygons for ring in rings) % 2 == 1

    assert (
        park.contains(Position(round(x, 7), round(y, 7))) == inside or park.distance_m(Position(x, y)) < 0.1
    )


def _crosses(ring: Ring, x: float, y: float) -> int:
    return sum(
        (a[1] > y) != (b[1] > y) and x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
        for a, b in pairwise(ring)
    )


@given(st.lists(ON_EARTH, min_size=1, max_size=5), st.lists(ON_EARTH, min_size=1, max_size=5))
def test_the_distance_of_points_is_that_of_the_nearest_pair(
    these: list[tuple[float, float]], those: list[tuple[float, float]]
) -> None:
    a = read({"type": "MultiPoint", "coordinates": these})
    b = read({"type": "MultiPoint", "coordinates": those})
    nearest = min(_haversine(p, q) for p in these for q in those)

    assert a.distance_m(b) == pytest.approx(nearest, rel=1e-6, abs=0.2)
    assert b.distance_m(a) == pytest.approx(nearest, rel=1e-6, abs=0.2)


@given(st.tuples(ON_EARTH, ON_EARTH), ON_EARTH)
def test_the_distance_to_a_line_is_that_to_the_nearest_of_many_points_of_it(
    ends: tuple[tuple[float, float], tuple[float, float]], place: tuple[float, float]
) -> None:
    (x1, y1), (x2, y2) = ends
    if ends[0] == ends[1]:
        return
    track = read(line(list(ends[0]), list(ends[1])))
    x2 += 360 if x2 - x1 < -180 else -360 if x2 - x1 > 180 else 0
    steps = 4000
    sampled = min(
        _haversine((x1 + (x2 - x1) * n / steps, y1 + (y2 - y1) * n / steps), place) for n in range(steps + 1)
    )

    # A sample lies at most half a step from the nearest point.
    assert sampled - 3500 * 2 <= track.distance_m(Position(*place)) <= sampled + 1


def _haversine(a: tuple[float, float], b: tuple[float, float]) -> float:
    x1, y1, x2, y2 = map(radians, (*a, *b))
    h = sin((y2 - y1) / 2) ** 2 + cos(y1) * cos(y2) * sin((x2 - x1) / 2) ** 2
    return 2 * RADIUS_M * asin(min(1, sqrt(h)))


def test_the_distance_is_zero_where_shapes_touch() -> None:
    assert read(polygon(square(0, 0, 1))).distance_m(read(polygon(square(1, 1, 1)))) == 0
    assert read(polygon(square(0, 0, 4))).distance_m(Position(1, 1)) == 0


def test_the_distance_to_a_hole_is_that_to_its_edge() -> None:
    ring = read(polygon(square(0, 0, 4), square(1, 1, 2)[::-1]))

    assert ring.distance_m(Position(2, 2)) == pytest.approx(_haversine((2, 2), (1, 2)), rel=1e-3)


def test_the_distance_across_the_antimeridian_is_the_short_way() -> None:
    assert read(point(179, 0)).distance_m(Position(-179, 0)) == pytest.approx(2 * pi * RADIUS_M / 180)
    assert read(polygon(square(178, 0, 1))).distance_m(Position(-179, 0)) == pytest.approx(
        _haversine((179, 0), (-179, 0))
    )


def test_the_distance_of_large_shapes_is_that_of_their_nearest_corners() -> None:
    a, b = star(Random(1), 0, 40, 1, 3000), star(Random(2), 4, 41, 1, 3000)
    nearest = min(_haversine((p[0], p[1]), (q[0], q[1])) for p in _east(a) for q in _west(b))

    assert read(polygon(a)).distance_m(read(polygon(b))) == pytest.approx(nearest, rel=2e-3)


def _east(ring: Ring) -> Ring:
    return sorted(ring)[-150:]


def _west(ring: Ring) -> Ring:
    return sorted(ring)[:150]


EAST = read(polygon(square(-180, 0, 10)))
WEST = read(polygon(square(170, 0, 10)))
ARCTIC_SLIVER = read(polygon([[0, 80], [10, 80], [10, 90], [0, 90], [0, 80]]))


def test_shapes_on_both_sides_of_the_antimeridian_touch() -> None:
    assert EAST.intersects(WEST)
    assert EAST.contains(Position(180, 5))
    assert WEST.contains(Position(-180, 5))
    assert WEST.contains(read(line([-180, 1], [-180, 2])))
    assert not EAST.contains(Position(179, 5))
    assert read(line([-180, 1], [-180, 2])).within(WEST)


def test_a_shape_across_the_antimeridian_contains_a_line_across_it() -> None:
    both = read({"type": "envelope", "coordinates": [[170, 10], [-170, 0]]})

    assert both.contains(read(line([175, 5], [-175, 5])))
    assert not WEST.contains(read(line([175, 5], [-175, 5])))
    assert both.contains(EAST)
    assert not EAST.contains(both)


def test_a_pole_is_one_point() -> None:
    assert ARCTIC_SLIVER.contains(Position(-120, 90))
    assert ARCTIC_SLIVER.intersects(read(polygon([[90, 85], [100, 85], [100, 90], [90, 90], [90, 85]])))
    assert not ARCTIC_SLIVER.contains(Position(-120, 89))
    assert read(point(17, 90)).distance_m(Position(-120, 90)) == 0


@given(parks(), st.integers(-180, 180), st.lists(PLACES, max_size=20))
def test_many_positions_are_answered_as_one(
    polygons: list[list[Ring]], shift: int, places: list[tuple[float, float]]
) -> None:
    park = read(
        {"type": "MultiPolygon", "coordinates": [[moved(r, shift) for r in each] for each in polygons]}
    )
    [[x, y], *_] = moved(polygons[0][0], shift)
    positions = [Position(*moved([[x + dx, y + dy]], 0)[0]) for dx, dy in places]
    positions += [Position(180, y), Position(-180, y), Position(0, 90), Position(x, y)]

    assert park.contains_each(positions) == [park.contains(position) for position in positions]
    assert park.contains_each([]) == []


def test_a_boundary_belongs_to_its_shape() -> None:
    park = read(polygon(square(0, 0, 4), square(1, 1, 2)[::-1]))

    assert park.contains(Position(0, 0))
    assert park.contains(Position(1, 1))
    assert park.contains(park)
    assert park.within(park)
    assert not park.contains(Position(2, 2))


def test_only_geometries_and_positions_are_compared() -> None:
    with pytest.raises(TypeError, match=r"\(49.28, -123.12\) is neither a Geometry nor a Position"):
        EAST.contains((49.28, -123.12))  # type: ignore[arg-type]


def test_geometries_are_equal_by_their_coordinates() -> None:
    assert read(polygon(square(-180, 0, 10))) == EAST
    assert EAST != WEST
    assert EAST != "EAST"
    assert len({EAST, WEST, read(polygon(square(-180, 0, 10)))}) == 2
    assert pickle.loads(pickle.dumps(EAST)) == EAST
    assert isinstance(EAST, Geometry)
