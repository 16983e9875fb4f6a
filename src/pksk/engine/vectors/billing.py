"""The size by which items are billed in a table with vector indexes: 4 bytes for each number of a vector."""

from __future__ import annotations

from collections.abc import Iterable

from pksk.limits import VECTOR_REQUEST_BYTES
from pksk.values import WireItem
from pksk.values.size import item_size

from .vector_index import VectorIndex

__all__ = ["billed_size", "written_bytes"]


def billed_size(indexes: Iterable[VectorIndex], item: WireItem, size: int) -> int:
    """The bytes that an item is billed by, where its size with vectors as lists of numbers is known.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/VectorSearch.Requirements.html
    """
    # Indexes on one attribute have the same dimensions.
    vectors = {each.attribute: each.vector_size for each in indexes if each.vector(item) is not None}
    if not vectors:
        return size
    # Of such an item the numbers of its vectors are by far the most: all others are counted.
    rest = item_size({name: value for name, value in item.items() if name not in vectors})
    return rest + sum([len(name.encode()) + own for name, own in vectors.items()])


def written_bytes(old_size: int, new_size: int) -> float:
    """VectorWriteRequestBytes of an entry that changes, by its sizes before and after; 0 is no entry."""
    return float(max(VECTOR_REQUEST_BYTES, old_size, new_size))
