"""The sketch of the keys that take most, held against exact counts."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pksk.partitions import TopKeys

# Some keys come often and most of them once, in batches of a weight each.
hot = st.integers(0, 5)
cold = st.integers(0, 10_000)
batches = st.lists(
    st.tuples(st.lists(st.one_of(hot, cold), max_size=60), st.sampled_from([0.5, 1.0, 2.0, 7.0])), max_size=20
)


def _exact(given_batches: list[tuple[list[int], float]]) -> dict[int, float]:
    exact: Counter[int] = Counter()
    for keys, weight in given_batches:
        for key in keys:
            exact[key] += weight  # type: ignore[assignment]
    return dict(exact)


@given(batches, st.integers(1, 12))
def test_a_count_is_never_too_high_and_too_low_by_at_most_the_error(
    given_batches: list[tuple[list[int], float]], counters: int
) -> None:
    top = TopKeys[int](counters)
    for keys, weight in given_batches:
        top.add(keys, weight)
    exact = _exact(given_batches)

    assert top.total == sum(exact.values())
    assert top.error <= top.total / counters
    assert len(top.counted) <= 4 * counters
    for key, weight in exact.items():
        assert weight - top.error <= top[key] <= weight
        assert key in top.counted or weight <= top.total / counters


@given(batches)
def test_few_keys_are_counted_exactly(given_batches: list[tuple[list[int], float]]) -> None:
    top = TopKeys[int](10_001)
    for keys, weight in given_batches:
        top.add(keys, weight)
    exact = _exact(given_batches)

    assert top.error == 0
    assert dict(top.largest(20_000)) == exact
    assert [weight for _, weight in top.largest(3)] == sorted(exact.values(), reverse=True)[:3]


def test_a_hot_key_is_found_among_a_hundred_thousand() -> None:
    top = TopKeys[int](1000)
    for start in range(0, 100_000, 4000):
        top.add(range(start, start + 4000))
        top.add([-1] * 40)

    (key, weight), *_ = top.largest(1)
    assert key == -1
    assert 1000 - top.error <= weight <= 1000
    assert len(top.counted) <= 4000
