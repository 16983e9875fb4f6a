"""The size by which items are billed in a table with vector indexes: 4 bytes for each number of a vector."""

from __future__ import annotations

from collections.abc import Iterable

from pksk.values import WireItem
from pksk.values.size import value_size

from .vector_index import VectorIndex

__all__ = ["billed_size", "written_bytes"]

_LEAST_BYTES = 1024


def billed_size(indexes: Iterable[VectorIndex], item: WireItem, size: int) -> int:
    """The bytes that an item is billed by, where its size with vectors as lists of numbers is known.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/VectorSearch.Requirements.html
    """
    # Indexes on one attribute have the same dimensions.
    for attribute, index in {each.attribute: each for each in indexes}.items():
        if index.vector(item) is not None:
            size += index.vector_size - value_size(item[attribute])
    return size


def written_bytes(old_size: int, new_size: int) -> float:
    """VectorWriteRequestBytes of an entry that changes, by its sizes before and after; 0 is no entry."""
    return float(max(_LEAST_BYTES, old_size, new_size))
