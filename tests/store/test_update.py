"""update changes items that are there, and says so where there is none."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from pksk import (
    Clock,
    ConditionFailed,
    DesignError,
    F,
    InvalidValue,
    NotFound,
    PkskError,
    RequestRejected,
    Store,
    TransactionFailed,
)
from tests.store.doors import Door
from tests.store.shop import Address, Animal, Customer, Dog, Flag, Order, Parcel, Reading, Word, shop
from tests.store.table_contents import items_of, stored

FIRST = date(2025, 3, 1)
ORDER = Order(customer="7", number=1, day=FIRST, total=5, tags={"a"}, log=["made"])
THE_ORDER = Order.primary.update(customer="7", number=1)


def test_update_gives_the_entity_as_it_is_afterwards(db: Store) -> None:
    db.put(ORDER)
    changed = db.update(
        THE_ORDER.set(note="n").add(total=2, tags={"b"}).append(log=["paid"]).discard().remove("address")
    )

    assert changed == ORDER.model_copy(
        update={"note": "n", "total": 7, "tags": {"a", "b"}, "log": ["made", "paid"]}
    )
    assert db.get(Order.primary.get(customer="7", number=1)) == changed


def test_an_absent_item_is_an_error_and_nothing_is_made(db: Store, door: Door) -> None:
    with pytest.raises(NotFound) as caught:
        db.update(THE_ORDER.add(total=1))

    assert str(caught.value) == (
        "Update of Order: there is no item pk = 'CUST#7', sk = 'ORDER#000001'.\n"
        "Fix: create it first, or make the update an upsert: .upsert(), or upsert=True.  (pksk explain store-not-found)"
    )
    assert caught.value.item is None
    assert items_of(door, shop) == []


def test_an_absent_item_is_an_error_also_where_the_update_must_read_first(db: Store, door: Door) -> None:
    with pytest.raises(NotFound, match="there is no item pk = 'CUST#7', sk = 'ORDER#000001'"):
        db.update(THE_ORDER.set(status="sent"))

    assert items_of(door, shop) == []


def test_upsert_makes_the_item_with_its_key_and_defaults(db: Store) -> None:
    made = db.update(THE_ORDER.set(day=FIRST, status="open").add(total=2), upsert=True)
    again = db.update(THE_ORDER.set(day=FIRST, status="open").add(total=2).upsert())

    assert made == Order(customer="7", number=1, day=FIRST, total=2)
    assert again == Order(customer="7", number=1, day=FIRST, total=4)


def test_an_upsert_that_would_make_half_an_item_is_refused(db: Store, door: Door) -> None:
    with pytest.raises(PkskError, match="a new item would lack 'day'"):
        db.update(THE_ORDER.add(total=2), upsert=True)

    assert items_of(door, shop) == []


def test_the_condition_of_an_update_decides(db: Store) -> None:
    db.put(ORDER)
    db.update(THE_ORDER.add(total=1).when(F.total == 5))
    with pytest.raises(ConditionFailed) as caught:
        db.update(THE_ORDER.add(total=1).when(F.total == 5))

    assert type(caught.value) is ConditionFailed
    assert caught.value.item.total == 6
    assert str(caught.value) == (
        "Update of Order: the condition total = 5 does not hold for the item pk = 'CUST#7', sk = 'ORDER#000001'.\n"
        "Fix: look at .item, which is what is stored.  (pksk explain store-condition-failed)"
    )


def test_the_condition_of_an_update_that_reads_first_decides(db: Store) -> None:
    db.put(ORDER)
    with pytest.raises(ConditionFailed, match="the condition total > 9 does not hold"):
        db.update(THE_ORDER.set(status="sent").when(F.total > 9))

    assert db.get(Order.primary.get(customer="7", number=1)) == ORDER


def test_a_condition_of_several_says_which_failed(db: Store) -> None:
    db.put(ORDER)
    with pytest.raises(ConditionFailed, match="the condition"):
        db.update(THE_ORDER.add(total=1).when(F.total == 5).when(F.level > 3))


def test_an_update_inside_of_a_nested_field(db: Store) -> None:
    db.put(ORDER.model_copy(update={"address": Address(city="Rome")}))
    changed = db.update(THE_ORDER.apply(F.address.street.set("Via 1"), F.log[0].set("MADE")))

    assert changed.address == Address(city="Rome", street="Via 1")
    assert changed.log == ["MADE"]


def test_an_update_raises_the_version_and_keeps_the_times(db: Store, clock: Clock) -> None:
    began = datetime.fromtimestamp(clock(), UTC)
    db.put(Customer(customer="7", name="Ann"))
    clock.advance(5)
    changed = db.update(Customer.primary.update(customer="7").set(name="Bob"))

    assert (changed.version, changed.created) == (2, began)
    assert changed.updated == datetime.fromtimestamp(clock(), UTC)


def test_an_upsert_stamps_what_it_makes_and_what_it_changes(db: Store, clock: Clock) -> None:
    began = datetime.fromtimestamp(clock(), UTC)
    update = Customer.primary.update(customer="7").set(name="Ann").upsert()
    made = db.update(update)
    clock.advance(5)
    changed = db.update(update)

    assert (made.version, made.created, made.updated) == (1, began, began)
    assert (changed.version, changed.created) == (2, began)
    assert changed.updated == datetime.fromtimestamp(clock(), UTC)


@pytest.mark.one_door
@pytest.mark.parametrize("name", ["version", "created", "updated"])
def test_what_the_store_keeps_itself_cannot_be_updated(db: Store, name: str) -> None:
    value: Any = 5 if name == "version" else datetime(2025, 1, 1, tzinfo=UTC)
    with pytest.raises(DesignError, match=f"Customer.{name} is changed by an update") as caught:
        db.update(Customer.primary.update(customer="7").set(**{name: value}))
    with pytest.raises(DesignError, match=f"Customer.{name} is changed by an update"):
        db.update(Customer.primary.update(customer="7").apply(F[name].set(F[name].if_not_exists(value))))

    assert caught.value.code == "store-managed-field"


def test_the_version_that_an_update_asks_for_decides(db: Store) -> None:
    read = db.put(Customer(customer="7", name="Ann"))
    db.update(Customer.primary.update(customer="7").set(name="Bob"))
    with pytest.raises(ConditionFailed, match="version"):
        db.update(Customer.primary.update(customer="7").set(name="Eve").when(F.version == read.version))

    assert db.get(Customer.primary.get(customer="7")).name == "Bob"  # type: ignore[union-attr]


@pytest.mark.one_door
def test_values_are_checked_by_their_fields(db: Store) -> None:
    with pytest.raises(InvalidValue, match=r"Order.total: 'many' does not fit"):
        db.update(THE_ORDER.set(total="many"))


def test_what_the_item_does_not_allow_is_said_in_the_words_of_the_service(db: Store) -> None:
    db.put(ORDER)
    with pytest.raises(RequestRejected) as caught:
        db.update(THE_ORDER.apply(F.log[0].word.set("x")))

    assert caught.value.service_code == "ValidationException"
    assert str(caught.value) == (
        "Update of Order: ValidationException: The document path provided in the update expression is invalid for "
        "update\nThe item holds no map or list that log[0].word could be in, and DynamoDB does not create one.\n"
        "Fix: set the whole field where it is missing: .set(log=...), or test that its parent exists: "
        ".when(F.log[0].exists()).  (pksk explain store-path-missing)"
    )


def test_what_an_item_does_not_allow_is_told_also_where_no_path_is_to_blame(db: Store) -> None:
    db.put(ORDER)
    with pytest.raises(RequestRejected, match="does not exist in the item") as caught:
        db.update(THE_ORDER.apply(F.price.set(F.price + 1)))

    assert caught.value.code == "store-refused"


def test_a_path_that_leads_nowhere_is_told_alike_whether_the_item_is_read_before_or_not(db: Store) -> None:
    db.put(Parcel(id="1"))
    db.put(ORDER)
    told = []
    for update in (Parcel.primary.update(id="1"), THE_ORDER):
        with pytest.raises(RequestRejected) as caught:
            db.update(update.apply(F.address.city.set("Rome")))
        with pytest.raises(TransactionFailed) as together:
            db.transaction(update.apply(F.address.city.set("Rome")))
        (inner,) = together.value.failures.values()
        told += [caught.value, inner]

    assert {(type(error), error.code, error.expected, error.fix) for error in told} == {
        (RequestRejected, "store-path-missing", told[0].expected, told[0].fix)
    }
    assert "The item holds no map or list that address.city could be in" in told[0].expected
    assert told[0].problem.replace("Parcel", "Order") == told[2].problem
    assert db.get(Parcel.primary.get(id="1")) == Parcel(id="1")


def test_of_several_paths_that_may_lead_nowhere_all_are_named(db: Store) -> None:
    db.put(ORDER)
    with pytest.raises(RequestRejected, match=r"address\.city or log\[0\]\.word"):
        db.update(THE_ORDER.apply(F.address.city.set("Rome"), F.log[0].word.set("x")))


def test_an_update_in_a_table_without_a_sort_key_and_in_one_without_text_keys(db: Store) -> None:
    db.put(Flag(name="dark"))
    db.put(Reading(sensor=4, moment=b"\x01"))

    assert db.update(Flag.primary.update(name="dark").set(on=True)).on is True
    assert db.update(Reading.primary.update(sensor=4, moment=b"\x01").set(value=3)).value == 3


def test_an_update_in_a_table_without_a_discriminator(db: Store) -> None:
    db.put(Word(language="de", word="Haus"))

    assert db.update(Word.primary.update(language="de", word="Haus").set(meaning="house")).meaning == "house"


def test_an_update_through_a_sister_class_is_refused(db: Store) -> None:
    db.put(Animal(owner="ann", name="tom"))
    with pytest.raises(ConditionFailed, match="belongs to another entity") as caught:
        db.update(Dog.primary.update(owner="ann", name="tom").add(tricks={"sit"}))

    assert caught.value.item == Animal(owner="ann", name="tom")


def test_an_update_through_the_base_keeps_the_subclass(db: Store) -> None:
    db.put(Dog(owner="ann", name="rex", tricks={"sit"}))
    changed = db.update(Animal.primary.update(owner="ann", name="rex").set(legs=3))

    assert changed == Dog(owner="ann", name="rex", tricks={"sit"}, legs=3)


def test_an_update_that_changes_nothing_gives_the_item(db: Store) -> None:
    db.put(ORDER)

    assert db.update(THE_ORDER.set(total=5)) == ORDER


def test_removed_fields_have_their_default_again(db: Store, door: Door) -> None:
    db.put(ORDER.model_copy(update={"note": "n"}))
    changed = db.update(THE_ORDER.remove("note", "tags", "log"))

    assert (changed.note, changed.tags, changed.log) == (None, set(), [])
    assert "note" not in stored(door, shop, "CUST#7", "ORDER#000001")


@pytest.mark.one_door
@pytest.mark.parametrize(
    "given", [None, ORDER, Order, Order.primary(customer="7"), Reading(sensor=1, moment=b"1", kind="update")]
)
def test_what_is_no_update_is_refused(db: Store, given: Any) -> None:
    with pytest.raises(DesignError, match="update: it is given") as caught:
        db.update(given)

    assert caught.value.code == "store-not-a-request"
