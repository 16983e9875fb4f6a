"""Runs the steps of a request with an asynchronous client."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from pksk.client import AsyncClient
from pksk.errors import PkskError, shorten_traceback
from pksk.store.sending.driver import ClosedClient, ForkedClient, keep_to_this_process
from pksk.store.sending.steps import Call, Pause, Step, Steps, Together

__all__ = ["AsyncDriver"]

T = TypeVar("T")


class AsyncForkedClient(ForkedClient):
    """The same for a store that is awaited."""

    async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:  # type: ignore[override]
        """Refuse whatever is asked."""
        return super().call(operation, request)


class AsyncClosedClient:
    """The same for a store that is awaited."""

    async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Refuse whatever is asked."""
        return ClosedClient().call(operation, request)


class AsyncDriver:
    """Takes steps and awaits each; what may run side by side gets tasks.

    Example:
        >>> class Nothing:
        ...     async def call(self, operation, request):
        ...         return {"TableNames": []}
        >>> def tables():
        ...     return (yield Call("ListTables", {}))["TableNames"]
        >>> asyncio.run(AsyncDriver(Nothing()).run(tables()))
        []
    """

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
        """Refuse steps from now on."""
        self.client = AsyncClosedClient()

    def leave(self, process: int) -> None:
        """Refuse steps in a process that was forked from that of the client."""
        self.client = AsyncForkedClient(process)

    async def run(self, steps: Steps[T]) -> T:
        """What the steps come to."""
        call = self.client.call
        try:
            step = steps.send(None)
            while True:
                try:
                    answer = (await call(*step)) if step.__class__ is Call else (await self._take(step))
                except BaseException as error:
                    # A cancelled task, too: the steps end as they would after any error.
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result
        except PkskError as error:
            raise shorten_traceback(error)  # noqa: B904 - the error itself

    async def _take(self, step: Step) -> Any:
        if isinstance(step, Together):
            return await self._together(step.runs)
        if isinstance(step, Pause):
            return await self._pause(step.seconds)
        return await self.client.call(*step)

    async def _together(self, runs: tuple[Steps[Any], ...]) -> list[Any]:
        if len(runs) < 2:
            return [await self.run(each) for each in runs]
        tasks = [asyncio.ensure_future(self.run(each)) for each in runs]
        try:
            return await asyncio.gather(*tasks)
        except BaseException:
            await _cancel_all(tasks)
            raise


async def _cancel_all(tasks: list[asyncio.Task[Any]]) -> None:
    """Cancel tasks, and wait until all are over, however often whoever waits is cancelled meanwhile."""
    cancelled: asyncio.CancelledError | None = None
    for task in tasks:
        task.cancel()
    while not all(task.done() for task in tasks):
        try:
            await asyncio.wait(tasks)
        except asyncio.CancelledError as error:
            cancelled = error
    for task in tasks:
        # An error that nobody has asked for would be logged.
        if not task.cancelled():
            task.exception()
    if cancelled is not None:
        raise cancelled
