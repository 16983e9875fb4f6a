"""Holds the fields of an entity against the key that its item stands under."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from pksk.errors import ItemUnreadable, PkskError, quote
from pksk.keys import Template
from pksk.store.reads.unreadable import unreadable

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.values import WireItem

__all__ = ["OwnKey", "misplaced", "own_key"]

# Whether an item stands under the key that the fields of its entity make.
OwnKey: TypeAlias = "Callable[[Any, WireItem], bool]"


def own_key(declaration: Declaration[Any]) -> OwnKey | None:
    """What tells that of an entity's items; None where nobody can tell, or it cannot be otherwise.

    A key attribute that is a field itself is what the field holds, and a number that was drawn is in no field.
    """
    key = declaration.primary
    made = [part for part in key.parts if isinstance(part.writer, Template) and part.fields]
    if key.shard or not made:
        return None
    first, last = made[0], made[-1]
    partition, sort = first.attribute, last.attribute if last is not first else None
    render_partition, render_sort = first.writer.render, last.writer.render
    sources, names = itemgetter(*first.fields), key.fields
    # Computed ones are no values of the object.
    is_plain = not any(declaration.fields[name].computed for name in names)
    known: tuple[Any, Any] = (None, None)

    def stands(entity: Any, item: WireItem) -> bool:
        nonlocal known
        held = entity.__dict__ if is_plain else {name: getattr(entity, name) for name in names}
        # Not reckoned again for one item after the other of a partition.
        if partition in item and (found := (item[partition], sources(held))) != known:
            if found[0].get("S") != render_partition(held):
                return False
            known = found
        return sort is None or sort not in item or item[sort].get("S") == render_sort(held)

    return stands


def misplaced(declaration: Declaration[Any], entity: Any, item: WireItem) -> ItemUnreadable:
    """The error for an entity whose fields make another key: written again, it would be another item."""
    names = declaration.primary.fields
    try:
        made = declaration.primary.render({name: getattr(entity, name) for name in names})
        told = "the key " + ", ".join(f"{name} = {quote(value)}" for name, value in made.items())
    except PkskError as error:
        told = error.problem
    return unreadable(declaration, item, None, {", ".join(names): f"these fields make {told}"})
