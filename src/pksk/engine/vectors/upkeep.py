"""Keeps vector indexes in step with the items of their table."""

from __future__ import annotations

from collections.abc import Mapping

from pksk.engine.storage.contract import Writer
from pksk.values import WireItem

from .billing import written_bytes
from .vector_index import VectorIndex

__all__ = ["move_vectors"]


def move_vectors(
    writer: Writer,
    indexes: Mapping[str, VectorIndex],
    key: bytes,
    old: WireItem | None,
    new: WireItem | None,
) -> dict[str, float]:
    """Write and remove the entries of an item that has become another; the bytes billed, by index."""
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
