"""Unique values stay unique, whichever request writes an item."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from time import time
from typing import Annotated

import pytest

from pksk import (
    TTL,
    Clock,
    ConditionFailed,
    DesignError,
    Entity,
    F,
    Key,
    N,
    Put,
    RequestStarted,
    Store,
    Table,
    TransactionFailed,
    Unique,
    UniqueViolation,
    batch,
    connect,
)
from tests.store.doors import Door
from tests.store.shop import Customer, Flag, Session, flags, shop
from tests.store.table_contents import items_of

ANN = Customer(customer="7", name="Ann", email="a@b.c")
BOB = Customer(customer="8", name="Bob", email="b@b.c")
# As they are stored when they were put with these.
STORED_ANN = ANN.model_copy(update={"phone": 5, "version": 1})
STORED_BOB = BOB.model_copy(update={"version": 1})
THE_ANN = Customer.primary.update(customer="7")
THE_BOB = Customer.primary.update(customer="8")


def owners(door: Door) -> dict[str, str]:
    """The guarded values and the items that hold them, past the store."""
    return {
        item["pk"]["S"].removeprefix("unique#Customer#"): item["owner"]["M"]["pk"]["S"]
        for item in items_of(door, shop)
        if item["type"]["S"] == "pksk:unique"
    }


def test_a_unique_value_in_use_raises_with_its_owner(db: Store, door: Door) -> None:
    db.put(ANN)
    with pytest.raises(UniqueViolation) as caught:
        db.put(BOB.model_copy(update={"email": "a@b.c"}))

    assert (caught.value.field, caught.value.value) == ("email", "a@b.c")
    assert caught.value.owner == {"pk": {"S": "CUST#7"}, "sk": {"S": "PROFILE"}}
    assert str(caught.value) == (
        "Put of Customer: email = 'a@b.c' is unique, and is already used by the item pk = 'CUST#7', sk = 'PROFILE'.\n"
        "Fix: choose another value, or change the item that has it.  (pksk explain store-unique-violation)"
    )
    assert db.get(Customer.primary.get(customer="8")) is None
    assert owners(door) == {"email#a@b.c": "CUST#7"}


# What is written after ann with a@b.c and the phone number 5, and who owns which value then.
WRITES: dict[str, tuple[Callable[[Store], object], dict[str, str]]] = {
    "put of the same": (
        lambda db: db.put(STORED_ANN.model_copy(update={"name": "Anna"})),
        {"email#a@b.c": "CUST#7", "phone#5": "CUST#7"},
    ),
    "put of other values": (
        lambda db: db.put(STORED_ANN.model_copy(update={"email": "x@y.z", "phone": None})),
        {"email#x@y.z": "CUST#7"},
    ),
    "put of none": (lambda db: db.put(STORED_ANN.model_copy(update={"email": None, "phone": None})), {}),
    "update": (
        lambda db: db.update(THE_ANN.set(email="x@y.z", phone=9)),
        {"email#x@y.z": "CUST#7", "phone#9": "CUST#7"},
    ),
    "update to the same": (
        lambda db: db.update(THE_ANN.set(email="a@b.c")),
        {"email#a@b.c": "CUST#7", "phone#5": "CUST#7"},
    ),
    "update that removes": (lambda db: db.update(THE_ANN.remove("email")), {"phone#5": "CUST#7"}),
    "upsert": (
        lambda db: db.update(THE_ANN.set(name="Ann", email="x@y.z").upsert()),
        {"email#x@y.z": "CUST#7", "phone#5": "CUST#7"},
    ),
    "upsert of another": (
        lambda db: db.update(THE_BOB.set(name="Bob", email="b@b.c").upsert()),
        {"email#a@b.c": "CUST#7", "phone#5": "CUST#7", "email#b@b.c": "CUST#8"},
    ),
    "delete": (lambda db: db.delete(Customer.primary.delete(customer="7")), {}),
    "move": (
        lambda db: db.move(STORED_ANN, customer="9"),
        {"email#a@b.c": "CUST#9", "phone#5": "CUST#9"},
    ),
    "move to another value": (
        lambda db: db.move(STORED_ANN, customer="9", email="x@y.z"),
        {"email#x@y.z": "CUST#9", "phone#5": "CUST#9"},
    ),
    "delete and put in a transaction": (
        lambda db: db.transaction(
            Customer.primary.delete(customer="7"), Put(BOB.model_copy(update={"email": "a@b.c"}))
        ),
        {"email#a@b.c": "CUST#8"},
    ),
}


@pytest.mark.parametrize(("write", "expected"), WRITES.values(), ids=WRITES)
def test_a_write_reserves_new_values_and_releases_old_ones(
    db: Store, door: Door, write: Callable[[Store], object], expected: dict[str, str]
) -> None:
    db.put(ANN.model_copy(update={"phone": 5}))
    write(db)

    assert owners(door) == expected


# Writes that fail beside ann with a@b.c and the phone number 5, and bob with b@b.c.
VIOLATIONS: dict[str, tuple[Callable[[Store], object], str, str]] = {
    "put": (lambda db: db.put(STORED_BOB.model_copy(update={"phone": 5})), "phone", "CUST#7"),
    "create": (
        lambda db: db.create(Customer(customer="9", name="Eve", email="b@b.c")),
        "email",
        "CUST#8",
    ),
    "update": (lambda db: db.update(THE_ANN.set(email="b@b.c", name="Eve")), "email", "CUST#8"),
    "upsert": (
        lambda db: db.update(Customer.primary.update(customer="9").set(name="Eve", email="a@b.c").upsert()),
        "email",
        "CUST#7",
    ),
    "move": (lambda db: db.move(STORED_BOB, customer="9", email="a@b.c"), "email", "CUST#7"),
    "move in place": (lambda db: db.move(STORED_BOB, email="a@b.c"), "email", "CUST#7"),
}


@pytest.mark.parametrize(("write", "field", "owner"), VIOLATIONS.values(), ids=VIOLATIONS)
def test_a_write_of_a_value_in_use_changes_nothing(
    db: Store, door: Door, write: Callable[[Store], object], field: str, owner: str
) -> None:
    db.put(ANN.model_copy(update={"phone": 5}))
    db.put(BOB)
    before = items_of(door, shop)
    with pytest.raises(UniqueViolation) as caught:
        write(db)

    assert (caught.value.field, caught.value.owner["pk"]) == (field, {"S": owner})
    assert items_of(door, shop) == before


def test_an_update_of_other_fields_does_not_touch_the_guards(db: Store, door: Door) -> None:
    db.put(ANN)
    sent: list[str] = []
    door.open(hooks=[lambda request: sent.append(request.operation)]).update(THE_ANN.set(name="Eve"))

    assert sent == ["UpdateItem"]


def test_a_delete_with_a_failed_condition_keeps_the_guards(db: Store, door: Door) -> None:
    ann = db.put(ANN)
    with pytest.raises(ConditionFailed, match="the condition name = 'Bob' does not hold") as caught:
        db.delete(Customer.primary.delete(customer="7").when(F.name == "Bob"))

    assert caught.value.item == ann
    assert owners(door) == {"email#a@b.c": "CUST#7"}


def test_two_items_can_exchange_their_values_in_a_transaction(db: Store, door: Door) -> None:
    ann, bob = db.put(ANN), db.put(BOB)
    db.transaction(
        Put(ann.model_copy(update={"email": bob.email})), Put(bob.model_copy(update={"email": ann.email}))
    )

    assert owners(door) == {"email#a@b.c": "CUST#8", "email#b@b.c": "CUST#7"}
    with pytest.raises(UniqueViolation):
        db.create(Customer(customer="9", name="Eve", email="a@b.c"))


def test_updates_in_one_transaction_can_rotate_values_in_any_order(db: Store, door: Door) -> None:
    names = "7", "8", "9"
    for name in names:
        db.put(Customer(customer=name, name="x", email=name))
    db.transaction(
        *(
            Customer.primary.update(customer=name).set(email=other)
            for name, other in zip(names, ("8", "9", "7"), strict=True)
        )
    )

    assert owners(door) == {"email#7": "CUST#9", "email#8": "CUST#7", "email#9": "CUST#8"}


def test_an_exchange_of_values_fails_if_another_item_holds_one_of_them(db: Store, door: Door) -> None:
    ann, bob = db.put(ANN), db.put(BOB)
    # Others have taken what is Ann's, past the store.
    key = {"pk": {"S": "unique#Customer#email#a@b.c"}, "sk": {"S": "unique"}}
    owner = {"M": {"pk": {"S": "CUST#9"}, "sk": {"S": "PROFILE"}}}
    item = {**key, "owner": owner, "type": {"S": "pksk:unique"}}
    door.call("PutItem", {"TableName": shop.name, "Item": item})
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(
            Put(ann.model_copy(update={"email": bob.email})), Put(bob.model_copy(update={"email": ann.email}))
        )

    ((place, error),) = caught.value.failures.items()
    assert (place, type(error)) == (1, UniqueViolation)
    assert error.owner == owner["M"]  # type: ignore[attr-defined]
    assert db.get(Customer.primary.get(customer="7")) == ann


def test_the_same_value_twice_in_a_transaction_raises(db: Store, door: Door) -> None:
    with pytest.raises(DesignError, match=r"Customer.email is unique, but two writes .* set it to 'a@b.c'"):
        db.transaction(Put(ANN), Put(BOB.model_copy(update={"email": "a@b.c"})))

    assert items_of(door, shop) == []


def test_a_transaction_reports_by_position_which_value_is_in_use(db: Store, door: Door) -> None:
    db.put(ANN)
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(
            Put(Flag(name="x")), Put(BOB.model_copy(update={"email": "a@b.c"})), THE_ANN.set(name="Eve")
        )

    (place,) = caught.value.failures
    error = caught.value.failures[place]
    assert place == 1
    assert isinstance(error, UniqueViolation)
    assert error.owner == {"pk": {"S": "CUST#7"}, "sk": {"S": "PROFILE"}}
    assert db.get(Flag.primary.get(name="x")) is None
    assert owners(door) == {"email#a@b.c": "CUST#7"}


def test_a_batch_of_entities_with_unique_fields_raises(db: Store, door: Door) -> None:
    writes: list[Callable[[], object]] = [
        lambda: db.batch_put(ANN),
        lambda: db.batch_delete(Customer.primary.delete(customer="7")),
        lambda: db.run(batch(Put(ANN))),
    ]
    for write in writes:
        with pytest.raises(DesignError, match="a batch has no conditions"):
            write()

    assert items_of(door, shop) == []


def test_values_are_unique_in_a_table_without_a_sort_key(db: Store, door: Door) -> None:
    db.put(Flag(name="dark", by="ann"))
    with pytest.raises(
        UniqueViolation, match="by = 'ann' is unique, and is already used by the item pk = 'FLAG#dark'"
    ):
        db.put(Flag(name="light", by="ann"))
    db.delete(Flag.primary.delete(name="dark"))
    db.put(Flag(name="light", by="ann"))

    assert len(items_of(door, flags)) == 2


def test_values_with_the_delimiter_stay_different(db: Store, door: Door) -> None:
    db.put(ANN.model_copy(update={"email": "a#b"}))
    db.put(BOB.model_copy(update={"email": "a$23b"}))

    assert len(owners(door)) == 2


def test_a_value_is_reserved_until_its_item_expires(db: Store, clock: Clock) -> None:
    soon = datetime.fromtimestamp(clock(), UTC) + timedelta(minutes=1)
    for code in "xyz":
        db.put(Session(token=code, user="ann", code=code, expires=soon))
    db.update(Session.primary.update(user="ann", token="x").set(expires=soon + timedelta(hours=1)))
    db.put(Session(token="y", user="ann", code="y", expires=soon + timedelta(hours=1)))
    db.put(Session(token="z", user="ann", code="z"))
    clock.advance(120)
    for code in "xyz":
        with pytest.raises(UniqueViolation):
            db.put(Session(token="2", user="bob", code=code))


def test_a_guard_written_by_an_update_expires_with_its_item(db: Store, door: Door, clock: Clock) -> None:
    soon = datetime.fromtimestamp(int(clock()) + 60, UTC)
    db.put(Session(token="1", user="ann", expires=soon))
    db.update(Session.primary.update(user="ann", token="1").set(code="x"))
    (guard,) = [item for item in items_of(door, shop) if item["type"]["S"] == "pksk:unique"]

    assert guard["expires"] == {"N": str(int(clock()) + 60)}


def test_an_expired_item_does_not_reclaim_a_value_that_others_use(
    db: Store, door: Door, clock: Clock
) -> None:
    soon = datetime.fromtimestamp(clock(), UTC) + timedelta(minutes=1)
    db.put(Session(token="1", user="ann", code="x", expires=soon))
    clock.advance(61)
    db.put(Session(token="2", user="bob", code="x"))
    db.put(Session(token="1", user="ann", code="y"))
    with pytest.raises(UniqueViolation):
        db.put(Session(token="3", user="eve", code="x"))
    db.put(Session(token="4", user="ann", code="z", expires=soon + timedelta(minutes=2)))
    clock.advance(200)
    db.put(Session(token="5", user="bob", code="z"))
    db.delete(Session.primary.delete(user="ann", token="4"))
    with pytest.raises(UniqueViolation):
        db.put(Session(token="6", user="eve", code="z"))


def test_keys_that_are_not_text_cannot_hold_guards() -> None:
    table = Table("numbers", pk=N("n"), sk=None)

    class Number(Entity, table=table):
        n: int
        name: Annotated[str, Unique()]
        primary = Key("{n}")

    with connect("memory:") as db:
        db.create_tables(table)
        with pytest.raises(DesignError, match="the keys of table 'numbers' are not text"):
            db.put(Number(n=1, name="one"))


def test_a_value_copied_from_another_field_is_guarded(db: Store, door: Door) -> None:
    db.put(ANN.model_copy(update={"email": "Bob"}))
    bob = db.put(BOB)
    copies = (
        F.email.set(F.name),
        F.email.set(F.name.if_not_exists("none")),
        F.phone.set(F.version + 5),
    )
    for copy in copies[:2]:
        with pytest.raises(
            UniqueViolation, match="email = 'Bob' is unique, and is already used by the item pk = 'CUST#7'"
        ):
            db.update(THE_BOB.apply(copy))
        with pytest.raises(TransactionFailed) as caught:
            db.transaction(THE_BOB.apply(copy), Put(Flag(name="x")))
        assert isinstance(caught.value.failures[0], UniqueViolation)

    assert db.get(Customer.primary.get(customer="8")) == bob
    assert db.update(THE_BOB.apply(copies[2])).phone == 6
    assert owners(door) == {"email#Bob": "CUST#7", "email#b@b.c": "CUST#8", "phone#6": "CUST#8"}


def test_a_copied_value_is_the_stored_one_at_the_time_of_the_write(db: Store, door: Door) -> None:
    db.put(ANN)
    eve = {
        "TableName": shop.name,
        "Key": {"pk": {"S": "CUST#7"}, "sk": {"S": "PROFILE"}},
        "UpdateExpression": "SET #n = :n",
        "ExpressionAttributeNames": {"#n": "name"},
        "ExpressionAttributeValues": {":n": {"S": "Eve"}},
    }
    sent: list[str] = []

    def rename(request: RequestStarted) -> None:
        sent.append(request.operation)
        if sent == ["GetItem", "TransactWriteItems"]:
            door.call("UpdateItem", eve)

    changed = door.open(hooks=[rename]).update(THE_ANN.apply(F.email.set(F.name)))

    assert (changed.name, changed.email) == ("Eve", "Eve")
    assert owners(door) == {"email#Eve": "CUST#7"}


def test_an_upsert_reserves_a_copied_value(db: Store, door: Door) -> None:
    copied = THE_ANN.set(name="Ann").apply(F.email.set(F.name.if_not_exists("new"))).upsert()

    assert db.update(copied).email == "new"
    assert db.update(copied).email == "Ann"
    assert owners(door) == {"email#Ann": "CUST#7"}


def test_a_guard_expires_with_its_item_if_the_ttl_is_copied() -> None:
    table = Table("passes", ttl="until")

    class Pass(Entity, table=table):
        id: str
        code: Annotated[str | None, Unique()] = None
        last: int = 0
        until: Annotated[int | None, TTL()] = None
        primary = Key("PASS#{id}", "META")

    with connect("memory:") as db:
        db.create_tables(table)
        later = int(time()) + 60
        db.put(Pass(id="1", code="x", last=later))
        one = Pass.primary.update(id="1")
        db.update(one.apply(F.until.set(F.last + 5)))
        guard, _ = db.client.call("Scan", {"TableName": "passes"})["Items"]
        db.update(one.apply(F.until.set(F.last)))
        after, _ = db.client.call("Scan", {"TableName": "passes"})["Items"]

    assert (guard["until"], after["until"]) == ({"N": str(later + 5)}, {"N": str(later)})
