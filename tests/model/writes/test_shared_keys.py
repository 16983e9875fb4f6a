"""Writes by a class whose key others share: an item of a base or a sister is not taken for one of its own."""

from __future__ import annotations

from typing import Any

import pytest

from pksk import DesignError, Entity, F, Key, Put, Table, batch, transaction
from pksk.expressions import describe, parse_condition
from tests.model.writes.running import holds

animals = Table("animals")


class Animal(Entity, table=animals):
    id: str
    name: str = ""
    primary = Key("ANIMAL#{id}", "META")


class Dog(Animal, table=animals):
    pass


class Puppy(Dog, table=animals):
    pass


class Cat(Animal, table=animals):
    pass


class Stone(Entity, table=animals):
    id: str
    name: str = ""
    primary = Key("STONE#{id}", "META")


def condition(write: Any) -> str:
    request = write.request
    tree = parse_condition(
        request["ConditionExpression"],
        request.get("ExpressionAttributeNames", {}),
        request.get("ExpressionAttributeValues", {}),
    )
    return describe(tree)


def test_an_update_by_a_subclass_asks_for_items_of_its_own() -> None:
    update = Dog.primary.update(id="1").set(name="x")

    assert condition(update) == "attribute_exists(pk) AND type IN ('Dog', 'Puppy')"
    assert [holds(update.request, Put(kind(id="1")).item) for kind in (Animal, Dog, Puppy)] == [
        False,
        True,
        True,
    ]


def test_an_upsert_by_a_subclass_makes_an_item_and_changes_none_of_its_base() -> None:
    upsert = Puppy.primary.update(id="1").set(name="x").upsert()

    assert condition(upsert) == "attribute_not_exists(pk) OR type = 'Puppy'"
    assert holds(upsert.request, {})
    assert not holds(upsert.request, Put(Dog(id="1")).item)


def test_a_check_and_a_delete_of_what_is_there_ask_for_items_of_their_own() -> None:
    assert condition(Puppy.primary.check(id="1")) == "attribute_exists(pk) AND type = 'Puppy'"
    assert condition(Puppy.primary.check(id="1").absent()) == "attribute_not_exists(pk)"
    assert condition(Puppy.primary.delete(id="1").if_present()) == "attribute_exists(pk) AND type = 'Puppy'"


def test_a_delete_by_a_subclass_deletes_none_of_its_base_or_of_a_sister() -> None:
    delete = Dog.primary.delete(id="1")

    assert condition(delete) == "attribute_not_exists(pk) OR type IN ('Dog', 'Puppy')"
    assert [holds(delete.request, Put(kind(id="1")).item) for kind in (Animal, Cat, Dog, Puppy)] == [
        False,
        False,
        True,
        True,
    ]
    assert holds(delete.request, {})
    assert condition(delete.when(F.name == "x")) == (
        "(attribute_not_exists(pk) OR type IN ('Dog', 'Puppy')) AND name = 'x'"
    )
    assert "ConditionExpression" not in Animal.primary.delete(id="1").request
    assert "ConditionExpression" not in Stone.primary.delete(id="1").request


def test_a_delete_that_must_ask_is_no_member_of_a_batch() -> None:
    with pytest.raises(DesignError, match="a Delete of Dog, which shares its key") as caught:
        batch(Dog.primary.delete(id="1"))

    assert caught.value.code == "write-batch-condition"
    assert "transaction" in caught.value.fix
    assert len(batch(Animal.primary.delete(id="1"), Stone.primary.delete(id="1")).members) == 2
    assert (
        "ConditionExpression" in transaction(Dog.primary.delete(id="1")).request["TransactItems"][0]["Delete"]
    )


def test_a_base_takes_all_below_it_and_a_class_with_a_key_of_its_own_needs_no_condition() -> None:
    assert condition(Animal.primary.update(id="1").set(name="x")) == "attribute_exists(pk)"
    assert condition(Stone.primary.update(id="1").set(name="x")) == "attribute_exists(pk)"


def test_a_get_says_that_an_item_of_another_class_may_be_there() -> None:
    assert "may be there" in Puppy.primary.get(id="1").explain().notes[0]
    assert Animal.primary.get(id="1").explain().notes == ()
