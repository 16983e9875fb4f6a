"""Storage of an engine's rows: one contract, in memory and in a SQLite file."""

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

from .contract import Durable, Reader, Row, SpaceMissing, Storage, StorageClosed, StorageProblem, Writer
from .memory import MemoryStorage
from .open_storage import open_error, open_storage

if TYPE_CHECKING:
    from .sqlite.storage import SqliteStorage

__all__ = [
    "Durable", "MemoryStorage", "Reader", "Row", "SpaceMissing", "SqliteStorage", "Storage",
    "StorageClosed", "StorageProblem", "Writer", "open_error", "open_storage",
]  # fmt: skip

# Engines in memory do not load SQLite.
__getattr__ = lazy_getattr(__name__, {".sqlite.storage": "SqliteStorage"})
