"""The arithmetic of geohashes: names, areas, neighbours, and how children lie."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.heatmap.geohash import (
    ALPHABET,
    OffTheMap,
    area,
    cell_of,
    children,
    distance_km,
    encode,
    neighbours,
    number_of,
)

latitudes = st.floats(-90, 90)
longitudes = st.floats(-180, 180)
cells = st.text(ALPHABET, min_size=1, max_size=8)

ODD = ("bcfguvyz", "89destwx", "2367kmqr", "0145hjnp")
EVEN = ("prxz", "nqwy", "jmtv", "hksu", "57eg", "46df", "139c", "028b")

# Names that others publish, each with a place in the square.
PUBLISHED = {
    "u4pruydq": (57.64911, 10.40744),
    "ezs42": (42.6, -5.6),
    "gcpjfy6d": (51.6705, -1.2818),
    "9q8yyk8": (37.7749, -122.4194),
    "s00000": (0.0, 0.0),
    "7zzzzz": (-1e-9, -1e-9),
}


@pytest.mark.parametrize("cell", PUBLISHED)
def test_a_place_has_its_published_geohash(cell: str) -> None:
    assert encode(*PUBLISHED[cell], len(cell)) == cell


@given(latitudes, longitudes, st.integers(1, 8))
def test_a_name_results_from_repeatedly_halving_the_map(lat: float, lng: float, length: int) -> None:
    assert encode(lat, lng, length) == published_geohash(lat, lng, length)


def published_geohash(lat: float, lng: float, length: int) -> str:
    """The name as its inventor describes it: which half, in turn of longitude and latitude, five times a letter."""
    spans = [[-180.0, 180.0], [-90.0, 90.0]]
    bits = ""
    for turn in range(5 * length):
        span, value = spans[turn % 2], (lng, lat)[turn % 2]
        middle = (span[0] + span[1]) / 2
        bits += "1" if value >= middle else "0"
        span[0 if value >= middle else 1] = middle
    return "".join(ALPHABET[int(bits[start : start + 5], 2)] for start in range(0, len(bits), 5))


@pytest.mark.parametrize("length", range(1, 9))
def test_children_of_odd_lengths_are_8_by_4_and_of_even_lengths_4_by_8(length: int) -> None:
    parent = "gcpjfy6d"[: length - 1]

    rows = ["".join(child.removeprefix(parent) for child in row) for row in children(parent)]

    assert tuple(rows) == (ODD if length % 2 else EVEN)


@given(st.text(ALPHABET, max_size=7))
def test_children_fill_their_parent_in_the_displayed_order(parent: str) -> None:
    whole, rows = area(parent), children(parent)

    corners = area(rows[0][0]), area(rows[-1][-1])
    assert (corners[0].north, corners[0].west) == (whole.north, whole.west)
    assert (corners[1].south, corners[1].east) == (whole.south, whole.east)
    for row in rows:
        assert [area(one).east for one in row[:-1]] == [area(other).west for other in row[1:]]
    for upper, lower in pairwise(rows):
        assert area(upper[0]).south == area(lower[0]).north


@given(latitudes, longitudes, st.integers(1, 8))
def test_a_place_lies_in_its_square_and_in_those_around_it(lat: float, lng: float, length: int) -> None:
    cell = encode(lat, lng, length)

    found = area(cell)
    assert found.south <= lat < found.north or lat == found.north == 90
    assert found.west <= lng < found.east or lng == found.east == 180
    assert cell.startswith(encode(lat, lng, length - 1)) if length > 1 else True


@given(cells)
def test_the_southern_and_western_borders_belong_to_a_square(cell: str) -> None:
    found = area(cell)

    assert encode(found.south, found.west, len(cell)) == cell
    if found.east < 180:
        assert encode(found.south, found.east, len(cell)) != cell
        assert encode(found.south, math.nextafter(found.east, -180), len(cell)) == cell


@given(cells, cells)
def test_names_sort_like_their_numbers_and_bytes(one: str, other: str) -> None:
    length = min(len(one), len(other))
    one, other = one[:length], other[:length]

    assert (one < other) == (number_of(one) < number_of(other)) == (one.encode() < other.encode())
    assert cell_of(number_of(one), length) == one


@given(cells)
def test_neighbours_touch_and_are_neighbours_of_each_other(cell: str) -> None:
    around = neighbours(cell)

    assert cell not in around or len(cell) == 1
    for other in around:
        assert cell in neighbours(other)


def test_neighbours_cross_the_180th_meridian_and_end_at_the_poles() -> None:
    assert area(neighbours("r")[4]).west == -180  # east of r, which ends at 180
    assert {"8", "2"} <= set(neighbours("x"))
    assert len(neighbours("zzz")) == 5


@pytest.mark.parametrize(
    ("lat", "lng"),
    [(90.1, 0), (-90.1, 0), (0, 180.1), (0, -180.1), (math.nan, 0), (0, math.inf), (139.7, 35.7)],
)
def test_a_place_off_the_map_is_rejected(lat: float, lng: float) -> None:
    with pytest.raises(OffTheMap):
        encode(lat, lng, 8)


def test_swapped_coordinates_are_named_if_detectable() -> None:
    with pytest.raises(OffTheMap, match=r"Latitude 139\.7 .* swapped\?"):
        encode(139.7, 35.7, 8)
    with pytest.raises(OffTheMap, match=r"Latitude 200 is not within -90 to 90\.$"):
        encode(200, 10, 8)


def test_the_poles_and_the_180th_meridian_belong_to_the_last_squares() -> None:
    assert [encode(*place, 6) for place in ((90, 180), (90, -180), (-90, -180), (-90, 180))] == [
        "zzzzzz",
        "bpbpbp",
        "000000",
        "pbpbpb",
    ]


@pytest.mark.parametrize("cell", ["gcA", "gca", "gci", "gcl", "gco", "gc "])
def test_letters_outside_the_alphabet_are_rejected(cell: str) -> None:
    with pytest.raises(OffTheMap, match="is not a cell"):
        area(cell)


def test_distances_are_measured_on_a_globe() -> None:
    assert distance_km(51.507, -0.128, 48.857, 2.352) == pytest.approx(343, abs=2)
    assert distance_km(0, 179.5, 0, -179.5) == pytest.approx(111.2, abs=0.1)
    assert distance_km(90, 0, -90, 0) == pytest.approx(20015, abs=1)
