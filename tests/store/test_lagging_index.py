"""Items read from the table behind a lagging index: only those that still match."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest

from pksk import Engine, F, Put, RequestStarted, Store, between, connect
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

    def change(request: RequestStarted) -> None:
        if request.operation == "BatchGetItem":
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
def test_deleted_and_changed_items_of_a_lagging_index_are_skipped(
    lagging: Store, query: Any, numbers: list[int]
) -> None:
    assert [order.number for order in lagging.iter(query)] == numbers


def test_pages_continue_after_skipped_items(lagging: Store) -> None:
    first = lagging.page(OF_EVE.limit(1))
    second = lagging.page(OF_EVE.limit(1), after=first.next)

    assert [order.number for order in (*first, *second)] == [2, 5]
    assert [order.number for order in lagging.page(OF_EVE.limit(1), before=second.cursor(0))] == [2]


def test_a_changed_item_that_still_matches_is_returned_as_it_is_now(lagging: Store) -> None:
    assert [(order.number, order.status) for order in lagging.iter(OF_EVE)] == [(2, "paid"), (5, "open")]


class StaleReplica:
    """An engine with eventually consistent reads from a replica that has no item, or an older one."""

    def __init__(self, old: Mapping[str, Any] | None) -> None:
        self.engine, self.old = Engine.open(), old

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "BatchGetItem" and not request["RequestItems"][shop.name].get("ConsistentRead"):
            return {"Responses": {shop.name: [self.old] if self.old else []}, "UnprocessedKeys": {}}
        return self.engine.call(operation, request)


@pytest.mark.parametrize("old", [None, Put(ORDERS[0].model_copy(update={"agent": "bob"})).item])
def test_an_item_that_a_replica_does_not_have_yet_is_read_consistently(old: Mapping[str, Any] | None) -> None:
    db = connect(StaleReplica(old))
    db.create_tables(shop)
    db.put(ORDERS[0])

    assert list(db.iter(OF_EVE)) == [ORDERS[0]]
