"""Stores whose data is inside of one process, which a process that is forked from it must not go on with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Protocol
from weakref import WeakSet

from pksk.errors import StoreError

__all__ = ["AsyncElsewhere", "Elsewhere", "keep_to_this_process"]


class Elsewhere:
    """The client of a store in a process that was forked from that of its engine."""

    def __init__(self, process: int) -> None:
        self.process = process

    def call(self, _operation: str, _request: Mapping[str, Any]) -> dict[str, Any]:
        """Refuse whatever is asked."""
        raise StoreError(
            "store-forked",
            f"The store is on an engine inside of process {self.process}, from which this one was forked.",
            expected="An engine in memory or in a file is of one process: no other would see what this one writes.",
            fix="connect after the fork; or start pksk serve, and connect all processes to it.",
        )


class AsyncElsewhere(Elsewhere):
    """The same for a store that is awaited."""

    async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:  # type: ignore[override]
        """Refuse whatever is asked."""
        return super().call(operation, request)


class _Driver(Protocol):
    def leave(self, process: int) -> None:
        """Use the client no more, which is that of another process."""


_DRIVERS: WeakSet[Any] = WeakSet()
_PROCESS: list[int] = [os.getpid()]


def keep_to_this_process(driver: _Driver) -> None:
    """Have a driver leave its client where this process is forked; calls cost nothing more by that."""
    _DRIVERS.add(driver)


def _in_child() -> None:
    parent, _PROCESS[0] = _PROCESS[0], os.getpid()
    for driver in list(_DRIVERS):
        driver.leave(parent)
    _DRIVERS.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
