"""How many bytes a table and its indexes hold, from the numbers of items that entities declare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pksk.capacity import stored_size
from pksk.model.cost.indexes import may_hold
from pksk.model.cost.sizes import Sizes
from pksk.schema import Index, Table

__all__ = ["DeclaredSizes", "Stored", "declared_sizes", "stored"]

# For an entity, the size of its items and the pattern that declares it.
DeclaredSizes: TypeAlias = Mapping[type, tuple[int, str]]


@dataclass(frozen=True)
class Stored:
    """The bytes in a table or an index, as far as they are known; None where nothing is."""

    size: int | None
    assumptions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def declared_sizes(patterns: Iterable[tuple[Any, Iterable[Any]]]) -> DeclaredSizes:
    """The largest `item_size` that patterns about one entity declare, from patterns with their requests."""
    found: dict[type, tuple[int, str]] = {}
    for pattern, requests in patterns:
        size, entities = pattern.declared.item_size, _entities(pattern, requests)
        if size is None or len(entities) != 1:
            continue
        (entity,) = entities
        if entity not in found or size > found[entity][0]:
            found[entity] = size, pattern.name
    return found


def _entities(pattern: Any, requests: Iterable[Any]) -> set[type]:
    """The entities that a pattern is about; without requests, the one that it stands in."""
    single = [member for each in requests for member in getattr(each, "members", (each,))]
    found = {entity for each in single for entity in getattr(each, "entities", None) or (each.entity,)}
    return found or ({pattern.entity} if pattern.entity else set())


def stored(table: Table, index: str | None, sizes: DeclaredSizes) -> Stored:
    """What the entities of a table keep in it, or in one of its indexes, with DynamoDB's 100 bytes for each."""
    place = table.index(index)
    there = [each for each in table.entities if may_hold(place, each)]
    if not table.entities:
        return Stored(None, missing=(f"{table.name}: what is stored in it, as it has no entity",))
    total = 0.0
    assumptions: list[str] = []
    missing: list[str] = []
    for declaration in there:
        size = _sizes(declaration, sizes)
        entry = size.entry(place)
        if declaration.items is None:
            missing.append(f"{declaration.name}: how many items there are (items=)")
        elif entry is None:
            missing.append(f"{declaration.name}: how large its items are (item_size= of a pattern)")
        else:
            total += stored_size(declaration.items, entry)
            assumptions.append(f"{size.assumption}, and {declaration.items:,} of them")
            assumptions += filter(None, [size.entry_assumption(place), _unpublished(place)])
    known = len(missing) < len(there) or not there
    return Stored(round(total) if known else None, tuple(assumptions), tuple(missing))


def _unpublished(index: Index) -> str:
    if index.kind != "vector":
        return ""
    return f"{index.name!r} is stored as large as it is written; AWS does not tell how large it is"


def _sizes(declaration: Any, sizes: DeclaredSizes) -> Sizes:
    size, pattern = sizes.get(declaration.entity, (None, ""))
    return Sizes(declaration, size, f"as declared by {pattern}")
