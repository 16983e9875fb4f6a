"""Which storage a path means."""

from __future__ import annotations

import os

from .contract import Storage
from .memory import MemoryStorage

__all__ = ["open_storage"]


def open_storage(path: str | os.PathLike[str], *, durable: bool = True) -> Storage:
    """The storage in a file, which is made where it is missing; ":memory:" is one that ends with the process.

    `durable=False` does not wait for the disk, for tests: all is safe but from the end of the machine.

    Example:
        >>> with open_storage(":memory:") as storage:
        ...     type(storage).__name__
        'MemoryStorage'
    """
    if path == ":memory:":
        return MemoryStorage()
    from .sqlite import SqliteStorage

    return SqliteStorage(path, durable=durable)
