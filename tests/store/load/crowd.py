"""Crowds: the same work fifty times at once, in threads or in tasks, on one DynamoDB."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from inspect import isgeneratorfunction
from random import random
from threading import Barrier
from time import sleep
from typing import Any, TypeAlias, cast

from pksk import AsyncStore, Engine, Store, connect, connect_async
from tests.conftest import LONG

__all__ = ["MANY", "Crowd", "Work"]

MANY = 50 if LONG else 16
# Work is written once, with await; for a store that waits, awaiting takes no time.
Work: TypeAlias = Callable[[AsyncStore, int], Coroutine[Any, Any, Any]]


class Crowd:
    """Fifty workers with numbers, on an engine or on a server in front of it."""

    def __init__(self, engine: Engine, target: Any, *, awaits: bool, rounds: int) -> None:
        self.engine, self.target, self.awaits = engine, target, awaits
        # How often each of them does its work.
        self.rounds = range(rounds * 10 if LONG else rounds)

    def run(self, work: Work, many: int = MANY) -> list[Any]:
        """What each of them came to; none begins before all are there."""
        if self.awaits:
            return asyncio.run(self._awaited(work, many))
        begin = Barrier(many)

        def worker(number: int) -> Any:
            begin.wait()
            return _finished(work(waiting, number))

        with connect(self.target) as db, ThreadPoolExecutor(many) as threads:
            waiting = cast("AsyncStore", _Waiting(db))
            return list(threads.map(worker, range(many)))

    async def pause(self, times: int) -> None:
        """Let others go first: the longer, the more often one came too late."""
        seconds = random() * min(0.002 * 2**times, 0.1)
        if self.awaits:
            await asyncio.sleep(seconds)
        else:
            sleep(seconds)

    async def _awaited(self, work: Work, many: int) -> list[Any]:
        async with connect_async(self.target) as db:
            return await asyncio.gather(*(work(db, number) for number in range(many)))


class _Waiting:
    """A store that waits, with methods that can be awaited and never are waited for."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        method = getattr(self._store, name)
        assert not isgeneratorfunction(method)

        async def call(*given: Any, **options: Any) -> Any:
            return method(*given, **options)

        return call


def _finished(work: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine comes to that never has to wait."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it waits for something")
