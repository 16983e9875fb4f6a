"""Runs the steps of a request with an asynchronous client."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from typing import Any, TypeVar

from pksk.client import AsyncClient
from pksk.errors import PkskError, shorten_traceback
from pksk.sending.driver import ClosedClient, ForkedClient, keep_to_this_process
from pksk.sending.operation import Call, Effect, Pause, Steps, Together

T = TypeVar("T")


class AsyncForkedClient(ForkedClient):
    """A `ForkedClient` for an asynchronous store."""

    async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:  # type: ignore[override]
        """Reject the request."""
        return super().call(operation, request)


class AsyncClosedClient:
    """A `ClosedClient` for an asynchronous store."""

    async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Reject the request."""
        return ClosedClient().call(operation, request)


class AsyncDriver:
    """Awaits steps one by one, and runs parallel ones as tasks."""

    def __init__(
        self,
        client: AsyncClient,
        *,
        one_process: bool = False,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.client, self._pause = client, pause
        if one_process:
            keep_to_this_process(self)

    def close(self) -> None:
        """Reject all later requests."""
        self.client = AsyncClosedClient()

    def detach(self, process: int) -> None:
        """Reject requests in a process that was forked from the client's process."""
        self.client = AsyncForkedClient(process)

    async def run(self, steps: Steps[T]) -> T:
        """The result of the steps."""
        call = self.client.call
        try:
            step = steps.send(None)
            while True:
                try:
                    answer = await (call(*step) if isinstance(step, Call) else self._take(step))
                except BaseException as error:
                    # Includes cancellation: the steps end as after any error.
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result
        except PkskError as error:
            raise shorten_traceback(error)  # noqa: B904 - the error itself

    async def _take(self, step: Pause | Together | Effect) -> object:
        if isinstance(step, Effect):
            result = step.run()
            return await result if isawaitable(result) else result
        return await (self._pause(step.seconds) if isinstance(step, Pause) else self._together(step.runs))

    async def _together(self, runs: tuple[Steps[object], ...]) -> list[object]:
        if len(runs) < 2:
            return [await self.run(each) for each in runs]
        tasks = [asyncio.ensure_future(self.run(each)) for each in runs]
        try:
            return await asyncio.gather(*tasks)
        except BaseException:
            await _cancel_all(tasks)
            raise


async def _cancel_all(tasks: list[asyncio.Task[object]]) -> None:
    """Cancel tasks, and wait until all have finished, even if this task is cancelled meanwhile."""
    cancelled: asyncio.CancelledError | None = None
    for task in tasks:
        task.cancel()
    while not all(task.done() for task in tasks):
        try:
            await asyncio.wait(tasks)
        except asyncio.CancelledError as error:
            cancelled = error
    for task in tasks:
        # asyncio logs errors that are never retrieved.
        if not task.cancelled():
            task.exception()
    if cancelled is not None:
        raise cancelled
