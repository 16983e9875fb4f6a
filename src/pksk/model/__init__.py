"""Designs: entities with their keys, and the questions that they answer."""

from __future__ import annotations

from pksk.model.entity import Entity
from pksk.model.key import BoundKey, Key
from pksk.model.markers import Attribute
from pksk.model.plan import Plan
from pksk.model.query import Get, Query
from pksk.model.shard import Shard

__all__ = [
    "Attribute",
    "BoundKey",
    "Entity",
    "Get",
    "Key",
    "Plan",
    "Query",
    "Shard",
]
