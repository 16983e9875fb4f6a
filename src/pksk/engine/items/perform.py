"""Carries out writes: condition, item, index entries, change record, collection, and what follows the commit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import orjson

from pksk.capacity.units import write_units
from pksk.client import ServiceError
from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.partitioning.growth import follow_growth
from pksk.engine.row_layout import stored_bytes
from pksk.engine.service_errors import service_error
from pksk.engine.state import Outcome, Table, Write, stream_record
from pksk.engine.storage import Row, SpaceMissing, Writer
from pksk.engine.streams.maintenance import maintain_after_commit
from pksk.engine.vectors.vector_index import billed_size, check_vectors, write_vector_entries
from pksk.values import WireItem, item_size

from .consumed_capacity import consumed_capacity, wants_capacity
from .derived_rows import update_expiry_row, update_index_entries


def _write_change_record(core: Core, writer: Writer, write: Write, outcome: Outcome, data: bytes) -> None:
    """Write the change record of an item. `data` is the new image as it is stored."""
    # The table is read inside the writing block, so that no other thread changes it.
    table, old, new, principal = write.table, outcome.old, outcome.new_item, write.principal
    space, view = table.change_space, table.stream_view
    assert space is not None
    assert view is not None
    keys = {attribute.name: write.key_item[attribute.name] for attribute in table.layout.keys}
    size = item_size(keys)
    images = b""
    if new is not None and "NEW_" in view:
        images = b',"NewImage":' + data
        size += outcome.new_size
    if old is not None and "OLD_" in view:
        images += b',"OldImage":' + old.data
        size += old.size
    event = b"INSERT" if old is None else b"REMOVE" if new is None else b"MODIFY"
    change = b'%d %b %b "Keys":%b%b' % (
        int(core.now()), event, b"" if principal is None else principal.encode(), orjson.dumps(keys), images,
    )  # fmt: skip
    number = core.sequence_numbers.next(writer, table.record["streams"][-1])
    shard = table.shards[table.partitions.find(write.key).number]
    writer.put(space, shard + number.to_bytes(stream_record.SEQUENCE_NUMBER_BYTES), size, change)


_GIGABYTE: Final = 2**30


def _update_collection_size(core: Core, writer: Writer, write: Write, grown: int) -> int:
    """Update the size of the item's collection and return it; raises if it exceeds the limit."""
    space = write.table.collection_space
    assert space is not None
    key = write.table.layout.partition_key_bytes(write.key_item)
    row = writer.get(space, key)
    size = (0 if row is None else row.size) + grown
    if grown > 0 and size > core.settings.partitioning.collection_bytes:
        raise service_error("ItemCollectionSizeLimitExceededException", "Collection size exceeded.")
    if size == 0:
        writer.delete(space, key)
    elif grown:
        writer.put(space, key, size, b"")
    return size


