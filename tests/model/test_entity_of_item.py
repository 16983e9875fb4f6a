"""The entity of an item: by its discriminator, else by its key."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from pksk import Attribute, Entity, ItemUnreadable, Key, Put, Table
from pksk.model.entity_of_item import (
    discriminator_value,
    entities_sharing_key,
    entity_of_item,
    has_primary_key_of,
    is_item_of,
    possible_entities,
    read_item,
)
from pksk.model.markers.guard_items import is_guard_item

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
def test_the_discriminator_takes_precedence_over_the_key(given: dict[str, Any], names: list[str]) -> None:
    assert [each.name for each in possible_entities(zoo, given)] == names
    for each in zoo.entities:
        expected = (
            any(kind in names for kind in ("Animal", "Dog")) if each.name == "Animal" else each.name in names
        )

        assert is_item_of(each, given) == expected


def test_siblings_are_distinguished_by_their_discriminator() -> None:
    animal, dog = Animal.__pksk__, Dog.__pksk__

    assert entities_sharing_key(dog) == {"dog": dog, "Animal": animal}
    assert entity_of_item(animal, item(REX)) is dog
    assert entity_of_item(dog, item(REX, silent=True)) is dog
    assert entity_of_item(dog, item(TICKET)) is None


def test_a_class_that_is_declared_later_joins_its_siblings() -> None:
    table = Table("later")

    class Base(Entity, table=table):
        id: str
        primary = Key("B#{id}", "X")

    assert list(entities_sharing_key(Base.__pksk__)) == ["Base"]

    class Later(Base, table=table):
        pass

    assert sorted(entities_sharing_key(Base.__pksk__)) == ["Base", "Later"]


def test_keys_guard_items_and_missing_discriminators_are_recognised() -> None:
    guard = {"pk": {"S": "unique#Dog#name#rex"}, "sk": {"S": "unique"}, "type": {"S": "pksk:unique"}}

    assert has_primary_key_of(Ticket.__pksk__, item(TICKET))
    assert not has_primary_key_of(Ticket.__pksk__, item(REX))
    assert is_guard_item(zoo, guard, guard)
    assert not is_guard_item(zoo, item(REX), item(REX))
    assert discriminator_value(Table("plain", discriminator=None), item(REX)) is None


def test_an_item_without_the_attribute_of_a_field_is_reported_with_the_name_of_the_attribute() -> None:
    class Plant(Entity, table=Table("plants")):
        number: int
        kind: Annotated[str, Attribute("plantKind")]
        primary = Key("PLANT#{number}", "META")

    stored = Put(Plant(number=1, kind="fern")).item
    del stored["plantKind"]

    with pytest.raises(ItemUnreadable) as raised:
        read_item(Plant.__pksk__, {}, stored)

    assert raised.value.fields == {"kind": "Field required; the item has no attribute 'plantKind'"}
