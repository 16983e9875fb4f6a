"""Regions: every position in one is in its cover, and no cell of a cover is far from it."""

from __future__ import annotations

from itertools import pairwise
from math import atan2, cos, degrees, hypot, inf, nan, radians, sin
from random import Random
from typing import Any

import pytest

from pksk.cells import Box, Circle, Line, Polygon, Region, Relation, Union, cover, decode, distance_m, encode
from pksk.errors import InvalidValue
from tests.cells.random_regions import (
    moved,
    random_circle,
    random_fan,
    random_line,
    random_polar_ring,
    random_position,
)
from tests.conftest import LONG

TRIALS = 1000 if LONG else 60
POINTS = 20
WORLD = 32**3


def test_every_position_of_a_circle_is_in_its_cover() -> None:
    random = Random()
    for _ in range(TRIALS):
        circle = random_circle(random)
        found = cover(circle, 3)
        for _ in range(POINTS):
            position = moved(
                (circle.lat, circle.lng), random.uniform(0, 360), circle.radius_m * random.random() ** 0.5
            )

            assert encode(*position, 3) in found, (circle, position)


def test_no_cell_of_a_circle_is_outside_it() -> None:
    random = Random()
    for _ in range(TRIALS):
        circle = random_circle(random)
        cells = list(cover(circle, 3).cells())
        for cell in random.sample(cells, min(POINTS, len(cells))):
            nearest = min(distance_m(circle.lat, circle.lng, *each) for each in borders(cell))

            assert nearest <= circle.radius_m + 6000 or (circle.lat, circle.lng) in decode(cell), (
                circle,
                cell,
            )


def test_every_position_of_a_line_is_in_its_cover() -> None:
    random = Random()
    for _ in range(TRIALS):
        line = random_line(random)
        found = cover(line, 3)
        for position in line.positions:
            near = moved(position, random.uniform(0, 360), line.width_m / 2 * random.random())

            assert encode(*near, 3) in found, (line, near)
        for one, other in pairwise(line.positions):
            for share in (0.25, 0.5, 0.9):
                between = along(one, other, share)
                near = moved(between, random.uniform(0, 360), line.width_m / 2 * random.random())

                assert encode(*near, 3) in found, (line, near)


def test_no_cell_of_a_line_is_far_from_it() -> None:
    random = Random()
    for _ in range(TRIALS):
        line = random_line(random)
        found = cover(line, 3)
        wider = Line(line.positions, line.width_m + 14_000)
        cells = list(found.cells())
        for cell in random.sample(cells, min(POINTS, len(cells))):
            near = any(each in wider for each in borders(cell))
            assert near or any(each in decode(cell) for each in track(line)), (line, cell)


def test_every_position_of_a_polygon_is_in_it_and_in_its_cover() -> None:
    random = Random()
    for _ in range(TRIALS):
        centre, ring = random_fan(random)
        polygon = Polygon(ring)
        found = cover(polygon, 3)
        corners = list(pairwise([*ring, ring[0]]))
        for _ in range(POINTS):
            one, other = random.choice(corners)
            position = in_triangle(random, centre, one, other)

            assert encode(*position, 3) in found, (polygon, position)


def test_a_ring_around_a_pole_contains_what_is_nearer_to_it() -> None:
    random = Random()
    for _ in range(TRIALS):
        ring = random_polar_ring(random)
        polygon, found = Polygon(ring), cover(Polygon(ring), 3)
        north = ring[0][0] > 0
        for _ in range(POINTS):
            position = random.uniform(-89, 89), random.uniform(-180, 180)
            border = latitude_of(ring, position[1])
            inside = position[0] > border if north else position[0] < border

            assert (position in polygon) == inside, (ring, position)
            assert not inside or encode(*position, 3) in found
        pole = 90 if north else -90
        assert all((pole, lng) in polygon for lng in (-180, 0, 179.9))
        assert encode(pole, 12, 3) in found


def test_a_hole_is_not_in_a_polygon() -> None:
    outer, inner = [(0, 0), (0, 10), (10, 10), (10, 0)], [(2, 2), (2, 8), (8, 8), (8, 2)]
    polygon = Polygon(outer, [inner])

    assert (1, 1) in polygon
    assert (5, 5) not in polygon
    assert polygon.relation(4, 4, 6, 6) is Relation.DISJOINT
    assert polygon.relation(0.5, 0.5, 1.5, 1.5) is Relation.COVERS
    assert encode(5, 5, 5) not in cover(polygon, 5)


def test_a_hole_around_the_pole_is_not_in_a_ring_around_it() -> None:
    around = [-120.0, 0.0, 120.0]
    polygon = Polygon([(60, lng) for lng in around], [[(80, lng) for lng in around]])

    assert [(lat, 50) in polygon for lat in (50, 70, 85, 90)] == [False, True, False, False]
    assert encode(85, 50, 3) not in cover(polygon, 3)


