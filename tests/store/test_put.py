"""Puts: put replaces an item, create raises if there is one, and both can have conditions."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from pksk import AlreadyExists, ConditionFailed, DesignError, F, Put, StaleVersion, Store
from pksk.errors import InvalidValue
from tests.store.doors import Door
from tests.store.shop import Address, Customer, Dog, Flag, Order, Reading, Word, shop

FIRST = date(2025, 3, 1)
ORDER = Order(customer="7", number=1, day=FIRST)


def test_get_returns_the_entity_that_was_put(db: Store) -> None:
    order = Order(
        customer="7",
        number=1,
        day=FIRST,
        status="paid",
        total=-3,
        note="a#b",
        tags={"x", "y"},
        log=["made"],
        address=Address(city="Łódź", street="ulica 1"),
        price=Decimal("10.50"),
    )

    assert db.put(order) == order
    assert db.get(Order.primary.get(customer="7", number=1)) == order


def test_put_replaces_the_whole_item(db: Store) -> None:
    db.put(Order(customer="7", number=1, day=FIRST, note="old", tags={"x"}))
    db.put(Order(customer="7", number=1, day=FIRST, total=5))

    assert db.get(Order.primary.get(customer="7", number=1)) == Order(
        customer="7", number=1, day=FIRST, total=5
    )


def test_put_accepts_a_request(db: Store) -> None:
    db.put(Put(ORDER))

    assert db.run(Order.primary.get(customer="7", number=1)) == ORDER


@pytest.mark.parametrize(
    "entity",
    [
        Flag(name="dark#mode", on=True),
        Reading(sensor=-12, moment=b"\x00\xff", value=Decimal("1.50"), raw={b"a", b""}),
        Word(language="de", word="Straße", meaning="street"),
        Dog(owner="ann", name="rex", tricks={"roll"}),
    ],
    ids=lambda entity: type(entity).__name__,
)
def test_put_works_in_tables_with_every_kind_of_key(db: Store, entity: Any) -> None:
    kind = type(entity)
    db.put(entity)
    parts = {name: getattr(entity, name) for name in kind.__pksk__.primary.fields}

    assert db.get(kind.primary.get(**parts)) == entity


def test_create_raises_with_the_existing_item(db: Store) -> None:
    db.create(ORDER)
    with pytest.raises(AlreadyExists) as caught:
        db.create(Order(customer="7", number=1, day=FIRST, total=9))

    assert caught.value.item == ORDER
    assert str(caught.value) == (
        "Put of Order: an item with the key pk = 'CUST#7', sk = 'ORDER#000001' already exists.\n"
        "Fix: give it another key, or use put, which replaces.  (pksk explain store-already-exists)"
    )
    assert db.get(Order.primary.get(customer="7", number=1)) == ORDER


def test_create_in_a_table_without_a_sort_key(db: Store) -> None:
    db.create(Flag(name="dark"))
    with pytest.raises(AlreadyExists, match="pk = 'FLAG#dark' already exists"):
        db.create(Flag(name="dark", on=True))

    assert db.get(Flag.primary.get(name="dark")) == Flag(name="dark")


def test_a_put_with_a_true_condition_is_applied(db: Store) -> None:
    db.put(ORDER)
    db.put(Order(customer="7", number=1, day=FIRST, total=5), when=F.status == "open")

    assert db.get(Order.primary.get(customer="7", number=1)).total == 5  # type: ignore[union-attr]


def test_a_put_with_a_failed_condition_changes_nothing_and_returns_the_item(db: Store) -> None:
    db.put(ORDER)
    with pytest.raises(ConditionFailed) as caught:
        db.put(Order(customer="7", number=1, day=FIRST, total=5), when=F.total > 3)

    assert type(caught.value) is ConditionFailed
    assert caught.value.item == ORDER
    assert caught.value.request == Put(Order(customer="7", number=1, day=FIRST, total=5)).when(F.total > 3)
    assert str(caught.value) == (
        "Put of Order: the condition total > 3 does not hold for the item pk = 'CUST#7', sk = 'ORDER#000001'.\n"
        "Fix: see .item for the stored item.  (pksk explain store-condition-failed)"
    )
    assert db.get(Order.primary.get(customer="7", number=1)) == ORDER


def test_a_condition_on_a_missing_item_fails_without_an_item(db: Store) -> None:
    with pytest.raises(ConditionFailed) as caught:
        db.put(ORDER, when=F.total == 0)

    assert caught.value.item is None


def test_a_create_with_a_condition_that_fails_without_an_item(db: Store) -> None:
    db.create(Put(ORDER).when(F.total.missing()))
    with pytest.raises(AlreadyExists):
        db.create(Put(ORDER).when(F.total.missing()))
    with pytest.raises(InvalidValue, match="total = 0 is false if there is no item yet"):
        db.create(Put(ORDER).when(F.total == 0))

    assert db.get(Order.primary.get(customer="7", number=1)) == ORDER


def test_put_of_an_entity_that_another_client_has_changed_raises(db: Store) -> None:
    read = db.put(Customer(customer="7", name="Ann"))
    theirs = db.put(read.model_copy(update={"name": "Anna"}))
    with pytest.raises(StaleVersion) as caught:
        db.put(read.model_copy(update={"name": "Annie"}))

    assert caught.value.item == theirs
    assert "the item pk = 'CUST#7', sk = 'PROFILE' was written since it was read" in str(caught.value)


def test_a_put_does_not_change_with_its_entity(db: Store) -> None:
    order = ORDER.model_copy()
    put = Put(order)
    order.total = 9
    db.put(put)

    assert db.get(Order.primary.get(customer="7", number=1)) == ORDER


@pytest.mark.one_door
@pytest.mark.parametrize("value", [None, 5, Order, {"customer": "7"}], ids=str)
def test_put_rejects_what_is_not_an_entity(db: Store, value: Any) -> None:
    with pytest.raises(DesignError, match=r"Put: .* is (not an entity|a class)"):
        db.put(value)
    with pytest.raises(DesignError, match=r"Put: .* is (not an entity|a class)"):
        db.create(value)


@pytest.mark.one_door
def test_an_invalid_key_raises_before_sending(db: Store) -> None:
    with pytest.raises(InvalidValue):
        db.put(Order(customer="7", number=10**7, day=FIRST))


def test_every_index_key_of_a_put_is_there(db: Store, door: Door) -> None:
    db.put(Order(customer="7", number=1, day=FIRST, level=9, agent="Rome"))
    key = {"pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#000001"}}
    item = door.call("GetItem", {"TableName": shop.name, "Key": key, "ConsistentRead": True})["Item"]

    assert {name: item[name]["S"] for name in ("g1", "g2", "l1", "s1", "c1")} == {
        "g1": "STATUS#open",
        "g2": "2025-03-01#7#000001",
        "l1": "LATE#open",
        "s1": "DAY#2025-03-01",
        "c1": "AGENT#Rome",
    }
