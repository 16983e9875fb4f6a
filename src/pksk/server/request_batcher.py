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

from .http import QUICK, READS
from .metrics import Metrics

# Gets the status and the body of an answer, on the event loop.
OnAnswer: TypeAlias = Callable[[int, bytes], None]
_Call: TypeAlias = tuple[str, bytes, OnAnswer]
_THREADS: Final = 32
_FAILED: Final = 500, error_body(ServiceError("InternalServerError", "Internal server error"))
_LOG: Final = logging.getLogger("pksk.server")


class RequestBatcher:
    """Answers the requests of one turn of the event loop together, in one commit.

    While the commit is written to disk, the next requests arrive.
    """

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop, metrics: Metrics) -> None:
        self._engine = engine
        self._loop = loop
        self._metrics = metrics
        self._pending: list[_Call] = []
        self._pool: ThreadPoolExecutor | None = None

    def submit(self, operation: str, body: bytes, on_answer: OnAnswer) -> None:
        """Answer a request, now or later."""
        if operation not in QUICK:
            self._run_in_thread([(operation, body, on_answer)])
            return
        call = (operation, body, on_answer)
        if not self._pending:
            if operation in READS and self._engine.is_free():
                # It shares no commit, so it need not wait for the other requests of this turn.
                _deliver([call], self._answers([call]))
                return
            self._loop.call_soon(self._answer_pending)
        self._pending.append(call)

    def close(self) -> None:
        """Wait for the threads."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def _answer_pending(self) -> None:
        calls, self._pending = self._pending, []
        if self._engine.is_free():
            _deliver(calls, self._answers(calls))
            return
        # A writer holds the lock, perhaps for long: neither the event loop nor reads may wait for it.
        for is_read in (True, False):
            group = [call for call in calls if (call[0] in READS) is is_read]
            if group:
                self._run_in_thread(group)

    def _run_in_thread(self, calls: list[_Call]) -> None:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="pksk-server")
        future = self._loop.run_in_executor(self._pool, self._answers, calls)
        future.add_done_callback(partial(_deliver_result, calls))

    def _answers(self, calls: list[_Call]) -> list[tuple[int, bytes]]:
        self._metrics.count_batch(len(calls))
        try:
            return self._engine.answers([(operation, body) for operation, body, _ in calls])
        except Exception:  # a bug; every client still gets an answer
            _LOG.exception("%d requests failed", len(calls))
            return [_FAILED] * len(calls)


def _deliver_result(calls: Sequence[_Call], future: asyncio.Future[list[tuple[int, bytes]]]) -> None:
    if not future.cancelled():
        _deliver(calls, future.result())


def _deliver(calls: Sequence[_Call], answers: Sequence[tuple[int, bytes]]) -> None:
    for (_, _, on_answer), (status, body) in zip(calls, answers, strict=True):
        try:
            on_answer(status, body)
        except Exception:  # the other clients still get theirs
            _LOG.exception("an answer could not be sent")
