"""Requests as values: each kind has its class and its cost here, and a module of `pksk.store` that runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from pksk.model.requests.batch import Batch
    from pksk.model.requests.check import Check
    from pksk.model.requests.delete import Delete
    from pksk.model.requests.get import Get
    from pksk.model.requests.nearest import Nearest
    from pksk.model.requests.put import Put
    from pksk.model.requests.query import Query
    from pksk.model.requests.scan import Scan
    from pksk.model.requests.transaction import Transaction
    from pksk.model.requests.update import Update

# The classes of the kinds; the module of each, and its kind, is the name in lower case.
REQUEST_NAMES = (
    "Query", "Get", "Scan", "Nearest", "Put", "Update", "Delete", "Check", "Batch", "Transaction"
)  # fmt: skip

__all__ = [
    "REQUEST_NAMES", "Batch", "Check", "Delete", "Get", "Nearest", "Put", "Query", "Scan", "Transaction",
    "Update",
]  # fmt: skip

# Loaded at the first request: a module of entities should load as fast as one of models.
__getattr__ = lazy_getattr(__name__, {f".{name.lower()}": name for name in REQUEST_NAMES})
