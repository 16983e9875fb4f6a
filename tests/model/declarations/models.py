"""Entities of fields and keys that a test gives."""

from __future__ import annotations

import types
from typing import Any, get_args

from pksk import TTL, Entity, Key, Table


def entity_with(
    fields: dict[str, Any], *texts: str, table: Table | None = None, name: str = "Made", **options: Any
) -> type[Any]:
    """An entity of these fields with this primary key."""
    ttl = next((name for name, kind in fields.items() if TTL() in get_args(kind)), None)
    body = {"__module__": __name__, "__annotations__": fields, "primary": Key(*texts, **options)}
    return types.new_class(
        name, (Entity,), {"table": table or Table("made", ttl=ttl)}, lambda space: space.update(body)
    )
