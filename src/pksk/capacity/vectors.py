"""What vector indexes are billed by: the bytes of their entries, and not units."""

from __future__ import annotations

from pksk.capacity.entries import is_vector, vector_size
from pksk.expressions.evaluate import equal
from pksk.limits import VECTOR_REQUEST_BYTES
from pksk.schema.projection import ALL
from pksk.schema.table import Table
from pksk.schema.vector_index import VectorIndex
from pksk.values.size import item_size
from pksk.values.wire import WireItem

__all__ = ["vector_entry_size", "vector_write_bytes"]


def vector_entry_size(index: VectorIndex, item: WireItem) -> int | None:
    """The bytes of an item's entry in a vector index of a table; None where the item is not in it.

    An item is in it when its vector has as many numbers as the index has dimensions, and it has the
    partition key of the index, if there is one. Each number counts 4 bytes.

    Example:
        >>> from pksk.schema import Table
        >>> notes = Table("notes", indexes=[VectorIndex("near", attribute="v", dimensions=3, projection="keys")])
        >>> item = {"pk": {"S": "a"}, "sk": {"S": "b"}, "v": {"L": [{"N": "0.5"}] * 3}, "text": {"S": "long"}}
        >>> vector_entry_size(notes.indexes[0], item)
        19
    """
    entry = _entry(index, item)
    if entry is None:
        return None
    rest = {name: value for name, value in entry.items() if name != index.attribute}
    return item_size(rest) + vector_size(index)


def vector_write_bytes(table: Table, before: WireItem | None, after: WireItem | None) -> dict[str, int]:
    """The bytes that a write is billed by in each vector index of a table whose entry it changes.

    The price is `vector_write_gb`. An entry counts 1 KB at the least, and nothing where it stays as it is.

    Example:
        >>> from pksk.schema import Table
        >>> notes = Table("notes", indexes=[VectorIndex("near", attribute="v", dimensions=1000)])
        >>> item = {"pk": {"S": "a"}, "sk": {"S": "b"}, "v": {"L": [{"N": "0.5"}] * 1000}}
        >>> vector_write_bytes(notes, None, item), vector_write_bytes(notes, item, item)
        ({'near': 4007}, {})
    """
    vectors = [index for index in table.indexes if isinstance(index, VectorIndex)]
    return {index.name: size for index in vectors if (size := _written(index, before, after))}


def _written(index: VectorIndex, before: WireItem | None, after: WireItem | None) -> int:
    old, new = (None if item is None else _entry(index, item) for item in (before, after))
    if _same(old, new):
        return 0
    sizes = [vector_entry_size(index, item) or 0 for item in (before, after) if item is not None]
    return max(VECTOR_REQUEST_BYTES, *sizes)


def _same(old: WireItem | None, new: WireItem | None) -> bool:
    if old is None or new is None:
        return old is new
    return old.keys() == new.keys() and all(equal(old[name], new[name]) for name in old)


def _entry(index: VectorIndex, item: WireItem) -> WireItem | None:
    keyed = all(item.get(part.name, {}).get(part.type) for part in index.partition_key)
    if not keyed or not is_vector(item.get(index.attribute), index.dimensions):
        return None
    projected = index.projected
    return (
        dict(item) if projected is ALL else {name: value for name, value in item.items() if name in projected}
    )
