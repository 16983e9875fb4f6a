"""The transports into an engine: its own `call`, botocore in process, and botocore over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cached_property
from threading import Lock, local
from typing import Any, Final, TypeAlias, cast
from weakref import WeakKeyDictionary, ref

import pytest

from pksk.engine import Engine
from pksk.server import Server
from pksk.testing import intercept

from .botocore_transport import BotocoreTransport
from .exact_clients import Clients

__all__ = ["TRANSPORTS", "Transports"]

# The replacement of `Engine.call`.
Call: TypeAlias = Callable[[Engine, str, Mapping[str, Any]], dict[str, Any]]
TRANSPORTS: Final = ("call", "botocore", "http")


class Transports:
    """All transports into all engines; clients and servers are made when they are needed, and used again."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._idle: list[_Served] = []

    @contextmanager
    def through(self, transport: str) -> Iterator[None]:
        """A block in which `Engine.call` of every engine goes this transport."""
        if transport == "call":
            yield
            return
        opened: dict[str, Callable[[], AbstractContextManager[Call]]] = {
            "botocore": self._in_process,
            "http": self._over_http,
        }
        with opened[transport]() as call, pytest.MonkeyPatch.context() as patch:
            patch.setattr(Engine, "call", lambda *arguments: call(*arguments))  # noqa: PLW0108 - engines bind it
            yield

    def close(self) -> None:
        self._stack.close()

    @contextmanager
    def _in_process(self) -> Iterator[Call]:
        with intercept(_Switch(self.in_process)) as switch:
            yield switch.call

    @contextmanager
    def _over_http(self) -> Iterator[Call]:
        servers = _Servers(self._take)
        try:
            yield servers.call
        finally:
            self._idle.extend(servers.taken)

    @cached_property
    def in_process(self) -> Clients:
        return self._stack.enter_context(Clients())

    @cached_property
    def over_http(self) -> Clients:
        # Each request goes to the server of its engine instead.
        return self._stack.enter_context(Clients(endpoint_url="http://127.0.0.1:1"))

    def _take(self) -> _Served:
        return self._idle.pop() if self._idle else self._stack.enter_context(_Served(self.over_http))


class _Switch:
    """Stands in the interception of a whole test, and answers from the engine that a thread calls."""

    def __init__(self, clients: Clients) -> None:
        self._door = BotocoreTransport(clients)
        self._called = local()

    def call(self, engine: Engine, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self._called.engine = engine
        try:
            return self._door.call(operation, request)
        finally:
            del self._called.engine

    def answer(self, operation: str, body: bytes) -> tuple[int, bytes]:
        engine: Engine = self._called.engine
        return engine.answer(operation, body)


class _Engines:
    """Passes for the engine of a server, and has that of one test after the other behind it."""

    def __init__(self) -> None:
        self._first = Engine.open()  # a server reads its settings before there is a test
        self.serve(self._first)

    def serve(self, engine: Engine) -> None:
        # As without a server, the caller of an engine keeps the reference to it.
        self._now = ref(engine)

    def is_idle(self) -> bool:
        return self._now() is None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._now(), name)


class _Served:
    """A server and the transport to it; engines share the server, since starting one is slower than a call."""

    def __init__(self, clients: Clients) -> None:
        engines = _Engines()
        self._server = Server(cast("Engine", engines))
        self.serve, self.is_idle = engines.serve, engines.is_idle
        self.call = BotocoreTransport(clients, f"{self._server.url}/").call

    def __enter__(self) -> _Served:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()


class _Servers:
    """A server for each engine of a test."""

    def __init__(self, take: Callable[[], _Served]) -> None:
        self._take = take
        self._lock = Lock()
        self._by_engine: WeakKeyDictionary[Engine, _Served] = WeakKeyDictionary()
        self.taken: list[_Served] = []

    def call(self, engine: Engine, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        with self._lock:
            served = self._by_engine.get(engine)
            if served is None:
                served = self._by_engine[engine] = self._free()
                served.serve(engine)
        return served.call(operation, request)

    def _free(self) -> _Served:
        for served in self.taken:
            if served.is_idle():
                return served
        self.taken.append(self._take())
        return self.taken[-1]
