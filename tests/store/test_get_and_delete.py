"""One item by its key: read, read together with others, and deleted."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from pksk import AlreadyExists, ConditionFailed, DesignError, F, NotFound, StaleVersion, Store
from tests.store.doors import Door
from tests.store.shop import Animal, Customer, Dog, Flag, Line, Order, Puppy, Reading, shop
from tests.store.table_contents import items_of

FIRST = date(2025, 3, 1)
ORDER = Order(customer="7", number=1, day=FIRST)
GET = Order.primary.get(customer="7", number=1)
DELETE = Order.primary.delete(customer="7", number=1)


def test_get_of_nothing_is_none(db: Store) -> None:
    assert db.get(GET) is None
    assert db.get(GET.consistently()) is None


def test_get_finds_no_item_of_a_key_that_begins_the_same(db: Store) -> None:
    db.put(Line(customer="7", number=1, line=1))

    assert db.get(GET) is None


def test_get_through_a_class_of_the_family(db: Store) -> None:
    puppy = db.put(Puppy(owner="ann", name="rex", weeks=3))
    tom = db.put(Animal(owner="ann", name="tom"))

    assert db.get(Animal.primary.get(owner="ann", name="rex")) == puppy
    assert db.get(Dog.primary.get(owner="ann", name="rex")) == puppy
    assert db.get(Animal.primary.get(owner="ann", name="tom")) == tom
    assert db.get(Dog.primary.get(owner="ann", name="tom")) is None


@pytest.mark.one_door
@pytest.mark.parametrize("given", [None, "CUST#7", ORDER, Order.primary(customer="7"), DELETE])
def test_what_is_no_get_is_refused(db: Store, given: Any) -> None:
    with pytest.raises(DesignError, match=r"^get: it is given"):
        db.get(given)
    with pytest.raises(DesignError, match=r"^batch_get: it is given"):
        db.batch_get(given)


def test_batch_get_gives_what_is_there_in_the_order_of_the_keys(db: Store) -> None:
    orders = [Order(customer="7", number=number, day=FIRST) for number in range(5)]
    db.batch_put(*orders)
    flag = db.put(Flag(name="dark"))
    found = db.batch_get(
        Order.primary.get(customer="7", number=3),
        Flag.primary.get(name="dark"),
        Order.primary.get(customer="8", number=3),
        Order.primary.get(customer="7", number=0).consistently(),
        Order.primary.get(customer="7", number=3),
    )

    assert found == [orders[3], flag, None, orders[0], orders[3]]


def test_batch_get_of_more_than_a_request_takes(db: Store) -> None:
    orders = [Order(customer="7", number=number, day=FIRST) for number in range(230)]
    db.batch_put(*orders)
    numbers = [*range(229, -1, -1), 300]
    found = db.batch_get(*(Order.primary.get(customer="7", number=number) for number in numbers))

    assert found == [*reversed(orders), None]


@pytest.mark.one_door
def test_batch_get_of_nothing_sends_nothing(db: Store) -> None:
    assert db.batch_get() == []


def test_batch_get_by_numbers_and_bytes(db: Store) -> None:
    readings = [Reading(sensor=n, moment=bytes([n, 255 - n])) for n in (-3, 0, 12) if n >= 0]
    db.batch_put(*readings)

    assert (
        db.batch_get(*(Reading.primary.get(sensor=r.sensor, moment=r.moment) for r in readings)) == readings
    )


def test_batch_get_through_classes_of_a_family(db: Store) -> None:
    dog, tom = db.put(Dog(owner="ann", name="rex")), db.put(Animal(owner="ann", name="tom"))
    keys = [{"owner": "ann", "name": "rex"}, {"owner": "ann", "name": "tom"}]

    assert db.batch_get(*(Animal.primary.get(**key) for key in keys)) == [dog, tom]
    assert db.batch_get(*(Dog.primary.get(**key) for key in keys)) == [dog, None]


def test_delete_gives_what_was_there(db: Store) -> None:
    db.put(ORDER)

    assert db.delete(DELETE) == ORDER
    assert db.delete(DELETE) is None
    assert db.get(GET) is None


def test_delete_takes_the_entity_itself(db: Store) -> None:
    db.put(ORDER)

    assert db.delete(ORDER) == ORDER
    assert db.get(GET) is None


def test_delete_that_asks_for_an_item_is_refused_where_there_is_none(db: Store) -> None:
    with pytest.raises(NotFound) as caught:
        db.delete(DELETE.if_present())

    assert caught.value.problem == "Delete of Order: there is no item pk = 'CUST#7', sk = 'ORDER#000001'."


def test_delete_under_a_condition(db: Store) -> None:
    db.put(ORDER)
    with pytest.raises(ConditionFailed, match="the condition total > 3 does not hold") as caught:
        db.delete(DELETE.when(F.total > 3))
    item = caught.value.item

    assert item == ORDER
    assert db.delete(DELETE.when(F.total == 0)) == ORDER


def test_delete_through_a_sister_class_is_refused(db: Store) -> None:
    tom = db.put(Animal(owner="ann", name="tom"))
    with pytest.raises(ConditionFailed, match="belongs to another entity") as caught:
        db.delete(Dog.primary.delete(owner="ann", name="tom"))

    assert caught.value.item == tom
    assert db.delete(Animal.primary.delete(owner="ann", name="tom")) == tom


def test_delete_of_a_subclass_through_its_base(db: Store) -> None:
    puppy = db.put(Puppy(owner="ann", name="rex"))

    assert db.delete(Animal.primary.delete(owner="ann", name="rex")) == puppy


def test_delete_of_an_entity_that_somebody_else_has_written_since(db: Store) -> None:
    read = db.put(Customer(customer="7", name="Ann"))
    theirs = db.put(read)
    with pytest.raises(StaleVersion) as caught:
        db.delete(read)

    assert caught.value.item == theirs
    assert db.delete(theirs) == theirs
    assert db.delete(Customer.primary.delete(customer="7")) is None


def test_delete_by_key_asks_for_no_version(db: Store) -> None:
    db.put(db.put(Customer(customer="7", name="Ann")))
    db.delete(Customer.primary.delete(customer="7"))

    assert db.get(Customer.primary.get(customer="7")) is None


def test_what_can_be_created_again_after_a_delete(db: Store) -> None:
    db.create(ORDER)
    db.delete(ORDER)
    db.create(ORDER)
    with pytest.raises(AlreadyExists):
        db.create(ORDER)


@pytest.mark.one_door
@pytest.mark.parametrize("given", [None, "CUST#7", Order, GET])
def test_what_can_not_be_deleted_is_refused(db: Store, given: Any) -> None:
    with pytest.raises(DesignError):
        db.delete(given)


def test_a_delete_leaves_nothing_behind(db: Store, door: Door) -> None:
    db.put(Customer(customer="7", name="Ann", email="a@b.c", phone=5))
    db.delete(Customer.primary.delete(customer="7"))

    assert items_of(door, shop) == []
