"""Of which entity an item is: what it says, else what its key tells."""

from __future__ import annotations

from typing import Any

import pytest

from pksk import Entity, Key, Put, Table
from pksk.model.told import family, has_key, is_guard, kind_of, owns, said, told

zoo = Table("zoo")


class Animal(Entity, table=zoo):
    owner: str
    name: str
    primary = Key("OWNER#{owner}", "{name}")


class Dog(Animal, table=zoo, discriminator="dog"):
    pass


class Ticket(Entity, table=zoo):
    number: int
    primary = Key("TICKET#{number:04d}", "META")


def item(entity: Entity, says: dict[str, Any] | None = None, *, silent: bool = False) -> dict[str, Any]:
    made = {**Put(entity).item, **({"type": says} if says else {})}
    if silent:
        del made["type"]
    return made


REX, TICKET = Dog(owner="ann", name="rex"), Ticket(number=7)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (item(REX), ["Dog"]),
        (item(REX, silent=True), ["Animal", "Dog"]),
        (item(TICKET, silent=True), ["Ticket"]),
        (item(TICKET, {"S": "Animal"}), ["Animal"]),
        (item(TICKET, {"S": "Gone"}), []),
        (item(TICKET, {"N": "5"}), []),
        ({"pk": {"S": "OTHER#1"}, "sk": {"S": "META"}}, []),
        ({}, []),
    ],
)
def test_what_an_item_says_counts_before_its_key(given: dict[str, Any], names: list[str]) -> None:
    assert [each.name for each in told(zoo, given)] == names
    for each in zoo.entities:
        expected = (
            any(kind in names for kind in ("Animal", "Dog")) if each.name == "Animal" else each.name in names
        )

        assert owns(each, given) == expected


def test_a_family_is_told_by_what_its_items_say() -> None:
    animal, dog = Animal.__pksk__, Dog.__pksk__

    assert family(dog) == {"dog": dog, "Animal": animal}
    assert kind_of(animal, item(REX)) is dog
    assert kind_of(dog, item(REX, silent=True)) is dog
    assert kind_of(dog, item(TICKET)) is None


def test_a_class_that_is_declared_later_joins_its_family() -> None:
    table = Table("later")

    class Base(Entity, table=table):
        id: str
        primary = Key("B#{id}", "X")

    assert list(family(Base.__pksk__)) == ["Base"]

    class Later(Base, table=table):
        pass

    assert sorted(family(Base.__pksk__)) == ["Base", "Later"]


def test_keys_and_guards() -> None:
    guard = {"pk": {"S": "unique#Dog#name#rex"}, "sk": {"S": "unique"}, "type": {"S": "pksk:unique"}}

    assert has_key(Ticket.__pksk__, item(TICKET))
    assert not has_key(Ticket.__pksk__, item(REX))
    assert is_guard(zoo, guard, guard)
    assert not is_guard(zoo, item(REX), item(REX))
    assert said(Table("plain", discriminator=None), item(REX)) is None
