"""A store on an engine with slow table changes, whose pauses move the clock instead of waiting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pksk import Clock, Delays, Engine, Store
from pksk.client import Client
from pksk.sending.driver import Driver
from pksk.store import Core

__all__ = ["BeforeCall", "slow_engine", "timed"]


def slow_engine(clock: Clock) -> Engine:
    """An engine on which each change of a table takes some seconds."""
    return Engine.open(
        clock=clock, delays=Delays(create_table=2, update_table=1, backfill=3, delete_table=0.5)
    )


def timed(client: Client, clock: Clock) -> Store:
    """A store whose pauses move the clock."""
    store = Store(client, Core(clock=clock))
    store._driver = Driver(client, pause=clock.advance)
    return store


class BeforeCall:
    """A client with a function before each call: another client is at work, or the service rejects the call."""

    def __init__(
        self, engine: Engine, first: Callable[[str, Mapping[str, Any]], dict[str, Any] | None]
    ) -> None:
        self.engine, self.first = engine, first
        self.sent: list[str] = []

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self.sent.append(operation)
        answer = self.first(operation, request)
        return self.engine.call(operation, request) if answer is None else answer
