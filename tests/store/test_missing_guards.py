"""Items that were stored before their field was unique, or by others: their guards are missing, or another item's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from pydantic import Field

from pksk import (
    GSI,
    TTL,
    Entity,
    ItemUnreadable,
    Key,
    Put,
    Retry,
    Store,
    Table,
    TransactionFailed,
    Unique,
    UniqueViolation,
    Version,
)
from tests.store.doors import Door
from tests.store.shop import named
from tests.store.table_contents import items_of

people = Table(named("people"), ttl="expires", indexes=[GSI("by-phone", pk="g1", sk="g2")])


class Person(Entity, table=people):
    id: str
    email: Annotated[str | None, Unique()] = None
    phone: Annotated[int | None, Unique()] = None
    team: str = "t"
    version: Annotated[int, Version()] = 0
    expires: Annotated[datetime | None, TTL()] = None
    primary = Key("PERSON#{id}", "META")
    by_phone = Key("TEAM#{team}", "{phone}", index="by-phone")


class Code(Entity, table=people):
    id: str
    text: Annotated[str, Unique(), Field(pattern="^...")]
    primary = Key("CODE#{id}", "META")


@pytest.fixture
def tables() -> Iterable[Table]:
    return [people]


ANN = Person(id="1", email="a")
THE_ANN = Person.primary.update(id="1")


def store_past_guards(door: Door, person: Person, **changed: Any) -> None:
    item = {**Put(person.model_copy(update={"version": 1})).item, **changed}
    door.call("PutItem", {"TableName": people.name, "Item": item})


def owners(door: Door) -> dict[str, str]:
    """The items that hold guarded values, past the store."""
    return {
        item["pk"]["S"].removeprefix("unique#Person#"): item["owner"]["M"]["pk"]["S"].removeprefix("PERSON#")
        for item in items_of(door, people)
        if item["type"]["S"] == "pksk:unique"
    }


WRITES: dict[str, Callable[[Store], Any]] = {
    "update": lambda db: db.update(THE_ANN.set(email="new")),
    "update to none": lambda db: db.update(THE_ANN.set(email=None)),
    "upsert": lambda db: db.update(THE_ANN.set(email="new"), upsert=True),
    "put": lambda db: db.put(Person(id="1", email="new", version=1)),
    "put of none": lambda db: db.put(Person(id="1", version=1)),
    "delete": lambda db: db.delete(Person.primary.delete(id="1")),
    "delete of an entity": lambda db: db.delete(Person(id="1", email="a", version=1)),
    "move": lambda db: db.move(Person.primary.get(id="1"), email="new"),
    "move away": lambda db: db.move(Person.primary.get(id="1"), id="3", email="new"),
    "transaction": lambda db: db.transaction(THE_ANN.set(email="new"), Put(Person(id="4"))),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("held", [False, True])
def test_a_guard_that_is_missing_or_of_another_item_is_left_alone(
    db: Store, door: Door, write: Callable[[Store], Any], held: bool
) -> None:
    store_past_guards(door, ANN)
    if held:
        db.put(Person(id="2", email="a"))
    # Once is enough: nobody else is at work.
    write(door.open(retry=Retry(contended=1)))

    found = owners(door)
    assert found.pop("email#a", None) == ("2" if held else None)
    stored = [each for each in db.scan(Person.scan()) if each.id in "13"]
    assert found == {f"email#{each.email}": each.id for each in stored if each.email}
    assert [each.email for each in stored if each.email == "a"] == []
    with pytest.raises(UniqueViolation) if held else db.meter():
        db.create(Person(id="5", email="a"))


def test_the_new_value_is_refused_where_it_is_taken(db: Store, door: Door) -> None:
    store_past_guards(door, ANN)
    db.put(Person(id="2", email="a"))
    db.put(Person(id="3", email="c"))
    with pytest.raises(UniqueViolation) as caught:
        db.update(THE_ANN.set(email="c"))

    assert caught.value.owner == {"pk": {"S": "PERSON#3"}, "sk": {"S": "META"}}
    assert db.get(Person.primary.get(id="1")).email == "a"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "write",
    [
        lambda db: db.move(Person.primary.get(id="1"), id="9"),
        lambda db: db.update(THE_ANN.set(expires=datetime(2090, 1, 1, tzinfo=UTC))),
    ],
    ids=["move", "end"],
)
def test_an_old_value_that_must_be_guarded_anew_is_refused_where_another_holds_it(
    db: Store, door: Door, write: Callable[[Store], Any]
) -> None:
    store_past_guards(door, ANN)
    db.put(Person(id="2", email="a"))
    with pytest.raises(UniqueViolation) as caught:
        write(db)

    assert caught.value.owner == {"pk": {"S": "PERSON#2"}, "sk": {"S": "META"}}
    assert owners(door) == {"email#a": "2"}


def test_both_items_of_a_value_can_go_in_one_transaction(db: Store, door: Door) -> None:
    store_past_guards(door, ANN)
    db.put(Person(id="2", email="a"))
    db.transaction(Person.primary.delete(id="1"), Person.primary.delete(id="2"))

    assert items_of(door, people) == []


def test_a_value_of_another_can_be_taken_over_from_an_item_without_a_guard(db: Store, door: Door) -> None:
    store_past_guards(door, ANN)
    db.transaction(THE_ANN.set(email="new"), Put(Person(id="2", email="a")))

    assert owners(door) == {"email#new": "1", "email#a": "2"}


class Meddling:
    """A client beside which others write, before some of the transactions."""

    def __init__(self, call: Callable[..., dict[str, Any]], *before: Callable[[], Any]) -> None:
        self._call, self._before = call, list(before)
        self.sent: list[str] = []

    def call(self, operation: str, request: Any) -> dict[str, Any]:
        if operation == "TransactWriteItems":
            self.sent += [name for each in request["TransactItems"] for name in each]
            if self._before:
                self._before.pop(0)()
        return self._call(operation, request)


def of(door: Door, *before: Callable[[], Any]) -> tuple[Store, Meddling]:
    from pksk import connect

    client = Meddling(door.call, *before)
    return connect(client, retry=Retry(pause_seconds=0)), client


def nothing() -> None:
    pass


def test_a_guard_that_becomes_the_items_own_meanwhile_is_given_back(db: Store, door: Door) -> None:
    store_past_guards(door, ANN)
    db.put(Person(id="2", email="a"))

    def mended() -> None:
        db.delete(Person.primary.delete(id="2"))
        db.update(THE_ANN.set(email=None))
        db.update(THE_ANN.set(email="a"))

    store, client = of(door, nothing, mended)
    store.update(THE_ANN.set(email="new"))

    assert owners(door) == {"email#new": "1"}
    assert client.sent.count("ConditionCheck") == 1
    assert client.sent.count("Delete") == 2


def test_a_guard_that_goes_meanwhile_is_no_matter(db: Store, door: Door) -> None:
    store_past_guards(door, ANN)
    db.put(Person(id="2", email="a"))
    store, _ = of(door, nothing, lambda: db.delete(Person.primary.delete(id="2")))
    store.update(THE_ANN.set(email="new"))

    assert owners(door) == {"email#new": "1"}


def test_an_item_that_changes_meanwhile_is_read_again(db: Store, door: Door) -> None:
    store_past_guards(door, ANN)
    db.put(Person(id="2", email="a"))
    store, _ = of(door, nothing, lambda: db.update(THE_ANN.set(email="other")))
    store.update(THE_ANN.set(email="new"))

    assert owners(door) == {"email#new": "1", "email#a": "2"}


def test_a_value_that_another_takes_from_the_item_meanwhile_stays_with_that(db: Store, door: Door) -> None:
    db.put(ANN)

    def taken_over() -> None:
        db.update(THE_ANN.set(email="other"))
        db.put(Person(id="2", email="a"))

    store, _ = of(door, taken_over)
    store.delete(Person.primary.delete(id="1"))

    assert owners(door) == {"email#a": "2"}


def test_a_member_that_is_taken_by_one_that_has_changed_is_tried_again(db: Store, door: Door) -> None:
    db.put(ANN)
    # Ann gets what Bob wants, after it was read that she has something else, which she gives away.
    store, _ = of(door, lambda: db.update(THE_ANN.set(email="b")))
    store.transaction(THE_ANN.set(email="c"), Put(Person(id="2", email="b")))

    assert owners(door) == {"email#c": "1", "email#b": "2"}


# Values that do not fit

BROKEN: dict[str, dict[str, Any]] = {
    "a text for a number": {"phone": {"S": "many"}},
    "a number for a text": {"email": {"N": "5"}},
    "a list": {"email": {"L": [{"S": "a"}]}},
    "an end that is no time": {"expires": {"S": "soon"}, "email": {"S": "x"}},
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_an_item_whose_values_do_not_fit_can_be_replaced(
    db: Store, door: Door, broken: dict[str, Any]
) -> None:
    store_past_guards(door, Person(id="1"), **broken)
    new = db.put(Person(id="1", email="new", phone=7, version=1))

    assert db.get(Person.primary.get(id="1")) == new
    assert owners(door) == {"email#new": "1", "phone#7": "1"}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_an_item_whose_values_do_not_fit_can_be_deleted_and_that_is_said(
    db: Store, door: Door, broken: dict[str, Any]
) -> None:
    store_past_guards(door, Person(id="1"), **broken)
    with pytest.raises(ItemUnreadable, match="Delete of Person was done all the same"):
        db.delete(Person.primary.delete(id="1"))

    assert items_of(door, people) == []


def test_a_value_that_no_longer_fits_gives_its_guard_back(db: Store, door: Door) -> None:
    # Short codes were allowed once, and were guarded.
    old = Code(id="1", text="abc")
    db.put(old)
    (guard,) = [item for item in items_of(door, people) if item["type"]["S"] == "pksk:unique"]
    guard["pk"] = {"S": "unique#Code#text#ab"}
    for item in ({**Put(old).item, "text": {"S": "ab"}}, guard):
        door.call("PutItem", {"TableName": people.name, "Item": item})
    db.put(Code(id="1", text="abcd"))

    keys = sorted(item["pk"]["S"] for item in items_of(door, people))
    assert keys == ["CODE#1", "unique#Code#text#abc", "unique#Code#text#abcd"]


def test_an_update_of_a_value_that_does_not_fit_mends_it(db: Store, door: Door) -> None:
    store_past_guards(door, Person(id="1"), email={"N": "5"})

    assert db.update(THE_ANN.set(email="new")).email == "new"
    assert owners(door) == {"email#new": "1"}


@pytest.mark.parametrize(
    ("write", "field", "broken"),
    [
        (THE_ANN.add(phone=1), "phone", {"phone": {"S": "many"}}),
        (THE_ANN.set(team="x"), "phone", {"phone": {"S": "many"}}),
        (THE_ANN.set(expires=datetime(2090, 1, 1, tzinfo=UTC)), "email", {"email": {"N": "5"}}),
    ],
)
def test_where_the_value_matters_the_item_is_unreadable(
    db: Store, door: Door, write: Any, field: str, broken: dict[str, Any]
) -> None:
    store_past_guards(door, Person(id="1"), **broken)
    with pytest.raises(ItemUnreadable) as caught:
        db.update(write)
    with pytest.raises(TransactionFailed) as together:
        db.transaction(write)

    assert caught.value.key == {"pk": {"S": "PERSON#1"}, "sk": {"S": "META"}}
    assert list(caught.value.fields) == [field]
    assert caught.value.request == write
    assert isinstance(together.value.failures[0], ItemUnreadable)


def test_what_is_read_back_after_an_update_and_does_not_fit_was_done(db: Store, door: Door) -> None:
    store_past_guards(door, Person(id="1"), phone={"S": "many"})
    with pytest.raises(ItemUnreadable, match="Update of Person was done all the same"):
        db.update(THE_ANN.set(email="new"))

    assert owners(door) == {"email#new": "1"}
