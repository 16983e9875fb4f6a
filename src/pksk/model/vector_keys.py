"""Keys of vector indexes, which only `nearest` can read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.errors import DesignError
from pksk.schema import VectorIndex

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity_key import EntityKey


def is_vector_key(declaration: Declaration[Any], key: EntityKey) -> bool:
    """Whether a key is one of a vector index."""
    return key.index is not None and declaration.table.index(key.index).kind == "vector"


def reject_vector_key(declaration: Declaration[Any], key: EntityKey, where: str) -> None:
    """Refuse a key of a vector index where rows are asked for, or a single item."""
    if is_vector_key(declaration, key):
        raise DesignError(
            "plan-vector-index",
            f"{where}: index {key.index!r} is a vector index, which is searched by vectors and not read by its key.",
            fix=f"use nearest: {declaration.name}.{key.name}.nearest(vector, 10); or another key.",
        )


def vector_index(declaration: Declaration[Any], name: str) -> VectorIndex:
    """The index of a key that can be searched by vectors; refused where it is no vector index."""
    key = declaration.key(name)
    index = declaration.table.index(key.index)
    if isinstance(index, VectorIndex):
        return index
    place = f"index {key.index!r}" if key.index else f"table {declaration.table.name!r}"
    raise DesignError(
        "nearest-key",
        f"{declaration.name}.{name}.nearest: {place} is not a vector index.",
        expected="Items are found by their vectors in a VectorIndex of the table.",
        fix=_suggested_fix(declaration),
    )


def _suggested_fix(declaration: Declaration[Any]) -> str:
    searched = [key.name for key in declaration.keys.values() if is_vector_key(declaration, key)]
    if searched:
        return f"use {declaration.name}.{searched[0]}.nearest(...)."
    known = [index for index in declaration.table.indexes if index.kind == "vector"]
    name = known[0].name if known else "by-meaning"
    key = f"Key(index={name!r})" if not known or not known[0].partition else f"Key('...', index={name!r})"
    declared = "" if known else f" for indexes=[VectorIndex({name!r}, attribute=..., dimensions=...)]"
    return f"declare by_meaning = {key}{declared}, and use {declaration.name}.by_meaning.nearest(...)."
