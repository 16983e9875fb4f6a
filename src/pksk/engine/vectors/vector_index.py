"""A vector index as writes and searches see it: whose items it holds, and what it keeps of them."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from pksk.engine.row_layout import KeyAttribute, stored_bytes
from pksk.engine.storage.contract import Row
from pksk.limits import PARTITION_KEY_BYTES
from pksk.values import Wire, WireItem
from pksk.values.size import item_size, value_size

from .distance import FLOAT_BYTES, pack_floats

__all__ = ["VectorEntry", "VectorIndex", "equality_key", "read_vector_index"]


class VectorEntry(NamedTuple):
    """What a vector index keeps of an item: the vector as 32-bit floats, and the other attributes."""

    vector: bytes
    rest: WireItem


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """A vector index. Its rows have the keys of the items' own; a row is a vector, and the rest as JSON."""

    name: str
    space: int
    attribute: str
    dimensions: int
    distance: str
    # What divides it, if anything does, and what searches may ask to equal a value.
    hash: KeyAttribute | None
    filters: tuple[KeyAttribute, ...]
    # The attributes beside the vector; None is all of them.
    projected: frozenset[str] | None
    # When searches of it begin to be answered, where that is later than the end of its creation.
    served: float | None = None

    @property
    def vector_size(self) -> int:
        """The bytes that a vector is billed by, without the name of its attribute."""
        return FLOAT_BYTES * self.dimensions

    @property
    def searched(self) -> tuple[KeyAttribute, ...]:
        """The attributes of its search schema."""
        return self.filters if self.hash is None else (self.hash, *self.filters)

    def vector(self, item: WireItem) -> bytes | None:
        """The vector of an item, if it has one that fits."""
        numbers = item.get(self.attribute, {}).get("L")
        if numbers is None or len(numbers) != self.dimensions:
            return None
        return pack_floats(numbers)

    def entry(self, item: WireItem | None) -> VectorEntry | None:
        """What it keeps of an item; None where the item is not in it."""
        if item is None or not all(self._takes(each, item.get(each.name)) for each in self.searched):
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

    def _takes(self, attribute: KeyAttribute, value: Wire | None) -> bool:
        if value is None:
            return True
        if attribute is not self.hash:
            return attribute.type in value
        return bool(value.get(attribute.type)) and value_size(value) <= PARTITION_KEY_BYTES

    def size(self, entry: VectorEntry) -> int:
        """The bytes that an entry is billed by."""
        return self.vector_size + len(self.attribute.encode()) + item_size(entry.rest)

    def row(self, key: bytes, entry: VectorEntry) -> Row:
        """The row of an item's entry."""
        return Row(key, self.size(entry), entry.vector + stored_bytes(entry.rest))

    def read(self, data: bytes) -> VectorEntry:
        """The entry that a row holds."""
        return VectorEntry(data[: self.vector_size], orjson.loads(data[self.vector_size :]))

    def part_of(self, rest: WireItem) -> Hashable:
        """The value that divides the index, of an entry; None where nothing does."""
        return None if self.hash is None else equality_key(rest[self.hash.name])

    def filtered_by(self, rest: WireItem) -> tuple[Hashable, ...]:
        """The values that searches may ask for, in the order of the filters; None where an entry has none."""
        return tuple([equality_key(rest[each.name]) if each.name in rest else None for each in self.filters])


def equality_key(value: Wire) -> Hashable:
    """What equal values of one type have in common, and no others."""
    ((kind, content),) = value.items()
    return a2b_base64(content) if kind == "B" else content


def read_vector_index(entry: Mapping[str, Any], types: Mapping[str, str], keys: Iterable[str]) -> VectorIndex:
    """The index that a table's record declares, with the types of its attributes and its table's keys."""
    own = entry["VectorAttribute"]["AttributeName"]
    schema = [
        (each["SearchSchemaElementType"], each["AttributeName"]) for each in entry.get("SearchSchema", ())
    ]
    hashes = [KeyAttribute(name, types[name]) for kind, name in schema if kind == "HASH"]
    filters = [KeyAttribute(name, types[name]) for kind, name in schema if kind != "HASH"]
    projection = entry["Projection"]
    projected: frozenset[str] | None = None
    if projection["ProjectionType"] != "ALL":
        named = (*keys, *(name for _, name in schema), *projection.get("NonKeyAttributes", ()))
        projected = frozenset(named) - {own}
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
