"""Requests as values: each kind has its class and its cost here, and a module of `pksk.store` that runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from pksk.model.requests.batch import Batch
    from pksk.model.requests.check import Check
    from pksk.model.requests.delete import Delete
    from pksk.model.requests.geo_query import GeoQuery
    from pksk.model.requests.get import Get
    from pksk.model.requests.nearest import Nearest
    from pksk.model.requests.put import Put
    from pksk.model.requests.query import Query
    from pksk.model.requests.scan import Scan
    from pksk.model.requests.transaction import Transaction
    from pksk.model.requests.update import Update

# The classes of the kinds; the module of each has the name of its kind.
REQUEST_CLASSES = {
    "query": "Query", "get": "Get", "scan": "Scan", "nearest": "Nearest", "geo_query": "GeoQuery", "put": "Put",
    "update": "Update", "delete": "Delete", "check": "Check", "batch": "Batch", "transaction": "Transaction",
}  # fmt: skip
REQUEST_NAMES = tuple(REQUEST_CLASSES.values())

__all__ = [
    "REQUEST_CLASSES", "REQUEST_NAMES", "Batch", "Check", "Delete", "GeoQuery", "Get", "Nearest", "Put", "Query",
    "Scan", "Transaction", "Update",
]  # fmt: skip

# Loaded at the first request: a module of entities should load as fast as one of models.
__getattr__ = lazy_getattr(__name__, {f".{kind}": name for kind, name in REQUEST_CLASSES.items()})
