"""Opens the storage that a path names."""

from __future__ import annotations

import os
from typing import Final

from pksk.errors import FileError, InvalidValue, quote

from .contract import Durable, Storage, StorageProblem
from .memory import MemoryStorage

__all__ = ["open_error", "open_storage"]

_MEMORY: Final = (":memory:", "memory:")


def open_storage(path: str | os.PathLike[str], *, durable: Durable = True) -> Storage:
    """The storage in a file, which is made where it is missing; ":memory:" is one that ends with the process.

    `durable=False` does not wait for the disk, for tests: all is safe but from the end of the machine.
    `durable="closed"` waits when it is closed: before that the end of the machine takes back the last
    commits, and does no other harm.

    Example:
        >>> with open_storage(":memory:") as storage:
        ...     type(storage).__name__
        'MemoryStorage'
    """
    if path in _MEMORY:
        return MemoryStorage()
    if not isinstance(path, str | os.PathLike):
        raise InvalidValue(
            "engine-path",
            f"{quote(path)} is not the name of a file.",
            expected='Tables are kept in a file, or in memory with ":memory:".',
            fix='write Engine.open("tables.db").',
        )
    if isinstance(path, str) and _is_mistyped_memory(path):
        raise InvalidValue(
            "engine-path",
            f"{quote(path)} would be a file of that name.",
            expected='Tables are kept in a file, or in memory with ":memory:".',
            fix=f"did you mean ':memory:'? A file is {'./' + path!r}.",
        )
    from .sqlite import SqliteStorage

    return SqliteStorage(os.fsdecode(path), durable=durable)


def _is_mistyped_memory(path: str) -> bool:
    """Whether a name would leave a file behind that nobody wants, and that nobody may notice."""
    return path == "memory" or path.strip(":") != path == os.path.basename(path)


def open_error(path: str | os.PathLike[str], error: Exception) -> FileError:
    """Why nothing can be done with a file that was opened: its disk fails, or what is in it is not what was written."""
    import sqlite3

    from .sqlite.problems import damaged_problem, open_problem, unusable_problem

    name = os.fsdecode(path)
    if isinstance(error.__cause__, sqlite3.Error):
        return open_problem(name, error.__cause__)
    if isinstance(error, StorageProblem):
        return unusable_problem(name, error.problem.rstrip("."))
    return damaged_problem(
        name, f"what it says of its tables cannot be understood, {type(error).__name__}: {error}"
    )