def _collection_metrics(write: Write, outcome: Outcome) -> Answer | None:
    """ItemCollectionMetrics of one write to a table with local indexes."""
    if outcome.collection_bytes is None:
        return None
    name = write.table.layout.partition[0].name
    whole = float(outcome.collection_bytes // _GIGABYTE)
    return {"ItemCollectionKey": {name: write.key_item[name]}, "SizeEstimateRangeGB": [whole, whole + 1.0]}


class CollectionMetrics:
    """ItemCollectionMetrics of several writes: each collection once, as the last write leaves it."""

    __slots__ = ("_tables",)

    def __init__(self) -> None:
        # By the table name that the request uses, then by the key of the collection.
        self._tables: dict[str, dict[bytes, Answer]] = {}

    def add(self, table_name: str, write: Write, outcome: Outcome) -> None:
        """Add the collection of one write."""
        metrics = _collection_metrics(write, outcome)
        if metrics is not None:
            key = write.table.layout.partition_key_bytes(write.key_item)
            self._tables.setdefault(table_name, {})[key] = metrics

    def response_members(self, request: Request) -> Answer:
        """The ItemCollectionMetrics of the response, if the request wants them and there are any."""
        if not self._tables or request.get("ReturnItemCollectionMetrics") != "SIZE":
            return {}
        tables = {named: list(metrics.values()) for named, metrics in self._tables.items()}
        return {"ItemCollectionMetrics": tables}


class ConditionalCheckFailed(ServiceError):
    """A failed condition, and the row that was checked."""

    def __init__(self, row: Row | None) -> None:
        super().__init__("ConditionalCheckFailedException", "The conditional request failed")
        self.row = row


def perform(core: Core, writer: Writer, write: Write) -> Outcome:
    """Carry out one write; raises `ConditionalCheckFailed` if its condition fails."""
    return store(core, writer, write, attempt(writer, write))


def attempt(writer: Writer, write: Write) -> Outcome:
    """Compute what a write makes of the current item. Nothing is stored yet."""
    table = write.table
    if not table.exists:
        raise SpaceMissing(table.layout.space)
    if table.vectors and not write.reads_old:
        check_vectors(table.vectors, write.key_item)
    row = writer.get(table.layout.space, write.key)
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
        raise ConditionalCheckFailed(row)
    size = 0 if row is None else row.size
    new, new_size = (old, size) if write.change is None else write.change(old)
    if table.vectors and write.change is not None and new is not None:
        new_size = _billed_size(write, old, new, new_size)
    return Outcome(row, old, new, new_size, write_units(max(size, new_size)))


def _billed_size(write: Write, old: WireItem | None, new: WireItem, size: int) -> int:
    """The billed size of an item with vectors; raises if an update makes a vector invalid."""
    vectors = write.table.vectors
    if write.reads_old:
        check_vectors(vectors, new, old)
    return billed_size(vectors.values(), new, size)


def store(core: Core, writer: Writer, write: Write, outcome: Outcome) -> Outcome:
    """Store an outcome: the item, its index entries, the size of its collection and the change record."""
    if write.change is None:
        return outcome
    table, old, new = write.table, outcome.old, outcome.new_item
    data = b"" if new is None else stored_bytes(new)
    grown = 0
    if not _is_unchanged(table, outcome, data):
        if new is not None:
            writer.put(table.layout.space, write.key, outcome.new_size, data)
        else:
            writer.delete(table.layout.space, write.key)
        grown = outcome.new_size - (0 if old is None else old.size)
        if table.indexes:
            grown += update_index_entries(core, writer, write, outcome, data)
        if table.vectors:
            outcome.vector_bytes = write_vector_entries(
                writer, table.vectors, write.key, outcome.old_item, new
            )
            table.vector_cache.begin_change(table.vector_spaces(outcome.vector_bytes), write.key)
        if table.expiry is not None:
            update_expiry_row(writer, table.expiry, write.key, outcome.old_item, new)
        if table.change_space is not None:
            _write_change_record(core, writer, write, outcome, data)
    if table.collection_space is not None:
        outcome.collection_bytes = _update_collection_size(core, writer, write, grown)
    return outcome


def _is_unchanged(table: Table, outcome: Outcome, data: bytes) -> bool:
    old, new = outcome.old, outcome.new_item
    if old is None or new is None:
        return old is None and new is None
    if data == old.data:
        return True
    if outcome.old_item is not None:
        return new == outcome.old_item
    # The order of attributes alone is not a change for a stream.
    return (
        table.change_space is not None
        and old.size == outcome.new_size
        and bool(new == orjson.loads(old.data))
    )


def note_committed_writes(
    core: Core, outcomes: Iterable[tuple[Write, Outcome]], *, doubled: bool = False
) -> None:
    """Run what follows stored writes: capacity, growth, streams. None of it can fail the call.

    With `doubled`, the table's units count twice, as in transactions.
    """
    for write, outcome in outcomes:
        _note_committed_write(core, write, outcome, doubled)


def _note_committed_write(core: Core, write: Write, outcome: Outcome, doubled: bool = False) -> None:
    """Run what follows one stored write, or queue it if writes share a commit."""
    after_commit = core.after_commit
    if after_commit is None or not after_commit.add(lambda: _note_write(core, write, outcome, doubled)):
        _note_write(core, write, outcome, doubled)


def _note_write(core: Core, write: Write, outcome: Outcome, doubled: bool) -> None:
    table = write.table
    if outcome.vector_bytes:
        table.vector_cache.end_change(table.vector_spaces(outcome.vector_bytes), write.key)
        core.meter.record_vector_write(write, outcome.vector_bytes)
    core.meter.record_write(write, outcome, doubled)
    follow_growth(core, write, outcome)
    if table.change_space is not None:
        maintain_after_commit(core, table)


def write_item(core: Core, request: Request, write: Write) -> tuple[Outcome, Answer]:
    """Carry out one write. Returns its outcome and the response without the ReturnValues of updates."""
    try:
        return _write_or_conflict(core, request, write)
    except ConditionalCheckFailed as failed:
        core.meter.record_failed_write(write, failed.row)
        if request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" and failed.row is not None:
            failed.fields["Item"] = orjson.loads(failed.row.data)
        raise


def _write_or_conflict(core: Core, request: Request, write: Write) -> tuple[Outcome, Answer]:
    if not core.settings.conflicts:
        return _write(core, request, write)
    with core.conflicts.hold_for_write((write.table.layout.space, write.key)) as is_conflicting:
        if is_conflicting:
            raise service_error("TransactionConflictException", texts.TRANSACTION_CONFLICT)
        return _write(core, request, write)


def _write(core: Core, request: Request, write: Write) -> tuple[Outcome, Answer]:
    with core.storage.writing() as writer:
        outcome = perform(core, writer, write)
        # Inside the block, where no index can be deleted yet.
        answer = _write_answer(request, write, outcome)
    _note_committed_write(core, write, outcome)
    return outcome, answer


def _write_answer(request: Request, write: Write, outcome: Outcome) -> Answer:
    answer: Answer = {}
    if request.get("ReturnValues") == "ALL_OLD" and outcome.old is not None:
        answer["Attributes"] = orjson.Fragment(outcome.old.data)
    if wants_capacity(request):
        answer["ConsumedCapacity"] = consumed_capacity(
            request, write.table, outcome.table_units, outcome.index_units, outcome.vector_bytes
        )
    if request.get("ReturnItemCollectionMetrics") == "SIZE" and (
        metrics := _collection_metrics(write, outcome)
    ):
        answer["ItemCollectionMetrics"] = metrics
    return answer
