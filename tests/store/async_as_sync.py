"""A store that awaits, used as one that waits: so that one test is for both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from inspect import isasyncgenfunction, iscoroutinefunction
from typing import Any, cast

from pksk import AsyncStore, Store

__all__ = ["awaited"]


def awaited(store: AsyncStore, runner: asyncio.Runner) -> Store:
    """The store with methods that run on the loop of a runner until they are done, in the thread that calls."""
    return cast("Store", _Awaited(store, runner))


class _Awaited:
    def __init__(self, store: Any, runner: asyncio.Runner) -> None:
        self.store, self._runner = store, runner

    def __iter__(self) -> Iterator[Any]:
        return self._stepped(self.store.__aiter__())

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.store, name)
        if name == "changes":
            return lambda *given, **options: _Awaited(method(*given, **options), self._runner)
        if isasyncgenfunction(method):
            return lambda *given, **options: self._stepped(method(*given, **options))
        if iscoroutinefunction(method):
            return lambda *given, **options: self._run(method(*given, **options))
        return method

    def _stepped(self, results: AsyncIterator[Any]) -> Iterator[Any]:
        try:
            while True:
                try:
                    yield self._run(anext(results))
                except StopAsyncIteration:
                    return
        finally:
            self._run(results.aclose())  # type: ignore[attr-defined]

    def _run(self, one: Any) -> Any:
        # The loop of a runner is used directly: run() would only take coroutines, and handle Ctrl-C each time.
        return self._runner.get_loop().run_until_complete(one)
