"""Updates: they change items that are present, and raise for a missing one."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from pksk import (
    ConditionFailed,
    Engine,
    F,
    InvalidValue,
    NotFound,
    OutcomeUnknown,
    PkskError,
    RequestRejected,
    Store,
    TransactionFailed,
    connect,
)
from tests.store.doors import Door
from tests.store.shop import Address, Animal, Customer, Dog, Flag, Order, Parcel, Reading, Word, shop
from tests.store.table_contents import items_of, stored

FIRST = date(2025, 3, 1)
ORDER = Order(customer="7", number=1, day=FIRST, total=5, tags={"a"}, log=["made"])
THE_ORDER = Order.primary.update(customer="7", number=1)


def test_update_returns_the_new_entity(db: Store) -> None:
    db.put(ORDER)
    changed = db.update(
        THE_ORDER.set(note="n").add(total=2, tags={"b"}).append(log=["paid"]).discard().remove("address")
    )

    assert changed == ORDER.model_copy(
        update={"note": "n", "total": 7, "tags": {"a", "b"}, "log": ["made", "paid"]}
    )
    assert db.get(Order.primary.get(customer="7", number=1)) == changed


def test_an_update_of_a_missing_item_raises_and_creates_nothing(db: Store, door: Door) -> None:
    with pytest.raises(NotFound) as caught:
        db.update(THE_ORDER.add(total=1))

    assert str(caught.value) == (
        "Update of Order: there is no item pk = 'CUST#7', sk = 'ORDER#000001'.\n"
        "Fix: create it first, or make the update an upsert: .upsert(), or upsert=True.  (pksk explain store-not-found)"
    )
    assert caught.value.item is None
    assert items_of(door, shop) == []


def test_an_update_of_a_missing_item_that_reads_first_raises(db: Store, door: Door) -> None:
    with pytest.raises(NotFound, match="there is no item pk = 'CUST#7', sk = 'ORDER#000001'"):
        db.update(THE_ORDER.set(status="sent"))

    assert items_of(door, shop) == []


def test_an_upsert_creates_the_item_with_its_key_and_defaults(db: Store) -> None:
    made = db.update(THE_ORDER.set(day=FIRST, status="open").add(total=2), upsert=True)
    again = db.update(THE_ORDER.set(day=FIRST, status="open").add(total=2).upsert())

    assert made == Order(customer="7", number=1, day=FIRST, total=2)
    assert again == Order(customer="7", number=1, day=FIRST, total=4)


def test_an_upsert_without_required_fields_raises(db: Store, door: Door) -> None:
    with pytest.raises(PkskError, match="a new item would lack 'day'"):
        db.update(THE_ORDER.add(total=2), upsert=True)

    assert items_of(door, shop) == []


def test_an_update_with_a_failed_condition_raises_with_the_item(db: Store) -> None:
    db.put(ORDER)
    db.update(THE_ORDER.add(total=1).when(F.total == 5))
    with pytest.raises(ConditionFailed) as caught:
        db.update(THE_ORDER.add(total=1).when(F.total == 5))

    assert type(caught.value) is ConditionFailed
    assert caught.value.item.total == 6
    assert str(caught.value) == (
        "Update of Order: the condition total = 5 does not hold for the item pk = 'CUST#7', sk = 'ORDER#000001'.\n"
        "Fix: see .item for the stored item.  (pksk explain store-condition-failed)"
    )


def test_an_update_that_reads_first_with_a_failed_condition_changes_nothing(db: Store) -> None:
    db.put(ORDER)
    with pytest.raises(ConditionFailed, match="the condition total > 9 does not hold"):
        db.update(THE_ORDER.set(status="sent").when(F.total > 9))

    assert db.get(Order.primary.get(customer="7", number=1)) == ORDER


def test_the_error_names_the_part_of_a_condition_that_failed(db: Store) -> None:
    db.put(ORDER)
    with pytest.raises(ConditionFailed, match="the condition"):
        db.update(THE_ORDER.add(total=1).when(F.total == 5).when(F.level > 3))


def test_an_update_inside_of_a_nested_field(db: Store) -> None:
    db.put(ORDER.model_copy(update={"address": Address(city="Rome")}))
    changed = db.update(THE_ORDER.apply(F.address.street.set("Via 1"), F.log[0].set("MADE")))

    assert changed.address == Address(city="Rome", street="Via 1")
    assert changed.log == ["MADE"]


@pytest.mark.one_door
def test_values_are_checked_by_their_fields(db: Store) -> None:
    with pytest.raises(InvalidValue, match=r"Order.total: 'many' does not fit"):
        db.update(THE_ORDER.set(total="many"))


def test_an_update_that_the_item_does_not_allow_has_the_message_of_the_service(db: Store) -> None:
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


def test_an_update_that_the_item_does_not_allow_raises_without_a_nested_path(db: Store) -> None:
    db.put(ORDER)
    with pytest.raises(RequestRejected, match="does not exist in the item") as caught:
        db.update(THE_ORDER.apply(F.price.set(F.price + 1)))

    assert caught.value.code == "store-request-rejected"


def test_a_missing_path_has_the_same_error_with_and_without_a_read(db: Store) -> None:
    db.put(Parcel(id="1"))
    db.put(ORDER)
    errors = []
    for update in (Parcel.primary.update(id="1"), THE_ORDER):
        with pytest.raises(RequestRejected) as caught:
            db.update(update.apply(F.address.city.set("Rome")))
        with pytest.raises(TransactionFailed) as together:
            db.transaction(update.apply(F.address.city.set("Rome")))
        (inner,) = together.value.failures.values()
        errors += [caught.value, inner]

    assert {(type(error), error.code, error.expected, error.fix) for error in errors} == {
        (RequestRejected, "store-path-missing", errors[0].expected, errors[0].fix)
    }
    assert "The item holds no map or list that address.city could be in" in errors[0].expected
    assert errors[0].problem.replace("Parcel", "Order") == errors[2].problem
    assert db.get(Parcel.primary.get(id="1")) == Parcel(id="1")


def test_the_error_names_all_paths_that_may_be_missing(db: Store) -> None:
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


def test_an_update_through_the_base_keeps_the_subclass(db: Store) -> None:
    db.put(Dog(owner="ann", name="rex", tricks={"sit"}))
    changed = db.update(Animal.primary.update(owner="ann", name="rex").set(legs=3))

    assert changed == Dog(owner="ann", name="rex", tricks={"sit"}, legs=3)


def test_an_update_without_changes_returns_the_item(db: Store) -> None:
    db.put(ORDER)

    assert db.update(THE_ORDER.set(total=5)) == ORDER


def test_removed_fields_have_their_default_again(db: Store, door: Door) -> None:
    db.put(ORDER.model_copy(update={"note": "n"}))
    changed = db.update(THE_ORDER.remove("note", "tags", "log"))

    assert (changed.note, changed.tags, changed.log) == (None, set(), [])
    assert "note" not in stored(door, shop, "CUST#7", "ORDER#000001")


def test_members_are_discarded_by_either_name(db: Store) -> None:
    db.put(ORDER.model_copy(update={"tags": {"a", "b", "c"}}))

    assert db.update(THE_ORDER.apply(F.tags.discard({"a"}))).tags == {"b", "c"}
    assert db.update(THE_ORDER.apply(F.tags.delete({"b"}))).tags == {"c"}


def test_an_update_with_an_item_deleted_before_the_result_is_read_was_done() -> None:
    engine = Engine.open()
    other = connect(engine)
    other.create_tables(shop)
    other.put(Customer(customer="1", name="Ann", email="a"))

    class DeletesAfterWrite:
        """Another client deletes the item right after it is written."""

        def call(self, operation: str, request: Any) -> Any:
            answer = engine.call(operation, request)
            if operation == "TransactWriteItems":
                other.delete(Customer.primary.delete(customer="1"))
            return answer

    update = Customer.primary.update(customer="1").set(email="b")
    with (
        connect(DeletesAfterWrite()) as store,
        pytest.raises(
            OutcomeUnknown, match="the update was applied, but another client has deleted"
        ) as caught,
    ):
        store.update(update)

    assert caught.value.request == update
    assert engine.call("Scan", {"TableName": shop.name})["Items"] == []
