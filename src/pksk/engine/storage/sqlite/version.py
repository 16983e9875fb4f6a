"""Which SQLite is recent enough."""

from __future__ import annotations

import sqlite3
from typing import Final

from pksk.errors import FileProblem

__all__ = ["needs_sqlite"]

# The first with INSERT ... ON CONFLICT DO UPDATE, which writes a row anew in place.
_OLDEST: Final = (3, 24)


def needs_sqlite(version: str = sqlite3.sqlite_version) -> None:
    """Refuse an SQLite that lacks what a storage uses.

    Example:
        >>> needs_sqlite("3.24.0")
        >>> needs_sqlite("3.8.11")
        Traceback (most recent call last):
        pksk.errors.FileProblem: This Python brings SQLite 3.8.11, which is too old to keep tables in a file.
        SQLite 3.24 or later is needed.
        Fix: use a Python built with a newer SQLite, or open ":memory:".  (pksk explain storage-sqlite-version)
    """
    if tuple(map(int, version.split("."))) < _OLDEST:
        raise FileProblem(
            "storage-sqlite-version",
            f"This Python brings SQLite {version}, which is too old to keep tables in a file.",
            expected=f"SQLite {'.'.join(map(str, _OLDEST))} or later is needed.",
            fix='use a Python built with a newer SQLite, or open ":memory:".',
        )
