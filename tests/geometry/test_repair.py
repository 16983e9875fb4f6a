"""Polygons come out valid, with the area that was meant, however they were damaged."""

from __future__ import annotations

import json
from math import cos, radians, sin, sqrt
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from pksk.errors import InvalidValue
from pksk.geo import Geometry, Position, read_geometry
from tests.geometry.shapes import Ring, damaged, line, parks, polygon, read, square

BOUNDARIES = sorted(Path(__file__).with_name("boundaries").glob("*.geojson"))


def kinds(geometry: Geometry) -> set[str]:
    return {repair.kind for repair in geometry.repairs}


@given(parks(), st.randoms(use_true_random=False))
def test_damaged_polygons_come_out_valid_with_their_area(polygons: list[list[Ring]], random: Random) -> None:
    whole = read({"type": "MultiPolygon", "coordinates": polygons})
    repaired = read(damaged(random, polygons))

    assert whole.repairs == ()
    assert_valid(repaired)
    assert repaired.area_m2 == pytest.approx(whole.area_m2, rel=1e-5)


@given(parks(), st.randoms(use_true_random=False))
def test_what_is_written_is_read_again_without_repairs(polygons: list[list[Ring]], random: Random) -> None:
    geometry = read(damaged(random, polygons))

    again = read_geometry(geometry.to_bytes(), repair=False)

    assert again == geometry
    assert hash(again) == hash(geometry)
    assert again.to_bytes() == geometry.to_bytes()


# Points on a coarse grid, so that rings touch, overlap and repeat each other.
ANY_RING = st.lists(st.tuples(st.integers(-180, 180), st.integers(-90, 90)), max_size=8)
COARSE_RING = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8)


@given(st.lists(st.lists(COARSE_RING | ANY_RING, max_size=3), max_size=3))
def test_any_rings_are_repaired_or_empty(coordinates: list[list[Any]]) -> None:
    geometry, code = outcome({"type": "MultiPolygon", "coordinates": coordinates})

    assert code in {"", "geometry-empty"}
    if geometry:
        assert_valid(geometry)
        assert read_geometry(geometry.to_bytes(), repair=False) == geometry


def outcome(data: Any) -> tuple[Geometry | None, str]:
    try:
        return read(data), ""
    except InvalidValue as error:
        return None, error.code


def _area_in_space(ring: Ring) -> float:
    """The square metres in a ring of a few kilometres, from where its corners are in space: without any map."""
    corners = np.array([_in_space(*position) for position in ring])
    corners -= corners.mean(axis=0)
    return float(np.linalg.norm(np.cross(corners[:-1], corners[1:]).sum(axis=0)) / 2)


def _in_space(longitude: float, latitude: float) -> tuple[float, float, float]:
    """The metres from the centre of the earth to a position on the ellipsoid of WGS 84."""
    equatorial, flattening = 6_378_137.0, 1 / 298.257223563
    squared = flattening * (2 - flattening)
    lng, lat = radians(longitude), radians(latitude)
    radius = equatorial / sqrt(1 - squared * sin(lat) ** 2)
    return radius * cos(lat) * cos(lng), radius * cos(lat) * sin(lng), radius * (1 - squared) * sin(lat)


@pytest.mark.parametrize("path", BOUNDARIES, ids=lambda path: path.stem)
def test_boundaries_of_real_parks_come_out_valid_with_their_area(path: Path) -> None:
    feature = json.loads(path.read_text("utf-8"))
    rings = feature["geometry"]["coordinates"]
    areas = sum(map(_area_in_space, rings))

    park = read(feature)

    assert not shapely.is_valid(shapely.Polygon(rings[0], rings[1:]))
    assert_valid(park)
    assert kinds(park) == {"regrouped"}
    assert park.area_m2 == pytest.approx(areas, rel=1e-4)
    assert len(park.to_dict()["coordinates"]) == len(rings)
    assert park.to_dict()["type"] == "MultiPolygon"


def test_rings_outside_the_first_one_become_polygons() -> None:
    park = read(polygon(square(0, 0, 4), square(10, 1, 1)[::-1], square(1, 1, 2), square(1.5, 1.5, 1)))

    assert [str(repair) for repair in park.repairs] == [
        "coordinates: rings outside the first one became polygons of their own, as they are not holes (2)"
    ]
    assert len(park.to_dict()["coordinates"]) == 3
    assert park.contains(Position(0.5, 0.5))
    assert not park.contains(Position(1.2, 1.2))
    assert park.contains(Position(2, 2))


