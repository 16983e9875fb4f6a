"""Entries of vector indexes: the checks of items, the rows written with an item, and the billed size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import orjson

from pksk.engine.row_layout import KeyAttribute, RowLayout
from pksk.engine.service_errors import EmptyKey, validation
from pksk.engine.storage.contract import Writer
from pksk.engine.texts import items as item_texts
from pksk.engine.texts import vectors as texts
from pksk.limits import PARTITION_KEY_BYTES, VECTOR_REQUEST_BYTES
from pksk.values import Wire, WireItem
from pksk.values.size import item_size, value_size

from .distance import pack_floats
from .vector_index import VectorIndex


def billed_size(indexes: Iterable[VectorIndex], item: WireItem, size: int) -> int:
    """The billed bytes of an item, from its size with vectors as lists of numbers.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/VectorSearch.Requirements.html
    """
    # Indexes on one attribute have the same dimensions.
    vectors = {each.attribute: each.vector_size for each in indexes if each.vector(item) is not None}
    if not vectors:
        return size
    # Vectors are most of such an item, so the other attributes are measured.
    rest = item_size({name: value for name, value in item.items() if name not in vectors})
    return rest + sum([len(name.encode()) + own for name, own in vectors.items()])


def written_bytes(old_size: int, new_size: int) -> float:
    """VectorWriteRequestBytes of a changed entry, from its sizes before and after; 0 for no entry."""
    return float(max(VECTOR_REQUEST_BYTES, old_size, new_size))


def check_vectors(indexes: Mapping[str, VectorIndex], item: WireItem, before: WireItem | None = None) -> None:
    """Raise if an index cannot store a value of the item; values equal to those of `before` are not checked.

    If several indexes cannot, the first in alphabetical order is reported.
    """
    unchanged = before or {}
    for _, index in sorted(indexes.items()):
        value = item.get(index.attribute)
        if value is not None and value != unchanged.get(index.attribute):
            _check_vector(index, value)
        for attribute in index.search_schema:
            value = item.get(attribute.name)
            if value is not None and value != unchanged.get(attribute.name):
                _check_schema_attribute(index, attribute, value)


def _check_vector(index: VectorIndex, value: Wire) -> None:
    name = index.attribute
    if "L" not in value:
        raise validation(texts.wrong_type(name, "L", next(iter(value)), index.name))
    numbers = value["L"]
    if len(numbers) != index.dimensions:
        raise validation(texts.wrong_size(name, index.dimensions, len(numbers), index.name))
    for position, number in enumerate(numbers):
        if "N" not in number:
            raise validation(texts.wrong_type(f"{name}[{position}]", "N", next(iter(number)), index.name))
    if pack_floats(numbers) is None:
        raise validation(texts.out_of_range(name, index.name))


def _check_schema_attribute(index: VectorIndex, attribute: KeyAttribute, value: Wire) -> None:
    name, kind = attribute.name, attribute.type
    if kind not in value:
        raise validation(item_texts.index_key_type(name, kind, next(iter(value)), index.name))
    if attribute is not index.hash:
        return
    if not value[kind]:
        raise EmptyKey(item_texts.empty_index_key(name, kind, index.name))
    size = value_size(value)
    if size > PARTITION_KEY_BYTES:
        raise validation(item_texts.index_key_size(name, size, PARTITION_KEY_BYTES, index.name))


def write_vector_entries(
    writer: Writer,
    indexes: Mapping[str, VectorIndex],
    key: bytes,
    old: WireItem | None,
    new: WireItem | None,
) -> dict[str, float]:
    """Write the changed entries of an item; returns the billed bytes by index."""
    written: dict[str, float] = {}
    for name, index in indexes.items():
        before, after = index.entry(old), index.entry(new)
        if before == after:
            continue
        new_size = 0
        if after is None:
            writer.delete(index.space, key)
        else:
            row = index.row(key, after)
            new_size = row.size
            writer.put(index.space, *row)
        written[name] = written_bytes(0 if before is None else index.size(before), new_size)
    return written


def fill_index(writer: Writer, table: RowLayout, index: VectorIndex) -> None:
    """Write the entry of every item that the index can include; others are skipped, as on AWS."""
    for row in writer.rows(table.space, b"", None):
        entry = index.entry(orjson.loads(row.data))
        if entry is not None:
            writer.put(index.space, *index.row(row.key, entry))


def resize_items(
    writer: Writer,
    table: RowLayout,
    attribute: str,
    indexes: Sequence[VectorIndex],
    collections: int | None = None,
) -> None:
    """Update the billed size of all items with a vector attribute after its indexes have changed.

    The space `collections` has the sizes of item collections, if the table keeps them.
    """
    for row in writer.rows(table.space, b"", None):
        item = orjson.loads(row.data)
        if attribute in item:
            size = billed_size(indexes, item, item_size(item))
            if size != row.size:
                writer.put(table.space, row.key, size, row.data)
                if collections is not None:
                    _resize_collection(writer, collections, table.partition_key_bytes(item), size - row.size)


def _resize_collection(writer: Writer, space: int, key: bytes, grown: int) -> None:
    row = writer.get(space, key)
    writer.put(space, key, (0 if row is None else row.size) + grown, b"")
