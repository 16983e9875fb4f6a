"""How requests spread over keys: bounds that hold for every joint distribution, and declarations that contradict."""

from __future__ import annotations

from itertools import product
from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.errors import DesignError
from pksk.partitions import Share, Spread
from pksk.partitions.spread import UNKNOWN, combine


@st.composite
def joint_distributions(draw: st.DrawFn) -> tuple[tuple[int, ...], dict[tuple[int, ...], float]]:
    """How many values each of some fields has, and the share of requests of each combination."""
    sizes = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
    cells = list(product(*map(range, sizes)))
    weights = draw(st.lists(st.integers(0, 20), min_size=len(cells), max_size=len(cells)).filter(any))
    return sizes, {cell: weight / sum(weights) for cell, weight in zip(cells, weights, strict=True)}


def marginal(joint: dict[tuple[int, ...], float], field: int, size: int) -> Share:
    largest = max(sum(share for cell, share in joint.items() if cell[field] == v) for v in range(size))
    return Share(largest, largest, size)


@given(joint_distributions())
def test_the_share_of_the_busiest_combination_is_within_the_bounds(
    drawn: tuple[tuple[int, ...], dict[tuple[int, ...], float]],
) -> None:
    sizes, joint = drawn
    bounds = combine([marginal(joint, field, size) for field, size in enumerate(sizes)])

    assert bounds.lowest - 1e-9 <= max(joint.values()) <= bounds.highest + 1e-9
    assert bounds.values >= sum(1 for share in joint.values() if share)


def test_a_field_without_a_spread_lowers_only_the_lower_bound() -> None:
    assert combine([Share(0.5, 0.5, 4), UNKNOWN]) == Share(0.0, 0.5, inf)
    assert combine([]) == Share(1.0, 1.0, 1)


# The shares were computed by summing every term.
@pytest.mark.parametrize(
    ("values", "largest"),
    [(1, 1.0), (1_000, 0.129), (10_000, 0.098), (100_000, 0.078), (1_000_000, 0.065), (10_000_000, 0.055)],
)
def test_the_largest_share_of_a_zipf_distribution(values: int, largest: float) -> None:
    assert Spread(values=values, zipf=0.99).share.lowest == pytest.approx(largest, abs=0.0006)


@given(st.integers(10_001, 40_000), st.sampled_from([0.2, 0.99, 1, 1.5, 3]))
def test_the_approximated_sum_equals_the_exact_one(values: int, zipf: float) -> None:
    exact = 1 / sum(k**-zipf for k in range(1, values + 1))

    assert Spread(values=values, zipf=zipf).share.lowest == pytest.approx(exact, rel=1e-8)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "it says neither how many values there are"),
        ({"values": 0}, "values=0 is not a whole number above zero"),
        ({"values": True}, "values=True is not"),
        ({"values": 2.5}, "values=2.5 is not a whole number"),
        ({"values": 10, "largest": 0.05}, "of 10 values, the busiest receives at least 0.1"),
        ({"largest": 30}, "a share of 30 is more than all"),
        ({"largest": float("nan")}, "largest=nan is not a number above zero"),
        ({"largest": 0.3, "zipf": 1}, "zipf= needs the number of values"),
        ({"values": 10, "largest": 0.3, "zipf": 1}, "determines the largest share"),
        ({"values": 10, "zipf": "1"}, "zipf='1' is not a number"),
    ],
)
def test_a_spread_that_contradicts_itself_is_rejected(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(DesignError) as caught:
        Spread(**options)

    assert problem in str(caught.value)
    assert caught.value.code == "spread"
