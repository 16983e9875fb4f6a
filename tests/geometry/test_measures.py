"""Areas, lengths, centroids and envelopes on the earth."""

from __future__ import annotations

from itertools import pairwise
from math import atanh, cos, pi, radians, sin, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.geo import Envelope, Position
from tests.geometry.shapes import Ring, line, parks, point, polygon, read, square

RADIUS_M = 6_371_008.8
POLAR_RADIUS_M = 6_356_752.314245
ECCENTRICITY = sqrt(0.00669437999014)


def _zone(latitude: float) -> float:
    """The area of the ellipsoid between the equator and a latitude, in closed form."""
    s = sin(radians(latitude))
    return (
        pi * POLAR_RADIUS_M**2 * (s / (1 - (ECCENTRICITY * s) ** 2) + atanh(ECCENTRICITY * s) / ECCENTRICITY)
    )


@given(st.floats(-180, 170), st.floats(0.001, 100), st.floats(-90, 89), st.floats(0.001, 60))
def test_the_area_of_a_box_is_its_share_of_a_zone(
    west: float, width: float, south: float, height: float
) -> None:
    east, north = min(west + width, 180), min(south + height, 90)
    box = read({"type": "envelope", "coordinates": [[west, north], [east, south]]})
    w, s, e, n = box.envelope
    # The difference of two zones, each as large as a hemisphere, has lost that much to rounding.
    lost = 4e-16 * _zone(90) * (e - w) / 360

    assert box.area_m2 == pytest.approx((_zone(n) - _zone(s)) * (e - w) / 360, rel=1e-9, abs=0.001 + lost)


@given(parks(), st.integers(2, 5))
def test_the_area_of_a_polygon_is_that_of_its_pieces(polygons: list[list[Ring]], pieces: int) -> None:
    rings = polygons[0]
    whole = read(polygon(*rings))
    holes = sum(read(polygon(hole[::-1])).area_m2 for hole in rings[1:])

    # Vertices along the edges change nothing, as edges are straight in longitude and latitude.
    finer = [_with_middles(ring, pieces) for ring in rings]

    assert whole.area_m2 == pytest.approx(read(polygon(rings[0])).area_m2 - holes, rel=1e-9)
    assert read(polygon(*finer)).area_m2 == pytest.approx(whole.area_m2, rel=1e-5)


def _with_middles(ring: Ring, pieces: int) -> Ring:
    return [
        *(
            [a[0] + (b[0] - a[0]) * n / pieces, a[1] + (b[1] - a[1]) * n / pieces]
            for a, b in pairwise(ring)
            for n in range(pieces)
        ),
        ring[0],
    ]


def test_the_area_of_a_quarter_of_the_earth() -> None:
    quarter = read(polygon([[0, 0], [90, 0], [180, 0], [180, 90], [0, 90], [0, 0]]))

    assert quarter.area_m2 == pytest.approx(_zone(90) / 2, rel=1e-9)


def test_points_and_lines_have_no_area() -> None:
    assert read(point(1, 2)).area_m2 == 0
    assert read(line([1, 2], [3, 4])).area_m2 == 0


def test_the_length_of_a_meridian_and_of_a_parallel() -> None:
    assert read(line([0, 0], [0, 90])).length_m == pytest.approx(RADIUS_M * pi / 2)
    assert read(line([0, 60], [90, 60])).length_m == pytest.approx(
        RADIUS_M * pi / 2 * cos(radians(60)), rel=1e-5
    )
    assert read(point(1, 2)).length_m == 0


def test_the_length_of_a_polygon_is_that_of_its_rings() -> None:
    outer, hole = square(0, 0, 4), square(1, 1, 1)[::-1]
    both = read(polygon(outer)).length_m + read(polygon(hole[::-1])).length_m

    assert read(polygon(outer, hole)).length_m == pytest.approx(both)


@given(st.floats(-180, 180), st.floats(-89, 89), st.floats(1e-4, 1))
def test_the_centroid_of_an_even_star_is_its_middle(longitude: float, latitude: float, radius: float) -> None:
    radius = min(radius, (90 - abs(latitude)) / 2)
    corners = [(1, 0), (0.3, 0.3), (0, 1), (-0.3, 0.3), (-1, 0), (-0.3, -0.3), (0, -1), (0.3, -0.3), (1, 0)]
    scale = cos(radians(latitude))
    ring = [[(longitude + x * radius / scale + 540) % 360 - 180, latitude + y * radius] for x, y in corners]

    centre = read(polygon(ring)).centroid

    # The part that is nearer to the pole is smaller.
    assert centre.latitude == pytest.approx(latitude, abs=radius**2 / scale + 1e-6)
    assert (centre.longitude - longitude + 540) % 360 - 180 == pytest.approx(0, abs=2e-7 / scale + 1e-7)


def test_the_centroid_of_points_and_lines() -> None:
    assert read(point(1, 2)).centroid == Position(1, 2)
    assert read({"type": "MultiPoint", "coordinates": [[170, 0], [-170, 0]]}).centroid == Position(180, 0)
    assert read(line([0, 0], [10, 0])).centroid == Position(5, 0)


@given(parks())
def test_the_centroid_is_that_of_many_positions_inside(polygons: list[list[Ring]]) -> None:
    park = read(polygon(polygons[0][0]))
    west, south, east, north = park.envelope
    middles = [(n + 0.5) / 30 for n in range(30)]
    places = [(west + u * (east - west), south + v * (north - south)) for u in middles for v in middles]
    inside = [
        (place, cos(radians(place[1])))
        for place, held in zip(places, park.contains_each(Position(*place) for place in places), strict=True)
        if held
    ]
    weight = sum(share for _, share in inside)

    # Nine hundred places give the middle to about a hundredth of the size.
    longitude = sum(place[0] * share for place, share in inside) / weight
    latitude = sum(place[1] * share for place, share in inside) / weight
    assert park.centroid.longitude == pytest.approx(longitude, abs=0.05)
    assert park.centroid.latitude == pytest.approx(latitude, abs=0.05)


@given(st.lists(st.tuples(st.integers(-180, 180), st.integers(-90, 90)), min_size=1, max_size=6))
def test_no_narrower_envelope_contains_the_points(places: list[tuple[int, int]]) -> None:
    envelope = read({"type": "MultiPoint", "coordinates": places}).envelope
    narrowest = min(max((x - west) % 360 for x, _ in places) for west, _ in places)

    width = envelope.east - envelope.west + (360 if envelope.crosses_antimeridian else 0)
    assert all(envelope.contains(Position(*place)) for place in places)
    # -180 and 180 are one meridian, but two numbers.
    assert width == narrowest or {x for x, _ in places} >= {-180, 180}


def test_a_vertex_counts_wherever_it_is() -> None:
    assert read(polygon(square(0, 0, 4), square(1, 1, 1)[::-1])).vertices == 10
    assert read(point(0, 0)).vertices == 1
    assert repr(read(point(0, 0))) == "<Geometry: Point with 1 vertex>"


def test_an_envelope_says_what_it_contains() -> None:
    fiji = Envelope(177, -20, -178, -16)

    assert [fiji.contains(Position(x, -18)) for x in (177, 180, -180, -178, -177, 0)] == [True] * 4 + [
        False
    ] * 2
    assert not fiji.contains(Position(179, 0))
