"""Questions by any attributes: the cheapest key that serves them, or what each key lacks."""

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
    ("asked", "index", "exact"),
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
def test_the_key_that_serves_most_of_the_question_is_chosen(
    asked: dict[str, Any], index: str | None, exact: bool
) -> None:
    plan = Order.where(**asked).hydrate().plan

    assert (plan.index, plan.exact) == (index, exact)


def test_what_the_key_leaves_over_is_filtered_and_said() -> None:
    plan = Order.where(customer="7", agent="x").plan

    assert plan.requests[0]["FilterExpression"] == "#n0 = :v2"
    assert "agent filtered after reading; items that it excludes are billed too" in plan.notes


def test_an_index_that_does_not_hold_the_fields_is_passed_over_for_one_that_does() -> None:
    assert Order.where(status="open", day=date(2025, 1, 1)).plan.index == "by-status"
    assert Order.where(day=date(2025, 1, 1)).into(Day).plan.index == "by-day"


def test_an_index_that_leaves_items_out_answers_no_question_about_all() -> None:
    """`only_open` has the status as its partition, and lacks orders without an agent."""
    assert Order.where(status="open", agent="x").plan.index == "by-status"


def test_a_question_that_nothing_serves_names_every_key_and_what_it_lacks() -> None:
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


def test_a_typo_is_met_with_what_was_meant() -> None:
    with pytest.raises(InvalidValue, match="did you mean 'customer'"):
        Order.where(custmer="7")


def test_no_attributes_at_all_are_a_scan_and_said_to_be() -> None:
    with pytest.raises(DesignError, match=r"Order\.scan\(\)"):
        Order.where()
