"""Simplified shapes are valid, near the former ones, and as small as asked for."""

from __future__ import annotations

from math import inf, nan
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.errors import InvalidValue
from pksk.geo import Geometry, Position, read_geometry
from tests.geometry.shapes import Ring, line, moved, parks, point, polygon, read, square, star
from tests.geometry.test_repair import assert_valid


def rugged(seed: int, corners: int = 2000) -> Geometry:
    """A park with a coastline: a star whose radii change at every scale."""
    random = Random(seed)
    ring = star(random, -123, 49, 0.5, corners)
    holes = [star(random, x, 49, 0.05, 60)[::-1] for x in (-123.1, -122.9)]
    return read(polygon(ring, *holes))


@given(parks(), st.floats(1, 20_000))
def test_a_simplified_shape_is_valid_and_near(polygons: list[list[Ring]], tolerance_m: float) -> None:
    park = read({"type": "MultiPolygon", "coordinates": polygons})

    simplified = park.simplify(tolerance_m)

    smaller = simplified.geometry
    assert_valid(smaller)
    assert smaller.vertices <= park.vertices
    assert simplified.area_error == pytest.approx(abs(smaller.area_m2 / park.area_m2 - 1), abs=1e-9)
    # Topology: as many polygons and holes as before.
    assert [len(p) for p in _polygons(smaller)] == [len(p) for p in _polygons(park)]
    assert all(
        smaller.distance_m(Position(x, y)) <= 2 * tolerance_m + 1 for ps in polygons for r in ps for x, y in r
    )


def _polygons(geometry: Geometry) -> list[list[Ring]]:
    value = geometry.to_dict()
    return value["coordinates"] if value["type"] == "MultiPolygon" else [value["coordinates"]]


@given(st.integers(1, 20), st.floats(10, 1000))
def test_a_shape_across_the_antimeridian_is_simplified_as_elsewhere(seed: int, tolerance_m: float) -> None:
    random = Random(seed)
    rings = [star(random, 0, 49, 0.5, 300), star(random, 0, 49, 0.1, 60)[::-1]]
    here = read(polygon(*rings)).simplify(tolerance_m)
    there = read(polygon(*(moved(ring, 180) for ring in rings))).simplify(tolerance_m)

    assert_valid(there.geometry)
    assert there.geometry.area_m2 == pytest.approx(here.geometry.area_m2, rel=0.05)
    # Nothing is missing along the antimeridian itself.
    for side in (180, -180):
        assert there.geometry.contains(Position(side, 49.17))
        assert not there.geometry.contains(Position(side, 49))
        assert there.geometry.contains(Position(side, 48.83))


def test_a_tolerance_of_zero_changes_nothing() -> None:
    park = rugged(1)

    assert park.simplify(0).geometry == park
    assert park.simplify(0).area_error == 0


@given(st.integers(1, 5), st.sampled_from([600, 2000, 10_000, 40_000]))
def test_a_shape_is_simplified_to_a_number_of_bytes(seed: int, size_bytes: int) -> None:
    park = rugged(seed)

    simplified = park.simplify_to(size_bytes)

    assert size_bytes * 0.7 < len(simplified.geometry.to_bytes()) <= size_bytes
    assert simplified.dropped == 0
    assert_valid(simplified.geometry)
    # The same tolerance gives the same shape; half of it does not fit.
    assert park.simplify(simplified.tolerance_m).geometry == simplified.geometry
    assert len(park.simplify(simplified.tolerance_m / 2).geometry.to_bytes()) > size_bytes


def test_a_shape_that_fits_is_not_simplified() -> None:
    park = rugged(1)

    assert park.simplify_to(len(park.to_bytes())).geometry is park


def test_small_polygons_and_holes_are_dropped_where_bytes_require_it() -> None:
    islands = [[square(n % 20 / 50, n // 20 / 50, 0.01)] for n in range(400)]
    largest = [square(1, 0, 0.2), square(1.1, 0.1, 0.01)[::-1]]
    archipelago = read({"type": "MultiPolygon", "coordinates": [largest, *islands]})

    simplified = archipelago.simplify_to(1000)

    assert len(simplified.geometry.to_bytes()) <= 1000
    assert simplified.dropped == 401
    assert simplified.geometry.contains(Position(1.05, 0.05))
    assert simplified.area_error == pytest.approx(0.5, abs=0.01)


def test_what_cannot_be_simplified_so_far_says_how_far_it_can() -> None:
    said = r"cannot be simplified to 20 bytes.\nIts coarsest form has \d+ bytes"
    with pytest.raises(InvalidValue, match=said) as caught:
        rugged(1).simplify_to(20)

    assert caught.value.code == "geometry-budget"


def test_points_cannot_be_simplified() -> None:
    assert read(point(1, 2)).simplify(1000).geometry == read(point(1, 2))
    with pytest.raises(InvalidValue, match="The Point cannot be simplified"):
        read(point(1, 2)).simplify_to(10)


def test_a_line_is_simplified() -> None:
    track = read(line([0, 0], [1, 0.001], [2, 0], [2, 1]))

    assert track.simplify(200).geometry == read(line([0, 0], [2, 0], [2, 1]))
    assert track.simplify_to(90).geometry.vertices == 2


@pytest.mark.parametrize("tolerance_m", [100, 20_000, 1e7])
def test_a_closed_line_stays_a_line(tolerance_m: float) -> None:
    loop = read(line(*square(10, 10, 1)))

    smaller = loop.simplify(tolerance_m).geometry

    assert smaller.vertices > 2
    assert read_geometry(smaller.to_bytes(), repair=False) == smaller


def test_a_degree_of_longitude_is_short_near_a_pole() -> None:
    """A bump of 0.01 degrees of longitude is 1.1 km at the equator, and 19 m at 89 degrees."""
    equator, north = (read(line([0, y], [0.01, y + 0.1], [0, y + 0.2])) for y in (0, 89))

    assert equator.simplify(100).geometry.vertices == 3
    assert north.simplify(100).geometry.vertices == 2


@pytest.mark.parametrize("tolerance", [-1, nan, inf])
def test_a_tolerance_is_a_length(tolerance: float) -> None:
    with pytest.raises(InvalidValue, match="It must be a number of metres") as caught:
        rugged(1, 10).simplify(tolerance)

    assert caught.value.code == "geometry-tolerance"


def test_arguments_of_another_type_are_rejected() -> None:
    with pytest.raises(TypeError, match="tolerance_m is '1'"):
        rugged(1, 10).simplify("1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"size_bytes is 1.5"):
        rugged(1, 10).simplify_to(1.5)  # type: ignore[arg-type]


def test_a_simplified_shape_is_read_again_as_it_is() -> None:
    smaller = rugged(3).simplify(500).geometry

    assert read_geometry(smaller.to_bytes(), repair=False) == smaller
