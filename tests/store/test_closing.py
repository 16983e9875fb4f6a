"""Closing: no threads, tasks or connections remain, and a closed store raises."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from pksk import Engine, Put, Retry, Store, StoreError, Table, between, connect, connect_async
from pksk.server import Server
from tests.store.shop import TABLES, Customer, Flag, Order, shop

FIRST = date(2025, 1, 1)
YEAR = Order.monthly(status="open", day=between(FIRST, date(2025, 12, 31)))
ORDERS = [Order(customer="7", number=n, day=FIRST + timedelta(days=n * 7 % 365)) for n in range(60)]


CALLS: dict[str, Callable[[Store], Any]] = {
    "put": lambda db: db.put(Flag(name="x")),
    "get": lambda db: db.get(Flag.primary.get(name="x")),
    "iter": lambda db: list(db.iter(YEAR)),
    "scan": lambda db: list(db.scan(Order.scan(), segments=4)),
    "transaction": lambda db: db.transaction(Put(Flag(name="x"))),
    "create_tables": lambda db: db.create_tables(Table("other")),
}


def threads() -> set[threading.Thread]:
    """Those of stores and of their engines; a server has its own. Stores of other tests may still have some."""
    ours = ("pksk-store", "pksk-engine", "pksk-expiry")
    return {each for each in threading.enumerate() if each.name.startswith(ours)}


def fill(db: Store) -> None:
    db.ensure_tables(*TABLES)
    db.batch_put(*ORDERS)


def test_closing_stops_all_threads() -> None:
    with Engine.open() as engine, Server(engine) as server:
        fill(connect(engine))
        serving = threads()
        with connect(server.url) as db:
            assert len(list(db.iter(YEAR))) == 60
            assert any(each.name.startswith("pksk-store") for each in threads() - serving)

        assert threads() - serving == set()


def test_a_store_on_an_engine_in_process_has_no_threads(tmp_path: Path) -> None:
    before = threads()
    for target in ("memory:", tmp_path / "shop.db"):
        with connect(target) as db:
            db.create_tables(*(table for table in TABLES if table.ttl is None))
            assert threads() - before == set()


def test_closing_twice_is_allowed_and_releases_the_file(tmp_path: Path) -> None:
    db = connect(tmp_path / "shop.db")
    fill(db)
    db.close()
    db.close()
    with connect(tmp_path / "shop.db") as again:
        assert again.count(YEAR) == 60


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("where", ["memory", "file", "http"])
def test_a_closed_store_raises_at_once(call: str, where: str, tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with Engine.open() as engine, Server(engine) as server:
        targets = {"memory": "memory:", "file": str(tmp_path / "shop.db"), "http": server.url}
        with connect(targets[where]) as db:
            db.create_tables(*TABLES)
        db.close()

        with pytest.raises(StoreError, match="The store is closed"):
            CALLS[call](db)
        started = set(threading.enumerate()) - before
        assert not [each for each in started if each.name.startswith("pksk-store")]


def test_a_closed_async_store_raises_at_once() -> None:
    async def main() -> None:
        async with connect_async("memory:") as db:
            await db.create_tables(*TABLES)
        with pytest.raises(StoreError, match="The store is closed"):
            await db.get(Flag.primary.get(name="x"))
        await db.close()

    asyncio.run(main())


@pytest.mark.parametrize("kind", ["memory", "file", "http"])
def test_an_async_store_leaves_no_threads_tasks_or_connections(kind: str, tmp_path: Path) -> None:
    async def use(target: Any) -> set[str]:
        async with connect_async(target) as db:
            await db.ensure_tables(*TABLES)
            await db.batch_put(*ORDERS)
            assert [each async for each in db.iter(YEAR)]
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        return {str(task) for task in rest}

    with Engine.open() as engine, Server(engine) as server:
        connect(engine).create_tables(*TABLES)
        before = threads()
        target = {"memory": "memory:", "file": tmp_path / "shop.db", "http": server.url}[kind]

        assert asyncio.run(use(target)) == set()
        gc.collect()
        assert threads() - before == set()


def test_a_synchronous_store_needs_no_event_loop_and_imports_no_async_library() -> None:
    program = """
        import sys, asyncio

        def no_loop(*_):
            raise AssertionError("a loop was made")

        asyncio.new_event_loop = no_loop
        from pksk import Entity, Key, Table, connect
        notes = Table("notes")
        class Note(Entity, table=notes):
            id: str
            primary = Key("NOTE#{id}", "META")
        with connect("memory:") as db:
            db.create_tables(notes)
            db.put(Note(id="1"))
            assert list(db.iter(Note.primary(id="1")))
        print(sorted(name for name in ("aiobotocore", "aiohttp", "botocore") if name in sys.modules))
    """
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", dedent(program)], capture_output=True, text=True, check=False
    )

    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_synchronous_store_works_inside_an_event_loop() -> None:
    async def use() -> int:
        with connect("memory:") as db:
            fill(db)
            return db.count(YEAR)

    assert asyncio.run(use()) == 60


class Slow:
    """A client of which each call takes its time, and which knows how many are under way."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.begun = self.ended = 0

    async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self.begun += 1
        try:
            await asyncio.sleep(0.02)
            return self.engine.call(operation, request)
        finally:
            self.ended += 1


