"""Writes by a class whose key others share never take an item of a base class or a sibling for their own."""

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


def test_an_update_by_a_subclass_requires_its_own_item() -> None:
    update = Dog.primary.update(id="1").set(name="x")

    assert condition(update) == "attribute_exists(pk) AND type IN ('Dog', 'Puppy')"
    assert [holds(update.request, Put(kind(id="1")).item) for kind in (Animal, Dog, Puppy)] == [
        False,
        True,
        True,
    ]


def test_an_upsert_by_a_subclass_never_changes_an_item_of_its_base() -> None:
    upsert = Puppy.primary.update(id="1").set(name="x").upsert()

    assert condition(upsert) == "attribute_not_exists(pk) OR type = 'Puppy'"
    assert holds(upsert.request, {})
    assert not holds(upsert.request, Put(Dog(id="1")).item)


def test_a_check_and_a_delete_if_present_require_their_own_item() -> None:
    assert condition(Puppy.primary.check(id="1")) == "attribute_exists(pk) AND type = 'Puppy'"
    assert condition(Puppy.primary.check(id="1").absent()) == "attribute_not_exists(pk)"
    assert condition(Puppy.primary.delete(id="1").if_present()) == "attribute_exists(pk) AND type = 'Puppy'"


def test_a_delete_by_a_subclass_never_deletes_an_item_of_its_base_or_sibling() -> None:
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


def test_a_delete_with_a_condition_is_not_allowed_in_a_batch() -> None:
    with pytest.raises(
        DesignError, match="a Delete of Dog needs a condition because other entities share its key"
    ) as caught:
        batch(Dog.primary.delete(id="1"))

    assert caught.value.code == "write-batch-condition"
    assert "transaction" in caught.value.fix
    assert len(batch(Animal.primary.delete(id="1"), Stone.primary.delete(id="1")).members) == 2
    assert (
        "ConditionExpression" in transaction(Dog.primary.delete(id="1")).request["TransactItems"][0]["Delete"]
    )


def test_writes_by_a_base_or_a_class_with_its_own_key_need_no_condition() -> None:
    assert condition(Animal.primary.update(id="1").set(name="x")) == "attribute_exists(pk)"
    assert condition(Stone.primary.update(id="1").set(name="x")) == "attribute_exists(pk)"


def test_a_get_notes_that_the_item_may_be_of_another_class() -> None:
    assert "may be of another entity" in Puppy.primary.get(id="1").explain().notes[0]
    assert Animal.primary.get(id="1").explain().notes == ()
