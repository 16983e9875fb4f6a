"""Keeps index entries in step with an item, and counts what that costs."""

from __future__ import annotations

from typing import Any

from pksk.capacity.units import write_units
from pksk.engine.core import Core
from pksk.engine.layout import Rows
from pksk.engine.storage import Row, Writer

from .write import Outcome, Write

__all__ = ["move_entries"]


def move_entries(core: Core, writer: Writer, write: Write, outcome: Outcome, data: bytes) -> int:
    """Write and remove the index entries of an item that has become another, and note their units.

    Gives the bytes by which the entries of local indexes have grown.
    """
    old, new, key = outcome.old_item, outcome.new_item, write.key
    grown = 0
    for name, index in write.table.indexes.items():
        before = None if old is None else index.row(key, old)
        after = None if new is None else index.row(key, new, (outcome.new_size, data))
        if before is None and after is None:
            continue
        if before is not None and after is not None and before.key == after.key:
            if _same_entry(index, old, new):
                continue
            outcome.index_units[name] = write_units(max(before.size, after.size))
        else:
            outcome.index_units[name] = sum(write_units(row.size) for row in (before, after) if row)
        _replace(core, writer, index, before, after)
        if index.kind == "lsi":
            grown += (after.size if after else 0) - (before.size if before else 0)
    return grown


def _same_entry(index: Rows, old: Any, new: Any) -> bool:
    projected = index.projected
    if projected is None:
        return bool(old == new)
    return all(old.get(name) == new.get(name) for name in projected)


def _replace(core: Core, writer: Writer, index: Rows, before: Row | None, after: Row | None) -> None:
    space = index.space
    lagging = core.lag if index.kind == "gsi" else None
    if before is not None and (after is None or before.key != after.key):
        if lagging is not None:
            lagging.note(space, before.key, writer.get(space, before.key))
        writer.delete(space, before.key)
    if after is not None:
        if lagging is not None:
            lagging.note(space, after.key, writer.get(space, after.key))
        writer.put(space, after.key, after.size, after.data)
