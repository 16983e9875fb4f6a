"""Keeps index entries in step with an item, and counts what that costs."""

from __future__ import annotations

from typing import Any

import orjson

from pksk.capacity.units import write_units
from pksk.engine.core import Core
from pksk.engine.layout import Rows
from pksk.engine.storage import Writer
from pksk.values.size import item_size

from .write import Outcome, WireItem, Write

__all__ = ["move_entries"]


def move_entries(core: Core, writer: Writer, write: Write, outcome: Outcome, data: bytes) -> int:
    """Write and remove the index entries of an item that has become another, and note their units.

    Gives the bytes by which the entries of local indexes have grown.
    """
    old, new = outcome.old_item, outcome.new_item
    grown = 0
    for name, index in write.table.indexes.items():
        before = old if old is not None and index.holds(old) else None
        after = new if new is not None and index.holds(new) else None
        if before is None and after is None:
            continue
        stays = before is not None and after is not None and _same_key(index, before, after)
        if stays and _same_entry(index, before, after):
            continue
        old_size = 0 if before is None else _size(index, before, outcome.old.size)  # type: ignore[union-attr]
        new_size = 0 if after is None else _size(index, after, outcome.new_size)
        outcome.index_units[name] = _units(old_size, new_size, stays=stays)
        entries = _Entries(core, writer, index, write.key)
        if before is not None and not stays:
            entries.remove(before)
        if after is not None:
            entries.put(after, new_size, data)
        if index.kind == "lsi":
            grown += new_size - old_size
    return grown


def _same_key(index: Rows, before: WireItem, after: WireItem) -> bool:
    return all(before[attribute.name] == after[attribute.name] for attribute in index.keys)


def _same_entry(index: Rows, old: Any, new: Any) -> bool:
    projected = index.projected
    if projected is None:
        return bool(old == new)
    return all(old.get(name) == new.get(name) for name in projected)


def _size(index: Rows, item: WireItem, whole: int) -> int:
    """The size of an item's entry, where that of the whole item is known."""
    return whole if index.projected is None else item_size(index.entry(item))


def _units(old_size: int, new_size: int, *, stays: bool) -> float:
    """An entry that stays in its place costs the larger image; one that moves, both."""
    if stays:
        return write_units(max(old_size, new_size))
    return sum(write_units(size) for size in (old_size, new_size) if size)


class _Entries:
    """The entries of one item in an index; where reads of it lag, what stood there before is noted."""

    __slots__ = ("_base_key", "_index", "_lag", "_writer")

    def __init__(self, core: Core, writer: Writer, index: Rows, base_key: bytes) -> None:
        self._writer, self._index, self._base_key = writer, index, base_key
        self._lag = core.lag if index.kind == "gsi" else None

    def remove(self, item: WireItem) -> None:
        self._writer.delete(self._index.space, self._noted_key(item))

    def put(self, item: WireItem, size: int, whole: bytes) -> None:
        """Put an entry, of which the size is known, and the bytes if it is the whole item."""
        key = self._noted_key(item)
        data = whole if self._index.projected is None else orjson.dumps(self._index.entry(item))
        self._writer.put(self._index.space, key, size, data)

    def _noted_key(self, item: WireItem) -> bytes:
        key = self._index.own_key(item) + self._base_key
        if self._lag is not None:
            self._lag.note(self._index.space, key, self._writer.get(self._index.space, key))
        return key
