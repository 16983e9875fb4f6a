"""Moves: a put and a delete in one transaction, in which no attribute and no concurrent change is lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Annotated, Any

import pytest
from pydantic import create_model

from pksk import (
    GSI,
    AlreadyExists,
    DesignError,
    Engine,
    Entity,
    InvalidValue,
    Key,
    NotFound,
    Reference,
    ReferenceMissing,
    Retry,
    Shard,
    Store,
    Table,
    Version,
    connect,
)
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import TABLES, Dog, Flag, Order, Reading, named, shop
from tests.store.table_contents import assert_keys_right, items_of, stored

FIRST = date(2025, 3, 1)
ORDER = Order(customer="7", number=1, day=FIRST, note="kept", tags={"x"})
GET = Order.primary.get(customer="7", number=1)

parcels = Table(named("parcels"), indexes=[GSI("by_owner", pk="x1"), GSI("others", pk="y1")])
MANY = {f"field{number:03}": (str, "v") for number in range(200)}


class Parcel(Entity, table=parcels):
    id: str
    weight: int = 0
    owner: str | None = None

    primary = Key("PARCEL#{id}", "META")
    by_owner = Key("OWNER#{owner}", index="by_owner")


class Wide(create_model("Columns", id=(str, ...), **MANY), Entity, table=parcels):  # type: ignore[misc]
    primary = Key("WIDE#{id}", "META")


class Counted(create_model("Columns", id=(str, ...), **MANY), Entity, table=parcels):  # type: ignore[misc]
    version: Annotated[int, Version()] = 0
    primary = Key("COUNTED#{id}", "META")


class Spread(Entity, table=parcels):
    id: str
    count: int = 0

    primary = Key("SPREAD#{shard}", "{id}", shard=Shard(4))


class Node(Entity, table=parcels):
    id: str
    up: Annotated[str | None, Reference("Node", id="up")] = None
    side: Annotated[str | None, Reference("Node", id="side")] = None

    primary = Key("NODE#{id}", "M")


@pytest.fixture
def tables() -> Iterable[Table]:
    return (*TABLES, parcels)


def test_an_item_moves_with_all_its_attributes(db: Store, door: Door, eventually: Eventually) -> None:
    db.put(ORDER)
    moved = db.move(ORDER, customer="8", status="paid")

    assert moved == ORDER.model_copy(update={"customer": "8", "status": "paid"})
    assert db.get(GET) is None
    assert db.get(Order.primary.get(customer="8", number=1)) == moved
    eventually(lambda: db.iter(Order.by_status(status="open")), [])
    eventually(lambda: db.iter(Order.by_status(status="paid")), [moved])
    assert_keys_right(door, shop)


def test_an_item_moves_by_its_key_alone(db: Store) -> None:
    db.put(ORDER)

    assert db.move(GET, number=2) == ORDER.model_copy(update={"number": 2})


def test_a_move_takes_the_stored_item_and_not_the_passed_one(db: Store) -> None:
    db.put(ORDER)
    db.update(Order.primary.update(customer="7", number=1).set(note="newer"))

    assert db.move(ORDER, number=2).note == "newer"


def test_a_move_of_fields_outside_the_key_is_an_update(db: Store, door: Door) -> None:
    db.put(ORDER)
    moved = db.move(ORDER, status="sent")

    assert moved == db.get(GET) == ORDER.model_copy(update={"status": "sent"})
    assert len(items_of(door, shop)) == 1
    assert_keys_right(door, shop)


def test_a_move_of_a_missing_item_raises_not_found(db: Store, door: Door) -> None:
    with pytest.raises(NotFound, match="there is no item pk = 'CUST#7', sk = 'ORDER#000001'"):
        db.move(GET, number=2)
    with pytest.raises(NotFound):
        db.move(ORDER, number=2)

    assert items_of(door, shop) == []


def test_a_move_to_the_key_of_another_item_raises_with_that_item(db: Store) -> None:
    db.put(ORDER)
    other = db.put(Order(customer="7", number=2, day=FIRST))
    with pytest.raises(
        AlreadyExists, match="an item with the key pk = 'CUST#7', sk = 'ORDER#000002'"
    ) as caught:
        db.move(ORDER, number=2)

    assert caught.value.item == other
    assert db.get(GET) == ORDER
    assert db.get(Order.primary.get(customer="7", number=2)) == other


def test_a_move_in_tables_of_other_shapes(db: Store) -> None:
    db.put(Flag(name="dark", on=True, by="ann"))
    db.put(Reading(sensor=1, moment=b"\x01", kind="cold"))

    assert db.move(Flag.primary.get(name="dark"), name="light") == Flag(name="light", on=True, by="ann")
    assert db.move(Reading.primary.get(sensor=1, moment=b"\x01"), sensor=2).kind == "cold"
    assert db.get(Flag.primary.get(name="dark")) is None
    assert db.get(Reading.primary.get(sensor=2, moment=b"\x01")) is not None


def test_a_move_of_a_subclass_through_its_base_keeps_the_subclass(db: Store) -> None:
    db.put(Dog(owner="ann", name="rex", tricks={"sit"}))
    moved = db.move(Dog.primary.get(owner="ann", name="rex"), owner="bob")

    assert moved == Dog(owner="bob", name="rex", tricks={"sit"})


@pytest.mark.one_door
@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        ({}, DesignError, "Order: move: it has no changes"),
        ({"numbr": 5}, Exception, "numbr"),
        ({"number": "many"}, InvalidValue, "Order.number: 'many' does not fit"),
        ({"number": 10**7}, InvalidValue, "number"),
        ({"status": "lost"}, InvalidValue, "Order.status"),
    ],
    ids=str,
)
def test_invalid_changes_raise(db: Store, changes: dict[str, Any], error: type[Exception], text: str) -> None:
    db.put(ORDER)
    with pytest.raises(error, match=text):
        db.move(ORDER, **changes)

    assert db.get(GET) == ORDER


# References and shards


def test_an_item_that_refers_to_itself_moves_with_its_reference(db: Store, door: Door) -> None:
    db.put(Node(id="1", up="1"))
    for changes in ({"id": "2"}, {"id": "2", "side": "1", "up": None}):
        with pytest.raises(
            ReferenceMissing, match="refers to the item itself, by its old key pk = 'NODE#1'"
        ) as caught:
            db.move(Node.primary.get(id="1"), **changes)
        assert caught.value.field in ("up", "side")

    assert db.move(Node.primary.get(id="1"), id="2", up="2") == Node(id="2", up="2")
    assert len(items_of(door, parcels)) == 1


def test_a_move_checks_only_the_references_that_it_changes(db: Store) -> None:
    db.put(Node(id="1"))
    db.put(Node(id="2", up="1"))
    db.delete(Node.primary.delete(id="1"))

    assert db.move(Node.primary.get(id="2"), id="3") == Node(id="3", up="1")
    with pytest.raises(ReferenceMissing):
        db.move(Node.primary.get(id="3"), id="4", side="1")


@pytest.mark.one_door
def test_a_move_of_an_item_in_a_random_shard_raises(db: Store) -> None:
    made = db.put(Spread(id="1"))
    for changes in ({"count": 1}, {"id": "2"}):
        with pytest.raises(DesignError, match=r"Spread\.primary\.move: the shard .* is random") as caught:
            db.move(made, **changes)

        assert caught.value.code == "plan-random-shard"


# Undeclared attributes, and items with many attributes

LEGACY = {
    "legacy": {"S": "precious"},
    "size": {"M": {"x": {"N": "1"}}},
    "marks": {"SS": ["a", "b"]},
    "y1": {"S": "y"},
}


def _put(door: Door, item: Mapping[str, Any]) -> None:
    door.call("PutItem", {"TableName": parcels.name, "Item": item})


def test_a_move_keeps_undeclared_attributes(db: Store, door: Door) -> None:
    _put(door, {**Parcel(id="1", owner="ann").to_item(), **LEGACY})

    moved = db.move(Parcel.primary.get(id="1"), id="2", owner=None)

    assert moved == db.get(Parcel.primary.get(id="2")) == Parcel(id="2")
    assert stored(door, parcels, "PARCEL#2", "META") == {**Parcel(id="2").to_item(), **LEGACY}
    assert stored(door, parcels, "PARCEL#1", "META") == {}


def test_a_move_within_the_same_key_keeps_undeclared_attributes(db: Store, door: Door) -> None:
    _put(door, {**Parcel(id="1").to_item(), **LEGACY})

    db.move(Parcel.primary.get(id="1"), weight=3)

    assert stored(door, parcels, "PARCEL#1", "META") == {**Parcel(id="1", weight=3).to_item(), **LEGACY}


def test_undeclared_attributes_count_for_the_item_size(db: Store, door: Door) -> None:
    _put(door, {**Parcel(id="1").to_item(), "legacy": {"S": "x" * 408_900}})

    with pytest.raises(InvalidValue, match="move: the item of Parcel has"):
        db.move(Parcel.primary.get(id="1"), id="2" * 700)

    assert db.get(Parcel.primary.get(id="1")) == Parcel(id="1")


class _ChangeAfterRead:
    """An engine on which another client changes the item after the first read."""

    def __init__(self, engine: Engine, change: str) -> None:
        self.engine, self.change = engine, change

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = self.engine.call(operation, request)
        if operation == "GetItem" and self.change:
            update, self.change = {"UpdateExpression": self.change}, ""
            if ":n" in update["UpdateExpression"]:
                update["ExpressionAttributeValues"] = {":n": {"S": "newer"}}  # type: ignore[assignment]
            self.engine.call("UpdateItem", {"TableName": parcels.name, "Key": request["Key"], **update})
        return answer


@pytest.mark.parametrize("change", ["SET legacy = :n", "REMOVE legacy"])
@pytest.mark.parametrize("changes", [{"id": "2"}, {"weight": 2}], ids=str)
def test_a_move_loses_no_concurrent_change(change: str, changes: dict[str, Any]) -> None:
    engine = Engine.open()
    connect(engine).create_tables(parcels)
    engine.call("PutItem", {"TableName": parcels.name, "Item": {**Parcel(id="1").to_item(), **LEGACY}})

    moved = connect(_ChangeAfterRead(engine, change), retry=Retry(pause_seconds=0)).move(
        Parcel.primary.get(id="1"), **changes
    )

    (item,) = engine.call("Scan", {"TableName": parcels.name})["Items"]
    assert item["id"] == {"S": moved.id}
    assert item.get("legacy") == ({"S": "newer"} if change.startswith("SET") else None)


def test_a_move_of_an_item_with_too_many_attributes_raises_with_a_fix(db: Store) -> None:
    wide: Wide = db.put(Wide(id="1"))

    with pytest.raises(
        DesignError, match="Wide: move: an item with 204 attributes needs 202 conditions"
    ) as caught:
        db.move(wide, id="2")

    assert caught.value.code == "store-move-too-large"
    assert "give Wide a version" in caught.value.fix
    assert db.get(Wide.primary.get(id="1")) == wide
    with pytest.raises(NotFound):
        db.move(Wide.primary.get(id="2"), id="3")


def test_a_wide_item_with_a_version_moves(db: Store, door: Door) -> None:
    wide: Counted = db.put(Counted(id="1"))

    moved: Counted = db.move(wide, id="2", field100="w")

    assert (moved.version, moved.field100, moved.field199) == (2, "w", "v")
    assert db.get(Counted.primary.get(id="2")) == moved
    assert stored(door, parcels, "COUNTED#1", "META") == {}


def test_an_upsert_with_too_many_fields_raises_with_a_fix(db: Store) -> None:
    update = Wide.primary.update(id="1").set(field001="x")

    with pytest.raises(DesignError, match="an upsert names all 201 fields of Wide") as caught:
        db.update(update, upsert=True)
    with pytest.raises(DesignError):
        db.transaction(update.upsert())

    assert caught.value.code == "store-upsert-too-large"
    assert "create the entity if that raises NotFound" in caught.value.fix
    with pytest.raises(NotFound):
        db.update(update)
    db.create(Wide(id="1", field001="x"))
    assert db.update(update.set(field002="y")).field002 == "y"
