"""The arithmetic of geohashes: names, areas, neighbours, parents, and how children lie."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.cells import GEOHASH, children, decode, distance_m, encode, layout, neighbours, parent
from pksk.cells.geohash import ALPHABET, LEVELS
from pksk.errors import InvalidValue

latitudes = st.floats(-90, 90)
longitudes = st.floats(-180, 180)
cells = st.text(ALPHABET, min_size=1, max_size=12)

ODD = ("bcfguvyz", "89destwx", "2367kmqr", "0145hjnp")
EVEN = ("prxz", "nqwy", "jmtv", "hksu", "57eg", "46df", "139c", "028b")

# Names that others publish, each with a place in the square.
PUBLISHED = {
    "u4pruydqqvj": (57.64911, 10.40744),
    "ezs42": (42.6, -5.6),
    "gcpjfy6d": (51.6705, -1.2818),
    "9q8yyk8": (37.7749, -122.4194),
    "s00000": (0.0, 0.0),
    "7zzzzz": (-1e-9, -1e-9),
}


@pytest.mark.parametrize("cell", PUBLISHED)
def test_a_position_has_its_published_geohash(cell: str) -> None:
    assert encode(*PUBLISHED[cell], len(cell)) == cell


@given(latitudes, longitudes, st.sampled_from(LEVELS))
def test_a_name_results_from_repeatedly_halving_the_map(lat: float, lng: float, level: int) -> None:
    assert encode(lat, lng, level) == published_geohash(lat, lng, level)


def published_geohash(lat: float, lng: float, level: int) -> str:
    """The name as its inventor describes it: which half, in turn of longitude and latitude, five times a letter."""
    spans = [[-180.0, 180.0], [-90.0, 90.0]]
    bits = ""
    for turn in range(5 * level):
        span, value = spans[turn % 2], (lng, lat)[turn % 2]
        middle = (span[0] + span[1]) / 2
        bits += "1" if value >= middle else "0"
        span[0 if value >= middle else 1] = middle
    return "".join(ALPHABET[int(bits[start : start + 5], 2)] for start in range(0, len(bits), 5))


@given(latitudes, longitudes, st.sampled_from(LEVELS))
def test_a_position_is_in_its_cell_and_in_all_cells_around_that(lat: float, lng: float, level: int) -> None:
    cell = encode(lat, lng, level)

    area = decode(cell)
    assert area.south <= lat < area.north or lat == area.north == 90
    assert area.west <= lng < area.east or lng == area.east == 180
    assert all(parent(cell, larger) == encode(lat, lng, larger) for larger in range(1, level + 1))


@given(cells)
def test_the_centre_of_a_cell_is_in_it(cell: str) -> None:
    assert encode(*decode(cell).centre, len(cell)) == cell


@given(cells)
def test_the_southern_and_western_borders_belong_to_a_cell(cell: str) -> None:
    area = decode(cell)

    assert encode(area.south, area.west, len(cell)) == cell
    if area.east < 180:
        assert encode(area.south, area.east, len(cell)) != cell
        assert encode(area.south, math.nextafter(area.east, -180), len(cell)) == cell


@given(st.text(ALPHABET, min_size=1, max_size=11))
def test_children_fill_their_parent_in_the_order_of_the_map(around: str) -> None:
    area, rows = decode(around), layout(around)

    corners = decode(rows[0][0]), decode(rows[-1][-1])
    assert (corners[0].north, corners[0].west) == (area.north, area.west)
    assert (corners[1].south, corners[1].east) == (area.south, area.east)
    for row in rows:
        assert [decode(one).east for one in row[:-1]] == [decode(other).west for other in row[1:]]
    for upper, lower in pairwise(rows):
        assert decode(upper[0]).south == decode(lower[0]).north
    assert sorted(cell for row in rows for cell in row) == list(children(around))
    assert {parent(cell) for cell in children(around)} == {around}


@pytest.mark.parametrize("level", LEVELS[1:])
def test_children_of_odd_levels_are_8_by_4_and_of_even_levels_4_by_8(level: int) -> None:
    around = "gcpjfy6dh2k"[: level - 1]

    rows = ["".join(child.removeprefix(around) for child in row) for row in layout(around)]

    assert tuple(rows) == (ODD if level % 2 else EVEN)


@given(cells)
def test_neighbours_touch_a_cell_and_are_neighbours_of_each_other(cell: str) -> None:
    around, area = neighbours(cell), decode(cell)

    assert len(set(around)) == (5 if area.south == -90 or area.north == 90 else 8)
    assert cell not in around
    for other in around:
        its = decode(other)
        assert cell in neighbours(other)
        assert its.south <= area.north
        assert its.north >= area.south
        assert (its.west - area.east) % 360 == 0 or (its.east - area.west) % 360 == 0 or its.west == area.west


def test_neighbours_cross_the_180th_meridian_and_end_at_the_poles() -> None:
    assert decode(neighbours("r")[4]).west == -180  # east of r, which ends at 180
    assert {"8", "2"} <= set(neighbours("x"))
    assert len(neighbours("zzz")) == len(neighbours("000")) == 5


@pytest.mark.parametrize(
    ("lat", "lng"),
    [
        (90.1, 0),
        (-90.1, 0),
        (91, 0),
        (0, 181),
        (0, -180.1),
        (math.nan, 0),
        (0, math.nan),
        (0, math.inf),
        ("51.5", "-0.1"),
        (None, 0),
    ],
)
def test_a_position_that_is_not_on_the_earth_is_rejected(lat: float, lng: float) -> None:
    with pytest.raises(InvalidValue) as caught:
        encode(lat, lng, 8)

    assert caught.value.code == "cell-position"


def test_swapped_coordinates_are_named_if_detectable() -> None:
    with pytest.raises(InvalidValue, match=r"Latitude 139\.7 (.|\n)*did you swap latitude and longitude\?"):
        encode(139.7, 35.7, 8)
    with pytest.raises(InvalidValue, match="Latitude 200") as caught:
        encode(200, 10, 8)
    assert "swap" not in str(caught.value)


def test_the_poles_and_the_180th_meridian_belong_to_the_last_cells() -> None:
    assert [encode(*place, 6) for place in ((90, 180), (90, -180), (-90, -180), (-90, 180))] == [
        "zzzzzz",
        "bpbpbp",
        "000000",
        "pbpbpb",
    ]


@pytest.mark.parametrize("name", ["gca", "gci", "gcl", "gco", "gc ", "gc#", "gcé"])
@pytest.mark.parametrize("function", [decode, neighbours, children, layout, parent, GEOHASH.number])
def test_characters_outside_the_alphabet_are_rejected(name: str, function: object) -> None:
    with pytest.raises(InvalidValue, match="is not a cell") as caught:
        function(name)  # type: ignore[operator]

    assert caught.value.code == "cell-name"


@pytest.mark.parametrize("name", [None, 5, b"gcp", ["g"]])
def test_a_name_that_is_not_text_is_rejected(name: str) -> None:
    with pytest.raises(InvalidValue, match="is not a cell: names are text") as caught:
        decode(name)

    assert caught.value.code == "cell-name"


def test_upper_case_is_rejected_with_the_name_in_lower_case() -> None:
    with pytest.raises(InvalidValue, match="write 'gcpjf'"):
        decode("GCPjf")


@pytest.mark.parametrize("level", [0, -1, 13, 2.5, 3.0, "3", None, True])
def test_levels_other_than_1_to_12_are_rejected(level: int) -> None:
    with pytest.raises(InvalidValue, match="Levels are 1 to 12"):
        encode(0, 0, level)


def test_there_is_no_cell_of_level_0_or_13() -> None:
    for call in (
        lambda: decode(""),
        lambda: decode("0" * 13),
        lambda: children("0" * 12),
        lambda: parent("z"),
        lambda: parent("zz", 3),
    ):
        with pytest.raises(InvalidValue) as caught:
            call()
        assert caught.value.code == "cell-level"


def test_distances_are_measured_on_a_sphere() -> None:
    assert distance_m(51.507, -0.128, 48.857, 2.352) == pytest.approx(343_480, abs=5)
    assert distance_m(0, 179.5, 0, -179.5) == pytest.approx(111_195, abs=1)
    assert distance_m(90, 0, -90, 0) == pytest.approx(20_015_114, abs=1)
