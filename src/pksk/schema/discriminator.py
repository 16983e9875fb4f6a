"""The attribute that says of which entity an item is, and where it cannot be."""

from __future__ import annotations

from collections.abc import Iterable

from pksk.schema.index import Index
from pksk.schema.vector_index import VectorIndex

__all__ = ["discriminator_clash"]


def discriminator_clash(attribute: str, ttl: str | None, indexes: Iterable[Index]) -> str:
    """What else the attribute is, so that it cannot hold the name of an entity; empty where it can.

    Example:
        >>> from pksk.schema import N, Primary, GSI
        >>> discriminator_clash("type", None, [Primary("pk", "sk"), GSI("by-type", pk="type")])
        ''
        >>> discriminator_clash("type", None, [Primary("type", None)])
        'part of the primary key'
    """
    if attribute == ttl:
        return "the TTL attribute, a number"
    return next(filter(None, (_clash_with(index, attribute) for index in indexes)), "")


def _clash_with(index: Index, attribute: str) -> str:
    if index.kind == "table" and attribute in index.keys:
        return "part of the primary key"
    if isinstance(index, VectorIndex) and index.attribute == attribute:
        return f"the vector of index {index.name!r}"
    types = {part.name: part.type for part in index.typed}
    wrong = types.get(attribute, "S") != "S"
    return f"a key of type {types[attribute]} in index {index.name!r}" if wrong else ""
