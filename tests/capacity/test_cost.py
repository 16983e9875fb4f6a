"""Costs are values: merged, added, multiplied and printed."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.capacity import Charge, Cost
from pksk.errors import InvalidValue

UNITS = st.integers(0, 1000).map(lambda halves: halves / 2)
CHARGES = st.builds(
    Charge,
    st.sampled_from(["orders", "users"]),
    st.sampled_from([None, "by-day", "by-status"]),
    UNITS,
    UNITS,
)
COSTS = st.lists(CHARGES, max_size=6).map(Cost)


@given(COSTS, COSTS, COSTS)
def test_merging_is_associative_and_has_no_order(one: Cost, two: Cost, three: Cost) -> None:
    assert (one + two) + three == one + (two + three)
    assert one + two == two + one
    assert hash(one + two) == hash(two + one)


@given(COSTS, COSTS)
def test_totals_are_those_of_the_parts(one: Cost, two: Cost) -> None:
    both = one + two

    assert (both.read, both.write) == (one.read + two.read, one.write + two.write)
    assert all(charge.read >= 0 and charge.write >= 0 for charge in both.charges)


@given(COSTS, st.integers(0, 5))
def test_multiplying_is_adding_so_many_times(cost: Cost, times: int) -> None:
    added = sum([cost] * times, Cost())

    assert cost * times == times * cost == added


@given(COSTS)
def test_a_cost_can_be_written_to_json_and_read_back(cost: Cost) -> None:
    data = json.loads(json.dumps(cost.data()))

    assert Cost(Charge(**charge) for charge in data["charges"]) == cost
    assert (data["read"], data["write"]) == (cost.read, cost.write)


def test_each_table_comes_before_its_indexes() -> None:
    arms = [("users", None), ("orders", "by-day"), ("orders", None), ("orders", "a-first")]
    cost = Cost(Charge(table, index, read=1) for table, index in arms)

    assert [(charge.table, charge.index) for charge in cost.charges] == [
        ("orders", None),
        ("orders", "a-first"),
        ("orders", "by-day"),
        ("users", None),
    ]


def test_a_part_without_units_is_left_out() -> None:
    assert Cost([Charge("orders", "by-day")]) == Cost() == Cost([Charge("orders", write=3)]) * 0


@pytest.mark.parametrize(
    ("charges", "text"),
    [
        ([], "no units"),
        ([Charge("t1", write=1)], "1 write unit"),
        ([Charge("t1", read=0.5)], "0.5 read units"),
        ([Charge("t1", read=1234.5)], "1,234.5 read units"),
        ([Charge("t1", read=0.00004)], "4e-05 read units"),
        ([Charge("t1", "by-day", read=0.5)], "0.5 read units (by-day 0.5)"),
        (
            [Charge("t1", "local-one", write=1), Charge("t1", write=2), Charge("t1", "by-status", write=2)],
            "5 write units (table 2, by-status 2, local-one 1)",
        ),
        (
            [Charge("t1", "by-day", write=1), Charge("t1", write=1), Charge("t2", write=1)],
            "3 write units (t1 1, t1/by-day 1, t2 1)",
        ),
        ([Charge("t1", read=2, write=1)], "2 read units and 1 write unit"),
    ],
)
def test_a_cost_is_printed_as_a_sentence(charges: list[Charge], text: str) -> None:
    assert str(Cost(charges)) == text


@pytest.mark.parametrize("kind", ["read", "write"])
def test_units_are_floats(kind: str) -> None:
    whole: Any = {kind: 2}

    assert repr(Charge("orders", **whole)) == repr(Charge("orders", **{**whole, kind: 2.0}))


@pytest.mark.parametrize("kind", ["read", "write"])
@pytest.mark.parametrize("units", [-1, float("nan"), float("inf"), Decimal("sNaN"), True, "1", None])
def test_invalid_units_raise(kind: str, units: Any) -> None:
    with pytest.raises(InvalidValue, match=rf"{kind}=.* is not an amount") as raised:
        Charge("orders", **{kind: units})
    with pytest.raises(InvalidValue):
        Cost() * units

    assert raised.value.code == "cost-amount"


def test_only_a_cost_can_be_added_to_a_cost() -> None:
    with pytest.raises(TypeError):
        Cost() + 1  # type: ignore[operator]


def test_a_sum_with_an_upper_bound_is_an_upper_bound() -> None:
    bound = Cost([Charge("orders", write=1)], at_most=True)
    exact = Cost([Charge("orders", read=1)])

    assert (exact + bound).at_most
    assert (bound * 2).at_most
    assert str(bound + exact) == "at most 1 read unit and 1 write unit"
    assert bound.data()["at_most"] is True
    assert "at_most" not in exact.data()
    assert bound != Cost([Charge("orders", write=1)])