def test_the_direction_of_a_ring_and_a_repeated_first_position_do_not_matter() -> None:
    random = Random()
    for _ in range(TRIALS // 10):
        _, ring = random_fan(random)

        covers = [cover(Polygon(each), 3) for each in (ring, ring[::-1], [*ring, ring[0]])]

        assert covers[0] == covers[1] == covers[2]


def test_a_ring_that_crosses_itself_has_the_area_of_both_loops() -> None:
    bow = Polygon([(0, 0), (10, 10), (10, 0), (0, 10)])

    assert [each in bow for each in ((5, 4), (1, 5), (9, 5), (5, 6))] == [False, True, True, False]


def test_sides_go_the_shorter_way_and_those_of_360_degrees_all_around() -> None:
    band = Polygon([(-10, -180), (-10, 180), (10, 180), (10, -180)])
    across = Polygon([(-10, -170), (-10, 170), (10, 170), (10, -170)])
    world = Polygon([(-90, -180), (-90, 180), (90, 180), (90, -180)])

    assert [(0, lng) in band for lng in (-175, 0, 175)] == [True, True, True]
    assert [(0, lng) in across for lng in (-175, 0, 175)] == [True, False, True]
    assert len(cover(world, 3)) == WORLD
    assert len(cover(world, 3).ranges) == 1


def test_the_whole_world_is_one_range_whatever_the_region() -> None:
    for region in (Box(-90, -180, 90, 180), Circle(12, 34, 20_020_000), Box(-100, -400, 100, 400)):
        assert cover(region, 3).ranges == (range(WORLD),)


def test_regions_without_a_size_are_the_cells_that_touch_them() -> None:
    random = Random()
    for _ in range(TRIALS):
        position = random_position(random)
        shapes: list[Region] = [Circle(*position, 0), Line([position], 0), Polygon([position] * 3)]
        for region in shapes:
            found = cover(region, 3)

            assert encode(*position, 3) in found
            assert len(found) <= (256 if abs(position[0]) == 90 else 8), region


def test_a_union_has_the_cells_of_its_parts() -> None:
    parts: list[Region] = [
        Circle(0, 0, 300_000),
        Box(10.1, 170.1, 12.2, 190.3),
        Circle(60, 179.9, 300_000),
        Polygon([(0, 0), (5, 5), (0, 5)]),
    ]
    cells = {cell for part in parts for cell in cover(part, 4).cells()}

    assert set(cover(Union(parts), 4).cells()) == cells
    assert len(cover(Union([]), 4)) == 0


def test_a_line_over_a_pole_goes_on_at_the_other_side() -> None:
    line = Line([(85, 10), (85, -170)], width_m=1000)
    found = cover(line, 4)

    assert all(encode(lat, lng, 4) in found for lat in (86, 89) for lng in (10, -170))
    assert encode(86, 100, 4) not in found


def test_sides_far_from_a_rectangle_are_left_out_in_it() -> None:
    """So the time for a cover does not grow with sides times cells."""
    random = Random(1)
    ring = [moved((36, -112), step / 20_000 * 360, 50_000 * random.uniform(0.9, 1)) for step in range(20_000)]
    polygon = Polygon(ring)

    deep = polygon.within(36.0, -112.01, 36.01, -112.0)

    assert len(deep.sides) <= 100
    assert (36, -112) in polygon


def untyped(*values: Any) -> tuple[Any, ...]:
    """Values as a program without types passes them."""
    return values


@pytest.mark.parametrize(
    ("make", "code", "text"),
    [
        (lambda: Circle(139.7, 35.7, 10), "cell-position", "did you swap latitude and longitude?"),
        (lambda: Circle(0, 181, 10), "cell-position", "Longitude 181 is not from -180 to 180"),
        (lambda: Circle(nan, 0, 10), "cell-position", "both must be finite"),
        (lambda: Circle(0, 0, -1), "cell-metres", "radius_m of a circle is -1"),
        (lambda: Circle(0, 0, inf), "cell-metres", "not a number of metres"),
        (lambda: Polygon([]), "cell-ring", "0 positions"),
        (lambda: Polygon([(0, 0), (1, 1)]), "cell-ring", "2 positions"),
        (lambda: Polygon([(0, 0), (1, 1), (0, 200)]), "cell-position", "Longitude 200"),
        (lambda: Line([], 10), "cell-line", "no positions"),
        (lambda: Line([(10, 0), (-10, 180)], 10), "cell-line", "opposite each other"),
        (lambda: Line([(0, 0)], nan), "cell-metres", "width_m of a line is nan"),
        (lambda: Box(10, 0, 5, 1), "cell-box", "north of its north"),
        (lambda: Box(nan, 0, 5, 1), "cell-position", "must be finite"),
        (lambda: Box(0, 0, 5, inf), "cell-box", "both must be finite"),
        (lambda: Box(139.6, 35.6, 139.8, 35.8), "cell-position", "did you swap"),
        (lambda: Box(-95, 0, -91, 1), "cell-position", "Latitude -95 is not"),
        (lambda: Box(*untyped("51", "-1", "52", "0")), "cell-box", "both must be finite numbers"),
        (lambda: Box(*untyped(None, 0, 1, 1)), "cell-position", "Latitude None"),
        (lambda: Box(0, 0, nan, 1), "cell-position", "Latitude nan"),
        (
            lambda: Circle(*untyped("51.5", "-0.1", 10)),
            "cell-position",
            "Latitude '51.5' and longitude '-0.1'",
        ),
        (lambda: Circle(*untyped(0, 0, None)), "cell-metres", "radius_m of a circle is None"),
        (lambda: Circle(10**400, 0, 10), "cell-position", "both must be finite numbers"),
        (
            lambda: Polygon([*untyped((0, 0, 0), (1, 1, 0), (0, 1, 0))]),
            "cell-ring",
            "(0, 0, 0) in a ring is not a position",
        ),
        (lambda: Polygon([*untyped(0, 1, 2)]), "cell-ring", "0 in a ring is not a position"),
        (lambda: Polygon(*untyped("box")), "cell-ring", "'b' in a ring is not a position"),
    ],
)
def test_bad_regions_are_rejected(make: object, code: str, text: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        make()  # type: ignore[operator]

    assert caught.value.code == code
    assert text in str(caught.value)


def test_views_wrap_longitudes_and_end_at_poles() -> None:
    assert Box(-19, 179, -16, 181) == Box(-19, 179, -16, -179)
    assert Box(10, 340, 20, 380) == Box(10, -20, 20, 20)
    assert Box(80, -10, 95, 10) == Box(80, -10, 90, 10)
    assert Box(80, -10, 95, 10).centre == (85, 0)
    assert Box(0, 170, 2, 190).centre == (1, 180)


def borders(cell: str) -> list[tuple[float, float]]:
    """Positions along the border of a cell."""
    area = decode(cell)
    steps = [step / 16 for step in range(17)]
    lats = [area.south + step * (area.north - area.south) for step in steps]
    lngs = [area.west + step * (area.east - area.west) for step in steps]
    return [
        (lat, lng) for lat in lats for lng in lngs if lat in (lats[0], lats[-1]) or lng in (lngs[0], lngs[-1])
    ]


def along(one: tuple[float, float], other: tuple[float, float], share: float) -> tuple[float, float]:
    """A position on the shortest way between two."""
    angle = distance_m(*one, *other) / 6_371_008.8
    if angle < 1e-12:
        return one
    first, second = sin((1 - share) * angle) / sin(angle), sin(share * angle) / sin(angle)
    (lat, lng), (lat2, lng2) = ((radians(each) for each in position) for position in (one, other))
    x = first * cos(lat) * cos(lng) + second * cos(lat2) * cos(lng2)
    y = first * cos(lat) * sin(lng) + second * cos(lat2) * sin(lng2)
    z = first * sin(lat) + second * sin(lat2)
    return degrees(atan2(z, hypot(x, y))), degrees(atan2(y, x))


def track(line: Line) -> list[tuple[float, float]]:
    """Positions along a line, close to each other."""
    found = list(line.positions)
    for one, other in pairwise(line.positions):
        found += [along(one, other, step / 500) for step in range(501)]
    return found


def in_triangle(random: Random, *corners: tuple[float, float]) -> tuple[float, float]:
    """A position between three, on a map of degrees."""
    first, second = sorted((random.random(), random.random()))
    weights = first, second - first, 1 - second
    base = corners[0][1]
    lat = sum(weight * corner[0] for weight, corner in zip(weights, corners, strict=True))
    lng = base + sum(
        weight * ((corner[1] - base + 180) % 360 - 180)
        for weight, corner in zip(weights, corners, strict=True)
    )
    return max(-90.0, min(90.0, lat)), (lng + 180) % 360 - 180


def latitude_of(ring: list[tuple[float, float]], lng: float) -> float:
    """The latitude at which a ring around a pole crosses a meridian."""
    for (lat, west), (lat2, east) in pairwise([*ring, ring[0]]):
        across = (east - west + 180) % 360 - 180
        begin, end, first = (lat, lat2, west) if across > 0 else (lat2, lat, east)
        if (lng - first) % 360 <= abs(across):
            return begin + (end - begin) * ((lng - first) % 360) / abs(across)
    raise AssertionError("a ring around the Earth crosses every meridian")


def test_a_ring_of_exactly_a_turn_contains_nothing_south_of_it() -> None:
    ring = Polygon([(15.877009205614641, 179.999), (46.5793453146467, -180.0), (90.0, 180.0)])

    assert (80, 0) in ring
    assert not any((lat, 179.999) in ring for lat in (-90, -40, 0, 5))
