"""Requests answered by the engine: those that came together by one commit, long ones aside."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, TypeAlias

from pksk.engine import Engine

from .targets import QUICK

__all__ = ["Answered", "Answering"]

# Gets the status and the body of an answer.
Answered: TypeAlias = Callable[[int, bytes], None]
_THREADS: Final = 32


class Answering:
    """The way from requests to answers.

    What has come in by the end of a turn of the event loop is answered together, and shares one commit:
    while it is written to disk, the next requests gather.
    """

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop) -> None:
        self._engine = engine
        self._loop = loop
        self._gathered: list[tuple[str, bytes]] = []
        self._takers: list[Answered] = []
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="pksk-server")

    def ask(self, operation: str, body: bytes, take: Answered) -> None:
        """Have a request answered; `take` is called on the event loop."""
        if operation not in QUICK:
            self._answer_aside(operation, body, take)
            return
        if not self._gathered:
            self._loop.call_soon(self._answer_gathered)
        self._gathered.append((operation, body))
        self._takers.append(take)

    def close(self) -> None:
        """Wait for what threads are busy with."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _answer_gathered(self) -> None:
        gathered, takers = self._gathered, self._takers
        self._gathered, self._takers = [], []
        if self._engine.is_free():
            for take, (status, body) in zip(takers, self._engine.answers(gathered), strict=True):
                take(status, body)
            return
        # Somebody else writes, perhaps for long; the loop must not wait for him.
        for (operation, body), take in zip(gathered, takers, strict=True):
            self._answer_aside(operation, body, take)

    def _answer_aside(self, operation: str, body: bytes, take: Answered) -> None:
        future = self._loop.run_in_executor(self._pool, self._engine.answer, operation, body)
        future.add_done_callback(partial(_hand_over, take))


def _hand_over(take: Answered, future: asyncio.Future[tuple[int, bytes]]) -> None:
    if not future.cancelled():
        take(*future.result())
