"""An entity whose primary key has a random shard replaces the item that it was read from."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Annotated, Any

import pytest

from pksk import Engine, Entity, Key, Put, Shard, Store, Table, Version, connect

events = Table("events")


class Event(Entity, table=events):
    id: str
    count: int = 0
    primary = Key("EVENT#{shard}", "{id}", shard=Shard(500))


class Raw(Entity, table=events, unknown="drop"):
    id: str
    count: int = 0
    primary = Key("RAW|{shard}", "{id}", shard=Shard(500), codec="raw")


class Counted(Entity, table=events):
    id: str
    count: int = 0
    version: Annotated[int, Version()] = 0
    primary = Key("COUNTED#{shard}", "{id}", shard=Shard(500))


WAYS: dict[str, Callable[[Store, Any], object]] = {
    "put": lambda db, entity: db.put(entity),
    "pickled": lambda db, entity: db.put(pickle.loads(pickle.dumps(entity))),
    "batch": lambda db, entity: db.batch_put(entity),
    "transaction": lambda db, entity: db.transaction(Put(entity)),
}


@pytest.fixture
def db() -> Store:
    store = connect(Engine.open())
    store.create_tables(events)
    return store


def items(db: Store) -> list[dict[str, Any]]:
    return list(db.client.call("Scan", {"TableName": "events"})["Items"])


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("kind", [Event, Raw, Counted])
def test_an_entity_that_was_read_replaces_its_item(db: Store, kind: Any, way: Callable[..., object]) -> None:
    if kind is Counted and way is WAYS["batch"]:
        way = WAYS["put"]  # a batch compares no versions
    db.put(kind(id="a"))
    (before,) = items(db)
    (read,) = db.scan(kind.scan())

    way(db, read.model_copy(update={"count": 1}))

    (after,) = items(db)
    assert {name for name in after if after[name] != before[name]} - {"version"} == {"count"}


def test_an_entity_of_another_id_is_another_item(db: Store) -> None:
    db.put(Event(id="a"))
    (read,) = db.scan(Event.scan())

    db.put(read.model_copy(update={"id": "b"}))

    assert sorted(item["id"]["S"] for item in items(db)) == ["a", "b"]
    assert len({Put(Event(id="a")).item["pk"]["S"] for _ in range(50)}) > 1
