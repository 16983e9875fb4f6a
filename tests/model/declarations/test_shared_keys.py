"""Entities that share a key by inheritance, and entities that meet by accident."""

from __future__ import annotations

from typing import Any

import pytest

from pksk import B, DesignError, Entity, Key, N, Table


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


def test_unrelated_classes_with_one_key_object_are_no_family() -> None:
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
