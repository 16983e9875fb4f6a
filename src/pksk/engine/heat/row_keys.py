"""Row keys as people read them: the attributes of the key, from the bytes that order rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.engine.layout import read_terminated
from pksk.partitions import PLACE_BYTES
from pksk.values import WireItem, from_sortable, to_wire

if TYPE_CHECKING:
    from pksk.engine.layout import KeyAttribute, Rows

__all__ = ["item_key", "partition_key"]


def partition_key(rows: Rows, key: bytes) -> WireItem:
    """The partition key of a row, from a row key or its beginning."""
    return _read(rows.partition, key)


def item_key(rows: Rows, key: bytes) -> WireItem:
    """The whole key of a row; in an index with that of the item itself."""
    found = _read(rows.keys, key)
    own = rows.base_key(key) if rows.base else b""
    return found | _read(rows.base, own) if own else found


def _read(attributes: tuple[KeyAttribute, ...], key: bytes) -> WireItem:
    found: WireItem = {}
    start = PLACE_BYTES
    for attribute in attributes:
        raw, start = read_terminated(key, start)
        kind: Any = attribute.type
        found[attribute.name] = to_wire(from_sortable(kind, raw))
    return found
