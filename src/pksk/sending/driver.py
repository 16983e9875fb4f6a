"""Runs the steps of a request with a synchronous client; a forked process cannot use an engine of its parent."""

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
from pksk.sending.operation import Call, Effect, Pause, Steps, Together

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor


class ForkedClient:
    """The client of a store in a process that was forked from the engine's process."""

    def __init__(self, process: int) -> None:
        self.process = process

    def call(self, _operation: str, _request: Mapping[str, Any]) -> dict[str, Any]:
        """Reject the request."""
        raise StoreError(
            "store-forked",
            f"The store uses an engine in process {self.process}, and this process was forked from it.",
            expected="Only one process can use an engine in memory or in a file.",
            fix="connect after the fork; or start pksk serve, and connect all processes to it.",
        )


class _LocalDriver(Protocol):
    def detach(self, process: int) -> None:
        """Stop using the client: it belongs to another process."""


_LOCAL_DRIVERS: WeakSet[_LocalDriver] = WeakSet()
_PROCESS: list[int] = [os.getpid()]


def keep_to_this_process(driver: _LocalDriver) -> None:
    """Detach a driver from its client when this process forks; calls do not get slower."""
    _LOCAL_DRIVERS.add(driver)


def _after_fork() -> None:
    parent, _PROCESS[0] = _PROCESS[0], os.getpid()
    for driver in list(_LOCAL_DRIVERS):
        driver.detach(parent)
    _LOCAL_DRIVERS.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


T = TypeVar("T")


class Driver:
    """Runs steps one by one, and parallel ones in threads if there are `workers`.

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
        """The result of the steps."""
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
        """Stop the threads, and reject all later requests."""
        with self._lock:
            pool, self._pool = self._pool, None
            self.client, self._workers = ClosedClient(), 1
        if pool is not None and self._process == os.getpid():
            pool.shutdown()

    def detach(self, process: int) -> None:
        """Reject requests in a process that was forked from the client's process."""
        # A thread of the parent process may have held the lock.
        self.client, self._workers, self._lock, self._pool = ForkedClient(process), 1, Lock(), None

    def _take(self, step: Pause | Together | Effect) -> object:
        if isinstance(step, Effect):
            return step.run()
        return self._pause(step.seconds) if isinstance(step, Pause) else self._together(step.runs)

    def _together(self, runs: tuple[Steps[object], ...]) -> list[object]:
        # A worker thread that waits for its own pool could deadlock.
        if self._workers < 2 or len(runs) < 2 or getattr(self._inside, "worker", False):
            return [self.run(each) for each in runs]
        futures = [self._threads().submit(copy_context().run, self._work, each) for each in runs]
        return _results(futures)

    def _work(self, steps: Steps[T]) -> T:
        self._inside.worker = True
        return self.run(steps)

    def _threads(self) -> ThreadPoolExecutor:
        if self._process != os.getpid():
            # A forked process has no threads of its parent, and a lock that one of them held stays locked.
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
        # After an error, cancel the other runs or wait until they finish.
        for each in futures:
            if not each.cancel():
                each.exception()


class ClosedClient:
    """The client of a closed store."""

    def call(self, _operation: str, _request: Mapping[str, Any]) -> dict[str, Any]:
        """Reject the request."""
        raise StoreError(
            "store-closed",
            "The store is closed.",
            fix="open another store with connect(...), or close this one later.",
        )