@pytest.fixture
def slow() -> Any:
    with Engine.open() as engine:
        fill(connect(engine))
        yield Slow(engine)


def test_a_cancelled_fan_out_leaves_no_task(slow: Slow) -> None:
    async def use() -> int:
        db = connect_async(slow)

        async def read() -> None:
            async for _ in db.iter(YEAR):
                pass

        task = asyncio.create_task(read())
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return len(asyncio.all_tasks()) - 1

    assert asyncio.run(use()) == 0
    assert slow.begun == slow.ended > 3


def test_an_abandoned_iteration_leaves_no_task(slow: Slow) -> None:
    async def use() -> int:
        db = connect_async(slow)
        found = db.iter(YEAR)
        await anext(found)
        await found.aclose()  # type: ignore[attr-defined]
        return len(asyncio.all_tasks()) - 1

    assert asyncio.run(use()) == 0
    assert slow.begun == slow.ended


def test_a_time_limit_ends_a_call(slow: Slow) -> None:
    async def use() -> None:
        db = connect_async(slow)
        async with asyncio.timeout(0.03):
            await db.batch_put(*(each.model_copy(update={"customer": "8"}) for each in ORDERS))
            await db.batch_put(*(each.model_copy(update={"customer": "9"}) for each in ORDERS))

    with pytest.raises(TimeoutError):
        asyncio.run(use())
    assert slow.begun == slow.ended


def test_a_cancelled_transaction_is_applied_entirely_or_not_at_all(slow: Slow) -> None:
    async def use() -> None:
        db = connect_async(slow)
        for moment in (0.0, 0.01, 0.021, 0.03, 0.041):
            email = f"{moment}@b.c"
            write = db.transaction(
                Put(Customer(customer=str(moment), name="x", email=email)), Put(Flag(name=str(moment)))
            )
            task = asyncio.create_task(write)
            await asyncio.sleep(moment)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    asyncio.run(use())
    items = slow.engine.call("Scan", {"TableName": shop.name})["Items"]
    customers = {each["customer"]["S"] for each in items if each["type"]["S"] == "Customer"}
    guarded = {each["owner"]["M"]["pk"]["S"] for each in items if each["type"]["S"] == "pksk:unique"}
    flags = {each["name"]["S"] for each in slow.engine.call("Scan", {"TableName": "flags"})["Items"]}

    assert {f"CUST#{each}" for each in customers} == guarded
    assert flags == customers


def test_a_cancelled_call_over_http_releases_its_connection() -> None:
    async def use(url: str) -> None:
        async with connect_async(url) as db:
            reads = [db.run(Order.scan()) for _ in range(20)]
            tasks = [asyncio.create_task(each) for each in reads]
            await asyncio.sleep(0.005)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            assert await db.count(YEAR) == 60

    with Engine.open() as engine, Server(engine) as server:
        fill(connect(engine))
        asyncio.run(use(server.url))


def test_an_async_store_raises_after_its_loop_has_ended() -> None:
    with Engine.open() as engine, Server(engine) as server:
        db = connect_async(server.url, retry=Retry(attempts=1))

        async def use() -> None:
            await db.ensure_tables(*TABLES)

        async def close() -> None:
            await db.close()

        with asyncio.Runner() as runner:
            runner.run(use())
            with pytest.raises(Exception, match="another event loop"):
                _in_another_loop(use)
            runner.run(close())


def _in_another_loop(use: Any) -> None:
    errors: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(use())
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    raise errors[0]
