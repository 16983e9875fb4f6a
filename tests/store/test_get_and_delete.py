"""Reads and deletes of items by their keys."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from pksk import ConditionFailed, F, InvalidValue, NotFound, PkskError, Store
from tests.store.shop import Animal, Customer, Dog, Flag, Line, Order, Puppy, Reading

FIRST = date(2025, 3, 1)
ORDER = Order(customer="7", number=1, day=FIRST)
GET = Order.primary.get(customer="7", number=1)
DELETE = Order.primary.delete(customer="7", number=1)


def test_get_of_a_missing_item_returns_none(db: Store) -> None:
    assert db.get(GET) is None
    assert db.get(GET.consistently()) is None


@pytest.mark.parametrize(
    ("call", "fix"),
    [
        (lambda db: db.get(Order, customer="7", number=1, consistent=True), "get(...).consistently()"),
        (lambda db: db.get(Order, customer="7", number=1, consistently=True), "get(...).consistently()"),
        (lambda db: db.delete(Order, customer="7", number=1, when=F.number == 1), "delete(...).when(...)"),
    ],
)
def test_an_option_that_is_a_method_of_the_request_is_shown_as_such(
    db: Store, call: Callable[[Store], object], fix: str
) -> None:
    with pytest.raises(InvalidValue, match="is not a part of this key") as caught:
        call(db)

    assert caught.value.fix == f"it is a method of the request: Order.primary.{fix}."


def test_get_does_not_find_an_item_with_a_longer_key(db: Store) -> None:
    db.put(Line(customer="7", number=1, line=1))

    assert db.get(GET) is None


def test_get_through_a_base_or_sibling_class(db: Store) -> None:
    puppy = db.put(Puppy(owner="ann", name="rex", weeks=3))
    tom = db.put(Animal(owner="ann", name="tom"))

    assert db.get(Animal.primary.get(owner="ann", name="rex")) == puppy
    assert db.get(Dog.primary.get(owner="ann", name="rex")) == puppy
    assert db.get(Animal.primary.get(owner="ann", name="tom")) == tom
    assert db.get(Dog.primary.get(owner="ann", name="tom")) is None


def test_batch_get_returns_items_in_the_order_of_the_keys(db: Store) -> None:
    orders = [Order(customer="7", number=number, day=FIRST) for number in range(5)]
    db.batch_put(*orders)
    flag = db.put(Flag(name="dark"))
    items = db.batch_get(
        Order.primary.get(customer="7", number=3),
        Flag.primary.get(name="dark"),
        Order.primary.get(customer="8", number=3),
        Order.primary.get(customer="7", number=0).consistently(),
        Order.primary.get(customer="7", number=3),
    )

    assert items == [orders[3], flag, None, orders[0], orders[3]]


def test_batch_get_of_more_keys_than_fit_one_request(db: Store) -> None:
    orders = [Order(customer="7", number=number, day=FIRST) for number in range(230)]
    db.batch_put(*orders)
    numbers = [*range(229, -1, -1), 300]
    items = db.batch_get(*(Order.primary.get(customer="7", number=number) for number in numbers))

    assert items == [*reversed(orders), None]


@pytest.mark.one_door
def test_batch_get_without_keys_sends_nothing(db: Store) -> None:
    assert db.batch_get() == []


def test_batch_get_by_numbers_and_bytes(db: Store) -> None:
    readings = [Reading(sensor=n, moment=bytes([n, 255 - n])) for n in (-3, 0, 12) if n >= 0]
    db.batch_put(*readings)

    assert (
        db.batch_get(*(Reading.primary.get(sensor=r.sensor, moment=r.moment) for r in readings)) == readings
    )


def test_batch_get_through_base_and_sibling_classes(db: Store) -> None:
    dog, tom = db.put(Dog(owner="ann", name="rex")), db.put(Animal(owner="ann", name="tom"))
    keys = [{"owner": "ann", "name": "rex"}, {"owner": "ann", "name": "tom"}]

    assert db.batch_get(*(Animal.primary.get(**key) for key in keys)) == [dog, tom]
    assert db.batch_get(*(Dog.primary.get(**key) for key in keys)) == [dog, None]


def test_delete_returns_the_deleted_entity(db: Store) -> None:
    db.put(ORDER)

    assert db.delete(DELETE) == ORDER
    assert db.delete(DELETE) is None
    assert db.get(GET) is None


def test_delete_by_entity(db: Store) -> None:
    db.put(ORDER)

    assert db.delete(ORDER) == ORDER
    assert db.get(GET) is None


def test_delete_if_present_raises_for_a_missing_item(db: Store) -> None:
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


def test_delete_of_a_subclass_through_its_base(db: Store) -> None:
    puppy = db.put(Puppy(owner="ann", name="rex"))

    assert db.delete(Animal.primary.delete(owner="ann", name="rex")) == puppy


def test_delete_by_key_checks_no_version(db: Store) -> None:
    db.put(db.put(Customer(customer="7", name="Ann")))
    db.delete(Customer.primary.delete(customer="7"))

    assert db.get(Customer.primary.get(customer="7")) is None


def test_get_and_delete_by_an_entity_class_and_the_parts_of_its_key(db: Store) -> None:
    db.put(ORDER)

    assert db.get(Order, customer="7", number=1) == ORDER
    assert db.get(Order, customer="7", number=2) is None
    assert db.delete(Order, customer="7", number=1) == ORDER
    assert db.delete(Order, customer="7", number=1) is None
    assert db.get(Order, customer="7", number=1) is None


def test_get_and_delete_by_a_class_keep_to_its_items(db: Store) -> None:
    tom = db.put(Animal(owner="ann", name="tom"))

    assert db.get(Dog, owner="ann", name="tom") is None
    with pytest.raises(ConditionFailed):
        db.delete(Dog, owner="ann", name="tom")
    assert db.get(Animal, owner="ann", name="tom") == tom


@pytest.mark.one_door
@pytest.mark.parametrize("method", ["get", "delete"])
@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ({}, "key-missing-part"),
        ({"customer": "7"}, "key-missing-part"),
        ({"customer": "7", "numbr": 1}, "key-unknown-part"),
        ({"customer": "7", "number": "one"}, "operand-value"),
    ],
)
def test_wrong_parts_of_a_key_raise(db: Store, method: str, parts: dict[str, object], code: str) -> None:
    with pytest.raises(PkskError) as caught:
        getattr(db, method)(Order, **parts)

    assert caught.value.code == code
    assert caught.value.problem.startswith("Order")


@pytest.mark.one_door
@pytest.mark.parametrize(("method", "item"), [("get", GET), ("delete", DELETE), ("delete", ORDER)])
def test_parts_of_a_key_follow_only_a_class(db: Store, method: str, item: object) -> None:
    with pytest.raises(PkskError) as caught:
        getattr(db, method)(item, number=1)

    assert caught.value.code == "store-key-parts"
    assert "(Order, number=...)" in caught.value.fix
