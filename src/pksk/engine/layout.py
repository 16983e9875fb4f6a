"""How a table and its indexes lie in storage: which rows each has, and the bytes that order them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import orjson

from pksk.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from pksk.partitions import place
from pksk.values.order import sortable_wire
from pksk.values.size import item_size, value_size

from .storage.contract import Row

__all__ = ["KeyAttribute", "Rows", "after", "as_stored", "terminated"]

WireItem = Mapping[str, Mapping[str, Any]]
# A text of so many characters, each of four bytes at most, is too long for no key.
_SURELY_SHORT: Final = SORT_KEY_BYTES // 4
_END: Final = b"\x00\x00"
_ZERO: Final = b"\x00"
_ESCAPED_ZERO: Final = b"\x00\xff"


@dataclass(frozen=True, slots=True)
class KeyAttribute:
    """An attribute of a key, and its type: S, N or B."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a table itself, or of one of its indexes: what orders them, and what they hold.

    A row's key is the place of its partition, the partition key, the sort key and, in an index, the
    key of the item's own row; each part ends in a way that keeps the order of values.
    """

    name: str | None  # of the index; None is the table itself
    kind: Literal["table", "gsi", "lsi"]
    space: int
    partition: tuple[KeyAttribute, ...]
    sort: tuple[KeyAttribute, ...]
    base: tuple[KeyAttribute, ...] = ()  # an index: the table's own key attributes
    projected: frozenset[str] | None = None  # None: every attribute

    @property
    def keys(self) -> tuple[KeyAttribute, ...]:
        """The attributes of its own key."""
        return self.partition + self.sort

    def holds(self, item: WireItem) -> bool:
        """Whether an item has every attribute of this key, each of its type, not empty and not too long."""
        for attributes, longest in ((self.partition, PARTITION_KEY_BYTES), (self.sort, SORT_KEY_BYTES)):
            for attribute in attributes:
                value = item.get(attribute.name)
                content = None if value is None else value.get(attribute.type)
                if value is None or not content:
                    return False
                if len(content) > _SURELY_SHORT and value_size(value) > longest:
                    return False
        return True

    def partition_bytes(self, values: Iterable[Mapping[str, Any]]) -> bytes:
        """What the rows of one partition begin with, from the values of its key in order."""
        return self.placed((next(iter(value)), sortable_wire(value)) for value in values)

    def placed(self, parts: Iterable[tuple[str, bytes]]) -> bytes:
        """What the rows of one partition begin with, from the types and sortable bytes of its key in order."""
        key, kinds = b"", ""
        for kind, raw in parts:
            kinds += kind
            key += terminated(raw)
        return place(kinds.encode() + key) + key

    def sort_bytes(self, values: Iterable[Mapping[str, Any]]) -> bytes:
        """What follows the partition in rows with these values in the first sort attributes."""
        return b"".join(terminated(sortable_wire(value)) for value in values)

    def own_key(self, item: WireItem) -> bytes:
        """The row key, in an index without the part of the item's own row."""
        partition = self.partition_bytes(item[attribute.name] for attribute in self.partition)
        if not self.sort:
            return partition
        return partition + self.sort_bytes(item[attribute.name] for attribute in self.sort)

    def entry(self, item: WireItem) -> dict[str, Any]:
        """What these rows keep of an item that they hold."""
        projected = self.projected
        if projected is None:
            return dict(item)
        return {name: value for name, value in item.items() if name in projected}

    def row(self, base_key: bytes, item: WireItem, stored: tuple[int, bytes] | None = None) -> Row | None:
        """The row of an index for an item whose own row has this key; None where the index does not hold it.

        `stored` is the size and the bytes of the whole item, for those who have them already.
        """
        if not self.holds(item):
            return None
        key = self.own_key(item) + base_key
        if self.projected is None and stored is not None:
            return Row(key, *stored)
        entry = self.entry(item)
        return Row(key, item_size(entry), as_stored(entry))

    def position(self, item: WireItem) -> dict[str, Any]:
        """The attributes that a LastEvaluatedKey names: this key's and the table's own."""
        return {attribute.name: item[attribute.name] for attribute in (*self.keys, *self.base)}


def as_stored(item: WireItem) -> bytes:
    """An item as rows keep it: the bytes of its JSON, and no more of them than it has."""
    # What orjson gives has room for four times as much.
    return bytes(memoryview(orjson.dumps(item)))


def terminated(raw: bytes) -> bytes:
    """Bytes made self-delimiting: no result begins another, and their order is that of the bytes given."""
    if _ZERO in raw:
        raw = raw.replace(_ZERO, _ESCAPED_ZERO)
    return raw + _END


def after(prefix: bytes) -> bytes | None:
    """The first bytes after all that begin with these; None where there are none."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes((stripped[-1] + 1,)) if stripped else None
