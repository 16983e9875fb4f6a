"""A vector index: which items it includes, and what it stores of them."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

import orjson

from pksk.dataclass import dataclass
from pksk.engine.row_layout import KeyAttribute, stored_bytes
from pksk.engine.storage.contract import Row
from pksk.limits import PARTITION_KEY_BYTES
from pksk.values import Wire, WireItem
from pksk.values.size import item_size, value_size

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
        projected, own = self.projected, self.attribute
        if projected is None:
            return VectorEntry(vector, {name: value for name, value in item.items() if name != own})
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
    own = entry["VectorAttribute"]["AttributeName"]
    schema = [
        (each["SearchSchemaElementType"], each["AttributeName"]) for each in entry.get("SearchSchema", ())
    ]
    hashes = [KeyAttribute(name, types[name]) for kind, name in schema if kind == "HASH"]
    filters = [KeyAttribute(name, types[name]) for kind, name in schema if kind != "HASH"]
    projection = entry["Projection"]
    projected: frozenset[str] | None = None
    if projection["ProjectionType"] != "ALL":
        names = (*keys, *(name for _, name in schema), *projection.get("NonKeyAttributes", ()))
        projected = frozenset(names) - {own}
    return VectorIndex(
        entry["IndexName"],
        entry["space"],
        own,
        entry["Dimensions"],
        entry["DistanceFunction"],
        hashes[0] if hashes else None,
        tuple(filters),
        projected,
        entry.get("served"),
    )
