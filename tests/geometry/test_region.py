"""Polygons as regions: the cells of their cover, and the positions that they contain."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pksk.cells import cover, encode
from pksk.geo import Position
from tests.geometry.shapes import Ring, moved, parks, polygon, read


@given(parks(), st.integers(-180, 180), st.randoms(use_true_random=False))
def test_a_region_contains_the_positions_of_its_geometry(
    polygons: list[list[Ring]], shift: int, random: Random
) -> None:
    park = read(
        {"type": "MultiPolygon", "coordinates": [[moved(ring, shift) for ring in each] for each in polygons]}
    )
    region = park.to_region()
    cells = cover(region, 4)

    for _ in range(30):
        x, y = random.choice(random.choice(random.choice(polygons)))
        [[x, y]] = moved([[x + random.uniform(-0.3, 0.3), y + random.uniform(-0.3, 0.3)]], shift)
        inside = park.contains(Position(x, y))

        # On the border, rounding decides.
        assert inside == ((y, x) in region) or park.distance_m(Position(x, y)) < 0.1
        assert not inside or encode(y, x, 4) in cells


def test_a_region_over_a_pole_has_the_cells_of_the_pole() -> None:
    region = read(polygon([[-150, 70], [-30, 70], [90, 70], [-150, 70]])).to_region()

    assert encode(90, 17, 3) in cover(region, 3)
    assert (89.99, 17) in region
    assert (69, 17) not in region
