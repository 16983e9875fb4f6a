"""Real connections that are cut anywhere: a write is done once or not at all, and its error says which."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from time import sleep
from typing import Any

import pytest

from pksk import (
    BatchIncomplete,
    Engine,
    OutcomeUnknown,
    RequestThrottled,
    Retry,
    ServiceUnreachable,
    Store,
    WriteConflict,
    connect,
    connect_async,
)
from pksk.server import Server
from tests.conftest import LONG
from tests.store.async_as_sync import awaited
from tests.store.faults.cutting import Cut, CuttingProxy, cutting
from tests.store.faults.design import TABLE, now
from tests.store.faults.harness import begun, items, run, twin
from tests.store.faults.operations import BATCHES, READS, WRITES

ROUNDS = 1500 if LONG else 16
QUICK = Retry(pause_seconds=0.001, throttled_pause_seconds=0.001)
OPERATIONS = {**WRITES, **READS, **BATCHES}
FIRST = items(begun())


@contextmanager
def waiting(url: str) -> Iterator[Store]:
    with connect(url, retry=QUICK, clock=now) as store:
        yield store


@contextmanager
def awaiting(url: str) -> Iterator[Store]:
    with asyncio.Runner() as runner:
        store = awaited(connect_async(url, retry=QUICK, clock=now), runner)
        yield store
        store.close()


@pytest.mark.parametrize("opened", [waiting, awaiting])
def test_a_cut_connection_applies_no_write_twice(opened: Callable[[str], Any]) -> None:
    random = Random(8)
    endings: dict[str, int] = {}
    with begun() as engine, Server(engine) as server, cutting(server.port) as proxy:
        for _ in range(ROUNDS):
            refill(engine)
            proxy.plan = [cut(random) for _ in range(random.randint(0, 5))]
            ending = one(opened, proxy, engine, random.choice(sorted(OPERATIONS)))
            endings[type(ending).__name__] = endings.get(type(ending).__name__, 0) + 1

    assert proxy.cuts > ROUNDS // 4
    assert len(endings) > 3, endings


def one(opened: Callable[[str], Any], proxy: CuttingProxy, engine: Engine, name: str) -> Any:
    """Run a operation, and check what it leaves behind."""
    before, after, expected = twin(OPERATIONS[name])
    with opened(proxy.url) as store:
        ending = run(lambda: OPERATIONS[name](store))
    stored = settled(engine)

    each_known = all(
        stored.get(key) in (before.get(key), after.get(key)) for key in {**stored, **before, **after}
    )
    assert each_known, (name, ending)
    if isinstance(ending, (OutcomeUnknown, BatchIncomplete)):
        assert name in BATCHES or stored in (before, after), (name, ending)
    elif isinstance(ending, (RequestThrottled, ServiceUnreachable, WriteConflict)):
        assert stored == before, (name, ending)
    else:
        assert (ending, stored) == (expected, after), (name, ending)
    return ending


def settled(engine: Engine) -> dict[str, Any]:
    """What is stored once the server has read what is on its way."""
    found = items(engine)
    while True:
        sleep(0.005)
        if (later := items(engine)) == found:
            return found
        found = later


def refill(engine: Engine) -> None:
    """Bring the table back to what is in it first."""
    stored = items(engine)
    requests = [{"PutRequest": {"Item": item}} for key, item in FIRST.items() if stored.get(key) != item]
    gone = [stored[key] for key in stored if key not in FIRST]
    requests += [
        {"DeleteRequest": {"Key": {name: item[name] for name in TABLE.key_attributes}}} for item in gone
    ]
    for start in range(0, len(requests), 25):
        engine.call("BatchWriteItem", {"RequestItems": {TABLE.name: requests[start : start + 25]}})


def cut(random: Random) -> Cut | None:
    if random.random() < 0.3:
        return None
    reset = random.random() < 0.5
    if random.random() < 0.5:
        return Cut("there", random.randint(0, 2500), reset)
    return Cut("back", random.randint(0, 900), reset)
