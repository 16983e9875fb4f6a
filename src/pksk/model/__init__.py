"""Designs: entities with their keys, and the requests that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr
from pksk.model.entity import Entity
from pksk.model.key import BoundKey, Key
from pksk.model.markers import TTL, Attribute, Created, Null, Reference, Unique, Updated, Version
from pksk.model.requests import REQUEST_NAMES
from pksk.model.shard import Shard

if TYPE_CHECKING:
    from pksk.model.changes import Change as Change
    from pksk.model.changes import change_of as change_of
    from pksk.model.changes import changes_of as changes_of
    from pksk.model.patterns import Pattern as Pattern
    from pksk.model.patterns import access as access
    from pksk.model.planning.query_plan import Plan as Plan
    from pksk.model.requests.batch import Batch as Batch
    from pksk.model.requests.batch import batch as batch
    from pksk.model.requests.check import Check as Check
    from pksk.model.requests.delete import Delete as Delete
    from pksk.model.requests.get import Get as Get
    from pksk.model.requests.nearest import Nearest as Nearest
    from pksk.model.requests.nearest import SearchResult as SearchResult
    from pksk.model.requests.put import Put as Put
    from pksk.model.requests.query import Query as Query
    from pksk.model.requests.query import collect as collect
    from pksk.model.requests.scan import Scan as Scan
    from pksk.model.requests.transaction import Transaction as Transaction
    from pksk.model.requests.transaction import transaction as transaction
    from pksk.model.requests.update import Update as Update
    from pksk.model.sequences import Sequence as Sequence
    from pksk.model.sequences import sequence as sequence

# Loaded at the first request: a module of entities should load as fast as one of models.
_LATER = {
    **{name: f"pksk.model.requests.{name.lower()}" for name in REQUEST_NAMES},
    "Change": "pksk.model.changes",
    "Pattern": "pksk.model.patterns",
    "Plan": "pksk.model.planning.query_plan",
    "SearchResult": "pksk.model.requests.nearest",
    "Sequence": "pksk.model.sequences",
    "sequence": "pksk.model.sequences",
    "access": "pksk.model.patterns",
    "batch": "pksk.model.requests.batch",
    "change_of": "pksk.model.changes",
    "changes_of": "pksk.model.changes",
    "collect": "pksk.model.requests.query",
    "transaction": "pksk.model.requests.transaction",
}

__all__ = [
    "TTL",
    "Attribute",
    "Batch",
    "BoundKey",
    "Change",
    "Check",
    "Created",
    "Delete",
    "Entity",
    "Get",
    "Key",
    "Nearest",
    "Null",
    "Pattern",
    "Plan",
    "Put",
    "Query",
    "Reference",
    "Scan",
    "SearchResult",
    "Sequence",
    "Shard",
    "Transaction",
    "Unique",
    "Update",
    "Updated",
    "Version",
    "access",
    "batch",
    "change_of",
    "changes_of",
    "collect",
    "sequence",
    "transaction",
]

__getattr__ = lazy_getattr(__name__, _LATER)
