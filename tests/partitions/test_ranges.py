"""Partitions cover every row key once, whatever is split, and come back from what is stored of them."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import Counter
from functools import partial
from itertools import pairwise
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.partitions import Partitions, place

LONG = bool(os.environ.get("PKSK_LONG"))
keys = st.one_of(st.binary(min_size=8, max_size=8), st.binary(min_size=9, max_size=20))
counts = st.integers(1, 20)


def split_at_all(partitions: Partitions, bounds: list[bytes]) -> Partitions:
    """The partitions, split at each bound that lies within one of them."""
    for at in bounds:
        part = partitions.find(at)
        if at > part.low:
            partitions = partitions.split(part.number, at)
    return partitions


@given(counts, st.lists(keys), st.lists(keys))
def test_every_key_is_in_one_partition_and_find_names_it(
    count: int, bounds: list[bytes], looked_for: list[bytes]
) -> None:
    partitions = split_at_all(Partitions.even(count), bounds)

    for key in (*looked_for, *bounds, b"", b"\xff" * 30):
        holding = [part for part in partitions if part.low <= key and (part.high is None or key < part.high)]
        assert holding == [partitions.find(key)]


@given(counts, st.lists(keys))
def test_partitions_follow_each_other_without_a_gap(count: int, bounds: list[bytes]) -> None:
    parts = list(split_at_all(Partitions.even(count), bounds))

    assert parts[0].low == b""
    assert parts[-1].high is None
    assert all(before.high == after.low for before, after in pairwise(parts))


@given(counts, st.lists(keys))
def test_a_number_is_never_used_again(count: int, bounds: list[bytes]) -> None:
    partitions = Partitions.even(count)
    seen = {part.number for part in partitions}
    for at in bounds:
        part = partitions.find(at)
        if at == part.low:
            continue
        partitions = partitions.split(part.number, at)
        children = [each for each in partitions if each.parent == part.number]
        assert partitions.get(part.number) is None
        assert len(children) == 2
        assert seen.isdisjoint(each.number for each in children)
        seen.update(each.number for each in children)


@given(counts, st.lists(keys))
def test_what_is_stored_of_partitions_brings_them_back(count: int, bounds: list[bytes]) -> None:
    partitions = split_at_all(Partitions.even(count), bounds)
    again = Partitions.of(partitions.record())

    assert list(again) == list(partitions)
    assert again.following == partitions.following


@pytest.mark.parametrize("at", ["", "8000000000000000", "7fff", "c000000000000000", "ffff"])
def test_a_partition_is_not_split_at_its_bounds_or_outside(at: str) -> None:
    four = Partitions.even(4)

    with pytest.raises(ValueError, match="is not within partition 2"):
        four.split(2, bytes.fromhex(at))


def test_a_million_keys_are_spread_over_ranges_as_a_fair_die_would() -> None:
    chance = Random()
    total = 10_000_000 if LONG else 1_000_000
    numbers = range(start := chance.randrange(10**9), start + total)
    splits = [place(b"split%d" % chance.randrange(10**9)) for _ in range(20)]
    partitions = split_at_all(Partitions.even(8), splits)

    found = Counter(map(partial(bisect_right, partitions.lows), (place(b"Sc#%d" % each) for each in numbers)))

    for number, part in enumerate(partitions, 1):
        low = int.from_bytes(part.low.ljust(8, b"\0"))
        high = 2**64 if part.high is None else int.from_bytes(part.high)
        share = (high - low) / 2**64
        # Six deviations: one run in ten million fails by chance.
        assert abs(found[number] - total * share) <= 6 * sqrt(total * share * (1 - share)) + 1
