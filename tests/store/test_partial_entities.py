"""An entity that was read from an index without all attributes cannot be put: its other attributes would be lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from pksk import (
    GSI,
    LSI,
    DesignError,
    Engine,
    Entity,
    F,
    Key,
    Put,
    Store,
    Table,
    batch,
    connect,
    connect_async,
    transaction,
)

tasks = Table(
    "tasks",
    indexes=[
        GSI("by-status", pk="g1", projection=["id", "status"]),
        GSI("whole", pk="g2"),
        LSI("local", sk="status", projection=["id"]),
    ],
    discriminator=None,
)


class Task(Entity, table=tasks):
    id: str
    status: str
    primary = Key("TASK#{id}", "META")
    by_status = Key("{status}", index="by-status")
    whole = Key("{status}", index="whole")
    local = Key("TASK#{id}", "{status}", index="local")


@pytest.fixture
def db() -> Store:
    store = connect(Engine.open())
    store.create_tables(tasks)
    store.client.call(
        "PutItem",
        {"TableName": "tasks", "Item": {**Put(Task(id="1", status="open")).item, "legacy": {"S": "x"}}},
    )
    return store


def stored(db: Store) -> dict[str, Any]:
    (item,) = db.client.call("Scan", {"TableName": "tasks"})["Items"]
    found: dict[str, Any] = item
    return found


PARTIAL: dict[str, Callable[[Store], Any]] = {
    "first": lambda db: db.first(Task.by_status(status="open")),
    "iter": lambda db: next(iter(db.iter(Task.by_status(status="open")))),
    "page": lambda db: db.page(Task.by_status(status="open").pages(5)).items[0],
    "unreadable": lambda db: db.first(Task.by_status(status="open"), unreadable=[]),
    "local": lambda db: db.first(Task.local(id="1")),
    "run": lambda db: db.run(Task.by_status(status="open"))[0],
    "filter": lambda db: db.first(Task.by_status(status="open").filter(F.id == "1")),
    "collect": lambda db: db.collect(Task.by_status(status="open"), Task.by_status(status="done"))[0],
    "scan": lambda db: next(iter(db.scan(Task.by_status.scan()))),
    "segments": lambda db: next(iter(db.scan(Task.local.scan(), segments=2))),
    "page of a scan": lambda db: db.page(Task.by_status.scan()).items[0],
}
WHOLE: dict[str, Callable[[Store], Any]] = {
    "hydrated": lambda db: db.first(Task.by_status(status="open").hydrate()),
    "all projected": lambda db: db.first(Task.whole(status="open")),
    "table": lambda db: db.first(Task.primary(id="1")),
}


@pytest.mark.parametrize("read", PARTIAL.values(), ids=PARTIAL)
def test_a_put_of_a_partial_entity_raises(db: Store, read: Callable[[Store], Any]) -> None:
    before, task = stored(db), read(db)
    writes: list[Callable[[], object]] = [
        lambda: db.put(task),
        lambda: db.put(task.model_copy()),
        lambda: db.create(task),
        lambda: db.batch_put(task),
        lambda: db.run(batch(Put(task))),
        lambda: db.run(transaction(Put(task))),
    ]

    for write in writes:
        with pytest.raises(DesignError, match="which does not project all attributes") as raised:
            write()
        assert raised.value.code == "entity-partial"
    assert stored(db) == before


@pytest.mark.parametrize("read", WHOLE.values(), ids=WHOLE)
def test_a_put_of_a_whole_entity_keeps_unknown_attributes(db: Store, read: Callable[[Store], Any]) -> None:
    before = stored(db)

    db.put(read(db))

    assert stored(db) == before


class Label(Entity, table=Table("tasks", discriminator=None)):
    """A smaller entity of the same items."""

    id: str
    primary = Key("TASK#{id}", "META")


class Archived(Entity, table=Table("archive", discriminator=None)):
    id: str
    status: str
    primary = Key("TASK#{id}", "META")


SMALLER: dict[str, Callable[[Store], Any]] = {
    "table": lambda db: db.first(Task.primary(id="1").into(Label)),
    "itself": lambda db: db.first(Task.primary(id="1").into(Task)),
    "index": lambda db: db.first(Task.by_status(status="open").into(Label)),
    "hydrated": lambda db: db.first(Task.whole(status="open").into(Label).hydrate()),
}


@pytest.mark.parametrize("read", SMALLER.values(), ids=SMALLER)
def test_a_put_of_a_smaller_entity_of_the_same_item_raises(db: Store, read: Callable[[Store], Any]) -> None:
    before, label = stored(db), read(db)

    for write in (db.put, db.batch_put, lambda entity: db.transaction(Put(entity))):
        with pytest.raises(DesignError, match=r"was read by \.into\((Label|Task)\)") as raised:
            write(label)
        assert raised.value.code == "entity-partial"
    assert stored(db) == before
    db.move(label, id="2")
    assert stored(db) == before | {"id": {"S": "2"}, "pk": {"S": "TASK#2"}}


def test_a_smaller_entity_of_another_table_is_put(db: Store) -> None:
    db.create_tables(Archived.__pksk__.table)
    archived: Any = db.first(Task.primary(id="1").into(Archived))

    db.put(archived)

    assert db.get(Archived, id="1") == archived


def test_a_move_of_a_partial_entity_reads_the_rest(db: Store) -> None:
    task: Any = db.first(Task.by_status(status="open"))

    moved = db.move(task, status="done")
    db.put(moved)

    assert stored(db)["legacy"] == {"S": "x"}
    assert stored(db)["status"] == {"S": "done"}


def test_a_partial_entity_can_be_deleted_and_stored_under_another_key(db: Store) -> None:
    task: Any = db.first(Task.by_status(status="open"))

    db.put(task.model_copy(update={"id": "2"}))
    db.delete(task)

    assert stored(db)["id"] == {"S": "2"}


def test_a_class_that_drops_unknown_attributes_puts_partial_entities(db: Store) -> None:
    class Plain(
        Entity, table=Table("tasks", indexes=list(tasks.indexes), discriminator=None), unknown="drop"
    ):
        id: str
        status: str
        primary = Key("TASK#{id}", "META")
        by_status = Key("{status}", index="by-status")

    task: Any = db.first(Plain.by_status(status="open"))
    db.put(task)

    assert "legacy" not in stored(db)


@pytest.mark.parametrize("unknown", ["keep", "drop", "error"])
@pytest.mark.parametrize("projection", [["id", "status"], ["id", "status", "more"]], ids=["without", "with"])
def test_an_index_never_reads_an_item_of_a_subclass_as_the_base_class(
    unknown: Any, projection: list[str]
) -> None:
    table = Table("tasks", indexes=[GSI("by-status", pk="g1", projection=projection)])

    class Base(Entity, table=table, unknown=unknown):
        id: str
        status: str
        primary = Key("TASK#{id}", "META")
        by_status = Key("{status}", index="by-status")

    class Big(Base, table=table):
        more: str = ""

    store = connect(Engine.open())
    store.create_tables(table)
    big = Big(id="1", status="open", more="precious")
    store.put(big)
    before = stored(store)

    with pytest.raises(DesignError, match="does not project 'type'"):
        store.first(Base.by_status(status="open"))
    read: Any = store.first(Base.by_status(status="open").hydrate())
    store.put(read)
    store.batch_put(read)
    store.run(transaction(Put(read)))

    assert read == big
    assert stored(store) == before


def test_an_asynchronous_store_marks_partial_entities_too(db: Store) -> None:
    async def write() -> None:
        async with connect_async(db.client) as store:
            async for task in store.iter(Task.by_status(status="open")):
                with pytest.raises(DesignError, match="which does not project all attributes"):
                    await store.batch_put(task)
                with pytest.raises(DesignError, match="which does not project all attributes"):
                    await store.put(task)
                await store.move(task, id="2")

    before = stored(db)
    asyncio.run(write())

    assert stored(db) == before | {"id": {"S": "2"}, "pk": {"S": "TASK#2"}}
