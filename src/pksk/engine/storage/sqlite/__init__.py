"""Storage in one file of SQLite's."""

from __future__ import annotations

from .format import CURRENT, Format
from .storage import SqliteStorage
from .version import needs_sqlite

__all__ = ["CURRENT", "Format", "SqliteStorage", "needs_sqlite"]
