"""Where an engine keeps its rows: one contract, in memory and in a file of SQLite's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.later import later

from .contract import Durable, Reader, Row, SpaceMissing, Storage, StorageClosed, StorageProblem, Writer
from .memory import MemoryStorage
from .opening import open_storage, opened_in_vain

if TYPE_CHECKING:
    from .sqlite import SqliteStorage as SqliteStorage

__all__ = [
    "Durable",
    "MemoryStorage",
    "Reader",
    "Row",
    "SpaceMissing",
    "SqliteStorage",
    "Storage",
    "StorageClosed",
    "StorageProblem",
    "Writer",
    "open_storage",
    "opened_in_vain",
]

# Who keeps tables in memory does not load SQLite.
__getattr__ = later(__name__, {"SqliteStorage": "pksk.engine.storage.sqlite"})
