"""Carries out one write inside a storage transaction: condition, item, indexes, change record, collection."""

from __future__ import annotations

import orjson

from pksk.capacity.units import write_units
from pksk.engine.core import Core
from pksk.engine.expiry.entries import move_expiry
from pksk.engine.faults import ServiceError
from pksk.engine.layout import as_stored
from pksk.engine.storage import Row, SpaceMissing, Writer
from pksk.engine.tables.table import Table
from pksk.engine.texts import items as texts
from pksk.engine.vectors.billing import billed_size
from pksk.engine.vectors.checks import check_vectors
from pksk.engine.vectors.upkeep import move_vectors
from pksk.values import WireItem

from .changes import record
from .collection import resize
from .indexes import move_entries
from .write import Outcome, Write

__all__ = ["UnmetCondition", "attempt", "perform", "store"]


class UnmetCondition(ServiceError):
    """A condition that does not hold, and the row that it was held against."""

    def __init__(self, row: Row | None) -> None:
        super().__init__("ConditionalCheckFailedException", texts.CONDITION_FAILED)
        self.row = row


def perform(core: Core, writer: Writer, write: Write) -> Outcome:
    """Carry out one write; raises `UnmetCondition` where its condition does."""
    return store(core, writer, write, attempt(writer, write))


def attempt(writer: Writer, write: Write) -> Outcome:
    """What a write would make of the item that it finds; nothing is stored yet."""
    table = write.table
    if not table.alive:
        raise SpaceMissing(table.rows.space)
    if table.vectors and not write.reads_old:
        check_vectors(table.vectors, write.key_item)
    row = writer.get(table.rows.space, write.key)
    old: WireItem | None = None
    if row is not None and (
        write.reads_old
        or write.condition is not None
        or table.indexes
        or table.expiry is not None
        or table.vectors
    ):
        old = orjson.loads(row.data)
    if write.condition is not None and not write.condition(old or {}):
        raise UnmetCondition(row)
    size = 0 if row is None else row.size
    new, new_size = (old, size) if write.change is None else write.change(old)
    if table.vectors and write.change is not None and new is not None:
        new_size = _billed(write, old, new, new_size)
    return Outcome(row, old, new, new_size, write_units(max(size, new_size)))


def _billed(write: Write, old: WireItem | None, new: WireItem, size: int) -> int:
    """The size that an item with vectors is billed by; refuses what an update has made of these."""
    vectors = write.table.vectors
    if write.reads_old:
        check_vectors(vectors, new, old)
    return billed_size(vectors.values(), new, size)


def store(core: Core, writer: Writer, write: Write, outcome: Outcome) -> Outcome:
    """Store an outcome: the item, its index entries, its collection's size and its change record."""
    if write.change is None:
        return outcome
    table, old, new = write.table, outcome.old, outcome.new_item
    data = b"" if new is None else as_stored(new)
    grown = 0
    if not _unchanged(table, outcome, data):
        if new is not None:
            writer.put(table.rows.space, write.key, outcome.new_size, data)
        else:
            writer.delete(table.rows.space, write.key)
        grown = outcome.new_size - (0 if old is None else old.size)
        if table.indexes:
            grown += move_entries(core, writer, write, outcome, data)
        if table.vectors:
            outcome.vector_bytes = move_vectors(writer, table.vectors, write.key, outcome.old_item, new)
            table.searched.begin(table.spaces(outcome.vector_bytes), write.key)
        if table.expiry is not None:
            move_expiry(writer, table.expiry, write.key, outcome.old_item, new)
        if table.changes is not None:
            record(core, writer, write, outcome, data)
    if table.collections is not None:
        outcome.collection_bytes = resize(core, writer, write, grown)
    return outcome


def _unchanged(table: Table, outcome: Outcome, data: bytes) -> bool:
    old, new = outcome.old, outcome.new_item
    if old is None or new is None:
        return old is None and new is None
    if data == old.data:
        return True
    if outcome.old_item is not None:
        return new == outcome.old_item
    # A stream has no record of attributes that are the same in another order.
    return table.changes is not None and old.size == outcome.new_size and bool(new == orjson.loads(old.data))
