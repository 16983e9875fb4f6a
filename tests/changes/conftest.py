"""A store on an engine of its own for each test, synchronous or not, in process or over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from pksk import Clock, Engine, Partitioning, Store, connect, connect_async
from pksk.server import Server
from tests.store.async_as_sync import awaited


@pytest.fixture
def clock() -> Clock:
    """The engine's time, which stands still until a test moves it."""
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    """An engine whose tables begin with two partitions, and so with two shards."""
    with Engine.open(clock=clock, partitioning=Partitioning(partitions=2)) as engine:
        yield engine


@pytest.fixture(params=["memory", "async", "http"])
def db(request: pytest.FixtureRequest, engine: Engine) -> Iterator[Store]:
    """A store on the engine."""
    with ExitStack() as stack:
        yield _STORES[request.param](engine, stack)


def _in_process(engine: Engine, stack: ExitStack) -> Store:
    return stack.enter_context(connect(engine))


def _asynchronous(engine: Engine, stack: ExitStack) -> Store:
    runner = stack.enter_context(asyncio.Runner())
    store = connect_async(engine)
    stack.callback(lambda: runner.run(store.close()))
    return awaited(store, runner)


def _over_http(engine: Engine, stack: ExitStack) -> Store:
    server = stack.enter_context(Server(engine, port=0))
    return stack.enter_context(connect(server.url))


_STORES: dict[str, Callable[[Engine, ExitStack], Store]] = {
    "memory": _in_process,
    "async": _asynchronous,
    "http": _over_http,
}
