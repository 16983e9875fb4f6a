"""Designs: entities with their keys, and the questions that they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.later import later
from pksk.model.entity import Entity
from pksk.model.key import BoundKey, Key
from pksk.model.markers import TTL, Attribute, Created, Null, Reference, Unique, Updated, Version
from pksk.model.shard import Shard

if TYPE_CHECKING:
    from pksk.model.changes import Change as Change
    from pksk.model.changes import change_of as change_of
    from pksk.model.changes import changes_of as changes_of
    from pksk.model.patterns import Pattern as Pattern
    from pksk.model.patterns import access as access
    from pksk.model.reads.collection import collect as collect
    from pksk.model.reads.nearest import Nearest as Nearest
    from pksk.model.reads.nearest import Scored as Scored
    from pksk.model.reads.plan import Plan as Plan
    from pksk.model.reads.query import Get as Get
    from pksk.model.reads.query import Query as Query
    from pksk.model.reads.scan import Scan as Scan
    from pksk.model.sequences import Sequence as Sequence
    from pksk.model.sequences import sequence as sequence
    from pksk.model.writes import Batch as Batch
    from pksk.model.writes import Check as Check
    from pksk.model.writes import Delete as Delete
    from pksk.model.writes import Put as Put
    from pksk.model.writes import Transaction as Transaction
    from pksk.model.writes import Update as Update
    from pksk.model.writes import batch as batch
    from pksk.model.writes import transaction as transaction

# Loaded where a question is asked: a module of entities should load as fast as one of models.
_LATER = {
    "Batch": "pksk.model.writes",
    "Change": "pksk.model.changes",
    "Check": "pksk.model.writes",
    "Delete": "pksk.model.writes",
    "Get": "pksk.model.reads.query",
    "Nearest": "pksk.model.reads.nearest",
    "Pattern": "pksk.model.patterns",
    "Plan": "pksk.model.reads.plan",
    "Put": "pksk.model.writes",
    "Query": "pksk.model.reads.query",
    "Scan": "pksk.model.reads.scan",
    "Scored": "pksk.model.reads.nearest",
    "Sequence": "pksk.model.sequences",
    "sequence": "pksk.model.sequences",
    "Transaction": "pksk.model.writes",
    "Update": "pksk.model.writes",
    "access": "pksk.model.patterns",
    "batch": "pksk.model.writes",
    "change_of": "pksk.model.changes",
    "changes_of": "pksk.model.changes",
    "collect": "pksk.model.reads.collection",
    "transaction": "pksk.model.writes",
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
    "Scored",
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

__getattr__ = later(__name__, _LATER)
