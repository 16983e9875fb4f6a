"""where: the cheapest key that serves a query, or the parts that each key lacks."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel

from pksk import DesignError, InvalidValue, begins, between, gt
from tests.model.requests.shop import Order


class Day(BaseModel):
    day: date


@pytest.mark.parametrize(
    ("values", "index", "exact"),
    [
        ({"customer": "7", "number": 12}, None, True),
        ({"customer": "7"}, None, True),
        ({"customer": "7", "number": gt(3)}, None, True),
        ({"status": "open", "day": between(date(2025, 1, 1), date(2025, 1, 31))}, "by-status", True),
        ({"status": "open", "day": begins("2025-01")}, "by-status", True),
        ({"customer": "7", "total": 5}, "by-total", True),
        ({"customer": "7", "agent": "x"}, None, False),
        ({"status": "open", "day": date(2025, 1, 1), "total": 5}, "by-status", False),
    ],
)
def test_the_key_that_serves_most_of_the_query_is_chosen(
    values: dict[str, Any], index: str | None, exact: bool
) -> None:
    plan = Order.where(**values).hydrate().plan

    assert (plan.index, plan.exact) == (index, exact)


def test_values_that_the_key_does_not_hold_are_filtered_with_a_note() -> None:
    plan = Order.where(customer="7", agent="x").plan

    assert plan.requests[0]["FilterExpression"] == "#n0 = :v2"
    assert "agent filtered after reading; items that it excludes are billed too" in plan.notes


def test_an_index_with_all_fields_is_preferred() -> None:
    assert Order.where(status="open", day=date(2025, 1, 1)).plan.index == "by-status"
    assert Order.where(day=date(2025, 1, 1)).into(Day).plan.index == "by-day"


def test_a_sparse_index_is_never_chosen() -> None:
    """`only_open` has the status as its partition, and lacks orders without an agent."""
    assert Order.where(status="open", agent="x").plan.index == "by-status"


def test_a_query_that_no_key_serves_raises_with_the_missing_parts() -> None:
    with pytest.raises(DesignError) as caught:
        Order.where(agent="x", total=gt(5))

    assert caught.value.code == "where-no-index"
    for expected in (
        "primary (the table) needs 'customer' for its partition key",
        "by_status (index 'by-status') needs 'status' for its partition key",
        "by_total (index 'by-total') needs 'customer' for its partition key",
    ):
        assert expected in caught.value.expected
    assert 'Key("{agent}", "{total}", index="...")' in caught.value.fix


def test_an_unknown_field_raises_with_a_suggestion() -> None:
    with pytest.raises(InvalidValue, match="did you mean 'customer'"):
        Order.where(custmer="7")


def test_where_without_values_raises_with_a_scan_as_the_fix() -> None:
    with pytest.raises(DesignError, match=r"Order\.scan\(\)"):
        Order.where()
