"""What the designs of the lessons cannot answer, and what they show."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime

import pytest

from examples.lessons.mistakes import (
    EventByDate,
    EventByEntity,
    RandomlySorted,
    ShardedEvent,
    TooFine,
    UserByCountryAndId,
)
from examples.lessons.patterns import Address, Possession, Ticket, User
from pksk import gte
from tests.examples.example_requests import error_code

REJECTED: dict[str, tuple[str, Callable[[], object]]] = {
    "users by anything but their id, with a simple key": ("where-no-index", lambda: User.where(name="Ann")),
    "a category of things without the kind before it": (
        "bounds-gap",
        lambda: Possession.primary(account_id="account_123", category="armor").plan,
    ),
    "a user's events by time, where every time is a partition of its own": (
        "plan-missing-part",
        lambda: TooFine.primary(user_id="user_12345"),
    ),
    "a user's events since a time, where the sort key is random": (
        "key-unknown-part",
        lambda: RandomlySorted.primary(user_id="user_12345", at=gte(datetime(2025, 1, 1))),
    ),
    "all users of a country, once the id is in the partition key too": (
        "plan-missing-part",
        lambda: UserByCountryAndId.primary(country_code="US"),
    ),
    "events of three years, a day to a partition": (
        "plan-fan-out",
        lambda: EventByDate.within(date(2022, 1, 1), date(2025, 1, 1)).plan,
    ),
    "a consistent read of a global index": (
        "plan-consistent-index",
        lambda: Ticket.by_status(assignee="ann").consistently().plan,
    ),
    "whole tickets from an index that has titles only": (
        "plan-not-projected",
        lambda: Ticket.escalated(escalated_to="bob").plan,
    ),
    "tickets by title, without a scan that says so": ("where-no-index", lambda: Ticket.where(title="rain")),
}


@pytest.mark.parametrize("what", REJECTED)
def test_a_query_that_no_key_can_serve_is_rejected(what: str) -> None:
    code, call = REJECTED[what]

    assert error_code(call) == code


def test_a_typed_sort_key_finds_one_type_and_nothing_else() -> None:
    plan = Address.of_person("user_123").plan

    assert plan.exact
    assert plan.notes == ()


def test_a_month_of_events_takes_31_requests_by_date_and_one_by_entity() -> None:
    span = (date(2025, 1, 1), date(2025, 1, 31))

    assert len(EventByDate.within(*span).plan.requests) == 31
    assert len(EventByEntity.within("e1", *span).plan.requests) == 1


def test_the_event_determines_its_shard() -> None:
    first, second = (ShardedEvent(day=date(2025, 1, 15), event_id="e1") for _ in range(2))

    assert ShardedEvent.__pksk__.to_item(first) == ShardedEvent.__pksk__.to_item(second)


def test_a_ticket_that_is_not_escalated_is_not_in_that_index() -> None:
    ticket = Ticket(customer="c1", number=7, title="It rains in", day=date(2025, 1, 15), assignee="ann")

    assert "escalated_to" not in Ticket.__pksk__.to_item(ticket)
