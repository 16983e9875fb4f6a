"""Whole items behind an index that lags: only those that are still what is asked for."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from pksk import F, Put, RequestStarted, Store, between
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import Order, shop

ORDERS = [
    Order(customer="7", number=number, day=date(2025, 3, number), agent="eve", total=number)
    for number in range(1, 6)
]
OF_EVE = Order.by_agent(agent="eve").hydrate()


@pytest.fixture
def lagging(db: Store, door: Door, eventually: Eventually) -> Store:
    """A store that finds five orders in the index; before it reads them, some have changed."""
    db.batch_put(*ORDERS)
    eventually(lambda: db.iter(OF_EVE), ORDERS)
    first, second, third, fourth, _ = ORDERS
    changed = (
        first.model_copy(update={"agent": "bob"}),
        second.model_copy(update={"status": "paid"}),
        third.model_copy(update={"agent": None}),
    )

    def change(sending: RequestStarted) -> None:
        if sending.operation == "BatchGetItem":
            for order in changed:
                door.call("PutItem", {"TableName": shop.name, "Item": Put(order).item})
            item = Put(fourth).item
            key = {name: item[name] for name in shop.key_attributes}
            door.call("DeleteItem", {"TableName": shop.name, "Key": key})

    return door.open(hooks=[change])


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        (OF_EVE, [2, 5]),
        (OF_EVE.filter(F.status == "open"), [5]),
        (OF_EVE.reverse(), [5, 2]),
        (OF_EVE.limit(1), [2]),
        (Order.by_agent(agent="eve", day=between(date(2025, 3, 1), date(2025, 3, 2))).hydrate(), [2]),
        (Order.by_agent.scan().hydrate(), [1, 2, 5]),
        (Order.by_agent.scan().hydrate().filter(F.status == "open"), [1, 5]),
    ],
)
def test_what_is_gone_or_has_moved_on_is_left_out(lagging: Store, query: Any, numbers: list[int]) -> None:
    assert [order.number for order in lagging.iter(query)] == numbers


def test_pages_go_on_past_what_is_left_out(lagging: Store) -> None:
    first = lagging.page(OF_EVE.limit(1))
    second = lagging.page(OF_EVE.limit(1), after=first.next)

    assert [order.number for order in (*first, *second)] == [2, 5]
    assert [order.number for order in lagging.page(OF_EVE.limit(1), before=second.cursor(0))] == [2]


def test_what_was_changed_and_is_still_asked_for_is_shown_as_it_is(lagging: Store) -> None:
    assert [(order.number, order.status) for order in lagging.iter(OF_EVE)] == [(2, "paid"), (5, "open")]
