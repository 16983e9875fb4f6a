"""A vector index that is added to a table with items, or taken from it."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from pksk.engine.layout import Rows
from pksk.engine.storage.contract import Writer
from pksk.values.size import item_size

from .billing import billed_size
from .vector_index import VectorIndex

__all__ = ["fill_index", "resize_items"]


def fill_index(writer: Writer, table: Rows, index: VectorIndex) -> None:
    """Write the entry of every item that the index can hold; others are left out, as on AWS."""
    for row in writer.rows(table.space, b"", None):
        entry = index.entry(orjson.loads(row.data))
        if entry is not None:
            writer.put(index.space, *index.row(row.key, entry))


def resize_items(
    writer: Writer,
    table: Rows,
    attribute: str,
    indexes: Sequence[VectorIndex],
    collections: int | None = None,
) -> None:
    """Bring the billed size of all items with an attribute up to date with the vector indexes that there are.

    Where their item collections have sizes already, these are kept in the space `collections`.
    """
    for row in writer.rows(table.space, b"", None):
        item = orjson.loads(row.data)
        if attribute in item:
            size = billed_size(indexes, item, item_size(item))
            if size != row.size:
                writer.put(table.space, row.key, size, row.data)
                if collections is not None:
                    _resize_collection(writer, collections, table.partition_bytes(item), size - row.size)


def _resize_collection(writer: Writer, space: int, key: bytes, grown: int) -> None:
    row = writer.get(space, key)
    writer.put(space, key, (0 if row is None else row.size) + grown, b"")
