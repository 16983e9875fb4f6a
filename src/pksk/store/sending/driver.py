"""Stores whose data is inside of one process, which a process that is forked from it must not go on with."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextvars import copy_context
from threading import Lock, local
from time import sleep
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from weakref import WeakSet

from pksk.client import Client
from pksk.errors import PkskError, StoreError, shorten_traceback
from pksk.store.sending.steps import Call, Pause, Steps, Together

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

__all__ = ["ClosedClient", "Driver", "ForkedClient", "keep_to_this_process"]


class ForkedClient:
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


class _LocalDriver(Protocol):
    def leave(self, process: int) -> None:
        """Use the client no more, which is that of another process."""


_LOCAL_DRIVERS: WeakSet[Any] = WeakSet()
_PROCESS: list[int] = [os.getpid()]


def keep_to_this_process(driver: _LocalDriver) -> None:
    """Have a driver leave its client where this process is forked; calls cost nothing more by that."""
    _LOCAL_DRIVERS.add(driver)


def _after_fork() -> None:
    parent, _PROCESS[0] = _PROCESS[0], os.getpid()
    for driver in list(_LOCAL_DRIVERS):
        driver.leave(parent)
    _LOCAL_DRIVERS.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


T = TypeVar("T")


class Driver:
    """Takes steps and waits for each; what may run side by side gets threads, if there are any `workers`.

    Example:
        >>> from pksk.engine import Engine
        >>> def tables():
        ...     return (yield Call("ListTables", {}))["TableNames"]
        >>> Driver(Engine.open()).run(tables())
        []
    """

    def __init__(
        self,
        client: Client,
        *,
        workers: int = 1,
        one_process: bool = False,
        pause: Callable[[float], None] = sleep,
    ) -> None:
        self.client, self._workers, self._pause = client, workers, pause
        if one_process:
            keep_to_this_process(self)
        self._pool: ThreadPoolExecutor | None = None
        self._process = os.getpid()
        self._lock = Lock()
        self._inside = local()

    def run(self, steps: Steps[T]) -> T:
        """What the steps come to."""
        try:
            step = steps.send(None)
            while True:
                try:
                    answer = self.client.call(*step) if isinstance(step, Call) else self._take(step)
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result
        except PkskError as error:
            raise shorten_traceback(error)  # noqa: B904 - the error itself

    def close(self) -> None:
        """Let the threads go; steps are refused from now on."""
        with self._lock:
            pool, self._pool = self._pool, None
            self.client, self._workers = ClosedClient(), 1
        if pool is not None and self._process == os.getpid():
            pool.shutdown()

    def leave(self, process: int) -> None:
        """Refuse steps in a process that was forked from that of the client."""
        # Threads of the other process may have held the lock.
        self.client, self._workers, self._lock, self._pool = ForkedClient(process), 1, Lock(), None

    def _take(self, step: Pause | Together) -> Any:
        return self._pause(step.seconds) if isinstance(step, Pause) else self._together(step.runs)

    def _together(self, runs: tuple[Steps[Any], ...]) -> list[Any]:
        # A thread that waits for others of its own pool could wait for ever.
        if self._workers < 2 or len(runs) < 2 or getattr(self._inside, "worker", False):
            return [self.run(each) for each in runs]
        futures = [self._threads().submit(copy_context().run, self._work, each) for each in runs]
        return _results(futures)

    def _work(self, steps: Steps[T]) -> T:
        self._inside.worker = True
        return self.run(steps)

    def _threads(self) -> ThreadPoolExecutor:
        if self._process != os.getpid():
            # Threads do not come along into a forked process, and nobody gives back a lock that one of them held.
            self._lock, self._pool, self._process = Lock(), None, os.getpid()
        with self._lock:
            if self._pool is None:
                from concurrent.futures import ThreadPoolExecutor

                self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="pksk-store")
            return self._pool


def _results(futures: list[Future[T]]) -> list[T]:
    try:
        return [each.result() for each in futures]
    finally:
        # After an error nobody reads the others; those under way are waited for, so that none is left behind.
        for each in futures:
            if not each.cancel():
                each.exception()


class ClosedClient:
    """The client of a store that was closed."""

    def call(self, _operation: str, _request: Mapping[str, Any]) -> dict[str, Any]:
        """Refuse whatever is asked."""
        raise StoreError(
            "store-closed",
            "The store is closed.",
            fix="make another one with connect(...), or close this one later.",
        )
