"""Designs: entities with their keys, and the questions that they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.later import later
from pksk.model.entity import Entity
from pksk.model.key import BoundKey, Key
from pksk.model.markers import Attribute
from pksk.model.shard import Shard

if TYPE_CHECKING:
    from pksk.model.plan import Plan as Plan
    from pksk.model.query import Get as Get
    from pksk.model.query import Query as Query

# Loaded where a question is asked: a module of entities should load as fast as one of models.
_LATER = {"Get": "pksk.model.query", "Plan": "pksk.model.plan", "Query": "pksk.model.query"}

__all__ = ["Attribute", "BoundKey", "Entity", "Get", "Key", "Plan", "Query", "Shard"]

__getattr__ = later(__name__, _LATER)
