"""Sets inside of fields: begun, emptied and changed, although DynamoDB has no empty ones."""

# ruff: noqa: RUF012 - Pydantic gives every model its own copy of a default

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel

from pksk import Entity, F, InvalidValue, Key, RequestRejected, Store, Table, TransactionFailed
from tests.store.doors import Door
from tests.store.shop import named
from tests.store.table_contents import stored

nested = Table(named("nested"))


class Part(BaseModel):
    name: str = "x"
    tags: set[str] = set()
    days: frozenset[date] = frozenset()
    pairs: set[tuple[int, int]] = set()


class Strict(BaseModel):
    tags: set[str]


class Thing(Entity, table=nested):
    id: str
    parts: list[Part] = []
    part: Part = Part()
    named: dict[str, Part] = {}
    must: Strict = Strict(tags={"a"})
    tags: set[str] = set()
    ids: set[UUID] = set()
    flags: set[bool] = set()

    primary = Key("THING#{id}", "META")


THE = Thing.primary.update(id="1")
DAY = date(2025, 3, 1)


@pytest.fixture
def tables() -> Iterable[Table]:
    return (nested,)


@pytest.fixture
def thing(db: Store) -> Thing:
    made: Thing = db.put(Thing(id="1", parts=[Part()]))
    return made


def other(**changes: Any) -> Part:
    return Part(name="y", **changes)


ACTIONS: dict[str, tuple[Any, dict[str, Any]]] = {
    "an element": (F.parts[0].set(other()), {"parts": [other()]}),
    "an element as a dict": (F.parts[0].set({"name": "y", "tags": set()}), {"parts": [other()]}),
    "a full element": (
        F.parts[0].set(other(tags={"a"}, days={DAY}, pairs={(1, 2)})),
        {"parts": [other(tags={"a"}, days={DAY}, pairs={(1, 2)})]},
    ),
    "appended": (F.parts.append(other(), other(tags={"a"})), {"parts": [Part(), other(), other(tags={"a"})]}),
    "prepended": (F.parts.prepend(other()), {"parts": [other(), Part()]}),
    "a member of a map": (F.named["a.b"].set(other()), {"named": {"a.b": other()}}),
    "a whole field": (F.part.set(other()), {"part": other()}),
    "a whole list": (F.parts.set([other()]), {"parts": [other()]}),
    "begun": (F.part.tags.set({"a"}), {"part": Part(tags={"a"})}),
    "begun by days": (F.part.days.set({DAY}), {"part": Part(days=frozenset({DAY}))}),
    "begun by pairs": (F.part.pairs.set({(1, 2)}), {"part": Part(pairs={(1, 2)})}),
    "emptied by a set": (F.part.tags.set(set()), {"part": Part()}),
    "emptied by a frozen set": (F.part.tags.set(frozenset()), {"part": Part()}),
    "emptied by a list": (F.part.tags.set([]), {"part": Part()}),
    "emptied, of those that must be there": (F.must.tags.set(set()), {"must": Strict(tags=set())}),
    "a field": (F.tags.set(set()), {"tags": set()}),
    "a field of ids": (F.ids.add({UUID(int=5)}), {"ids": {UUID(int=5)}}),
    "a field of flags": (F.flags.set({True}), {"flags": {True}}),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_an_update_of_nested_sets_stores_the_same_item_as_a_put(
    db: Store, door: Door, thing: Thing, name: str
) -> None:
    action, changes = ACTIONS[name]
    expected = thing.model_copy(update=changes)

    assert db.update(THE.apply(action)) == expected
    written = stored(door, nested, "THING#1", "META")
    db.put(expected)
    assert stored(door, nested, "THING#1", "META") == written


def test_members_of_a_nested_set_can_be_added_and_discarded(db: Store, thing: Thing) -> None:
    db.update(THE.apply(F.part.tags.set({"a"})))
    assert db.update(THE.apply(F.part.tags.add({"b"}))).part.tags == {"a", "b"}
    assert db.update(THE.apply(F.part.tags.discard({"a", "b"}))).part.tags == set()

    assert db.update(THE.apply(F.part.tags.add({"c"}))).part.tags == {"c"}


@pytest.mark.parametrize("action", [F.part.tags.add({"a"}), F.part.tags.discard({"a"})])
def test_adding_to_an_empty_nested_set_raises_with_a_fix(db: Store, thing: Thing, action: Any) -> None:
    with pytest.raises(RequestRejected) as caught:
        db.update(THE.apply(action))
    with pytest.raises(TransactionFailed) as together:
        db.transaction(THE.apply(action))

    assert caught.value.code == together.value.failures[0].code == "store-nested-set"
    assert ".apply(F.part.tags.set({...})).when(F.part.tags.size() == 0)" in caught.value.fix
    changed = db.update(THE.apply(F.part.tags.set({"a"})).when(F.part.tags.size() == 0))
    assert changed.part.tags == {"a"}


@pytest.mark.one_door
def test_members_of_a_required_set_cannot_be_discarded(db: Store) -> None:
    """Without its last one it would be gone, and the item could not be read."""
    with pytest.raises(InvalidValue, match=r"Thing\.must\.tags has no default") as caught:
        THE.apply(F.must.tags.discard({"a"}))

    assert caught.value.code == "write-required"


@pytest.mark.one_door
@pytest.mark.parametrize("value", [{5}, [5], {"a": 1}, "a"])
def test_adding_members_of_the_wrong_kind_raises(db: Store, value: Any) -> None:
    with pytest.raises(InvalidValue, match=r"does not fit|is stored as"):
        THE.apply(F.part.tags.set(value))


def test_a_condition_on_an_object_with_an_empty_set(db: Store, thing: Thing) -> None:
    assert db.update(THE.set(part=other()).when(F.part == Part())).part == other()
