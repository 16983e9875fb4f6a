"""References to items that the same transaction writes or checks: of the right class, and all who refer are told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import pytest

from pksk import (
    GSI,
    Entity,
    F,
    Key,
    NotFound,
    Put,
    Reference,
    ReferenceMissing,
    Store,
    Table,
    TransactionFailed,
    connect,
)
from pksk.schema import B
from tests.store.doors import Door
from tests.store.shop import named
from tests.store.table_contents import items_of

kennel = Table(named("kennel"), indexes=[GSI("by-tricks", pk="g1", sk="g2")])


class Animal(Entity, table=kennel):
    name: str
    fed: int = 0
    primary = Key("ANIMAL", "{name}")


class Dog(Animal, table=kennel):
    tricks: int = 0
    by_tricks = Key("TRICKS#{tricks}", "{fed:03d}#{name}", index="by-tricks")


class Puppy(Dog, table=kennel):
    weeks: int = 0


class Cat(Animal, table=kennel):
    lives: int = 9


class Tag(Entity, table=kennel):
    id: str
    dog: Annotated[str | None, Reference(Dog, name="dog")] = None
    friend: Annotated[str | None, Reference(Dog, name="friend")] = None
    pet: Annotated[str | None, Reference(Animal, name="pet")] = None
    primary = Key("TAG#{id}", "M")


@pytest.fixture
def tables() -> Iterable[Table]:
    return (kennel,)


@pytest.fixture
def there(db: Store) -> Store:
    db.batch_put(Cat(name="tom"), Dog(name="rex"), Puppy(name="pip"))
    return db


WRONG: dict[str, Any] = {
    "update": Cat.primary.update(name="tom").set(lives=3),
    "update with a condition": Cat.primary.update(name="tom")
    .set(lives=3)
    .when((F.lives == 9) | (F.lives == 8)),
    "update through the base": Animal.primary.update(name="tom").add(fed=1),
    "upsert": Cat.primary.update(name="tom").set(lives=3).upsert(),
    "upsert through the base": Animal.primary.update(name="tom").add(fed=1).upsert(),
    "upsert of what is not there": Animal.primary.update(name="tom").add(fed=1).upsert(),
    "put": Put(Cat(name="tom")),
    "check": Cat.primary.check(name="tom"),
    "check of none": Dog.primary.check(name="none").absent(),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_reference_to_the_wrong_class_is_missing_whatever_else_is_done_to_the_item(
    there: Store, door: Door, name: str
) -> None:
    if name == "upsert of what is not there":
        there.delete(Cat.primary.delete(name="tom"))
    before = items_of(door, kennel)
    dog = "none" if name == "check of none" else "tom"
    with pytest.raises(TransactionFailed) as caught:
        there.transaction(Put(Tag(id="1", pet="rex")), WRONG[name], Put(Tag(id="2", dog=dog)))

    ((place, error),) = caught.value.failures.items()
    assert (place, type(error), error.field) == (2, ReferenceMissing, "dog")  # type: ignore[attr-defined]
    assert error.request == Put(Tag(id="2", dog=dog))
    assert items_of(door, kennel) == before


RIGHT: dict[str, Any] = {
    "update": Dog.primary.update(name="rex").set(tricks=3),
    "update through the base": Animal.primary.update(name="rex").add(fed=1),
    "update of a subclass": Puppy.primary.update(name="rex").set(weeks=3).upsert(),
    "upsert": Dog.primary.update(name="rex").set(tricks=3).upsert(),
    "upsert of what is not there": Dog.primary.update(name="rex").add(fed=1).upsert(),
    "put": Put(Puppy(name="rex")),
    "check": Animal.primary.check(name="rex"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_reference_to_the_right_class_holds(there: Store, name: str) -> None:
    if name in ("update of a subclass", "upsert of what is not there"):
        there.delete(Dog.primary.delete(name="rex"))
    made = there.transaction(RIGHT[name], Put(Tag(id="1", dog="rex", pet="rex", friend="pip")))[1]

    assert there.get(Tag.primary.get(id="1")) == made
    assert there.get(Dog.primary.get(name="rex")) is not None


def test_all_who_refer_to_what_is_missing_are_told(db: Store, door: Door) -> None:
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(
            Dog.primary.check(name="rex"),
            Put(Tag(id="1", dog="rex")),
            Put(Tag(id="2")),
            Put(Tag(id="3", pet="rex", friend="rex")),
            Put(Tag(id="4", friend="pip")),
        )

    found = {place: (type(error), error.request) for place, error in caught.value.failures.items()}
    assert found == {
        0: (NotFound, Dog.primary.check(name="rex")),
        1: (ReferenceMissing, Put(Tag(id="1", dog="rex"))),
        3: (ReferenceMissing, Put(Tag(id="3", pet="rex", friend="rex"))),
        4: (ReferenceMissing, Put(Tag(id="4", friend="pip"))),
    }
    assert items_of(door, kennel) == []


def test_only_those_are_told_who_ask_for_another_class(there: Store) -> None:
    with pytest.raises(TransactionFailed) as caught:
        there.transaction(
            Put(Tag(id="1", pet="tom")), Put(Tag(id="2", dog="tom")), Put(Tag(id="3", friend="tom"))
        )

    assert list(caught.value.failures) == [1, 2]


def test_all_who_refer_to_what_is_put_as_another_class_are_told(db: Store) -> None:
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(Put(Cat(name="tom")), *(Put(Tag(id=each, dog="tom")) for each in "12"))

    assert list(caught.value.failures) == [1, 2]
    assert "\n  1: Put of Tag: dog refers to" in str(caught.value)
    assert "\n  2: Put of Tag: dog refers to" in str(caught.value)


class Sealed(Entity, table=Table("sealed", pk=B("id"), sk=None)):
    id: bytes
    uses: int = 0
    primary = Key("{id}")


class Letter(Entity, table=Table("letters")):
    id: str
    seal: Annotated[bytes, Reference(Sealed, id="seal")]
    primary = Key("LETTER#{id}", "META")


@pytest.mark.one_door
def test_an_item_with_a_key_of_bytes_is_updated_and_referred_to_at_once() -> None:
    with connect("memory:") as db:
        db.create_tables(Sealed.__pksk__.table, Letter.__pksk__.table)
        db.put(Sealed(id=b"\xff\1"))
        db.transaction(Sealed.primary.update(id=b"\xff\1").add(uses=1), Put(Letter(id="1", seal=b"\xff\1")))

        assert db.get(Sealed.primary.get(id=b"\xff\1")) == Sealed(id=b"\xff\1", uses=1)
