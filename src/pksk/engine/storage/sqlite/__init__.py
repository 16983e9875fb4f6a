"""Storage in one file of SQLite's."""

from __future__ import annotations

from .format import CURRENT, Format
from .inspected import InspectedFile
from .storage import SqliteStorage
from .version import needs_sqlite

__all__ = ["CURRENT", "Format", "InspectedFile", "SqliteStorage", "needs_sqlite"]
