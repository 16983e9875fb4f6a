"""A changed primary key is a move: one transaction, in which nothing is lost."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from pksk import (
    AlreadyExists,
    Clock,
    DesignError,
    InvalidValue,
    NotFound,
    ReferenceMissing,
    StaleVersion,
    Store,
    UniqueViolation,
)
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import Customer, Dog, Flag, Invoice, Line, Order, Reading, shop
from tests.store.table_contents import assert_keys_right, items_of

FIRST = date(2025, 3, 1)
ORDER = Order(customer="7", number=1, day=FIRST, note="kept", tags={"x"})
GET = Order.primary.get(customer="7", number=1)


def test_an_item_moves_with_all_that_it_holds(db: Store, door: Door, eventually: Eventually) -> None:
    db.put(ORDER)
    moved = db.move(ORDER, customer="8", status="paid")

    assert moved == ORDER.model_copy(update={"customer": "8", "status": "paid"})
    assert db.get(GET) is None
    assert db.get(Order.primary.get(customer="8", number=1)) == moved
    eventually(lambda: db.iter(Order.by_status(status="open")), [])
    eventually(lambda: db.iter(Order.by_status(status="paid")), [moved])
    assert_keys_right(door, shop)


def test_an_item_moves_by_its_key_alone(db: Store) -> None:
    db.put(ORDER)

    assert db.move(GET, number=2) == ORDER.model_copy(update={"number": 2})


def test_what_is_moved_is_the_item_as_it_is_stored(db: Store) -> None:
    db.put(ORDER)
    db.update(Order.primary.update(customer="7", number=1).set(note="newer"))

    assert db.move(ORDER, number=2).note == "newer"


def test_a_move_of_other_fields_is_a_change_in_place(db: Store, door: Door) -> None:
    db.put(ORDER)
    moved = db.move(ORDER, status="sent")

    assert moved == db.get(GET) == ORDER.model_copy(update={"status": "sent"})
    assert len(items_of(door, shop)) == 1
    assert_keys_right(door, shop)


def test_a_move_of_what_is_not_there_is_an_error(db: Store, door: Door) -> None:
    with pytest.raises(NotFound, match="there is no item pk = 'CUST#7', sk = 'ORDER#000001'"):
        db.move(GET, number=2)
    with pytest.raises(NotFound):
        db.move(ORDER, number=2)

    assert items_of(door, shop) == []


def test_a_move_onto_an_item_is_refused_and_shows_it(db: Store) -> None:
    db.put(ORDER)
    other = db.put(Order(customer="7", number=2, day=FIRST))
    with pytest.raises(
        AlreadyExists, match="an item with the key pk = 'CUST#7', sk = 'ORDER#000002'"
    ) as caught:
        db.move(ORDER, number=2)

    assert caught.value.item == other
    assert db.get(GET) == ORDER
    assert db.get(Order.primary.get(customer="7", number=2)) == other


def test_a_move_keeps_versions_and_times(db: Store, clock: Clock) -> None:
    began = datetime.fromtimestamp(clock(), UTC)
    ann = db.put(Customer(customer="7", name="Ann"))
    clock.advance(9)
    moved = db.move(ann, customer="8")

    assert (moved.version, moved.created) == (2, began)
    assert moved.updated == datetime.fromtimestamp(clock(), UTC)
    assert db.get(Customer.primary.get(customer="8")) == moved
    assert db.put(moved).version == 3


def test_a_move_of_what_somebody_else_has_written_since_is_refused(db: Store) -> None:
    ann = db.put(Customer(customer="7", name="Ann"))
    theirs = db.put(ann.model_copy(update={"name": "Anna"}))
    with pytest.raises(StaleVersion) as caught:
        db.move(ann, customer="8")

    assert caught.value.item == theirs
    assert db.get(Customer.primary.get(customer="8")) is None
    assert db.move(Customer.primary.get(customer="7"), customer="8").name == "Anna"


def test_a_move_keeps_what_is_unique(db: Store, door: Door) -> None:
    ann = db.put(Customer(customer="7", name="Ann", email="a@b.c", phone=5))
    moved = db.move(ann, customer="8")
    with pytest.raises(UniqueViolation) as caught:
        db.put(Customer(customer="9", name="Bob", email="a@b.c"))

    assert caught.value.owner == {"pk": {"S": "CUST#8"}, "sk": {"S": "PROFILE"}}
    assert len(items_of(door, shop)) == 3
    again = db.move(moved, customer="7", email="x@y.z")
    db.put(Customer(customer="9", name="Bob", email="a@b.c"))

    assert again.email == "x@y.z"


def test_a_move_to_a_value_that_is_taken_is_refused(db: Store) -> None:
    ann = db.put(Customer(customer="7", name="Ann", email="a@b.c"))
    db.put(Customer(customer="8", name="Bob", email="b@b.c"))
    with pytest.raises(
        UniqueViolation, match=r"email = 'b@b.c' is unique, and taken by the item pk = 'CUST#8'"
    ):
        db.move(ann, customer="9", email="b@b.c")

    assert db.get(Customer.primary.get(customer="7")) == ann
    assert db.get(Customer.primary.get(customer="9")) is None


def test_a_move_checks_the_references_that_it_changes(db: Store) -> None:
    db.put(Customer(customer="7", name="Ann"))
    invoice = db.put(Invoice(id="1", buyer="7"))
    with pytest.raises(ReferenceMissing, match=r"buyer refers to Customer\(customer='8'\)"):
        db.move(invoice, id="2", buyer="8")
    db.delete(Customer.primary.delete(customer="7"))

    assert db.move(invoice, id="2").id == "2"


def test_a_move_in_tables_of_other_shapes(db: Store) -> None:
    db.put(Flag(name="dark", on=True, by="ann"))
    db.put(Reading(sensor=1, moment=b"\x01", kind="cold"))

    assert db.move(Flag.primary.get(name="dark"), name="light") == Flag(name="light", on=True, by="ann")
    assert db.move(Reading.primary.get(sensor=1, moment=b"\x01"), sensor=2).kind == "cold"
    assert db.get(Flag.primary.get(name="dark")) is None
    assert db.get(Reading.primary.get(sensor=2, moment=b"\x01")) is not None


def test_a_move_of_a_subclass_through_its_base_keeps_the_subclass(db: Store) -> None:
    db.put(Dog(owner="ann", name="rex", tricks={"sit"}))
    moved = db.move(Dog.primary.get(owner="ann", name="rex"), owner="bob")

    assert moved == Dog(owner="bob", name="rex", tricks={"sit"})


def test_the_lines_of_an_order_stay_where_they_are(db: Store) -> None:
    db.put(ORDER)
    line = db.put(Line(customer="7", number=1, line=1))
    db.move(ORDER, number=2)

    assert db.get(Line.primary.get(customer="7", number=1, line=1)) == line


@pytest.mark.one_door
@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        ({}, DesignError, "Order: move: nothing is changed"),
        ({"numbr": 5}, Exception, "numbr"),
        ({"number": "many"}, InvalidValue, "Order.number: 'many' does not fit"),
        ({"number": 10**7}, InvalidValue, "number"),
        ({"status": "lost"}, InvalidValue, "Order.status"),
    ],
    ids=str,
)
def test_changes_that_cannot_be_are_refused(
    db: Store, changes: dict[str, Any], error: type[Exception], text: str
) -> None:
    db.put(ORDER)
    with pytest.raises(error, match=text):
        db.move(ORDER, **changes)

    assert db.get(GET) == ORDER


@pytest.mark.one_door
@pytest.mark.parametrize("name", ["version", "created", "updated"])
def test_what_the_store_keeps_itself_cannot_be_moved(db: Store, name: str) -> None:
    ann = db.put(Customer(customer="7", name="Ann"))
    with pytest.raises(DesignError, match="set by the store"):
        db.move(ann, **{name: getattr(ann, name)})


@pytest.mark.one_door
@pytest.mark.parametrize("given", [None, "CUST#7", Order, Order.primary(customer="7")])
def test_what_cannot_be_moved_is_refused(db: Store, given: Any) -> None:
    with pytest.raises(DesignError):
        db.move(given, number=2)
