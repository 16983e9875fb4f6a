"""Updates the index entries of an item, and counts the write units."""

from __future__ import annotations

from typing import Any

from pksk.capacity.units import write_units
from pksk.engine.core import Core
from pksk.engine.row_layout import RowLayout
from pksk.engine.storage import Row, Writer
from pksk.values import WireItem
from pksk.values.size import item_size

from ..state.write import IndexEntryWrite, Outcome, Write


def update_index_entries(core: Core, writer: Writer, write: Write, outcome: Outcome, data: bytes) -> int:
    """Write and remove the index entries of a changed item, and note their units.

    Returns by how many bytes the entries of local indexes have grown.
    """
    old, new = outcome.old_item, outcome.new_item
    old_whole, new_whole = _image_sizes(write, outcome)
    grown = 0
    written: list[IndexEntryWrite] = []
    for name, index in write.table.indexes.items():
        before = old if old is not None and index.includes(old) else None
        after = new if new is not None and index.includes(new) else None
        if before is None and after is None:
            continue
        stays = before is not None and after is not None and _same_key(index, before, after)
        if stays and _same_entry(index, before, after):
            continue
        old_size = 0 if before is None else index.entry_size(before, old_whole)
        row = None if after is None else index.row(after, Row(write.key, new_whole, data))
        new_size = 0 if row is None else row.size
        outcome.index_units[name] = _entry_units(old_size, new_size, stays=stays)
        entries = _EntryWriter(core, writer, index)
        if before is not None and not stays:
            key = index.key_of(before) + write.key
            entries.remove(key)
            written.append(IndexEntryWrite(index, key, write_units(old_size), old_size, 0))
        if row is not None:
            entries.put(row)
            stored_size = old_size if stays else 0
            units = write_units(max(stored_size, new_size))
            written.append(IndexEntryWrite(index, row.key, units, stored_size, new_size))
        if index.kind == "lsi":
            grown += new_size - old_size
    outcome.entries = written
    return grown


def _image_sizes(write: Write, outcome: Outcome) -> tuple[int, int]:
    """The sizes of both images. Entries store vectors as lists of numbers, which is not how the table is billed."""
    if write.table.vectors:
        old, new = outcome.old_item, outcome.new_item
        return 0 if old is None else item_size(old), 0 if new is None else item_size(new)
    return 0 if outcome.old is None else outcome.old.size, outcome.new_size


def _same_key(index: RowLayout, before: WireItem, after: WireItem) -> bool:
    return all(before[attribute.name] == after[attribute.name] for attribute in index.keys)


def _same_entry(index: RowLayout, old: Any, new: Any) -> bool:
    projected = index.projected
    if projected is None:
        return bool(old == new)
    return all(old.get(name) == new.get(name) for name in projected)


def _entry_units(old_size: int, new_size: int, *, stays: bool) -> float:
    """The units of an entry: the larger image if its key stays the same, both images if it changes."""
    if stays:
        return write_units(max(old_size, new_size))
    return sum(write_units(size) for size in (old_size, new_size) if size)


class _EntryWriter:
    """Writes the rows of an index. If reads of it lag, the previous rows are kept for them."""

    __slots__ = ("_lag", "_space", "_writer")

    def __init__(self, core: Core, writer: Writer, index: RowLayout) -> None:
        self._writer, self._space = writer, index.space
        self._lag = core.lag if index.kind == "gsi" else None

    def remove(self, key: bytes) -> None:
        self._note(key)
        self._writer.delete(self._space, key)

    def put(self, row: Row) -> None:
        self._note(row.key)
        self._writer.put(self._space, *row)

    def _note(self, key: bytes) -> None:
        if self._lag is not None:
            self._lag.note(self._space, key, self._writer.get(self._space, key))
