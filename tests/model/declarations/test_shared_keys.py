"""Entities that share a key by inheritance, and keys that collide by accident."""

from __future__ import annotations

import types
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Generic, Literal, TypeVar

import pytest
from pydantic import computed_field

from pksk import GSI, Attribute, B, DesignError, Entity, Key, N, Table
from tests.model.table_model import shelf_of


def test_entities_that_share_a_key_need_a_discriminator() -> None:
    zoo = Table("zoo", discriminator=None)

    class Animal(Entity, table=zoo):
        name: str
        primary = Key("ANIMAL#{name}", "META")

    with pytest.raises(
        DesignError, match=r"^Cat and Animal inherit the same key, and table 'zoo' has no discriminator"
    ) as caught:

        class Cat(Animal, table=zoo):
            lives: int = 9

    assert caught.value.code == "entity-shared-key"
    assert "discriminator='type'" in caught.value.fix
    assert [each.name for each in zoo.entities] == ["Animal"]


def test_entities_with_a_common_base_without_a_table_share_its_key() -> None:
    zoo = Table("zoo", discriminator=None)

    class Animal(Entity):
        name: str
        primary = Key("ANIMAL#{name}", "META")

    class Dog(Animal, table=zoo):
        tricks: int = 0

    with pytest.raises(DesignError) as caught:

        class Cat(Animal, table=zoo):
            lives: int = 9

    assert caught.value.code == "entity-shared-key"


def test_a_subclass_with_another_primary_key_needs_no_discriminator() -> None:
    zoo = Table("zoo", discriminator=None)

    class Animal(Entity, table=zoo):
        name: str
        primary = Key("ANIMAL#{name}", "META")

    class Cat(Animal, table=zoo):
        primary = Key("CAT#{name}", "META")

    assert [each.name for each in zoo.entities] == ["Animal", "Cat"]


def test_unrelated_classes_with_one_key_object_are_not_siblings() -> None:
    shop, key = Table("shop"), Key("U#{id}", "META")

    class First(Entity, table=shop):
        id: str
        primary = key

    with pytest.raises(DesignError) as caught:

        class Second(Entity, table=shop):
            id: str
            primary = key

    assert caught.value.code == "key-reused"
    assert [each.name for each in shop.entities] == ["First"]


@pytest.mark.parametrize(("attribute", "kind"), [(N("n"), int), (B("n"), bytes)])
def test_keys_of_numbers_and_bytes_collide_as_well(attribute: Any, kind: Any) -> None:
    shop = Table("shop", sk=attribute)

    class First(Entity, table=shop):
        id: str
        n: kind
        primary = Key("U#{id}", "{n}")

    class Apart(Entity, table=shop):
        id: str
        n: kind
        primary = Key("V#{id}", "{n}")

    with pytest.raises(
        DesignError, match=r"^Second\.primary and First\.primary can render the same key"
    ) as caught:

        class Second(Entity, table=shop):
            id: str
            n: kind
            primary = Key("U#{id}", "{n}")

    assert caught.value.code == "entity-collision"
    assert [each.name for each in shop.entities] == ["First", "Apart"]


def test_a_subclass_keeps_the_keys_of_its_base() -> None:
    table = Table("animals", indexes=[GSI("by-city", pk="g1", sk="g2"), GSI("by-size", pk="h1", sk="h2")])

    class Animal(Entity, table=table):
        id: str
        city: str
        primary = Key("A#{id}", "X")
        by_city = Key("CITY#{city}", "{id}", index="by-city")

    with pytest.raises(DesignError, match="declares another key 'by_city'"):

        class Dog(Animal, table=table):
            by_city = Key("DOG#{city}", "{id}", index="by-city")

    with pytest.raises(DesignError, match="stores field 'city' under another name"):

        class Cat(Animal, table=table):
            city: Annotated[str, Attribute("town")]

    with pytest.raises(DesignError, match="makes the key field 'city' optional"):

        class Cow(Animal, table=table):
            city: str | None = None  # type: ignore[assignment]

    class Fish(Animal, table=table):
        by_size = Key("SIZE#{id}", "{city}", index="by-size")

    assert [each.name for each in table.entities] == ["Animal", "Fish"]


def test_a_subclass_computes_the_key_fields_of_its_base_alike() -> None:
    table = Table("shared", indexes=[GSI("by-label", pk="g1")])

    class Base(Entity, table=table):
        id: str
        primary = Key("BASE#{id}", "META")
        by_label = Key("{label}", index="by-label")

        @computed_field  # type: ignore[prop-decorator]
        @property
        def label(self) -> str:
            return self.id.upper()

    class Same(Base, table=table):
        note: str = ""

    assert Same(id="a").to_item()["g1"] == {"S": "A"}
    with pytest.raises(DesignError, match="Other computes the key field 'label' differently"):

        class Other(Base, table=table):
            @computed_field  # type: ignore[prop-decorator]
            @property
            def label(self) -> str:
                return self.id


def test_a_subclass_with_a_primary_key_of_its_own_is_another_entity() -> None:
    table = Table("animals")

    class Animal(Entity, table=table):
        owner: str
        name: str
        primary = Key("K#{owner}", "A#{name}")

    class Dog(Animal, table=table):
        primary = Key("K#{name}", "D#{owner}")

    shelf = shelf_of(table, Animal(owner="rex", name="tom"), Dog(owner="ann", name="rex"))

    assert [item["type"]["S"] for item in shelf.answer(Animal.primary(owner="rex").plan)] == ["Animal"]
    assert Animal.scan().plan.requests[0]["FilterExpression"] == "#n0 <> :v0"
    assert Animal.scan().plan.requests[0]["ExpressionAttributeValues"] == {":v0": {"S": "Dog"}}


T = TypeVar("T")


class Tagged(Entity, Generic[T]):
    tag: T
    primary = Key("TAG#{tag}", "META")


def test_entities_that_inherit_a_key_hold_equal_values_under_one_key() -> None:
    table = Table("tags")

    class Numbered(Tagged[int], table=table):
        pass

    with pytest.raises(
        DesignError, match="different values of its fields would be stored under one key"
    ) as caught:

        class Named(Tagged[str], table=table):
            pass

    assert caught.value.code == "entity-shared-key"
    assert caught.value.expected == "possible: tag='0' gives 'TAG#0' / 'META', tag=0 gives 'TAG#0' / 'META'."


class Level(Enum):
    ONE = 1


@pytest.mark.parametrize(
    ("one", "other"),
    [(str, Literal["a", "b"]), (int, Level), (int, Decimal), (Literal["a"], Literal["b", "c"])],
)
def test_types_whose_equal_keys_mean_equal_values_may_differ(one: Any, other: Any) -> None:
    table = Table("tags")
    types.new_class("One", (Tagged[one],), {"table": table})
    types.new_class("Other", (Tagged[other],), {"table": table})

    assert [each.name for each in table.entities] == ["One", "Other"]
