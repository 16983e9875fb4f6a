"""The Move request of a store: an item changes fields of its primary key, and so its place."""

from __future__ import annotations

from typing import Any

from pksk.dataclass import dataclass
from pksk.model.requests.keyed_request import ItemRequest


@dataclass(frozen=True)
class Move(ItemRequest[Any]):
    """A move in messages and estimates: the entity, and the fields that change."""

    kind = "move"
    operation = "TransactWriteItems"

    changed: frozenset[str]
