"""Guard items: how they name their owner, and what writes do if a guard is missing or belongs to another item."""

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
    InvalidValue,
    ItemUnreadable,
    Key,
    Put,
    Retry,
    Store,
    Table,
    TransactionFailed,
    Unique,
    UniqueViolation,
    VectorIndex,
    Version,
    connect,
)
from tests.store.doors import Door
from tests.store.shop import named
from tests.store.table_contents import items_of, stored

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


by_owner = Table(named("by-owner"), indexes=[GSI("by-owner", pk="owner")])
owner_is_key = Table(named("owner-key"), pk="owner", sk="sk")
owner_is_discriminator = Table(named("owner-discriminator"), discriminator="owner")
owner_is_ttl = Table(named("owner-ttl"), ttl="owner")
by_vector = Table(named("owner-vector"), indexes=[VectorIndex("by-owner", attribute="owner", dimensions=2)])
both = Table(named("owner-both"), indexes=[GSI("by-owner", pk="owner", sk="pksk:owner")])
plain = Table(named("owner-plain"))


class InIndex(Entity, table=by_owner):
    id: str
    owner: str = "ann"
    email: Annotated[str | None, Unique()] = None

    primary = Key("P#{id}", "M")
    by_owner = Key("{owner}", index="by-owner")


class InKey(Entity, table=owner_is_key):
    id: str
    email: Annotated[str | None, Unique()] = None

    primary = Key("P#{id}", "M")


class InDiscriminator(Entity, table=owner_is_discriminator):
    id: str
    email: Annotated[str | None, Unique()] = None

    primary = Key("P#{id}", "M")


class InExpiry(Entity, table=owner_is_ttl):
    id: str
    email: Annotated[str | None, Unique()] = None
    owner: Annotated[int | None, TTL()] = None

    primary = Key("P#{id}", "M")


class InVector(Entity, table=by_vector):
    id: str
    email: Annotated[str | None, Unique()] = None
    owner: list[float] = [0.5, 0.5]  # noqa: RUF012 - Pydantic gives every model its own copy

    primary = Key("P#{id}", "M")
    by_owner = Key(index="by-owner")


class InBoth(Entity, table=both):
    id: str
    email: Annotated[str | None, Unique()] = None

    primary = Key("P#{id}", "M")


class Plain(Entity, table=plain):
    id: str
    email: Annotated[str | None, Unique()] = None

    primary = Key("P#{id}", "M")


OWNERS: list[Any] = [InIndex, InKey, InDiscriminator, InExpiry, InVector, InBoth, Plain]


@pytest.fixture
def tables() -> Iterable[Table]:
    return [people, *(entity.__pksk__.table for entity in OWNERS)]


# The attribute that names the owner


@pytest.mark.parametrize("entity", OWNERS)
def test_values_are_unique_whatever_the_attribute_owner_is_used_for(
    db: Store, door: Door, entity: Any
) -> None:
    table = entity.__pksk__.table
    first = db.create(entity(id="1", email="a"))
    with pytest.raises(UniqueViolation) as caught:
        db.create(entity(id="2", email="a"))

    assert caught.value.owner == dict(zip(table.key_attributes, ({"S": "P#1"}, {"S": "M"}), strict=True))
    db.put(first)
    db.update(entity.primary.update(id="1").set(email="b"))
    db.create(entity(id="2", email="a"))
    db.transaction(
        entity.primary.update(id="1").set(email="a"),
        entity.primary.update(id="2").set(email="b"),
    )
    db.move(entity.primary.get(id="1"), id="3")
    for each in "23":
        db.delete(entity.primary.delete(id=each))
    assert items_of(door, table) == []


