"""A partition is cut where the halves are nearest to each other in weight, and never into nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pksk.partitions import middle, split_point

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
def test_no_cut_leaves_halves_that_are_nearer(weighted: list[tuple[bytes, int]], whole: bool) -> None:
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
def test_a_cut_between_partition_keys_is_their_place_alone(weighted: list[tuple[bytes, int]]) -> None:
    at = split_point(weighted, sum(weight for _, weight in weighted))

    if at is not None:
        before = max(key for key, _ in weighted if key < at)
        after = min(key for key, _ in weighted if key >= at)
        assert at == (after if before[:8] == after[:8] else after[:8])


@given(bounds, st.one_of(bounds, st.none()))
def test_the_middle_is_within(low: bytes, high: bytes | None) -> None:
    at = middle(low, high)

    if at is not None:
        assert low[:8] < at
        assert high is None or at < high[:8]
    elif high is None:
        assert low[:8] == b"\xff" * 8
    else:
        assert int.from_bytes(high[:8]) - int.from_bytes(low[:8]) <= 1
