"""Hands requests to the engine: those of one turn of the event loop in one commit, long ones in threads."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, TypeAlias

from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.engine.service_errors import error_body

from .metrics import Metrics
from .request import QUICK, READS

__all__ = ["OnAnswer", "RequestBatcher"]

# Gets the status and the body of an answer.
OnAnswer: TypeAlias = Callable[[int, bytes], None]
_Call: TypeAlias = tuple[str, bytes]
_THREADS: Final = 32
_FAILED: Final = 500, error_body(ServiceError("InternalServerError", "Internal server error"))
_LOG: Final = logging.getLogger("pksk.server")


class RequestBatcher:
    """The way from requests to answers.

    What has come in by the end of a turn of the event loop is answered together, and shares one commit:
    while it is written to disk, the next requests gather.
    """

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop, metrics: Metrics) -> None:
        self._engine = engine
        self._loop = loop
        self._metrics = metrics
        self._gathered: list[_Call] = []
        self._takers: list[OnAnswer] = []
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="pksk-server")

    def ask(self, operation: str, body: bytes, take: OnAnswer) -> None:
        """Have a request answered; `take` is called on the event loop."""
        if operation not in QUICK:
            self._answer_aside([(operation, body)], [take])
            return
        if not self._gathered:
            self._loop.call_soon(self._look_again)
        self._gathered.append((operation, body))
        self._takers.append(take)

    def close(self) -> None:
        """Wait for what threads are busy with."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _look_again(self) -> None:
        """Answer one who came alone; where several came, more are on their way, and one more look is cheap."""
        if len(self._gathered) == 1:
            self._answer_gathered()
        else:
            self._loop.call_soon(self._answer_gathered)

    def _answer_gathered(self) -> None:
        gathered, takers = self._gathered, self._takers
        self._gathered, self._takers = [], []
        if self._engine.is_free():
            _deliver(takers, self._answers(gathered))
            return
        # Somebody else writes, perhaps for long: the loop must not wait for him, nor those who only read.
        for reads in (True, False):
            chosen = [place for place, (operation, _) in enumerate(gathered) if (operation in READS) is reads]
            if chosen:
                self._answer_aside([gathered[each] for each in chosen], [takers[each] for each in chosen])

    def _answer_aside(self, asked: list[_Call], takers: list[OnAnswer]) -> None:
        future = self._loop.run_in_executor(self._pool, self._answers, asked)
        future.add_done_callback(partial(_deliver_result, takers))

    def _answers(self, asked: list[_Call]) -> list[tuple[int, bytes]]:
        self._metrics.count_batch(len(asked))
        try:
            return self._engine.answers(asked)
        except Exception:  # a defect of ours, for which nobody is to wait in vain
            _LOG.exception("%d requests failed", len(asked))
            return [_FAILED] * len(asked)


def _deliver_result(takers: list[OnAnswer], future: asyncio.Future[list[tuple[int, bytes]]]) -> None:
    if not future.cancelled():
        _deliver(takers, future.result())


def _deliver(takers: Sequence[OnAnswer], answers: Sequence[tuple[int, bytes]]) -> None:
    for take, (status, body) in zip(takers, answers, strict=True):
        try:
            take(status, body)
        except Exception:  # the others are still to get theirs
            _LOG.exception("an answer could not be sent")
