"""The level of cells for a zoom or a size, and the views of screens."""

from __future__ import annotations

from math import cos, radians
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.cells import (
    Box,
    Circle,
    cell_count,
    cover,
    decode,
    distance_m,
    encode,
    level_of_count,
    level_of_metres,
    level_of_zoom,
    view_of_screen,
)
from pksk.errors import InvalidValue
from tests.cells.random_regions import random_box

SHOWN = range(3, 9)


def test_the_level_follows_from_the_zoom() -> None:
    found = [level_of_zoom(zoom, levels=SHOWN) for zoom in range(3, 20)]

    assert found == [3] * 4 + [4] * 3 + [5] * 2 + [6] * 3 + [7] * 2 + [8] * 3


@given(st.floats(0, 24), st.floats(1, 512))
def test_cells_have_the_width_and_the_next_smaller_ones_have_not(zoom: float, pixels: float) -> None:
    level = level_of_zoom(zoom, pixels)

    def width(level: int) -> float:
        return 256 * 2**zoom * (decode("0" * level).east + 180) / 360

    assert width(level) >= pixels or level == 1
    assert level == 12 or width(level + 1) < pixels


@given(st.floats(0, 1e7), st.floats(-90, 90))
def test_cells_have_the_metres_in_width_and_height(metres: float, lat: float) -> None:
    level = level_of_metres(metres, lat)

    def size(level: int) -> float:
        area = decode("s" + "0" * (level - 1))
        around = distance_m(0, area.west, 0, area.east) if level > 1 else distance_m(0, 0, 0, 45)
        return min(around * cos(radians(lat)), distance_m(0, 0, area.north - area.south, 0))

    assert level == 1 or size(level) >= metres * (1 - 1e-9)
    assert level == 12 or size(level + 1) <= metres * (1 + 1e-9)


def test_a_circle_near_a_pole_is_covered_by_few_cells_of_the_level_for_its_latitude() -> None:
    polar = Circle(89.5, 0, radius_m=50_000)

    level = level_of_metres(1000, 89.5)

    assert level < level_of_metres(1000, 0)
    assert len(cover(polar, 5)) > 40_000
    assert len(cover(polar, level)) < 1500


@given(st.floats(-90, 90), st.floats(-180, 180), st.integers(0, 22))
def test_a_screen_shows_its_middle_and_the_world_at_most(lat: float, lng: float, zoom: int) -> None:
    view = view_of_screen(lat, lng, zoom)

    assert encode(max(-85, min(85, lat)), lng, 3) in cover(view, 3)
    assert -85.06 < view.south <= view.north < 85.06


def test_sizes_that_are_not_metres_are_rejected() -> None:
    with pytest.raises(InvalidValue, match="not a number of metres"):
        level_of_metres(-5)
    with pytest.raises(InvalidValue, match="Latitude 91"):
        level_of_metres(5, 91)


def test_the_count_of_cells_is_that_of_the_cover_of_a_view() -> None:
    random = Random()
    for _ in range(200):
        view = random_box(random)
        counts = [cell_count(view, level) for level in (3, 4)]

        assert counts[0] == len(cover(view, 3))
        assert counts[1] == len(cover(view, 4))


def test_a_view_has_the_smallest_cells_of_which_there_are_not_too_many() -> None:
    random = Random()
    for _ in range(200):
        view = random_box(random)

        level = level_of_count(view, 4096)

        assert cell_count(view, level) <= 4096
        assert level == 12 or cell_count(view, level + 1) > 4096
    assert level_of_count(Box(-90, -180, 90, 180), 4096, SHOWN) == 3
