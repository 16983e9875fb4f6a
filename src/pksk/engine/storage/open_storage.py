"""Opens the storage for a path."""

from __future__ import annotations

import os
from typing import Final

from pksk.errors import FileError, InvalidValue, quote

from .contract import Durable, Storage, StorageProblem
from .memory import MemoryStorage

_MEMORY: Final = (":memory:", "memory:")


def open_storage(path: str | os.PathLike[str], *, durable: Durable = True) -> Storage:
    """The storage in a file, which is created if it is missing, or in memory with ":memory:".

    `durable=False` does not wait for the disk: data survives the end of the process, but not a crash of the
    machine. `durable="closed"` waits when the storage is closed: a crash of the machine before that loses
    the last commits, and nothing else.
    """
    if path in _MEMORY:
        return MemoryStorage()
    if not isinstance(path, str | os.PathLike):
        raise InvalidValue(
            "engine-path",
            f"{quote(path)} is not a file name.",
            expected='Tables are stored in a file, or in memory with ":memory:".',
            fix='write Engine.open("tables.db").',
        )
    if isinstance(path, str) and _is_mistyped_memory(path):
        raise InvalidValue(
            "engine-path",
            f"{quote(path)} would create a file of that name.",
            expected='Tables are stored in a file, or in memory with ":memory:".',
            fix=f"did you mean ':memory:'? For a file of this name, write {'./' + path!r}.",
        )
    from .sqlite.storage import SqliteStorage

    return SqliteStorage(os.fsdecode(path), durable=durable)


def _is_mistyped_memory(path: str) -> bool:
    """Whether a name probably means memory, and would create an unwanted file."""
    return path == "memory" or path.strip(":") != path == os.path.basename(path)


def open_error(path: str | os.PathLike[str], error: Exception) -> FileError:
    """The error for a file that was opened but cannot be read: its disk fails, or the content is damaged."""
    import sqlite3

    from .sqlite.problems import damaged_problem, open_problem, unusable_problem

    name = os.fsdecode(path)
    if isinstance(error.__cause__, sqlite3.Error):
        return open_problem(name, error.__cause__)
    if isinstance(error, StorageProblem):
        return unusable_problem(name, error.problem.rstrip("."))
    return damaged_problem(name, f"its table records cannot be read, {type(error).__name__}: {error}")
