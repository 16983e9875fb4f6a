"""A store that was closed says so, at once and to everything; one that a process forks with goes on."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pksk import (
    Engine,
    Entity,
    ItemUnreadable,
    Key,
    Put,
    Store,
    StoreError,
    Table,
    connect,
    connect_async,
    transaction,
)
from pksk.server import Server

SHOP = Table("shop")


class Order(Entity, table=SHOP):
    id: str
    total: int = 0
    primary = Key("ORDER#{id}", "META")


GET = Order.primary.get(id="7")
CALLS: dict[str, Callable[[Store], Any]] = {
    "put": lambda db: db.put(Order(id="7")),
    "get": lambda db: db.get(GET),
    "iter": lambda db: list(db.iter(Order.primary(id="7"))),
    "scan": lambda db: list(db.scan(Order.scan(), segments=4)),
    "transaction": lambda db: db.run(transaction(Put(Order(id="7")))),
    "create_tables": lambda db: db.create_tables(Table("other")),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("where", ["memory", "file", "http"])
def test_a_closed_store_refuses_at_once(call: str, where: str, tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with Engine.open() as engine, Server(engine) as server:
        targets = {"memory": "memory:", "file": str(tmp_path / "shop.db"), "http": server.url}
        with connect(targets[where]) as db:
            db.create_tables(SHOP)
        db.close()

        with pytest.raises(StoreError, match="The store is closed"):
            CALLS[call](db)
        started = set(threading.enumerate()) - before
        assert not [each for each in started if each.name.startswith("pksk-store")]


def test_an_awaited_store_that_is_closed_refuses_too() -> None:
    async def main() -> None:
        async with connect_async("memory:") as db:
            await db.create_tables(SHOP)
        with pytest.raises(StoreError, match="The store is closed"):
            await db.get(GET)
        await db.close()

    asyncio.run(main())


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_uses_connections_of_its_own() -> None:
    with Engine.open() as engine, Server(engine) as server, connect(server.url) as db:
        db.create_tables(SHOP)
        db.batch_put(*(Order(id=str(number), total=number) for number in range(40)))
        children = [_child(db, number) for number in range(3)]
        own = [_is_right(db, number % 40) for number in range(200)]

        assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
        assert all(own)


def _child(db: Store, number: int) -> int:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if all(_is_right(db, (number * 7 + n) % 40) for n in range(200)) else 2
        finally:
            os._exit(status)
    return child


def _is_right(db: Store, number: int) -> bool:
    found = db.get(Order.primary.get(id=str(number)))
    return found is not None and found.total == number


@pytest.mark.parametrize(
    "write",
    [Order.primary.update(id="7").add(total=1), Order.primary.delete(id="7")],
    ids=["update", "delete"],
)
def test_a_write_whose_item_cannot_be_read_says_that_it_was_done(write: Any) -> None:
    with connect("memory:") as db:
        db.create_tables(SHOP)
        item = {**Put(Order(id="7")).item, "id": {"N": "7"}}
        db.client.call("PutItem", {"TableName": "shop", "Item": item})
        with pytest.raises(ItemUnreadable, match="was done all the same") as raised:
            db.run(write)

        assert raised.value.request == write


def test_a_time_to_live_that_is_not_declared_stays() -> None:
    with connect("memory:") as db:
        db.create_tables(Table("sessions", ttl="until"))

        assert db.ensure_tables(Table("sessions")) == []
        assert len(db.ensure_tables(Table("sessions"), destructive=True)) == 1
