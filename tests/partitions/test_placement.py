"""Places are stable and even; segments cover all of them, each once."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.partitions import PLACE_BYTES, place, segment

LAST = b"\xff" * PLACE_BYTES
totals = st.one_of(st.integers(1, 20), st.integers(1, 1_000_000))


def _segment_of(where: bytes, total: int) -> int:
    """The segment that a place is in, found by looking at both of its ends."""
    number = int.from_bytes(where) * total >> (8 * PLACE_BYTES)
    low, high = segment(number, total)
    assert low <= where
    assert high is None or where < high
    return number


@pytest.mark.parametrize(
    ("typed_key", "expected"),
    [(b"", "e4a6a0577479b2b4"), (b"Scustomer#1", "f5dc5a2ca1e5a639"), (b"B\x00", "52a35730419d2e6b")],
)
def test_a_place_is_the_same_in_every_version(typed_key: bytes, expected: str) -> None:
    # Files are laid out by it: another place would be another row.
    assert place(typed_key).hex() == expected


@given(st.binary())
def test_a_place_has_its_fixed_length(typed_key: bytes) -> None:
    assert len(place(typed_key)) == PLACE_BYTES


def test_places_are_spread_evenly() -> None:
    counts = Counter(_segment_of(place(b"Scustomer#%d" % number), 16) for number in range(16_000))

    assert len(counts) == 16
    assert all(850 < count < 1150 for count in counts.values())


def test_one_segment_is_everything() -> None:
    assert segment(0, 1) == (bytes(PLACE_BYTES), None)


@given(totals, st.data())
def test_each_segment_begins_where_the_one_before_ends(total: int, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, total - 1))
    low, high = segment(number, total)

    assert (number == 0) == (low == bytes(PLACE_BYTES))
    assert (number == total - 1) == (high is None)
    if high is not None:
        assert low < high == segment(number + 1, total)[0]


@given(st.binary(min_size=PLACE_BYTES, max_size=PLACE_BYTES) | st.just(LAST), totals)
def test_every_place_is_in_one_segment(where: bytes, total: int) -> None:
    number = _segment_of(where, total)

    for neighbour in {number - 1, number + 1} & set(range(total)):
        low, high = segment(neighbour, total)
        assert where < low or (high is not None and high <= where)


@given(totals)
def test_segments_are_of_equal_length_but_for_one_place(total: int) -> None:
    ends = [int.from_bytes(segment(number, total)[0]) for number in range(min(total, 4))]
    lengths = {after - before for before, after in pairwise(ends)}

    assert not lengths or max(lengths) - min(lengths) <= 1
