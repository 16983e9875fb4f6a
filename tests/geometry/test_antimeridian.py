"""Shapes across the antimeridian and over poles are split, and are the same shapes as elsewhere."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.geo import Envelope, Geometry, Position, read_geometry
from tests.geometry.shapes import Ring, line, moved, parks, polygon, read, square

FIJI = polygon([[177, -20], [-178, -20], [-178, -16], [177, -16], [177, -20]])
ARCTIC = polygon([[-150, 70], [-30, 70], [90, 70], [-150, 70]])


def kinds(geometry: Geometry) -> set[str]:
    return {repair.kind for repair in geometry.repairs}


def test_a_polygon_across_the_antimeridian_is_split() -> None:
    fiji = read(FIJI)

    assert kinds(fiji) == {"antimeridian"}
    assert fiji.to_dict() == {
        "type": "MultiPolygon",
        "bbox": [177.0, -20.0, -178.0, -16.0],
        "coordinates": [
            [[[-178.0, -20.0], [-178.0, -16.0], [-180.0, -16.0], [-180.0, -20.0], [-178.0, -20.0]]],
            [[[177.0, -16.0], [177.0, -20.0], [180.0, -20.0], [180.0, -16.0], [177.0, -16.0]]],
        ],
    }


@given(parks(), st.floats(-180, 180))
def test_a_shape_across_the_antimeridian_measures_as_elsewhere(
    polygons: list[list[Ring]], shift: float
) -> None:
    # The shift is on the grid, so that rounding changes nothing else.
    shift = round(shift, 3)
    here = read({"type": "MultiPolygon", "coordinates": polygons})
    there = read({"type": "MultiPolygon", "coordinates": [[moved(r, shift) for r in p] for p in polygons]})

    east = (there.centroid.longitude - here.centroid.longitude - shift + 180) % 360 - 180
    assert there.area_m2 == pytest.approx(here.area_m2, rel=1e-6)
    assert there.centroid.latitude == pytest.approx(here.centroid.latitude, abs=1e-5)
    assert east == pytest.approx(0, abs=1e-5)
    assert read_geometry(there.to_bytes(), repair=False) == there


@given(parks(), st.floats(-180, 180), st.randoms(use_true_random=False))
def test_a_shape_across_the_antimeridian_contains_what_it_contains_elsewhere(
    polygons: list[list[Ring]], shift: float, random: Random
) -> None:
    shift = round(shift, 3)
    here = read({"type": "MultiPolygon", "coordinates": polygons})
    there = read({"type": "MultiPolygon", "coordinates": [[moved(r, shift) for r in p] for p in polygons]})
    around = here.envelope
    places = [
        [random.uniform(around.west, around.east), random.uniform(around.south, around.north)]
        for _ in range(30)
    ]

    assert [there.contains(Position(*moved([place], shift)[0])) for place in places] == [
        here.contains(Position(*place)) for place in places
    ]


def test_a_line_across_the_antimeridian_is_split() -> None:
    ferry = read(line([170, 0], [-170, 10], [-160, 0], [160, 20]))

    assert kinds(ferry) == {"antimeridian"}
    assert ferry.to_dict()["coordinates"] == [
        [[170.0, 0.0], [180.0, 5.0]],
        [[-180.0, 5.0], [-170.0, 10.0], [-160.0, 0.0], [-180.0, 10.0]],
        [[180.0, 10.0], [160.0, 20.0]],
    ]


def test_a_line_that_begins_on_the_antimeridian_is_not_split() -> None:
    assert read(line([-180, 0], [179, 0])) == read(line([180, 0], [179, 0]))


@pytest.mark.parametrize("pole", [90, -90])
def test_a_ring_around_a_pole_holds_the_pole(pole: int) -> None:
    ring: Ring = [[longitude, latitude * pole // 90] for longitude, latitude in ARCTIC["coordinates"][0]]

    cap = read(polygon(ring))

    assert kinds(cap) == {"pole"}
    assert cap.contains(Position(17, pole))
    assert cap.contains(Position(180, pole))
    assert not cap.contains(Position(17, 0))
    assert cap.centroid == Position(0, pole)
    assert cap.envelope == Envelope(-180, min(pole, ring[0][1]), 180, max(pole, ring[0][1]))
    assert read(polygon(ring[::-1])).area_m2 == pytest.approx(cap.area_m2, rel=1e-12)


def test_a_hole_around_a_pole_leaves_a_band() -> None:
    outer: Ring = ARCTIC["coordinates"][0]
    inner: Ring = [[-150, 80], [-30, 80], [90, 80], [-150, 80]]

    band = read(polygon(outer, inner))

    assert band.contains(Position(0, 75))
    assert not band.contains(Position(0, 85))
    assert band.area_m2 == pytest.approx(
        read(polygon(outer)).area_m2 - read(polygon(inner)).area_m2, rel=1e-9
    )


def test_a_ring_that_follows_the_antimeridian_and_the_pole_is_valid_as_it_is() -> None:
    antarctica = read_geometry(
        polygon([[-180, -90], [180, -90], [180, -70], [0, -65], [-180, -70], [-180, -90]]), repair=False
    )

    assert antarctica.contains(Position(90, -80))
    assert antarctica.envelope == Envelope(-180, -90, 180, -65)


def test_the_whole_world_is_a_polygon() -> None:
    world = read({"type": "envelope", "coordinates": [[-180, 90], [180, -90]]})

    assert world.area_m2 == pytest.approx(510_065_621_724_000, rel=1e-9)
    assert world.contains(Position(180, -90))
    assert world == read(polygon([[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]]))


def test_a_ring_along_the_antimeridian_is_split_where_it_crosses_itself_otherwise() -> None:
    ring: Ring = [
        [170, 10],
        [180, 10],
        [-180, 10],
        [-170, 10],
        [-170, 20],
        [-180, 20],
        [180, 20],
        [170, 20],
        [170, 10],
    ]

    assert read(polygon(ring)).area_m2 == pytest.approx(
        read(polygon(square(0, 10, 10))).area_m2 * 2, rel=1e-9
    )


@pytest.mark.parametrize(
    ("corners", "bounds"),
    [
        ([[-100, 10], [100, -10]], Envelope(-100, -10, 100, 10)),
        ([[100, 10], [-100, -10]], Envelope(100, -10, -100, 10)),
        ([[-180, 10], [180, -10]], Envelope(-180, -10, 180, 10)),
        ([[-100, -10], [100, 10]], Envelope(-100, -10, 100, 10)),
        ([[180, 10], [-170, -10]], Envelope(-180, -10, -170, 10)),
    ],
)
def test_an_envelope_becomes_a_polygon(corners: list[list[float]], bounds: Envelope) -> None:
    shape = read({"type": "envelope", "coordinates": corners})

    assert kinds(shape) - {"corners"} == {"envelope"}
    assert shape.envelope == bounds
    assert read(shape.envelope.to_opensearch()) == shape
    assert read_geometry(shape.to_bytes(), repair=False) == shape