def test_a_ring_that_crosses_itself_keeps_both_sides() -> None:
    bow_tie = read(polygon([[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]))

    assert kinds(bow_tie) == {"self-crossing"}
    assert bow_tie.contains(Position(0.2, 1))
    assert bow_tie.contains(Position(1.8, 1))
    assert not bow_tie.contains(Position(1, 0.2))


def test_overlapping_polygons_are_merged() -> None:
    merged = read({"type": "MultiPolygon", "coordinates": [[square(0, 0, 2)], [square(1, 1, 2)]]})

    assert kinds(merged) == {"overlap"}
    assert merged.type == "MultiPolygon"
    assert merged.vertices == 9


def test_a_ring_that_is_written_twice_counts_once() -> None:
    twice = read(polygon(square(0, 0, 2), square(0, 0, 2)))

    assert kinds(twice) == {"overlap"}
    assert twice == read(polygon(square(0, 0, 2)))


def test_a_clockwise_ring_is_turned() -> None:
    turned = read(polygon(square(0, 0, 4)[::-1], square(1, 1, 1)))

    assert [(repair.kind, repair.count) for repair in turned.repairs] == [("orientation", 2)]
    assert_valid(turned)


def test_an_open_ring_is_closed() -> None:
    closed = read(polygon(square(0, 0, 1)[:-1]))

    assert kinds(closed) == {"closed"}
    assert closed == read(polygon(square(0, 0, 1)))


def test_a_hole_without_extent_is_dropped() -> None:
    dropped = read(polygon(square(0, 0, 4), [[1, 1], [2, 2], [1, 1], [1, 1]]))

    assert kinds(dropped) == {"empty"}
    assert dropped == read(polygon(square(0, 0, 4)))


def test_coordinates_have_seven_decimals() -> None:
    assert read(line([0.12345678901, 1], [2, -0.00000000001])).to_dict()["coordinates"] == [
        [0.1234568, 1.0],
        [2.0, 0.0],
    ]


def test_altitudes_are_dropped() -> None:
    flat = read(line([0, 0, 17], [1, 1]))

    assert kinds(flat) == {"altitude"}
    assert flat == read(line([0, 0], [1, 1]))


def test_repair_can_be_off() -> None:
    with pytest.raises(InvalidValue, match="the last position of a ring was not the first one") as caught:
        read_geometry(polygon(square(0, 0, 1)[:-1]), repair=False)

    assert caught.value.code == "geometry-invalid"


def test_a_polygon_that_crosses_itself_everywhere_is_rejected_at_once() -> None:
    random = Random(1)
    ring = [[random.uniform(0, 10), random.uniform(0, 10)] for _ in range(20_000)]

    with pytest.raises(InvalidValue, match="the rings cross each other about") as caught:
        read(polygon(ring))

    assert caught.value.code == "geometry-invalid"


def test_rings_within_rings_are_areas_and_holes_by_turns() -> None:
    nested = read(polygon(*(square(-size, -size, 2 * size) for size in range(1, 31))))

    # Only the 15 with an even size lie within an odd number of others.
    assert [repair.kind for repair in nested.repairs] == ["regrouped"]
    assert [nested.contains(Position(size - 0.5, 0)) for size in range(1, 31)] == [False, True] * 15
    assert len(nested.to_dict()["coordinates"]) == 15


def test_rings_that_all_overlap_are_rejected_at_once() -> None:
    rings = [square(-size / 100, -size / 100, size / 50) for size in range(1, 2000)]

    with pytest.raises(InvalidValue, match="most of the 1999 rings overlap with about 1999 others") as caught:
        read(polygon(*rings))

    assert caught.value.code == "geometry-invalid"


def test_a_mainland_with_many_lakes_and_islands_is_repaired() -> None:
    lakes = [square(0.05 + n % 30 / 10, 0.05 + n // 30 / 10, 0.08) for n in range(900)]
    islands = [square(0.07 + n % 30 / 10, 0.07 + n // 30 / 10, 0.02) for n in range(900)]

    land = read(polygon(square(0, 0, 3.1), *lakes, *islands))

    assert [(repair.kind, repair.count) for repair in land.repairs] == [("regrouped", 900)]
    assert land.contains(Position(0.08, 0.08))
    assert not land.contains(Position(0.06, 0.06))


def assert_valid(geometry: Geometry) -> None:
    value = geometry.to_dict()
    shape = shapely.from_geojson(json.dumps(value))
    assert shapely.is_valid(shape)
    assert shapely.get_dimensions(shape) == 2
    for part in shapely.get_parts(shape):
        outer, *holes = shapely.get_rings(part)
        assert shapely.is_ccw(outer)
        assert not any(shapely.is_ccw(hole) for hole in holes)
