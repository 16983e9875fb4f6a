"""Covers as keys: ranges of every partition, and what is left after a position."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.cells import (
    GEOHASH,
    Box,
    CellRange,
    Circle,
    Cover,
    cell_count,
    cover,
    decode,
    encode,
    level_of_zoom,
    view_of_screen,
)
from pksk.errors import InvalidValue
from tests.cells.hilbert import HILBERT

LEVELS = range(3, 9)


def random_views(count: int) -> list[tuple[Box, int]]:
    random = Random()
    found = []
    for _ in range(count):
        zoom = random.randrange(3, 20)
        view = view_of_screen(random.uniform(-85, 85), random.uniform(-180, 180), zoom, 600, 400)
        found.append((view, level_of_zoom(zoom, levels=LEVELS)))
    return found


@st.composite
def views_at_borders(draw: st.DrawFn) -> tuple[Box, int]:
    """A view of a few cells of any level, often exactly on their borders, at any place and across the meridian."""
    level = draw(st.integers(3, 12))
    corner = decode(encode(draw(st.floats(-90, 90)), draw(st.floats(-180, 180)), level))
    up, across = corner.north - corner.south, corner.east - corner.west
    if draw(st.booleans()):
        south, west = corner.south, corner.west
        height, width = up * draw(st.integers(0, 12)), across * draw(st.integers(0, 12))
    else:
        south = draw(st.floats(corner.south, corner.north))
        west = draw(st.floats(corner.west, corner.east))
        height, width = up * draw(st.floats(0, 12)), across * draw(st.floats(0, 12))
    return Box(south, west, min(90, south + height), west + width), level


@given(views_at_borders(), st.floats(0, 1), st.floats(0, 1))
def test_every_position_of_a_view_is_in_its_cover(made: tuple[Box, int], up: float, across: float) -> None:
    view, level = made
    part = view.parts[-1]
    place = (
        min(part.north, part.south + up * (part.north - part.south)),
        min(part.east, part.west + across * (part.east - part.west)),
    )

    found = cover(view, level)

    assert encode(*place, level) in found
    assert len(found) == cell_count(view, level) == len(list(found.cells()))
    assert all(touches(view, decode(cell)) for cell in found.cells())


def touches(view: Box, area: Box) -> bool:
    """Whether they share a position; an area has its southern and western borders, and the end of the map."""
    up = area.south <= view.north and (view.south < area.north or area.north == 90)
    return up and any(
        area.west <= part.east and (part.west < area.east or area.east == 180) for part in view.parts
    )


def test_key_ranges_have_every_cell_once_and_stay_in_their_partition() -> None:
    for view, level in random_views(40):
        found = cover(view, level)

        keys = found.key_ranges()

        held = [
            key.prefix + GEOHASH.name(number, 3)
            for key in keys
            for number in range(GEOHASH.number(key.first), GEOHASH.number(key.last) + 1)
        ]
        assert held == list(found.cells()) == sorted(set(held))
        assert all(len(key.prefix) == level - 3 and len(key.first) == len(key.last) == 3 for key in keys)
        assert all(one.prefix + one.last < other.prefix + other.first for one, other in pairwise(keys))
        assert found.partitions() == tuple(dict.fromkeys(key.prefix for key in keys))
        assert found.partition_count == len(found.partitions())
        assert len(held) == len(found)


def test_a_cover_contains_its_cells_and_no_other() -> None:
    for view, level in random_views(40):
        found = cover(view, level)
        cells = set(found.cells())
        for cell in list(cells)[:20]:
            column, row = GEOHASH.position(cell)
            other = GEOHASH.at(column, row ^ 1, level)

            assert cell in found
            assert (other in found) == (other in cells)
            assert cell[:-1] not in found
            assert cell + "0" not in found


def test_what_is_left_after_a_cell_are_the_cells_that_sort_after_it() -> None:
    for view, level in random_views(40):
        found = cover(view, level)
        cells = list(found.cells())
        for last in (cells[0], cells[len(cells) // 2], cells[-1], encode(0, 0, level)):
            assert list(found.after(last).cells()) == [each for each in cells if each > last]


def test_a_cover_in_smaller_cells_has_the_same_area() -> None:
    coarse = cover(Circle(51.5, -0.12, radius_m=20_000), 4)

    fine = coarse.at_level(6)

    assert len(fine) == 1024 * len(coarse)
    assert {cell[:4] for cell in fine.cells()} == set(coarse.cells())
    assert len(fine.ranges) == len(coarse.ranges)
    with pytest.raises(InvalidValue, match="no cells of level 3"):
        coarse.at_level(3)


def test_the_prefix_and_suffix_of_levels_3_to_8_are_those_of_the_table() -> None:
    here = Circle(51.6705, -1.2818, radius_m=0)

    keys = [cover(here, level).key_ranges() for level in LEVELS]

    assert [each for (each,) in keys] == [
        CellRange("", "gcp", "gcp"),
        CellRange("g", "cpj", "cpj"),
        CellRange("gc", "pjf", "pjf"),
        CellRange("gcp", "jfy", "jfy"),
        CellRange("gcpj", "fy6", "fy6"),
        CellRange("gcpjf", "y6d", "y6d"),
    ]


@pytest.mark.parametrize("suffix", [1, 2, 4, 6])
def test_a_suffix_may_have_any_length_up_to_that_of_a_cell(suffix: int) -> None:
    found = cover(Box(51.4, -0.3, 51.6, 0.1), 6, suffix=suffix)

    assert {len(key.first) for key in found.key_ranges()} == {suffix}
    assert set(found.partitions()) == {cell[: 6 - suffix] for cell in found.cells()}


def test_a_cover_of_another_curve_has_its_own_ranges_of_the_same_cells() -> None:
    view = Box(51.4, -0.3, 51.6, 0.1)

    found = cover(view, 8, curve=HILBERT)

    named = {HILBERT.position(cell) for cell in found.cells()}
    columns, rows = ({each[axis] for each in named} for axis in (0, 1))
    assert len(named) == len(columns) * len(rows) == len(found)
    assert len(found.ranges) < len(named) / 10


def test_a_screen_has_one_two_or_four_partitions_except_on_a_border_of_all_sizes() -> None:
    random, taken = Random(1), Counter[int]()
    for _ in range(150):
        zoom = random.randrange(7, 21)
        view = view_of_screen(random.uniform(-60, 70), random.uniform(-180, 180), zoom)
        found = cover(view, level_of_zoom(zoom, levels=LEVELS))
        taken[found.partition_count] += 1
        assert len(found) < 5000

    assert set(taken) == {1, 2, 4}
    assert taken[1] > taken[2] > taken[4]
    for zoom in range(7, 21):
        prefixes = cover(view_of_screen(0, 0, zoom), level_of_zoom(zoom, levels=LEVELS)).partitions()
        assert {each[0] for each in prefixes} == set("7eks")


def test_a_view_may_need_more_than_four_partitions() -> None:
    """A screen of ordinary size at zoom 13, in cells of level 7, higher than a partition is."""
    west_of_border = decode("gcpu").west - 0.05
    middle = decode("gcpv").north - 0.001
    view = Box(middle - 0.19, west_of_border, middle + 0.002, west_of_border + 0.4)

    assert len(cover(view, 7).partitions()) == 6
    assert len(cover(Box(-90, -180, 90, 180), 4).partitions()) == 32


def test_the_world_in_the_smallest_cells_is_one_range_and_its_partitions_are_counted_without_listing_them() -> (
    None
):
    world = cover(Box(-90, -180, 90, 180), 12)

    assert world.ranges == (range(1 << 60),)
    assert world.partition_count == 1 << 45


def test_a_shape_with_too_long_a_border_is_rejected() -> None:
    with pytest.raises(InvalidValue, match=r"cells of level 8 in this region are in more than 10,000 ranges"):
        cover(Circle(89.5, 0, radius_m=50_000), 8)


@pytest.mark.parametrize(
    ("level", "suffix", "text"),
    [
        (0, 3, "no cells of level 0"),
        (13, 3, "Levels are 1 to 12"),
        ("6", 3, "no cells of level '6'"),
        (2, 3, "cells of level 2 have 2"),
        (5, 0, "has 0 characters"),
    ],
)
def test_levels_and_suffixes_that_do_not_fit_are_rejected(level: int, suffix: int, text: str) -> None:
    with pytest.raises(InvalidValue, match=text) as caught:
        cover(Box(0, 0, 1, 1), level, suffix=suffix)

    assert caught.value.code == "cell-level"


def test_a_view_at_the_pole_or_without_size_is_one_row_or_one_cell() -> None:
    assert len(cover(Box(90, -180, 90, 180), 3)) == 256
    assert list(cover(Box(90, 180, 90, 180), 8).cells()) == ["z" * 8]
    assert list(cover(Box(51.6705, -1.2818, 51.6705, -1.2818), 8).cells()) == ["gcpjfy6d"]


def test_a_view_of_exactly_one_cell_also_touches_those_that_begin_at_its_far_borders() -> None:
    found = list(cover(decode("gcpjfy6d"), 8).cells())

    assert sorted(found) == sorted(["gcpjfy6d", "gcpjfy6e", "gcpjfy6f", "gcpjfy6g"])


def test_a_view_almost_around_the_world_has_no_cell_twice() -> None:
    found = cover(Box(0, 0.2, 1, 0.1), 3)

    assert len(found) == len(set(found.cells())) == 256


def test_a_cover_of_nothing_has_no_queries() -> None:
    assert Cover(5, ()).key_ranges() == []
    assert Cover(5, ()).partition_count == len(Cover(5, ())) == 0
