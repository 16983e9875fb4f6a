"""Storage of an engine's rows: one contract, in memory and in a SQLite file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

from .contract import Durable, Reader, Row, SpaceMissing, Storage, StorageClosed, StorageProblem, Writer
from .memory import MemoryStorage
from .open_storage import open_error, open_storage

if TYPE_CHECKING:
    from .sqlite.storage import SqliteStorage as SqliteStorage

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
    "open_error",
    "open_storage",
]

# Engines in memory do not load SQLite.
__getattr__ = lazy_getattr(__name__, {"SqliteStorage": "pksk.engine.storage.sqlite.storage"})
