"""Connections to a file of SQLite's, with their settings."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from ..contract import Durable

__all__ = ["CACHES", "IN_MEMORY", "PATIENCE_SECONDS", "connect"]

IN_MEMORY: Final = ":memory:"
# So many statements stay prepared for each connection; a table with twenty indexes uses about a hundred.
_STATEMENTS: Final = 1024
# How long to wait for another program that writes to the file, such as the sqlite3 shell.
PATIENCE_SECONDS: Final = 5.0
CACHES: Final = (
    "PRAGMA cache_size = -16384",  # KiB
    "PRAGMA mmap_size = 268435456",  # what is not in that cache is read from the system's, without a copy
    "PRAGMA temp_store = MEMORY",
)
_SETTINGS: Final = (
    *CACHES,
    "PRAGMA journal_size_limit = 67108864",  # a log that one great write made long is cut again
)


def connect(path: str, *, durable: Durable, only_reads: bool = False) -> sqlite3.Connection:
    """A connection to a file, which is made where it is missing, but never by one that only reads."""
    connection = sqlite3.connect(
        path if path == IN_MEMORY else f"{Path(path).as_uri()}?mode={'rw' if only_reads else 'rwc'}",
        uri=True,
        timeout=PATIENCE_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_STATEMENTS,
    )
    # https://www.sqlite.org/pragma.html#pragma_synchronous
    synchronous = "NORMAL" if durable == "closed" else "FULL" if durable else "OFF"
    try:
        for setting in _SETTINGS:
            connection.execute(setting)
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute(f"PRAGMA query_only = {'ON' if only_reads else 'OFF'}")
    except BaseException:
        connection.close()
        raise
    return connection
