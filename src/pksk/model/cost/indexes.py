"""In which indexes the items of an entity can be: those whose key attributes they have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.schema import Index

__all__ = ["indexes_of", "may_hold", "needed_attributes"]


def indexes_of(declaration: Declaration[Any]) -> list[Index]:
    """The indexes that an item of the entity can be in, by a declared key or by plain fields; vector indexes too."""
    return [index for index in declaration.table.indexes if may_hold(index, declaration)]


def may_hold(index: Index, declaration: Declaration[Any]) -> bool:
    """Whether items of an entity have every attribute that an entry needs."""
    return needed_attributes(index) <= _attributes(declaration)


def needed_attributes(index: Index) -> frozenset[str]:
    """The attributes without which an item is not in an index."""
    from pksk.schema import VectorIndex

    if isinstance(index, VectorIndex):
        return frozenset((*index.partition, index.attribute))
    return frozenset((*index.partition, *index.sort))


def _attributes(declaration: Declaration[Any]) -> frozenset[str]:
    """What an item can hold: stored fields, key attributes, and the discriminator."""
    fields = {each.attribute for each in declaration.fields.values() if not each.computed}
    return declaration.key_attributes | fields | {declaration.table.discriminator or ""}
