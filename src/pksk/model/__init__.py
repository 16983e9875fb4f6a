"""Designs: entities with their keys, and the requests that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr
from pksk.model.entity import Entity
from pksk.model.entity_key import Shard
from pksk.model.key import BoundKey, Key
from pksk.model.markers import (
    TTL,
    Attribute,
    Created,
    CustomFormat,
    Null,
    Reference,
    Stored,
    Unique,
    Updated,
    Version,
)
from pksk.model.requests import REQUEST_NAMES

if TYPE_CHECKING:
    from pksk.model.changes import Change, change_of, changes_of
    from pksk.model.patterns import Pattern, access
    from pksk.model.planning import Plan
    from pksk.model.primary_overlap import KeyCollision, key_collisions
    from pksk.model.requests import (
        Batch,
        Check,
        Delete,
        GeoQuery,
        Get,
        Nearest,
        Put,
        Query,
        Scan,
        Transaction,
        Update,
    )
    from pksk.model.requests.batch import batch
    from pksk.model.requests.nearest import SearchResult
    from pksk.model.requests.query import collect
    from pksk.model.requests.transaction import transaction
    from pksk.model.sequences import Sequence, sequence

# Loaded at the first request: a module of entities should load as fast as one of models.
_LATER = {
    ".changes": "Change change_of changes_of",
    ".patterns": "Pattern access",
    ".planning": "Plan",
    ".primary_overlap": "KeyCollision key_collisions",
    ".requests": " ".join(REQUEST_NAMES),
    ".requests.batch": "batch",
    ".requests.nearest": "SearchResult",
    ".requests.query": "collect",
    ".requests.transaction": "transaction",
    ".sequences": "Sequence sequence",
}

__all__ = [
    "TTL", "Attribute", "Batch", "BoundKey", "Change", "Check", "Created", "CustomFormat", "Delete", "Entity",
    "GeoQuery", "Get",
    "Key", "KeyCollision", "Nearest", "Null", "Pattern", "Plan", "Put", "Query", "Reference", "Scan", "SearchResult",
    "Sequence", "Shard", "Stored", "Transaction", "Unique", "Update", "Updated", "Version", "access", "batch",
    "change_of", "changes_of", "collect", "key_collisions", "sequence", "transaction",
]  # fmt: skip

__getattr__ = lazy_getattr(__name__, _LATER)
