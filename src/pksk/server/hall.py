"""The connections of a server: who is there, for how long, and that they end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

from .limits import Limits
from .log import Writes

if TYPE_CHECKING:
    from .connection import Connection

__all__ = ["Hall"]


class Hall:
    """All connections that are open."""

    def __init__(self, loop: asyncio.AbstractEventLoop, limits: Limits, log: Writes) -> None:
        self.limits = limits
        self.time = monotonic  # the event loop's own clock may stand still for a whole turn
        self._loop = loop
        self._log = log
        self._connections: set[Connection] = set()

    def __len__(self) -> int:
        return len(self._connections)

    def admit(self, connection: Connection) -> bool:
        """Take note of a connection; False if it is one too many, and is to be closed."""
        self._connections.add(connection)
        if len(self._connections) <= self.limits.connections:
            return True
        self._log("refused", reason="too many connections", connections=self.limits.connections)
        return False

    def leave(self, connection: Connection) -> None:
        """A connection has ended."""
        self._connections.discard(connection)

    def later(self, step: Callable[[], None]) -> None:
        """Take a step when others have had their turn."""
        self._loop.call_soon(step)

    def expire(self) -> None:
        """End the connections whose time is over."""
        now = self.time()
        for connection in [each for each in self._connections if each.deadline < now]:
            connection.expire()

    async def watch(self) -> None:
        """Look for those whose time is over, for ever."""
        limits = self.limits
        shortest = min(limits.request_seconds, limits.idle_seconds, limits.write_seconds)
        while True:
            await asyncio.sleep(min(0.5, shortest / 4))
            self.expire()

    async def empty(self) -> None:
        """Let requests that have come be answered and connections end, and end those that do not."""
        for connection in list(self._connections):
            connection.stop()
        until = self.time() + self.limits.stop_seconds
        while self._connections and self.time() < until:
            await asyncio.sleep(0.005)
        for connection in list(self._connections):
            connection.abort()
        await asyncio.sleep(0)  # in which they are told that they are lost
