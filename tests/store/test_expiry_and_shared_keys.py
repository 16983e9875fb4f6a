"""Ends that only some classes of a family have, and ends that are stored as NULL: writes take them as reads do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Annotated, Any

import pytest

from pksk import (
    TTL,
    AlreadyExists,
    Clock,
    ConditionFailed,
    Entity,
    F,
    Key,
    NotFound,
    Null,
    Put,
    Reference,
    ReferenceMissing,
    Store,
    Table,
    TransactionFailed,
    Unique,
    UniqueViolation,
)
from tests.store.doors import Door
from tests.store.shop import named
from tests.store.table_contents import items_of

zoo = Table(named("zoo"), ttl="exp")


class Animal(Entity, table=zoo):
    id: str
    kind: str = "k"
    tag: Annotated[str | None, Unique()] = None
    primary = Key("A#{id}", "M")


class Guest(Animal, table=zoo):
    exp: Annotated[datetime | None, TTL()] = None


class Stray(Animal, table=zoo):
    """A sister of what ends, which does not end itself."""


class Toy(Entity, table=zoo):
    id: str
    of: Annotated[str, Reference(Animal)]
    primary = Key("T#{id}", "M")


class Note(Entity, table=zoo):
    """None of its end is NULL, as it is stored."""

    id: str
    exp: Annotated[datetime | None, TTL(), Null()] = None
    email: Annotated[str | None, Unique()] = None
    count: int = 0
    primary = Key("N#{id}", "M")


class Pass(Entity, table=zoo):
    """The end has no default, so that None is NULL, too."""

    id: str
    exp: Annotated[int | None, TTL()]
    count: int = 0
    primary = Key("P#{id}", "M")


class Link(Entity, table=zoo):
    id: str
    note: Annotated[str, Reference(Note)]
    primary = Key("L#{id}", "M")


@pytest.fixture
def tables() -> Iterable[Table]:
    return [zoo]


@pytest.fixture
def guest(db: Store, clock: Clock) -> Guest:
    """One whose time is over."""
    made: Guest = db.put(Guest(id="c", tag="t", exp=datetime.fromtimestamp(int(clock()) + 10, UTC)))
    clock.advance(60)
    return made


@pytest.mark.parametrize("kind", [Animal, Guest, Stray])
def test_what_is_over_may_be_created_as_any_class_of_the_family(
    db: Store, guest: Guest, kind: type[Animal]
) -> None:
    made = db.create(kind(id="c", tag="t"))

    assert db.get(Animal.primary.get(id="c")) == made == kind(id="c", tag="t")
    with pytest.raises(AlreadyExists):
        db.create(kind(id="c"))


@pytest.mark.parametrize("kind", [Animal, Guest, Stray])
def test_the_unique_values_of_what_is_over_are_free_for_the_family(
    db: Store, guest: Guest, kind: type[Animal]
) -> None:
    db.create(kind(id="d", tag="t"))

    with pytest.raises(UniqueViolation):
        db.create(Animal(id="e", tag="t"))


def test_the_unique_values_of_what_is_not_over_are_taken(db: Store, guest: Guest) -> None:
    db.put(Guest(id="c", tag="t"))

    with pytest.raises(UniqueViolation):
        db.create(Stray(id="e", tag="t"))


def test_a_reference_to_what_is_over_is_missing(db: Store, guest: Guest) -> None:
    with pytest.raises(ReferenceMissing):
        db.create(Toy(id="1", of="c"))


def test_checks_and_changes_through_the_base_do_not_find_what_is_over(db: Store, guest: Guest) -> None:
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(Animal.primary.check(id="c"), Put(Animal(id="d")))
    with pytest.raises(NotFound):
        db.update(Animal.primary.update(id="c").set(kind="x"))
    with pytest.raises(NotFound):
        db.delete(Animal.primary.delete(id="c").if_present())
    with pytest.raises(NotFound):
        db.move(Animal.primary.get(id="c"), id="d")

    assert isinstance(caught.value.failures[0], NotFound)
    assert db.update(Animal.primary.update(id="c").set(kind="x"), upsert=True) == Animal(id="c", kind="x")


def test_changes_and_checks_through_a_sister_do_not_find_what_is_over(db: Store, guest: Guest) -> None:
    for update in (
        Stray.primary.update(id="c").set(kind="x"),
        Stray.primary.update(id="c").set(tag="new"),
        Stray.primary.update(id="c").set(kind="x").when(F.kind == "k"),
    ):
        with pytest.raises(NotFound):
            db.update(update)
        with pytest.raises(TransactionFailed) as caught:
            db.transaction(Put(Animal(id="d")), update)
        assert isinstance(caught.value.failures[1], NotFound)
    with pytest.raises(NotFound):
        db.delete(Stray.primary.delete(id="c").if_present())
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(Stray.primary.check(id="c"), Put(Animal(id="d")))

    assert isinstance(caught.value.failures[0], NotFound)


@pytest.mark.parametrize("together", [False, True], ids=["alone", "transaction"])
@pytest.mark.parametrize("changes", [{"kind": "x"}, {"tag": "t"}, {"kind": "x", "tag": None}], ids=str)
def test_an_upsert_through_a_sister_begins_anew(
    db: Store, door: Door, guest: Guest, changes: dict[str, Any], *, together: bool
) -> None:
    update = Stray.primary.update(id="c").set(**changes).upsert()
    if together:
        db.transaction(Put(Animal(id="d")), update)
    else:
        db.update(update)

    assert db.get(Stray.primary.get(id="c")) == Stray(id="c", **changes)
    item = next(each for each in items_of(door, zoo) if each["pk"] == {"S": "A#c"})
    assert (item["type"], item.get("exp")) == ({"S": "Stray"}, None)


def test_a_sister_that_is_not_over_is_in_the_way_and_held(db: Store, guest: Guest) -> None:
    there = db.put(Guest(id="c", tag="t"))
    for update in (
        Stray.primary.update(id="c").set(kind="x"),
        Stray.primary.update(id="c").set(tag="new"),
        Stray.primary.update(id="c").set(tag="new").upsert(),
    ):
        with pytest.raises(ConditionFailed, match="belongs to another entity") as caught:
            db.update(update)
        assert caught.value.item == there

    assert db.get(Animal.primary.get(id="c")) == there


@pytest.mark.parametrize("kind", [Animal, Guest, Stray])
def test_conditions_see_nothing_of_what_is_over(db: Store, guest: Guest, kind: type[Animal]) -> None:
    with pytest.raises(ConditionFailed):
        db.put(kind(id="c"), when=F.kind == "k")

    assert db.put(kind(id="c"), when=F.kind != "k") == kind(id="c")


def test_the_absence_of_what_is_over_is_given_for_the_family(db: Store, guest: Guest) -> None:
    for number, kind in enumerate((Animal, Stray, Guest)):
        db.transaction(kind.primary.check(id="c").absent(), Put(Animal(id=f"x{number}")))

    assert db.get(Animal.primary.get(id="x2")) is not None


def test_a_sister_without_an_end_stays_whatever_others_have_stored(
    db: Store, door: Door, guest: Guest
) -> None:
    item = {**Stray(id="s").to_item(), "exp": {"N": "5"}}
    door.call("PutItem", {"TableName": zoo.name, "Item": item})

    assert db.get(Stray.primary.get(id="s")) == Stray(id="s")
    with pytest.raises(AlreadyExists):
        db.create(Stray(id="s"))


@pytest.mark.parametrize("kind", [Animal, Guest, Stray])
def test_a_put_replaces_what_is_of_no_class_of_the_family(db: Store, door: Door, kind: type[Animal]) -> None:
    item = {**Put(Stray(id="s", tag="old")).item, "type": {"S": "Gone"}}
    door.call("PutItem", {"TableName": zoo.name, "Item": item})
    made = db.put(kind(id="s", tag="new"))

    assert db.get(Animal.primary.get(id="s")) == made
    assert db.create(Stray(id="t", tag="old")).tag == "old"


WRITES: dict[str, Callable[[Store, Any], Any]] = {
    "update": lambda db, kind: db.update(kind.primary.update(id="1").set(count=1)),
    "upsert": lambda db, kind: db.update(kind.primary.update(id="1").set(count=1, exp=None), upsert=True),
    "move": lambda db, kind: db.move(kind.primary.get(id="1"), count=1),
    "delete": lambda db, kind: db.delete(kind.primary.delete(id="1").if_present()),
    "check": lambda db, kind: db.transaction(kind.primary.check(id="1"), Put(Animal(id="9"))),
    "put": lambda db, kind: db.put(kind(id="1", exp=None), when=F.count == 0),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("kind", [Note, Pass])
def test_an_end_that_is_null_is_none(db: Store, door: Door, kind: Any, write: Any) -> None:
    db.create(kind(id="1", exp=None))
    (item,) = items_of(door, zoo)

    assert item["exp"] == {"NULL": True}
    assert db.get(kind.primary.get(id="1")) == kind(id="1", exp=None)
    with pytest.raises(AlreadyExists):
        db.create(kind(id="1", exp=None))
    write(db, kind)


def test_what_has_an_end_that_is_null_is_referred_to_and_keeps_its_values(db: Store) -> None:
    db.create(Note(id="1", email="a"))

    assert db.create(Link(id="1", note="1")).note == "1"
    with pytest.raises(UniqueViolation):
        db.create(Note(id="2", email="a"))
    assert db.update(Note.primary.update(id="1").set(email="b"), upsert=True).email == "b"
    assert db.create(Note(id="2", email="a")).email == "a"
