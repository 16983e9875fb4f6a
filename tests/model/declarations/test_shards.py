"""Shards: equal values have the same shard, in whatever form they are written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk import Shard

SHARD = Shard(1000, of="x")


def number(value: Any) -> int:
    return SHARD.number({"x": value})


NOON = datetime(2025, 1, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Decimal(1), Decimal("1.00")),
        (Decimal(1), 1),
        (Decimal("1E+3"), 1000),
        (Decimal("0.50"), 0.5),
        (0.0, -0.0),
        (NOON, NOON.astimezone(timezone(timedelta(hours=9)))),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([Decimal("1.0")], [1]),
    ],
)
def test_equal_values_have_one_shard(left: Any, right: Any) -> None:
    assert left == right
    assert number(left) == number(right)


@given(st.sets(st.text(max_size=3)))
def test_a_set_has_one_shard_whatever_order_it_has(members: set[str]) -> None:
    assert number(members) == number({*reversed(list(members))}) == number(frozenset(members))


# Fixed for ever: items are stored under these numbers.
NUMBERS = {"a": 449, 7: 890, -7: 88, True: 659, UUID(int=7): 429, b"x": 588}


@pytest.mark.parametrize("value", list(NUMBERS))
def test_a_shard_is_the_same_in_every_process(value: Any) -> None:
    assert number(value) == NUMBERS[value]
