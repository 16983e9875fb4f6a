"""Subclasses that keep other keys in an index than their base, so that a question by the base's key misses them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity_key import EntityKey

__all__ = ["elsewhere"]


def elsewhere(declaration: Declaration[Any], key: EntityKey) -> list[str]:
    """The subclasses, registered in the same table, whose items do not stand under this key of an index."""
    question = ("elsewhere", key.name, declaration.table.entity_count)
    if question not in declaration.remembered:
        declaration.remembered[question] = [
            other.name
            for other in declaration.table.entities
            if key.index is not None
            and other is not declaration
            and issubclass(other.entity, declaration.entity)
            and not any(_same(key, theirs) for theirs in other.keys.values())
        ]
    found: list[str] = declaration.remembered[question]
    return found


def _same(mine: EntityKey, theirs: EntityKey) -> bool:
    return (
        mine.index == theirs.index
        and [str(part.writer) for part in mine.parts] == [str(part.writer) for part in theirs.parts]
        and (mine.shard, mine.when) == (theirs.shard, theirs.when)
    )
