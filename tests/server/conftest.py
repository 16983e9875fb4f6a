"""A server over an engine in memory, on either event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest
import uvloop

from pksk.engine import Engine
from pksk.server import Server

LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "uvloop": uvloop.new_event_loop,
    "asyncio": asyncio.new_event_loop,
}


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.open() as opened:
        yield opened


@pytest.fixture(params=list(LOOPS))
def loop_factory(request: pytest.FixtureRequest) -> Callable[[], asyncio.AbstractEventLoop]:
    return LOOPS[request.param]


@pytest.fixture
def server(engine: Engine, loop_factory: Callable[[], asyncio.AbstractEventLoop]) -> Iterator[Server]:
    with Server(engine, loop_factory=loop_factory) as running:
        yield running
