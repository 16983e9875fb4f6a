"""A vector index: the items that it includes, the entries that it stores of them, and their billed size."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson

from pksk.client import ServiceError
from pksk.dataclass import dataclass
from pksk.engine import texts
from pksk.engine.row_layout import KeyAttribute, RowLayout, stored_bytes
from pksk.engine.service_errors import EmptyKey, validation
from pksk.engine.storage.contract import Row, Writer
from pksk.limits import PARTITION_KEY_BYTES, VECTOR_REQUEST_BYTES
from pksk.values import Wire, WireItem, item_size, value_size

from .distance import FLOAT_BYTES, pack_floats


class VectorEntry(NamedTuple):
    """What a vector index stores of an item: the vector as 32-bit floats, and the other projected attributes."""

    vector: bytes
    rest: WireItem


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """A vector index. Its rows have the keys of the items; a row is the vector, and the rest as JSON."""

    name: str
    space: int
    attribute: str
    dimensions: int
    distance: str
    # The attribute of its partitions, if any, and the attributes that searches can filter by.
    hash: KeyAttribute | None
    filters: tuple[KeyAttribute, ...]
    # The projected attributes besides the vector; None for all.
    projected: frozenset[str] | None
    # When searches begin to be served, if later than the end of the creation.
    searchable_from: float | None = None

    @property
    def vector_size(self) -> int:
        """The billed bytes of a vector, without its attribute name."""
        return FLOAT_BYTES * self.dimensions

    @property
    def search_schema(self) -> tuple[KeyAttribute, ...]:
        """The partition attribute, if any, and the filters."""
        return self.filters if self.hash is None else (self.hash, *self.filters)

    def vector(self, item: WireItem) -> bytes | None:
        """The vector of an item, if it has a valid one."""
        numbers = item.get(self.attribute, {}).get("L")
        if numbers is None or len(numbers) != self.dimensions:
            return None
        return pack_floats(numbers)

    def entry(self, item: WireItem | None) -> VectorEntry | None:
        """The entry of an item; None if the index does not include the item."""
        if item is None or not all(self._accepts(each, item.get(each.name)) for each in self.search_schema):
            return None
        if self.hash is not None and self.hash.name not in item:
            return None
        vector = self.vector(item)
        if vector is None:
            return None
        projected, attribute = self.projected, self.attribute
        if projected is None:
            return VectorEntry(vector, {name: value for name, value in item.items() if name != attribute})
        return VectorEntry(vector, {name: value for name, value in item.items() if name in projected})

    def _accepts(self, attribute: KeyAttribute, value: Wire | None) -> bool:
        if value is None:
            return True
        if attribute is not self.hash:
            return attribute.type in value
        return bool(value.get(attribute.type)) and value_size(value) <= PARTITION_KEY_BYTES

    def size(self, entry: VectorEntry) -> int:
        """The billed bytes of an entry."""
        return self.vector_size + len(self.attribute.encode()) + item_size(entry.rest)

    def row(self, key: bytes, entry: VectorEntry) -> Row:
        """The row of an item's entry."""
        return Row(key, self.size(entry), entry.vector + stored_bytes(entry.rest))

    def read(self, data: bytes) -> VectorEntry:
        """The entry in a row."""
        return VectorEntry(data[: self.vector_size], orjson.loads(data[self.vector_size :]))

    def partition_value(self, rest: WireItem) -> Hashable:
        """The partition of an entry; None if the index has only one."""
        return None if self.hash is None else equality_key(rest[self.hash.name])

    def filter_values(self, rest: WireItem) -> tuple[Hashable, ...]:
        """The values of the filters, in their order; None for those that the entry lacks."""
        return tuple([equality_key(rest[each.name]) if each.name in rest else None for each in self.filters])


def equality_key(value: Wire) -> Hashable:
    """A hashable form: equal exactly for equal values of one type."""
    ((kind, content),) = value.items()
    return a2b_base64(content) if kind == "B" else content


def read_vector_index(entry: Mapping[str, Any], types: Mapping[str, str], keys: Iterable[str]) -> VectorIndex:
    """The index in a table's record, from the types of attributes and the names of the table's keys."""
    attribute = entry["VectorAttribute"]["AttributeName"]
    schema = [
        (each["SearchSchemaElementType"], each["AttributeName"]) for each in entry.get("SearchSchema", ())
    ]
    hashes = [KeyAttribute(name, types[name]) for kind, name in schema if kind == "HASH"]
    filters = [KeyAttribute(name, types[name]) for kind, name in schema if kind != "HASH"]
    projection = entry["Projection"]
    projected: frozenset[str] | None = None
    if projection["ProjectionType"] != "ALL":
        names = (*keys, *(name for _, name in schema), *projection.get("NonKeyAttributes", ()))
        projected = frozenset(names) - {attribute}
    return VectorIndex(
        entry["IndexName"],
        entry["space"],
        attribute,
        entry["Dimensions"],
        entry["DistanceFunction"],
        hashes[0] if hashes else None,
        tuple(filters),
        projected,
        entry.get("served"),
    )


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
    return rest + sum([len(name.encode()) + size for name, size in vectors.items()])


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


_FLOAT: Final = "32-bit floating point number"


def _check_vector(index: VectorIndex, value: Wire) -> None:
    name = index.attribute
    if "L" not in value:
        raise _invalid_vector(index, f"type for parameter {name}, Expected: {_FLOAT} list")
    numbers = value["L"]
    if len(numbers) != index.dimensions:
        actual = len(numbers)
        raise _invalid_vector(
            index, f"size for parameter {name}, Expected: {index.dimensions}, Actual: {actual}"
        )
    for position, number in enumerate(numbers):
        if "N" not in number:
            actual = next(iter(number))
            raise _invalid_vector(
                index, f"type for parameter {name}[{position}], Expected: {_FLOAT}, Actual: {actual}."
            )
    if pack_floats(numbers) is None:
        raise _invalid_vector(
            index, f"value for parameter {name}, All values must be 32-bit floating-point numbers"
        )


def _invalid_vector(index: VectorIndex, problem: str) -> ServiceError:
    # This sentence ends in a full stop, other messages have a colon there.
    return validation(f"One or more parameter values were invalid. Invalid {problem} IndexName: {index.name}")


def _check_schema_attribute(index: VectorIndex, attribute: KeyAttribute, value: Wire) -> None:
    name, kind = attribute.name, attribute.type
    if kind not in value:
        raise validation(texts.index_key_type(name, kind, next(iter(value)), index.name))
    if attribute is not index.hash:
        return
    if not value[kind]:
        raise EmptyKey(texts.empty_index_key(name, kind, index.name))
    size = value_size(value)
    if size > PARTITION_KEY_BYTES:
        raise validation(texts.index_key_size(name, size, PARTITION_KEY_BYTES, index.name))


def write_vector_entries(
    writer: Writer, indexes: Mapping[str, VectorIndex], key: bytes, old: WireItem | None, new: WireItem | None
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
        old_size = 0 if before is None else index.size(before)
        written[name] = float(max(VECTOR_REQUEST_BYTES, old_size, new_size))
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
