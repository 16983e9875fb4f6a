"""The embedded engine for programs that await."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from pksk.engine import Engine

__all__ = ["EngineClient"]

# Short, whatever is stored: one item, or up to a hundred by their keys.
_QUICK_READS: Final = frozenset(("GetItem", "BatchGetItem", "TransactGetItems", "DescribeTable"))
_QUICK_WRITES: Final = frozenset(
    ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems")
)
_THREADS: Final = 8


class EngineClient:
    """Calls an engine from a loop: what is short at once, what may take long or waits for a disk in a thread.

    Example:
        >>> async def tables():
        ...     client = EngineClient(Engine.open())
        ...     return await client.call("ListTables", {})
        >>> asyncio.run(tables())
        {'TableNames': []}
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._at_once = _QUICK_READS | _QUICK_WRITES | {"Query"} if engine.in_memory else _QUICK_READS
        self._threads: ThreadPoolExecutor | None = None
        self._process = os.getpid()

    async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer of the engine."""
        if operation in self._at_once and self.engine.is_free():
            return self.engine.call(operation, request)
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="pksk-engine")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self.engine.call, operation, request)

    async def close(self) -> None:
        """Wait for what is under way, and give the file back; a process that was forked leaves both alone."""
        if self._process != os.getpid():
            return
        await self.release()
        self.engine.close()

    async def release(self) -> None:
        """Wait for what is under way, and end the threads; the engine stays open."""
        if self._threads is not None and self._process == os.getpid():
            await asyncio.get_running_loop().run_in_executor(None, self.let_go)

    def let_go(self) -> None:
        """The same where no loop runs."""
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown()
