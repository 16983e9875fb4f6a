"""Unreadable items: an error with key and fields, or collected in `unreadable`; never dropped."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, cast

import pytest
from pydantic import BaseModel

from pksk import (
    BatchIncomplete,
    DesignError,
    Engine,
    InvalidValue,
    ItemUnreadable,
    Put,
    Retry,
    Store,
    batch,
    connect,
    gte,
    transaction,
)
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import Animal, Dog, Order, Puppy, Slim, shop

ORDERS = [
    Order(customer="7", number=number, day=date(2025, 3, number), agent="eve") for number in range(1, 6)
]
ALL = Order.primary(customer="7")


class Noted(BaseModel):
    number: int
    note: int


def damage(door: Door, number: int, **values: dict[str, Any] | None) -> None:
    """Change attributes of an order, past the store."""
    key = {"pk": {"S": "CUST#7"}, "sk": {"S": f"ORDER#{number:06d}"}}
    for name, value in values.items():
        door.call(
            "UpdateItem",
            {
                "TableName": shop.name,
                "Key": key,
                "UpdateExpression": "REMOVE #n" if value is None else "SET #n = :v",
                "ExpressionAttributeNames": {"#n": name},
                **({} if value is None else {"ExpressionAttributeValues": {":v": value}}),
            },
        )


@pytest.fixture
def damaged(db: Store, door: Door) -> Store:
    """Five orders, of which the second and the fourth do not fit."""
    db.batch_put(*ORDERS)
    damage(door, 2, level={"S": "high"}, status={"S": "lost"})
    damage(door, 4, day=None)
    return db


def test_the_error_names_the_key_and_each_field(damaged: Store) -> None:
    with pytest.raises(ItemUnreadable) as caught:
        damaged.get(Order.primary.get(customer="7", number=2))

    error = caught.value
    assert error.key == {"pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#000002"}}
    assert sorted(error.fields) == ["level", "status"]
    assert error.item["level"] == {"S": "high"}
    assert str(error).startswith(
        f"The item pk = 'CUST#7', sk = 'ORDER#000002' of table '{shop.name}' does not fit Order:\n"
    )
    assert "level: " in str(error)
    assert "level: stored as 'high' (S), and the field holds numbers (N)" in str(error)
    assert "Fix: correct the item, let the model accept it, or collect such items: unreadable=[]." in str(
        error
    )


def test_a_missing_attribute_is_named(damaged: Store) -> None:
    with pytest.raises(ItemUnreadable) as caught:
        damaged.get(Order.primary.get(customer="7", number=4))

    assert list(caught.value.fields) == ["day"]


def test_every_read_raises_for_an_unreadable_item(damaged: Store) -> None:
    reads: list[Any] = [
        lambda: damaged.batch_get(Order.primary.get(customer="7", number=2)),
        lambda: damaged.transaction(Order.primary.get(customer="7", number=2)),
        lambda: list(damaged.iter(ALL)),
        lambda: damaged.page(ALL.limit(5)),
        lambda: damaged.run(ALL),
        lambda: damaged.collect(ALL, Order.primary(customer="8")),
        lambda: list(damaged.scan(Order.scan())),
        lambda: damaged.first(Order.primary(customer="7", number=2)),
    ]
    for read in reads:
        with pytest.raises(ItemUnreadable, match="ORDER#00000"):
            read()


def test_results_before_an_unreadable_item_are_returned_first(damaged: Store) -> None:
    found = damaged.iter(ALL.pages(1))

    assert next(found) == ORDERS[0]
    with pytest.raises(ItemUnreadable):
        next(found)


def test_items_can_be_collected(damaged: Store) -> None:
    readable = [ORDERS[0], ORDERS[2], ORDERS[4]]
    reads: list[Callable[[list[ItemUnreadable]], list[Order]]] = [
        lambda unreadable: list(damaged.iter(ALL, unreadable=unreadable)),
        lambda unreadable: list(damaged.page(ALL.limit(9), unreadable=unreadable)),
        lambda unreadable: damaged.run(ALL, unreadable=unreadable),
        lambda unreadable: damaged.collect(ALL, Order.primary(customer="8"), unreadable=unreadable),
        lambda unreadable: sorted(
            damaged.scan(Order.scan(), unreadable=unreadable), key=lambda order: order.number
        ),
    ]
    for read in reads:
        unreadable: list[ItemUnreadable] = []

        assert read(unreadable) == readable
        assert sorted(error.key["sk"]["S"] for error in unreadable) == ["ORDER#000002", "ORDER#000004"]


def test_reads_by_position_return_none_for_an_unreadable_item(damaged: Store) -> None:
    gets = [Order.primary.get(customer="7", number=number) for number in range(1, 7)]
    expected = [ORDERS[0], None, ORDERS[2], None, ORDERS[4], None]
    reads: list[Callable[[list[ItemUnreadable]], list[Order | None]]] = [
        lambda unreadable: damaged.batch_get(*gets, unreadable=unreadable),
        lambda unreadable: damaged.run(batch(*gets), unreadable=unreadable),
        lambda unreadable: damaged.transaction(*gets, unreadable=unreadable),
        lambda unreadable: damaged.run(transaction(*gets), unreadable=unreadable),
        lambda unreadable: [damaged.get(get, unreadable=unreadable) for get in gets],
        lambda unreadable: [damaged.run(get, unreadable=unreadable) for get in gets],
    ]
    for read in reads:
        unreadable: list[ItemUnreadable] = []

        assert read(unreadable) == expected
        assert [error.key["sk"]["S"] for error in unreadable] == ["ORDER#000002", "ORDER#000004"]


def test_the_first_result_is_the_first_that_can_be_read(damaged: Store) -> None:
    unreadable: list[ItemUnreadable] = []

    assert damaged.first(Order.primary(customer="7", number=gte(2)), unreadable=unreadable) == ORDERS[2]
    assert [error.key["sk"]["S"] for error in unreadable] == ["ORDER#000002"]
    assert damaged.first(Order.primary(customer="7", number=4), unreadable=unreadable) is None


@pytest.mark.one_door
def test_unreadable_that_is_not_a_list_raises_before_the_first_read(db: Store) -> None:
    get, wrong = Order.primary.get(customer="7", number=1), cast("list[ItemUnreadable]", "x")
    reads: list[Callable[[], Any]] = [
        lambda: db.get(get, unreadable=wrong),
        lambda: db.batch_get(get, unreadable=wrong),
        lambda: db.transaction(get, unreadable=wrong),
        lambda: db.run(ALL, unreadable=wrong),
        lambda: list(db.iter(ALL, unreadable=wrong)),
        lambda: db.page(ALL, unreadable=wrong),
        lambda: db.first(ALL, unreadable=wrong),
        lambda: db.collect(ALL, Order.primary(customer="8"), unreadable=wrong),
        lambda: list(db.scan(Order.scan(), unreadable=wrong)),
    ]
    for read in reads:
        with pytest.raises(InvalidValue, match="unreadable='x' is not a list") as caught:
            read()

        assert caught.value.code == "store-unreadable"


@pytest.mark.one_door
def test_writes_take_no_list_of_unreadable_items(db: Store) -> None:
    writes: list[Callable[[], Any]] = [
        lambda: db.run(Put(ORDERS[0]), unreadable=[]),
        lambda: db.run(batch(Put(ORDERS[0])), unreadable=[]),
        lambda: db.run(transaction(Put(ORDERS[0])), unreadable=[]),
        lambda: db.transaction(Put(ORDERS[0]), unreadable=[]),  # type: ignore[call-overload]
    ]
    for write in writes:
        with pytest.raises(DesignError, match="which is a write") as caught:
            write()

        assert caught.value.code == "store-unreadable"
    assert db.get(Order.primary.get(customer="7", number=1)) is None


def test_unreadable_items_do_not_count_for_a_page(damaged: Store) -> None:
    unreadable: list[ItemUnreadable] = []
    first = damaged.page(ALL.limit(2), unreadable=unreadable)
    second = damaged.page(ALL.limit(2), after=first.next, unreadable=unreadable)

    assert [*first, *second] == [ORDERS[0], ORDERS[2], ORDERS[4]]
    assert len(unreadable) == 2


def test_unreadable_items_read_from_the_table_are_collected_too(
    damaged: Store, eventually: Eventually
) -> None:
    query = Order.by_agent(agent="eve").hydrate()
    unreadable: list[ItemUnreadable] = []
    eventually(lambda: damaged.iter(query, unreadable=unreadable), [ORDERS[0], ORDERS[2], ORDERS[4]])

    assert {error.key["sk"]["S"] for error in unreadable} == {"ORDER#000002", "ORDER#000004"}


def test_a_smaller_model_needs_only_its_own_fields(damaged: Store, door: Door) -> None:
    assert [each.status for each in damaged.iter(Order.primary(customer="7", number=4).into(Slim))] == [
        "open"
    ]
    damage(door, 1, note={"N": "5"})
    with pytest.raises(ItemUnreadable) as caught:
        list(damaged.iter(Order.primary(customer="7", number=1).into(Noted)))

    assert list(caught.value.fields) == ["note"]


def test_a_smaller_model_with_a_field_that_is_not_stored(db: Store) -> None:
    db.put(ORDERS[0])
    with pytest.raises(ItemUnreadable) as caught:
        list(db.iter(ALL.into(Noted)))

    assert list(caught.value.fields) == ["note"]


def test_an_item_with_an_unknown_discriminator_is_not_read_as_the_base(db: Store, door: Door) -> None:
    db.put(Animal(owner="ann", name="tom"))
    key = {"pk": {"S": "OWNER#ann"}, "sk": {"S": "tom"}}
    door.call(
        "UpdateItem",
        {
            "TableName": shop.name,
            "Key": key,
            "UpdateExpression": "SET #t = :t",
            "ExpressionAttributeNames": {"#t": "type"},
            "ExpressionAttributeValues": {":t": {"S": "Cat"}},
        },
    )
    for read in (
        lambda: db.get(Animal.primary.get(owner="ann", name="tom")),
        lambda: list(db.iter(Animal.primary(owner="ann"))),
    ):
        with pytest.raises(ItemUnreadable) as caught:
            read()

        assert caught.value.fields == {
            "type": "the item has 'Cat', expected is 'Animal' or 'Dog' or 'dog.young'"
        }


def test_an_item_without_a_discriminator_belongs_to_the_requested_class(db: Store, door: Door) -> None:
    db.put(Puppy(owner="ann", name="rex", weeks=3))
    door.call(
        "UpdateItem",
        {
            "TableName": shop.name,
            "Key": {"pk": {"S": "OWNER#ann"}, "sk": {"S": "rex"}},
            "UpdateExpression": "REMOVE #t",
            "ExpressionAttributeNames": {"#t": "type"},
        },
    )

    assert db.get(Dog.primary.get(owner="ann", name="rex")) == Dog(owner="ann", name="rex")


@pytest.mark.one_door
def test_the_error_can_be_sent_to_another_process(damaged: Store) -> None:
    with pytest.raises(ItemUnreadable) as caught:
        damaged.get(Order.primary.get(customer="7", number=2))
    copy = pickle.loads(pickle.dumps(caught.value))

    assert (str(copy), copy.key, copy.fields) == (str(caught.value), caught.value.key, caught.value.fields)


class LastKeyUnprocessed:
    """An engine that never processes the last key of a batch."""

    def __init__(self) -> None:
        self.engine = Engine.open()

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation != "BatchGetItem":
            return self.engine.call(operation, request)
        *first, last = request["RequestItems"][shop.name]["Keys"]
        found = self.engine.call(operation, {"RequestItems": {shop.name: {"Keys": first}}}) if first else {}
        return {"Responses": {}, **found, "UnprocessedKeys": {shop.name: {"Keys": [last]}}}


@pytest.mark.parametrize("unreadable", [None, []])
def test_an_unreadable_item_does_not_hide_unprocessed_keys(
    unreadable: list[ItemUnreadable] | None,
) -> None:
    client = LastKeyUnprocessed()
    db = connect(client, retry=Retry(throttled_pause_seconds=0.001))
    db.create_tables(shop)
    item = {**Put(ORDERS[0]).item, "note": {"N": "5"}}
    client.call("PutItem", {"TableName": shop.name, "Item": item})
    gets = [Order.primary.get(customer="7", number=number) for number in (1, 2)]

    with pytest.raises(BatchIncomplete) as caught:
        db.batch_get(*gets, unreadable=unreadable)

    assert (caught.value.unprocessed, caught.value.processed) == (gets[1:], [None])
    assert isinstance(caught.value.__cause__, ItemUnreadable) is (unreadable is None)
    assert ("does not fit Order" in str(caught.value)) is (unreadable is None)
