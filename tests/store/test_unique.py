"""Unique values stay unique, however an item is written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from time import time
from typing import Annotated

import pytest

from pksk import (
    TTL,
    Clock,
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
THE_ANN = Customer.primary.update(customer="7")


def guards(door: Door) -> list[str]:
    """The values that are guarded, past the store."""
    found = [item["pk"]["S"] for item in items_of(door, shop) if item["type"]["S"] == "pksk:unique"]
    return sorted(text.removeprefix("unique#Customer#") for text in found)


def test_a_value_that_is_taken_is_refused_with_who_has_it(db: Store, door: Door) -> None:
    db.put(ANN)
    with pytest.raises(UniqueViolation) as caught:
        db.put(BOB.model_copy(update={"email": "a@b.c"}))

    assert (caught.value.field, caught.value.value) == ("email", "a@b.c")
    assert caught.value.owner == {"pk": {"S": "CUST#7"}, "sk": {"S": "PROFILE"}}
    assert str(caught.value) == (
        "Put of Customer: email = 'a@b.c' is unique, and taken by the item pk = 'CUST#7', sk = 'PROFILE'.\n"
        "Fix: choose another value, or change the item that holds it.  (pksk explain store-unique-taken)"
    )
    assert db.get(Customer.primary.get(customer="8")) is None
    assert guards(door) == ["email#a@b.c"]


def test_several_unique_fields_are_guarded_each_for_itself(db: Store, door: Door) -> None:
    db.put(ANN.model_copy(update={"phone": 5}))
    with pytest.raises(UniqueViolation) as caught:
        db.create(BOB.model_copy(update={"phone": 5}))

    assert caught.value.field == "phone"
    assert guards(door) == ["email#a@b.c", "phone#5"]


def test_nothing_is_not_counted(db: Store, door: Door) -> None:
    db.put(Customer(customer="7", name="Ann"))
    db.put(Customer(customer="8", name="Bob"))

    assert guards(door) == []


def test_a_put_of_the_same_item_keeps_its_values(db: Store, door: Door) -> None:
    ann = db.put(ANN)
    db.put(ann.model_copy(update={"name": "Anna"}))

    assert guards(door) == ["email#a@b.c"]


def test_a_put_with_another_value_gives_the_old_one_back(db: Store, door: Door) -> None:
    ann = db.put(ANN)
    db.put(ann.model_copy(update={"email": "x@y.z"}))
    db.put(BOB.model_copy(update={"email": "a@b.c"}))

    assert guards(door) == ["email#a@b.c", "email#x@y.z"]


def test_an_update_takes_and_gives_back(db: Store, door: Door) -> None:
    db.put(ANN)
    changed = db.update(THE_ANN.set(email="x@y.z", phone=9))

    assert (changed.email, changed.phone, changed.version) == ("x@y.z", 9, 2)
    assert guards(door) == ["email#x@y.z", "phone#9"]
    assert db.update(THE_ANN.remove("email")).email is None
    assert guards(door) == ["phone#9"]


def test_an_update_to_a_value_that_is_taken_changes_nothing(db: Store, door: Door) -> None:
    ann = db.put(ANN)
    db.put(BOB)
    with pytest.raises(UniqueViolation, match=r"Update of Customer: email = 'b@b.c' is unique"):
        db.update(THE_ANN.set(email="b@b.c", name="Eve"))

    assert db.get(Customer.primary.get(customer="7")) == ann
    assert guards(door) == ["email#a@b.c", "email#b@b.c"]


def test_an_update_of_other_fields_does_not_touch_the_guards(db: Store, door: Door) -> None:
    db.put(ANN)
    sent: list[str] = []
    door.open(hooks=[lambda sending: sent.append(sending.operation)]).update(THE_ANN.set(name="Eve"))

    assert sent == ["UpdateItem"]


def test_an_update_to_the_same_value_is_no_change(db: Store, door: Door) -> None:
    db.put(ANN)

    assert db.update(THE_ANN.set(email="a@b.c")).version == 2
    assert guards(door) == ["email#a@b.c"]


def test_an_upsert_takes_the_value(db: Store, door: Door) -> None:
    db.put(BOB)
    upsert = THE_ANN.set(name="Ann", email="a@b.c").upsert()
    made = db.update(upsert)

    assert made.email == "a@b.c"
    assert guards(door) == ["email#a@b.c", "email#b@b.c"]
    with pytest.raises(UniqueViolation):
        db.update(Customer.primary.update(customer="9").set(name="Eve", email="a@b.c").upsert())


def test_a_delete_gives_the_values_back(db: Store, door: Door) -> None:
    ann = db.put(ANN.model_copy(update={"phone": 5}))
    deleted = db.delete(Customer.primary.delete(customer="7"))

    assert deleted == ann
    assert guards(door) == []
    db.put(BOB.model_copy(update={"email": "a@b.c", "phone": 5}))


def test_a_delete_that_a_condition_refuses_keeps_the_guards(db: Store, door: Door) -> None:
    ann = db.put(ANN)
    with pytest.raises(Exception, match="the condition name = 'Bob' does not hold") as caught:
        db.delete(Customer.primary.delete(customer="7").when(F.name == "Bob"))

    assert caught.value.item == ann  # type: ignore[attr-defined]
    assert guards(door) == ["email#a@b.c"]


def owners(door: Door) -> dict[str, str]:
    """The items that hold the guarded values, past the store."""
    return {
        item["pk"]["S"].removeprefix("unique#Customer#"): item["owner"]["M"]["pk"]["S"]
        for item in items_of(door, shop)
        if item["type"]["S"] == "pksk:unique"
    }


def test_values_trade_places_in_one_transaction(db: Store, door: Door) -> None:
    ann, bob = db.put(ANN), db.put(BOB)
    db.transaction(
        Put(ann.model_copy(update={"email": bob.email})), Put(bob.model_copy(update={"email": ann.email}))
    )

    assert owners(door) == {"email#a@b.c": "CUST#8", "email#b@b.c": "CUST#7"}
    with pytest.raises(UniqueViolation):
        db.create(Customer(customer="9", name="Eve", email="a@b.c"))


def test_values_go_round_in_one_transaction_by_updates_in_any_order(db: Store, door: Door) -> None:
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


def test_values_that_change_hands_are_refused_where_another_item_holds_one(db: Store, door: Door) -> None:
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


def test_one_value_twice_in_one_transaction_is_refused(db: Store, door: Door) -> None:
    with pytest.raises(DesignError, match=r"Customer.email is unique, but two writes .* take 'a@b.c'"):
        db.transaction(Put(ANN), Put(BOB.model_copy(update={"email": "a@b.c"})))

    assert items_of(door, shop) == []


def test_a_transaction_guards_and_says_by_place_which_value_is_taken(db: Store, door: Door) -> None:
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
    assert guards(door) == ["email#a@b.c"]


def test_a_transaction_moves_a_value_from_what_it_deletes(db: Store, door: Door) -> None:
    db.put(ANN)
    db.transaction(Customer.primary.delete(customer="7"), Put(BOB.model_copy(update={"email": "a@b.c"})))

    assert owners(door) == {"email#a@b.c": "CUST#8"}


def test_a_batch_cannot_guard_and_is_refused(db: Store, door: Door) -> None:
    refused: list[Callable[[], object]] = [
        lambda: db.batch_put(ANN),
        lambda: db.batch_delete(Customer.primary.delete(customer="7")),
        lambda: db.run(batch(Put(ANN))),
    ]
    for write in refused:
        with pytest.raises(DesignError, match="batches have no conditions"):
            write()

    assert items_of(door, shop) == []


def test_in_a_table_without_a_sort_key(db: Store, door: Door) -> None:
    db.put(Flag(name="dark", by="ann"))
    with pytest.raises(UniqueViolation, match="by = 'ann' is unique, and taken by the item pk = 'FLAG#dark'"):
        db.put(Flag(name="light", by="ann"))
    db.delete(Flag.primary.delete(name="dark"))
    db.put(Flag(name="light", by="ann"))

    assert len(items_of(door, flags)) == 2


def test_values_with_the_delimiter_are_told_apart(db: Store, door: Door) -> None:
    db.put(ANN.model_copy(update={"email": "a#b"}))
    db.put(BOB.model_copy(update={"email": "a$23b"}))

    assert len(guards(door)) == 2


def test_a_value_of_an_item_whose_time_is_over_is_free(db: Store, clock: Clock) -> None:
    soon = datetime.fromtimestamp(clock(), UTC) + timedelta(minutes=1)
    db.put(Session(token="1", user="ann", code="x", expires=soon))
    with pytest.raises(UniqueViolation):
        db.put(Session(token="2", user="bob", code="x"))
    clock.advance(61)
    bob = db.put(Session(token="2", user="bob", code="x"))

    assert db.get(Session.primary.get(user="bob", token="2")) == bob
    with pytest.raises(UniqueViolation):
        db.put(Session(token="3", user="eve", code="x"))


def test_a_value_lives_as_long_as_its_item_does(db: Store, clock: Clock) -> None:
    soon = datetime.fromtimestamp(clock(), UTC) + timedelta(minutes=1)
    db.put(Session(token="1", user="ann", code="x", expires=soon))
    db.update(Session.primary.update(user="ann", token="1").set(expires=soon + timedelta(hours=1)))
    clock.advance(120)
    with pytest.raises(UniqueViolation):
        db.put(Session(token="2", user="bob", code="x"))


def test_a_value_lives_on_where_its_item_never_ends_any_more(db: Store, clock: Clock) -> None:
    soon = datetime.fromtimestamp(clock(), UTC) + timedelta(minutes=1)
    session = db.put(Session(token="1", user="ann", code="x", expires=soon))
    db.put(session.model_copy(update={"expires": None}))
    clock.advance(120)
    with pytest.raises(UniqueViolation):
        db.put(Session(token="2", user="bob", code="x"))


def test_a_guard_that_an_update_takes_ends_with_its_item(db: Store, door: Door, clock: Clock) -> None:
    soon = datetime.fromtimestamp(int(clock()) + 60, UTC)
    db.put(Session(token="1", user="ann", expires=soon))
    db.update(Session.primary.update(user="ann", token="1").set(code="x"))
    (guard,) = [item for item in items_of(door, shop) if item["type"]["S"] == "pksk:unique"]

    assert guard["expires"] == {"N": str(int(clock()) + 60)}


def test_an_item_whose_time_was_over_does_not_want_back_what_others_have_taken(
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


def test_guards_that_an_entity_could_stand_on_are_refused() -> None:
    table = Table("anything")

    class Named(Entity, table=table):
        id: str
        name: Annotated[str, Unique()]
        primary = Key("NAMED#{id}", "META")

    class Rule(Entity, table=table):
        one: str
        two: str
        three: str
        primary = Key("unique#{one}#{two}#{three}", "unique")

    with connect("memory:") as db:
        db.create_tables(table)
        with pytest.raises(DesignError, match="can have keys of Rule"):
            db.put(Named(id="1", name="one"))


def test_a_value_that_is_copied_from_another_field_is_guarded(db: Store, door: Door) -> None:
    db.put(ANN.model_copy(update={"email": "Bob"}))
    bob = db.put(BOB)
    the_bob = Customer.primary.update(customer="8")
    copies = (
        F.email.set(F.name),
        F.email.set(F.name.if_not_exists("none")),
        F.phone.set(F.version + 5),
    )
    for copy in copies[:2]:
        with pytest.raises(
            UniqueViolation, match="email = 'Bob' is unique, and taken by the item pk = 'CUST#7'"
        ):
            db.update(the_bob.apply(copy))
        with pytest.raises(TransactionFailed) as caught:
            db.transaction(the_bob.apply(copy), Put(Flag(name="x")))
        assert isinstance(caught.value.failures[0], UniqueViolation)

    assert db.get(Customer.primary.get(customer="8")) == bob
    assert db.update(the_bob.apply(copies[2])).phone == 6
    assert owners(door) == {"email#Bob": "CUST#7", "email#b@b.c": "CUST#8", "phone#6": "CUST#8"}


def test_a_value_that_is_copied_is_the_one_that_is_stored_when_it_is_written(db: Store, door: Door) -> None:
    db.put(ANN)
    eve = {
        "TableName": shop.name,
        "Key": {"pk": {"S": "CUST#7"}, "sk": {"S": "PROFILE"}},
        "UpdateExpression": "SET #n = :n",
        "ExpressionAttributeNames": {"#n": "name"},
        "ExpressionAttributeValues": {":n": {"S": "Eve"}},
    }
    sent: list[str] = []

    def rename(sending: RequestStarted) -> None:
        sent.append(sending.operation)
        if sent == ["GetItem", "TransactWriteItems"]:
            door.call("UpdateItem", eve)

    changed = door.open(hooks=[rename]).update(THE_ANN.apply(F.email.set(F.name)))

    assert (changed.name, changed.email) == ("Eve", "Eve")
    assert guards(door) == ["email#Eve"]


def test_an_upsert_takes_a_copied_value(db: Store, door: Door) -> None:
    copied = THE_ANN.set(name="Ann").apply(F.email.set(F.name.if_not_exists("new"))).upsert()

    assert db.update(copied).email == "new"
    assert db.update(copied).email == "Ann"
    assert guards(door) == ["email#Ann"]


def test_a_guard_ends_with_its_item_where_that_time_is_copied() -> None:
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
