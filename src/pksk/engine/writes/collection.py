"""Item collections: what the items of one partition key take together, in a table with local indexes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.core import Core
from pksk.engine.faults import fault
from pksk.engine.storage import Writer
from pksk.engine.texts import items as texts

from .write import Outcome, Write

__all__ = ["Collections", "metrics", "resize"]

_GIGABYTE: Final = 2**30


def resize(core: Core, writer: Writer, write: Write, grown: int) -> int:
    """The size of the item's collection after a write, kept with it; refuses one that grows too large."""
    space = write.table.collections
    assert space is not None
    key = write.table.rows.partition_bytes(write.key_item)
    row = writer.get(space, key)
    size = (0 if row is None else row.size) + grown
    if grown > 0 and size > core.settings.partitioning.collection_bytes:
        raise fault("ItemCollectionSizeLimitExceededException", texts.COLLECTION_TOO_LARGE)
    if size == 0:
        writer.delete(space, key)
    elif grown:
        writer.put(space, key, size, b"")
    return size


def metrics(write: Write, outcome: Outcome) -> dict[str, Any] | None:
    """ItemCollectionMetrics of one write, for a table that has collections to measure."""
    if outcome.collection_bytes is None:
        return None
    name = write.table.rows.partition[0].name
    whole = float(outcome.collection_bytes // _GIGABYTE)
    return {"ItemCollectionKey": {name: write.key_item[name]}, "SizeEstimateRangeGB": [whole, whole + 1.0]}


class Collections:
    """ItemCollectionMetrics of several writes: each collection once, as the last write leaves it."""

    __slots__ = ("_tables",)

    def __init__(self) -> None:
        # By the name that the request has for the table, then by the collection's key.
        self._tables: dict[str, dict[bytes, dict[str, Any]]] = {}

    def add(self, named: str, write: Write, outcome: Outcome) -> None:
        """Add what one write leaves."""
        found = metrics(write, outcome)
        if found is not None:
            key = write.table.rows.partition_bytes(write.key_item)
            self._tables.setdefault(named, {})[key] = found

    def shown(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The member of the answer, where it is wanted and there is something to show."""
        if not self._tables or request.get("ReturnItemCollectionMetrics") != "SIZE":
            return {}
        tables = {named: list(found.values()) for named, found in self._tables.items()}
        return {"ItemCollectionMetrics": tables}
