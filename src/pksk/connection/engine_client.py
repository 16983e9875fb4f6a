"""The embedded engine as an asynchronous client."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from pksk.engine import Engine

# Always short: they read at most a hundred items by key.
_QUICK_READS: Final = frozenset(("GetItem", "BatchGetItem", "TransactGetItems", "DescribeTable"))
_QUICK_WRITES: Final = frozenset(
    ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems")
)
_THREADS: Final = 8


class AsyncEngineClient:
    """Calls an engine from an event loop: short operations inline, long ones and disk writes in a thread."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._inline_operations = (
            _QUICK_READS | _QUICK_WRITES | {"Query"} if engine.in_memory else _QUICK_READS
        )
        self._threads: ThreadPoolExecutor | None = None
        self._process = os.getpid()

    async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """The response of the engine."""
        if operation in self._inline_operations and self.engine.is_free():
            return self.engine.call(operation, request)
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="pksk-engine")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self.engine.call, operation, request)

    async def close(self) -> None:
        """Wait for running operations, then close the engine; does nothing in a forked process."""
        if self._process != os.getpid():
            return
        await self.release()
        self.engine.close()

    async def release(self) -> None:
        """Wait for running operations and stop the threads; the engine stays open."""
        if self._threads is not None and self._process == os.getpid():
            await asyncio.get_running_loop().run_in_executor(None, self.stop_threads)

    def stop_threads(self) -> None:
        """Stop the threads; usable without an event loop."""
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown()
