"""A hook names the access pattern that is in trouble, and stays quiet about the others."""

from __future__ import annotations

from datetime import date

import pytest

from examples.lessons.data import generate
from examples.lessons.patterns import Order, orders
from examples.lessons.tour import see_problem_indicators
from pksk import connect
from pksk.review import ProblemIndicators

MADE = list(generate(800))


@pytest.fixture(scope="module")
def counts() -> dict[tuple[str, str], int]:
    return {(name, indicator): times for name, indicator, times in see_problem_indicators()}


def test_a_scan_is_reported(counts: dict[tuple[str, str], int]) -> None:
    assert counts["TooFine.of_user", "scan"] == 1


def test_a_filter_that_drops_most_items_is_reported(counts: dict[tuple[str, str], int]) -> None:
    assert counts["TooFine.of_user", "filtered away"] == 1


def test_throttling_is_reported_even_if_the_store_retries(counts: dict[tuple[str, str], int]) -> None:
    assert counts["PutItem tickets", "throttled"] == 4


def test_a_slow_query_is_reported(counts: dict[tuple[str, str], int]) -> None:
    assert counts["Ticket.waiting_for", "slow"] == 1


def test_a_query_that_its_key_serves_has_no_problem_indicator() -> None:
    indicators = ProblemIndicators()
    with connect("memory:", hooks=[indicators]) as db:
        db.create_tables(orders)
        db.batch_put(*(each for each in MADE if isinstance(each, Order)))
        found = db.run(Order.of_user("user_0"))

    assert found[0].at.date() > date(2025, 1, 1)
    assert [row for row in indicators.rows if row[1] != "slow"] == []
