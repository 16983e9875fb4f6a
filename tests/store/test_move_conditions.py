"""A move takes along what the entity does not know, and says so where an item is too wide to be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import pytest
from pydantic import create_model

from pksk import (
    GSI,
    DesignError,
    Engine,
    Entity,
    InvalidValue,
    Key,
    NotFound,
    Retry,
    Store,
    Table,
    Version,
    connect,
)
from tests.store.doors import Door
from tests.store.shop import named
from tests.store.table_contents import stored

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


@pytest.fixture
def tables() -> Iterable[Table]:
    return [parcels]


LEGACY = {
    "legacy": {"S": "precious"},
    "size": {"M": {"x": {"N": "1"}}},
    "marks": {"SS": ["a", "b"]},
    "y1": {"S": "y"},
}


def _put(door: Door, item: Mapping[str, Any]) -> None:
    door.call("PutItem", {"TableName": parcels.name, "Item": item})


def test_a_move_takes_along_what_the_entity_does_not_know(db: Store, door: Door) -> None:
    _put(door, {**Parcel(id="1", owner="ann").to_item(), **LEGACY})

    moved = db.move(Parcel.primary.get(id="1"), id="2", owner=None)

    assert moved == db.get(Parcel.primary.get(id="2")) == Parcel(id="2")
    assert stored(door, parcels, "PARCEL#2", "META") == {**Parcel(id="2").to_item(), **LEGACY}
    assert stored(door, parcels, "PARCEL#1", "META") == {}


def test_a_move_in_place_leaves_what_the_entity_does_not_know(db: Store, door: Door) -> None:
    _put(door, {**Parcel(id="1").to_item(), **LEGACY})

    db.move(Parcel.primary.get(id="1"), weight=3)

    assert stored(door, parcels, "PARCEL#1", "META") == {**Parcel(id="1", weight=3).to_item(), **LEGACY}


def test_what_the_entity_does_not_know_counts_for_the_size(db: Store, door: Door) -> None:
    _put(door, {**Parcel(id="1").to_item(), "legacy": {"S": "x" * 408_900}})

    with pytest.raises(InvalidValue, match="move: the item of Parcel has"):
        db.move(Parcel.primary.get(id="1"), id="2" * 700)

    assert db.get(Parcel.primary.get(id="1")) == Parcel(id="1")


class _Between:
    """DynamoDB, with a change by others after the first read."""

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
def test_what_others_change_meanwhile_is_not_lost(change: str, changes: dict[str, Any]) -> None:
    engine = Engine.open()
    connect(engine).create_tables(parcels)
    engine.call("PutItem", {"TableName": parcels.name, "Item": {**Parcel(id="1").to_item(), **LEGACY}})

    moved = connect(_Between(engine, change), retry=Retry(pause_seconds=0)).move(
        Parcel.primary.get(id="1"), **changes
    )

    (item,) = engine.call("Scan", {"TableName": parcels.name})["Items"]
    assert item["id"] == {"S": moved.id}
    assert item.get("legacy") == ({"S": "newer"} if change.startswith("SET") else None)


def test_an_item_too_wide_to_be_compared_is_not_moved_and_the_way_out_is_told(db: Store) -> None:
    wide: Wide = db.put(Wide(id="1"))

    with pytest.raises(
        DesignError, match="Wide: move: an item with 204 attributes would be compared"
    ) as caught:
        db.move(wide, id="2")

    assert caught.value.code == "store-move-too-wide"
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


def test_an_upsert_too_wide_for_an_expression_is_refused_and_the_way_out_is_told(db: Store) -> None:
    update = Wide.primary.update(id="1").set(field001="x")

    with pytest.raises(DesignError, match="an upsert names all 201 fields of Wide") as caught:
        db.update(update, upsert=True)
    with pytest.raises(DesignError):
        db.transaction(update.upsert())

    assert caught.value.code == "store-upsert-too-wide"
    assert "create the entity where that raises NotFound" in caught.value.fix
    with pytest.raises(NotFound):
        db.update(update)
    db.create(Wide(id="1", field001="x"))
    assert db.update(update.set(field002="y")).field002 == "y"
