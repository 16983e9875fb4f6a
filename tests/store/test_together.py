"""Many at once: fifty threads, and fifty tasks, on one sequence and on one item with a version."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from pksk import AsyncStore, Engine, Retry, StaleVersion, Store, UniqueTaken, connect, connect_async
from pksk.server import Server
from tests.store.shop import Customer, order_numbers, shop

MANY: Final = 50
# Fifty that change one item wait for each other longer than most programs would.
PATIENT: Final = Retry(contended=1000, pause_seconds=0.001)


@pytest.fixture(params=["memory", "file", "http"])
def target(request: pytest.FixtureRequest, tmp_path: Any) -> Any:
    """What many share: an engine in memory or in a file, or a server."""
    path = tmp_path / "store.db" if request.param == "file" else ":memory:"
    with Engine.open(path, durable=False) as engine:
        connect(engine).create_tables(shop)
        if request.param == "http":
            with Server(engine) as server:
                yield server.url
        else:
            yield engine


def draw(db: Store) -> list[int]:
    return [*db.take(order_numbers, 3, customer="7"), db.next(order_numbers, customer="7")]


def rename(db: Store) -> None:
    """Add a letter to a name, by reading and writing: the classic lost update."""
    while True:
        found = db.get(Customer.primary.get(customer="7").consistently())
        assert found is not None
        try:
            db.put(found.model_copy(update={"name": found.name + "x"}))
        except StaleVersion:
            continue
        return


def in_threads(target: Any, work: Callable[[Store], Any]) -> list[Any]:
    with connect(target, retry=PATIENT) as db, ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(lambda _: work(db), range(MANY)))


def in_tasks(target: Any, work: Callable[[AsyncStore], Awaitable[Any]]) -> list[Any]:
    async def all_of_them() -> list[Any]:
        async with connect_async(target, retry=PATIENT) as db:
            return await asyncio.gather(*(work(db) for _ in range(MANY)))

    return asyncio.run(all_of_them())


def test_threads_draw_no_number_twice(target: Any) -> None:
    drawn = [number for numbers in in_threads(target, draw) for number in numbers]

    assert sorted(drawn) == list(range(1, MANY * 4 + 1))


def test_tasks_draw_no_number_twice(target: Any) -> None:
    async def work(db: AsyncStore) -> list[int]:
        block = await db.take(order_numbers, 3, customer="7")
        return [*block, await db.next(order_numbers, customer="7")]

    drawn = [number for numbers in in_tasks(target, work) for number in numbers]

    assert sorted(drawn) == list(range(1, MANY * 4 + 1))


def test_threads_lose_no_update(target: Any) -> None:
    with connect(target) as db:
        db.put(Customer(customer="7", name="x"))
        in_threads(target, rename)
        found = db.get(Customer.primary.get(customer="7").consistently())

        assert found is not None
        assert (found.name, found.version) == ("x" * (MANY + 1), MANY + 1)


def test_tasks_lose_no_update(target: Any) -> None:
    async def work(db: AsyncStore) -> None:
        while True:
            found = await db.get(Customer.primary.get(customer="7").consistently())
            assert found is not None
            try:
                await db.put(found.model_copy(update={"name": found.name + "x"}))
            except StaleVersion:
                continue
            return

    with connect(target) as db:
        db.put(Customer(customer="7", name="x"))
        in_tasks(target, work)
        found = db.get(Customer.primary.get(customer="7").consistently())

        assert found is not None
        assert (found.name, found.version) == ("x" * (MANY + 1), MANY + 1)


def test_updates_of_many_all_count_and_take_one_unique_value_after_the_other(target: Any) -> None:
    def work(db: Store) -> int:
        return db.update(Customer.primary.update(customer="7").set(name="Ann", phone=5)).version

    with connect(target) as db:
        db.put(Customer(customer="7", name="x"))
        in_threads(target, work)
        found = db.get(Customer.primary.get(customer="7").consistently())

        assert found is not None
        assert (found.version, found.phone) == (MANY + 1, 5)


def test_a_unique_value_that_many_want_goes_to_one(target: Any) -> None:
    numbers = iter(range(1000))

    def work(db: Store) -> bool:
        try:
            db.create(Customer(customer=str(next(numbers)), name="x", email="a@b.c"))
        except UniqueTaken:
            return False
        return True

    assert sum(in_threads(target, work)) == 1
