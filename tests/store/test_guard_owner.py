"""Guards name their owner in an attribute that the table does not need for itself, and understand older ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import pytest

from pksk import (
    GSI,
    TTL,
    Entity,
    InvalidValue,
    Key,
    Store,
    Table,
    Unique,
    UniqueViolation,
    VectorIndex,
    connect,
)
from tests.store.doors import Door
from tests.store.shop import named
from tests.store.table_contents import items_of, stored

by_owner = Table(named("by-owner"), indexes=[GSI("by-owner", pk="owner")])
owner_key = Table(named("owner-key"), pk="owner", sk="sk")
owner_says = Table(named("owner-says"), discriminator="owner")
owner_ends = Table(named("owner-ends"), ttl="owner")
by_vector = Table(named("owner-vector"), indexes=[VectorIndex("by-owner", attribute="owner", dimensions=2)])
both = Table(named("owner-both"), indexes=[GSI("by-owner", pk="owner", sk="pksk:owner")])
plain = Table(named("owner-plain"))


class InIndex(Entity, table=by_owner):
    id: str
    owner: str = "ann"
    email: Annotated[str | None, Unique()] = None

    primary = Key("P#{id}", "M")
    by_owner = Key("{owner}", index="by-owner")


class InKey(Entity, table=owner_key):
    id: str
    email: Annotated[str | None, Unique()] = None

    primary = Key("P#{id}", "M")


class InDiscriminator(Entity, table=owner_says):
    id: str
    email: Annotated[str | None, Unique()] = None

    primary = Key("P#{id}", "M")


class InExpiry(Entity, table=owner_ends):
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


KINDS: list[Any] = [InIndex, InKey, InDiscriminator, InExpiry, InVector, InBoth, Plain]


@pytest.fixture
def tables() -> Iterable[Table]:
    return [kind.__pksk__.table for kind in KINDS]


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_taken_given_back_and_handed_over(db: Store, door: Door, kind: Any) -> None:
    table = kind.__pksk__.table
    first = db.create(kind(id="1", email="a"))
    with pytest.raises(UniqueViolation) as caught:
        db.create(kind(id="2", email="a"))

    assert caught.value.owner == dict(zip(table.key_attributes, ({"S": "P#1"}, {"S": "M"}), strict=True))
    db.put(first)
    db.update(kind.primary.update(id="1").set(email="b"))
    db.create(kind(id="2", email="a"))
    db.transaction(
        kind.primary.update(id="1").set(email="a"),
        kind.primary.update(id="2").set(email="b"),
    )
    db.move(kind.primary.get(id="1"), id="3")
    for each in "23":
        db.delete(kind.primary.delete(id=each))
    assert items_of(door, table) == []


def test_a_guard_from_before_an_index_over_its_owner_is_understood() -> None:
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


def test_a_guard_from_the_time_of_such_an_index_is_understood(db: Store, door: Door) -> None:
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
def test_an_empty_value_is_told_by_the_field_of_the_entity(db: Store) -> None:
    with pytest.raises(InvalidValue, match=r"Plain\.email: field 'email' is empty"):
        db.create(Plain(id="1", email=""))
