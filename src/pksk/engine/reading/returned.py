"""A stored item as an answer shows it."""

from __future__ import annotations

from typing import Any

import orjson

from pksk.engine.storage import Row
from pksk.expressions import Projection, project

__all__ = ["returned"]


def returned(projection: Projection | None, row: Row) -> orjson.Fragment | dict[str, Any]:
    """What a read returns of a row: its bytes as they are, or what a projection leaves of the item."""
    if projection is None:
        return orjson.Fragment(row.data)
    return project(projection, orjson.loads(row.data))
