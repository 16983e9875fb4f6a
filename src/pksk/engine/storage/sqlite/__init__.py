"""Storage in one file of SQLite's."""

from __future__ import annotations

from .file import require_sqlite
from .format import CURRENT, Format
from .inspected_file import InspectedFile
from .storage import SqliteStorage

__all__ = ["CURRENT", "Format", "InspectedFile", "SqliteStorage", "require_sqlite"]
