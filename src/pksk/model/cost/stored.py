"""How many bytes a table and its indexes hold, from the numbers of items that entities declare."""

from __future__ import annotations

from dataclasses import dataclass

from pksk.capacity import stored_size
from pksk.model.cost.sizes import Sizes
from pksk.schema import Table

__all__ = ["Stored", "stored"]


@dataclass(frozen=True)
class Stored:
    """The bytes in a table or an index; None where an entity does not say how many items it has."""

    size: int | None
    assumptions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def stored(table: Table, index: str | None) -> Stored:
    """What the entities of a table keep in it, or in one of its indexes, with DynamoDB's 100 bytes for each."""
    total = 0.0
    assumptions, missing = [], []
    for declaration in table.entities:
        if not any(key.index == index for key in declaration.keys.values()):
            continue
        sizes = Sizes(declaration)
        entry = sizes.entry(table.index(index))
        if declaration.items is None or entry is None:
            missing.append(f"{declaration.name}: how many items there are (items=)")
            continue
        total += stored_size(declaration.items, entry)
        assumptions.append(f"{sizes.assumption}, and {declaration.items:,} of them")
    return Stored(None if missing else round(total), tuple(assumptions), tuple(missing))
