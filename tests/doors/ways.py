"""The ways into an engine: its own `call`, botocore in process, and botocore over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import cache
from threading import Lock, local
from typing import Any, TypeAlias

import pytest

from pksk.engine import Engine
from pksk.server import Server
from pksk.testing import intercept

from .clients import Clients
from .door import Door

__all__ = ["WAYS", "Way", "over_http", "over_http_clients", "through"]

# What takes the place of `Engine.call`.
Call: TypeAlias = Callable[[Engine, str, Mapping[str, Any]], dict[str, Any]]
Way: TypeAlias = Callable[[], AbstractContextManager[Call]]


class _Switch:
    """Stands in the interception of a whole test, and answers from the engine that a thread calls."""

    def __init__(self) -> None:
        self._called = local()

    def call(self, engine: Engine, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self._called.engine = engine
        return Door(in_process_clients()).call(operation, request)

    def answer(self, operation: str, body: bytes) -> tuple[int, bytes]:
        engine: Engine = self._called.engine
        return engine.answer(operation, body)


class _Servers:
    """A server for each engine, for as long as a test runs."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._lock = Lock()
        # The engine is kept with it, so that no other gets its id.
        self._by_engine: dict[int, tuple[Engine, Door]] = {}

    def call(self, engine: Engine, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        with self._lock:
            if id(engine) not in self._by_engine:
                server = self._stack.enter_context(Server(engine))
                self._by_engine[id(engine)] = engine, Door(over_http_clients(), f"{server.url}/")
        return self._by_engine[id(engine)][1].call(operation, request)


@contextmanager
def in_process() -> Iterator[Call]:
    with intercept(_Switch()) as switch:
        yield switch.call


@contextmanager
def over_http() -> Iterator[Call]:
    with ExitStack() as stack:
        yield _Servers(stack).call


@cache
def in_process_clients() -> Clients:
    return Clients()


@cache
def over_http_clients() -> Clients:
    # Each request goes to the server of its engine instead.
    return Clients(endpoint_url="http://127.0.0.1:1")


WAYS: dict[str, Way] = {
    "call": lambda: nullcontext(Engine.call),
    "botocore": in_process,
    "http": over_http,
}


@contextmanager
def through(way: str) -> Iterator[None]:
    """A block in which `Engine.call` of every engine goes this way."""
    with WAYS[way]() as call, pytest.MonkeyPatch.context() as patch:
        # A function, which engines have as a method, also where `call` is a method already.
        patch.setattr(Engine, "call", lambda self, operation, request: call(self, operation, request))
        yield
