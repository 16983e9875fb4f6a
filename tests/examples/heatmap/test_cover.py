"""Covers: every place of a view is found, nothing is read that no view asks for, whatever the partitions."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from examples.heatmap.cover import SUFFIX, Cover, Run, cover, worthwhile_gap
from examples.heatmap.expected import touches
from examples.heatmap.geohash import OffTheMap, area, cell_of, distance_km, encode, number_of
from examples.heatmap.views import LENGTHS, View, length_at, length_of, screen

latitudes = st.floats(-90, 90)
longitudes = st.floats(-180, 180)


@st.composite
def covers(draw: st.DrawFn) -> tuple[View, Cover]:
    """A view and what covers it, at any place of the map, borders of cells and the 180th meridian included."""
    length = draw(st.sampled_from(LENGTHS))
    corner = area(encode(draw(latitudes), draw(longitudes), length))
    width, height = draw(st.floats(0, 40)), draw(st.floats(0, 20))
    on_border = draw(st.booleans())
    south = corner.south if on_border else draw(st.floats(corner.south, corner.north))
    west = corner.west if on_border else draw(st.floats(corner.west, corner.east))
    up, across = corner.north - corner.south, corner.east - corner.west
    if on_border:
        width, height = round(width), round(height)
    view = View(south, west, min(90, south + height * up), west + width * across)
    assume(view.cells(length) <= 4000)
    return view, cover(view, length)


@given(covers(), st.floats(0, 1), st.floats(0, 1))
def test_every_point_of_a_view_is_in_a_cell_of_its_cover(
    made: tuple[View, Cover], up: float, across: float
) -> None:
    view, found = made
    width = (view.east - view.west) % 360
    lng = view.west + across * width
    place = (
        min(view.north, view.south + up * (view.north - view.south)),
        lng if lng <= 180 else max(-180, lng - 360),
    )
    assume(place in view)

    assert encode(*place, found.length) in found


@given(covers())
def test_a_cover_has_exactly_the_cells_that_the_view_touches(made: tuple[View, Cover]) -> None:
    view, found = made
    listed = list(found.cells())

    assert len(listed) == len(set(listed)) == len(found) == view.cells(found.length)
    assert listed == sorted(listed)
    assert all(touches(view, area(cell)) for cell in listed)
    assert all(cell in found for cell in listed)
    assert listed[0][:-1] not in found


@given(covers(), st.sampled_from([0, 1, 16, 64, 1024, 40_000]))
def test_runs_have_every_cell_once_and_stay_in_their_partition(made: tuple[View, Cover], gap: int) -> None:
    _, found = made
    runs = found.runs(gap)

    spans = [(number_of(run.prefix + run.first), number_of(run.prefix + run.last)) for run in runs]
    assert all(len(run.prefix) + 3 == found.length and len(run.first) == len(run.last) == 3 for run in runs)
    assert all(one[1] < other[0] for one, other in pairwise(spans))
    held = [cell for cell in found.cells() if any(first <= number_of(cell) <= last for first, last in spans)]
    assert held == list(found.cells())
    for one, other in pairwise(runs):
        apart = number_of(other.prefix + other.first) - number_of(one.prefix + one.last) - 1
        assert one.prefix != other.prefix or apart > gap
    if gap == 0:
        assert sum(last - first + 1 for first, last in spans) == len(found)


@given(covers())
def test_blocks_are_whole_and_exactly_those_that_the_view_touches(made: tuple[View, Cover]) -> None:
    _, found = made

    blocks = found.blocks()

    assert all(run.first[1:] == "00" and run.last == run.first[0] + "zz" for run in blocks)
    assert [run.prefix + run.first[0] for run in blocks] == sorted({cell[:-2] for cell in found.cells()})


def test_a_view_over_four_cells_of_length_1_is_four_ranges_of_one_partition() -> None:
    found = cover(View(41, -5, 60, 10), 3)

    assert found.runs(gap=1024) == [
        Run("", "ezk", "ezz"),
        Run("", "gbh", "gfx"),
        Run("", "sp2", "spz"),
        Run("", "u00", "u4x"),
    ]


def test_a_view_may_need_more_than_four_partitions() -> None:
    """A screen of ordinary size at zoom 13, in cells of length 7, higher than a partition is."""
    west_of_border = area("gcpu").west - 0.05
    middle = area("gcpv").north - 0.001
    view = View(middle - 0.19, west_of_border, middle + 0.002, west_of_border + 0.4)

    assert len(cover(view, 7).partitions()) == 6
    assert len(cover(View(-90, -180, 90, 180), 4).partitions()) == 32


def test_a_screen_has_one_two_or_four_partitions_except_on_a_border_of_all_sizes() -> None:
    random, taken = Random(1), Counter[int]()
    for _ in range(150):
        zoom = random.randrange(7, 21)
        found = cover(screen(random.uniform(-60, 70), random.uniform(-180, 180), zoom), length_at(zoom))
        taken[len(found.partitions())] += 1
        assert len(found) < 5000

    assert set(taken) == {1, 2, 4}
    assert taken[1] > taken[2] > taken[4]
    for zoom in range(7, 21):
        prefixes = cover(screen(0, 0, zoom), length_at(zoom)).partitions()
        assert {each[0] for each in prefixes} == set("7eks")


def test_there_are_as_many_partitions_as_cells_three_sizes_up() -> None:
    world = View(-90, -180, 90, 180)

    assert [len(cover(world, length).partitions()) for length in (3, 4)] == [1, 32]
    assert [world.cells(length) // 32**3 for length in LENGTHS] == [1, 32, 1024, 32768, 1048576, 33554432]


def test_partitions_range_from_the_size_of_a_continent_to_a_village() -> None:
    sizes = []
    for length in LENGTHS[1:]:
        part = area("gcpjfy6d"[: length - SUFFIX])
        middle = part.middle[0]
        wide = distance_km(middle, part.west, middle, part.east)
        sizes.append((round(wide), round(distance_km(part.south, part.west, part.north, part.west))))

    assert sizes == [(1873, 5004), (744, 625), (98, 156), (24, 20), (3, 5)]


def test_a_view_over_the_180th_meridian_has_both_sides() -> None:
    found = cover(View(-19, 179.9, -16, -179.9), 5)

    assert encode(-18, 179.95, 5) in found
    assert encode(-18, -179.95, 5) in found
    assert encode(-18, 0, 5) not in found
    assert {prefix[0] for prefix in found.partitions()} == {"2", "r"}


def test_a_rotated_map_gives_the_same_cells() -> None:
    assert cover(View(-19, 179, -16, 181), 5) == cover(View(-19, 179, -16, -179), 5)
    assert cover(View(10, 340, 20, 380), 4) == cover(View(10, -20, 20, 20), 4)
    assert len(cover(View(-90, -300, 90, 300), 3)) == 32_768


def test_a_view_almost_around_the_world_has_no_cell_twice() -> None:
    found = cover(View(0, 0.2, 1, 0.1), 3)

    assert len(found) == len(set(found.cells())) == 256


def test_a_view_at_the_pole_or_of_no_size_is_one_row_or_one_cell() -> None:
    assert len(cover(View(90, -180, 90, 180), 3)) == 256
    assert list(cover(View(90, 180, 90, 180), 8).cells()) == ["z" * 8]
    assert list(cover(View(51.6705, -1.2818, 51.6705, -1.2818), 8).cells()) == ["gcpjfy6d"]


def test_a_view_of_exactly_one_cell_also_touches_those_that_begin_at_its_far_borders() -> None:
    one = area("gcpjfy6d")

    found = list(cover(View(one.south, one.west, one.north, one.east), 8).cells())

    assert sorted(found) == sorted(["gcpjfy6d", "gcpjfy6e", "gcpjfy6f", "gcpjfy6g"])


@pytest.mark.parametrize("length", [0, 2, 9])
def test_cells_of_other_lengths_are_rejected(length: int) -> None:
    with pytest.raises(OffTheMap, match="3 to 8 characters"):
        cover(View(0, 0, 1, 1), length)


def test_a_view_of_too_many_cells_is_rejected_with_the_length_that_fits() -> None:
    with pytest.raises(OffTheMap, match="cells of length 3"):
        cover(View(-90, -180, 90, 180), 8)


@pytest.mark.parametrize(
    "edges", [(10, 0, 5, 1), (-91, 0, 0, 1), (0, 0, 91, 1), (float("nan"), 0, 0, 1), (0, float("inf"), 0, 1)]
)
def test_invalid_views_are_rejected(edges: tuple[float, float, float, float]) -> None:
    with pytest.raises(OffTheMap):
        View(*edges)


def test_swapped_latitude_and_longitude_of_a_view_are_named_if_detectable() -> None:
    with pytest.raises(OffTheMap, match="swapped"):
        View(139.6, 35.6, 139.8, 35.8)


def test_the_length_of_cells_follows_from_the_zoom() -> None:
    assert [length_at(zoom) for zoom in range(3, 20)] == [3] * 4 + [4] * 3 + [5] * 2 + [6] * 3 + [7] * 2 + [
        8
    ] * 3


@given(latitudes, longitudes, st.integers(3, 19))
def test_every_screen_can_be_drawn_with_no_more_than_a_world_of_cells(
    lat: float, lng: float, zoom: int
) -> None:
    view = screen(lat, lng, zoom)

    assert view.cells(length_of(view)) <= 4096 or length_of(view) == 3
    assert len(cover(view, length_at(zoom))) == view.cells(length_at(zoom)) <= 32_768


@pytest.mark.parametrize("share", [0.001, 0.02, 0.2, 1])
def test_a_gap_is_read_while_its_cells_cost_less_than_half_a_unit(share: float) -> None:
    gap = worthwhile_gap(share, item_bytes=100)

    assert gap * share * 100 / 8192 <= 0.5 < (gap + 1) * share * 100 / 8192


def test_no_cell_of_another_length_is_in_a_cover() -> None:
    found = cover(View(0, 0, 1, 1), 4)

    assert "s00" not in found
    assert cell_of(number_of("s000"), 4) in found
    assert "s0000" not in found