def test_a_guard_that_is_older_than_an_index_on_its_owner_is_read() -> None:
    """DynamoDB takes no such item any longer, and leaves those that are there out of the index."""
    first, since = Table("members"), Table("members", indexes=[GSI("by-owner", pk="owner")])

    class Before(Entity, table=first, discriminator="Member"):
        id: str
        email: Annotated[str | None, Unique()] = None
        primary = Key("P#{id}", "M")

    class Since(Entity, table=since, discriminator="Member"):
        id: str
        email: Annotated[str | None, Unique()] = None
        owner: str | None = None
        primary = Key("P#{id}", "M")
        by_owner = Key("{owner}", index="by-owner")

    with connect("memory:") as db:
        db.create_tables(first)
        db.create(Before(id="1", email="a"))
        db.ensure_tables(since)
        with pytest.raises(UniqueViolation) as caught:
            db.create(Since(id="2", email="a", owner="ann"))

        assert caught.value.owner == {"pk": {"S": "P#1"}, "sk": {"S": "M"}}
        assert db.update(Since.primary.update(id="1").set(email="b")).email == "b"
        assert db.create(Since(id="2", email="a", owner="ann")).email == "a"


def test_a_guard_written_while_there_was_such_an_index_is_read(db: Store, door: Door) -> None:
    db.create(Plain(id="1", email="a"))
    guard = stored(door, plain, "unique#Plain#email#a", "unique")
    guard["pksk:owner"] = guard.pop("owner")
    door.call("PutItem", {"TableName": plain.name, "Item": guard})
    with pytest.raises(UniqueViolation) as caught:
        db.create(Plain(id="2", email="a"))

    assert caught.value.owner == {"pk": {"S": "P#1"}, "sk": {"S": "M"}}
    assert db.update(Plain.primary.update(id="1").set(email="b")).email == "b"
    assert db.create(Plain(id="2", email="a")).email == "a"


@pytest.mark.one_door
def test_the_error_of_an_empty_value_names_the_field(db: Store) -> None:
    with pytest.raises(InvalidValue, match=r"Plain\.email: field 'email' is empty"):
        db.create(Plain(id="1", email=""))


# Missing guards


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
def test_a_write_releases_only_guards_of_its_own_item(
    db: Store, door: Door, write: Callable[[Store], Any], held: bool
) -> None:
    store_past_guards(door, ANN)
    if held:
        db.put(Person(id="2", email="a"))
    # One attempt is enough, as there are no other writers.
    write(door.open(retry=Retry(conflict_attempts=1)))

    found = owners(door)
    assert found.pop("email#a", None) == ("2" if held else None)
    stored = [each for each in db.scan(Person.scan()) if each.id in "13"]
    assert found == {f"email#{each.email}": each.id for each in stored if each.email}
    assert [each.email for each in stored if each.email == "a"] == []
    with pytest.raises(UniqueViolation) if held else db.meter():
        db.create(Person(id="5", email="a"))


def test_an_update_of_an_unguarded_item_to_a_value_in_use_raises(db: Store, door: Door) -> None:
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
    ids=["move", "ttl"],
)
def test_an_unguarded_value_that_another_item_holds_cannot_be_guarded(
    db: Store, door: Door, write: Callable[[Store], Any]
) -> None:
    store_past_guards(door, ANN)
    db.put(Person(id="2", email="a"))
    with pytest.raises(UniqueViolation) as caught:
        write(db)

    assert caught.value.owner == {"pk": {"S": "PERSON#2"}, "sk": {"S": "META"}}
    assert owners(door) == {"email#a": "2"}


def test_both_items_with_a_value_can_be_deleted_in_one_transaction(db: Store, door: Door) -> None:
    store_past_guards(door, ANN)
    db.put(Person(id="2", email="a"))
    db.transaction(Person.primary.delete(id="1"), Person.primary.delete(id="2"))

    assert items_of(door, people) == []


def test_a_value_can_pass_from_an_unguarded_item_to_another(db: Store, door: Door) -> None:
    store_past_guards(door, ANN)
    db.transaction(THE_ANN.set(email="new"), Put(Person(id="2", email="a")))

    assert owners(door) == {"email#new": "1", "email#a": "2"}


class WithOtherWriters:
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


def store_with_other_writers(door: Door, *before: Callable[[], Any]) -> tuple[Store, WithOtherWriters]:
    client = WithOtherWriters(door.call, *before)
    return connect(client, retry=Retry(pause_seconds=0)), client


def no_write() -> None:
    pass


