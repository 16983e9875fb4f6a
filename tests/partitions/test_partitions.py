"""Partitions cover every row key once, split where the halves are nearest in size, and segments cover every hash."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import Counter
from functools import partial
from itertools import pairwise
from math import gcd, sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.partitions import (
    HASH_BYTES,
    Partitions,
    initial_count,
    key_hash,
    middle_hash,
    segment,
    split_point,
    warm_count,
)

LAST = b"\xff" * HASH_BYTES
totals = st.one_of(st.integers(1, 20), st.integers(1, 1_000_000))


def _segment_of(where: bytes, total: int) -> int:
    """The segment that a place is in, found by looking at both of its ends."""
    number = int.from_bytes(where) * total >> (8 * HASH_BYTES)
    low, high = segment(number, total)
    assert low <= where
    assert high is None or where < high
    return number


@pytest.mark.parametrize(
    ("typed_key", "expected"),
    [(b"", "e4a6a0577479b2b4"), (b"Scustomer#1", "f5dc5a2ca1e5a639"), (b"B\x00", "52a35730419d2e6b")],
)
def test_a_hash_is_the_same_in_every_version(typed_key: bytes, expected: str) -> None:
    # Files are laid out by it: another place would be another row.
    assert key_hash(typed_key).hex() == expected


@given(st.binary())
def test_a_hash_has_a_fixed_length(typed_key: bytes) -> None:
    assert len(key_hash(typed_key)) == HASH_BYTES


def test_hashes_are_spread_evenly() -> None:
    counts = Counter(_segment_of(key_hash(b"Scustomer#%d" % number), 16) for number in range(16_000))

    assert len(counts) == 16
    assert all(850 < count < 1150 for count in counts.values())


def test_one_segment_is_the_whole_range() -> None:
    assert segment(0, 1) == (bytes(HASH_BYTES), None)


@given(totals, st.data())
def test_each_segment_begins_where_the_previous_one_ends(total: int, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, total - 1))
    low, high = segment(number, total)

    assert (number == 0) == (low == bytes(HASH_BYTES))
    assert (number == total - 1) == (high is None)
    if high is not None:
        assert low < high == segment(number + 1, total)[0]


@given(st.binary(min_size=HASH_BYTES, max_size=HASH_BYTES) | st.just(LAST), totals)
def test_every_hash_is_in_one_segment(where: bytes, total: int) -> None:
    number = _segment_of(where, total)

    for neighbour in {number - 1, number + 1} & set(range(total)):
        low, high = segment(neighbour, total)
        assert where < low or (high is not None and high <= where)


@given(totals)
def test_segments_differ_by_at_most_one_hash(total: int) -> None:
    ends = [int.from_bytes(segment(number, total)[0]) for number in range(min(total, 4))]
    lengths = {after - before for before, after in pairwise(ends)}

    assert not lengths or max(lengths) - min(lengths) <= 1


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


@given(counts, st.lists(keys), keys, keys)
def test_the_partitions_of_a_range_are_counted(
    count: int, bounds: list[bytes], one: bytes, two: bytes
) -> None:
    partitions = split_at_all(Partitions.even(count), bounds)
    low, high = min(one, two), max(one, two)
    from_low = [part for part in partitions if part.high is None or low < part.high]

    assert partitions.count(low) == len(from_low)
    assert partitions.count(low, last=high) == sum(part.low <= high for part in from_low)
    assert low == high or partitions.count(low, high) == sum(part.low < high for part in from_low)


@given(totals, counts)
def test_segments_read_as_many_partitions_as_their_bounds_divide(segments: int, count: int) -> None:
    partitions, segments = Partitions.even(count), min(segments, 1000)
    read = sum(partitions.count(*segment(number, segments)) for number in range(segments))

    assert read == count + segments - gcd(count, segments)


@given(counts, st.lists(keys))
def test_partitions_are_restored_from_their_record(count: int, bounds: list[bytes]) -> None:
    partitions = split_at_all(Partitions.even(count), bounds)
    again = Partitions.from_record(partitions.to_record())

    assert list(again) == list(partitions)
    assert again.next_number == partitions.next_number


@pytest.mark.parametrize("at", ["", "8000000000000000", "7fff", "c000000000000000", "ffff"])
def test_a_partition_is_not_split_at_its_bounds_or_outside(at: str) -> None:
    four = Partitions.even(4)

    with pytest.raises(ValueError, match="is not within partition 2"):
        four.split(2, bytes.fromhex(at))


def test_a_million_keys_are_spread_evenly_over_ranges() -> None:
    chance = Random()
    total = 10_000_000 if LONG else 1_000_000
    numbers = range(start := chance.randrange(10**9), start + total)
    splits = [key_hash(b"split%d" % chance.randrange(10**9)) for _ in range(20)]
    partitions = split_at_all(Partitions.even(8), splits)

    found = Counter(
        map(partial(bisect_right, partitions.lows), (key_hash(b"Sc#%d" % each) for each in numbers))
    )

    for number, part in enumerate(partitions, 1):
        low = int.from_bytes(part.low.ljust(8, b"\0"))
        high = 2**64 if part.high is None else int.from_bytes(part.high)
        share = (high - low) / 2**64
        # Six deviations: one run in ten million fails by chance.
        assert abs(found[number] - total * share) <= 6 * sqrt(total * share * (1 - share)) + 1


# Few places and few keys, so that many rows share a partition key.
rows = st.dictionaries(
    st.tuples(st.sampled_from([b"place--%d" % n for n in range(4)]), st.binary(min_size=1, max_size=2)).map(
        b"".join
    ),
    st.integers(1, 20),
    max_size=12,
).map(lambda weights: sorted(weights.items()))
bounds = st.binary(min_size=8, max_size=12)


def _uneven(weighted: list[tuple[bytes, int]], at: bytes) -> int:
    return abs(sum(w for k, w in weighted if k < at) - sum(w for k, w in weighted if k >= at))


@given(rows, st.booleans())
def test_no_other_cut_makes_the_halves_more_equal(weighted: list[tuple[bytes, int]], whole: bool) -> None:
    at = split_point(weighted, sum(weight for _, weight in weighted), whole=whole)

    candidates = [key[:8] if whole else key for key, _ in weighted]
    possible = [each for each in candidates if any(k < each for k, _ in weighted)]
    if not possible:
        assert at is None
    else:
        assert at is not None
        assert any(key < at for key, _ in weighted)
        assert any(key >= at for key, _ in weighted)
        assert _uneven(weighted, at) == min(_uneven(weighted, each) for each in possible)
        assert not whole or len(at) == 8


@given(rows)
def test_a_cut_between_partition_keys_has_no_sort_key(weighted: list[tuple[bytes, int]]) -> None:
    at = split_point(weighted, sum(weight for _, weight in weighted))

    if at is not None:
        before = max(key for key, _ in weighted if key < at)
        after = min(key for key, _ in weighted if key >= at)
        assert at == (after if before[:8] == after[:8] else after[:8])


@given(bounds, st.one_of(bounds, st.none()))
def test_the_middle_is_within(low: bytes, high: bytes | None) -> None:
    at = middle_hash(low, high)

    if at is not None:
        assert low[:8] < at
        assert high is None or at < high[:8]
    elif high is None:
        assert low[:8] == b"\xff" * 8
    else:
        assert int.from_bytes(high[:8]) - int.from_bytes(low[:8]) <= 1


@pytest.mark.parametrize(
    ("reads", "writes", "expected"),
    [
        (1, 1, 1),
        (3000, 0, 1),
        (3001, 0, 2),
        (0, 1000, 1),
        (1500, 500, 1),
        (1501, 500, 2),
        (5500, 1500, 4),
        (0, 3200, 4),
        (0, 10_000, 10),
        (40_000, 40_000, 54),
    ],
)
def test_provisioned_units_decide_the_number_of_partitions(reads: int, writes: int, expected: int) -> None:
    assert initial_count("PROVISIONED", reads, writes) == expected


def test_a_table_on_demand_begins_with_four() -> None:
    assert initial_count("PAY_PER_REQUEST") == 4


@pytest.mark.parametrize(
    ("reads", "writes", "expected"),
    [(0, 0, 1), (12_000, 4_000, 4), (30_000, 10_000, 10), (30_001, 10_000, 11), (1, 10_001, 11)],
)
def test_warm_reads_and_writes_share_partitions(reads: int, writes: int, expected: int) -> None:
    assert warm_count(reads, writes) == expected