def test_a_guard_that_another_write_gives_to_the_item_is_released(db: Store, door: Door) -> None:
    store_past_guards(door, ANN)
    db.put(Person(id="2", email="a"))

    def reserve_again() -> None:
        db.delete(Person.primary.delete(id="2"))
        db.update(THE_ANN.set(email=None))
        db.update(THE_ANN.set(email="a"))

    store, client = store_with_other_writers(door, no_write, reserve_again)
    store.update(THE_ANN.set(email="new"))

    assert owners(door) == {"email#new": "1"}
    assert client.sent.count("ConditionCheck") == 1
    assert client.sent.count("Delete") == 2


def test_a_guard_that_is_deleted_during_the_write_does_not_matter(db: Store, door: Door) -> None:
    store_past_guards(door, ANN)
    db.put(Person(id="2", email="a"))
    store, _ = store_with_other_writers(door, no_write, lambda: db.delete(Person.primary.delete(id="2")))
    store.update(THE_ANN.set(email="new"))

    assert owners(door) == {"email#new": "1"}


def test_an_item_that_changes_during_the_write_is_read_again(db: Store, door: Door) -> None:
    store_past_guards(door, ANN)
    db.put(Person(id="2", email="a"))
    store, _ = store_with_other_writers(door, no_write, lambda: db.update(THE_ANN.set(email="other")))
    store.update(THE_ANN.set(email="new"))

    assert owners(door) == {"email#new": "1", "email#a": "2"}


def test_a_value_that_another_item_reserves_during_the_write_stays_reserved(db: Store, door: Door) -> None:
    db.put(ANN)

    def take_over() -> None:
        db.update(THE_ANN.set(email="other"))
        db.put(Person(id="2", email="a"))

    store, _ = store_with_other_writers(door, take_over)
    store.delete(Person.primary.delete(id="1"))

    assert owners(door) == {"email#a": "2"}


def test_a_transaction_is_retried_if_a_value_passes_between_its_items(db: Store, door: Door) -> None:
    db.put(ANN)
    # Ann gets what Bob wants, after it was read that she has something else, which she gives away.
    store, _ = store_with_other_writers(door, lambda: db.update(THE_ANN.set(email="b")))
    store.transaction(THE_ANN.set(email="c"), Put(Person(id="2", email="b")))

    assert owners(door) == {"email#c": "1", "email#b": "2"}


# Values that do not fit their fields

BROKEN: dict[str, dict[str, Any]] = {
    "a text for a number": {"phone": {"S": "many"}},
    "a number for a text": {"email": {"N": "5"}},
    "a list": {"email": {"L": [{"S": "a"}]}},
    "a ttl that is not a time": {"expires": {"S": "soon"}, "email": {"S": "x"}},
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_an_unreadable_item_can_be_replaced(db: Store, door: Door, broken: dict[str, Any]) -> None:
    store_past_guards(door, Person(id="1"), **broken)
    new = db.put(Person(id="1", email="new", phone=7, version=1))

    assert db.get(Person.primary.get(id="1")) == new
    assert owners(door) == {"email#new": "1", "phone#7": "1"}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_the_delete_of_an_unreadable_item_is_applied_and_raises(
    db: Store, door: Door, broken: dict[str, Any]
) -> None:
    store_past_guards(door, Person(id="1"), **broken)
    with pytest.raises(ItemUnreadable, match="Delete of Person was done nevertheless"):
        db.delete(Person.primary.delete(id="1"))

    assert items_of(door, people) == []


def test_a_value_that_no_longer_fits_its_field_releases_its_guard(db: Store, door: Door) -> None:
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


def test_an_update_replaces_a_value_that_does_not_fit(db: Store, door: Door) -> None:
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
def test_an_update_that_depends_on_an_unreadable_value_raises(
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


def test_an_update_with_an_unreadable_result_is_applied_and_raises(db: Store, door: Door) -> None:
    store_past_guards(door, Person(id="1"), phone={"S": "many"})
    with pytest.raises(ItemUnreadable, match="Update of Person was done nevertheless"):
        db.update(THE_ANN.set(email="new"))

    assert owners(door) == {"email#new": "1"}
