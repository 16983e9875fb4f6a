"""Splits a partition in two: measures it, finds the key to split at, and changes the table's record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from pksk.engine.state.shards import split_shard
from pksk.engine.state.table_record import IndexRecord, TableRecord, open_stream, status_of
from pksk.partitions import Partition, Partitions, middle_hash, split_point

if TYPE_CHECKING:
    from pksk.engine.core import Core
    from pksk.engine.row_layout import RowLayout
    from pksk.engine.state.table import Table
    from pksk.engine.storage import Reader, Writer

__all__ = [
    "PartitionSize",
    "middle_key",
    "partition_size",
    "partitioned_rows",
    "partitions_of",
    "split_in_record",
    "split_partition",
    "total_size",
]


class PartitionSize(NamedTuple):
    """How many items a partition has, and the bytes of these and of their entries in local indexes."""

    items: int
    size: int


def partitioned_rows(table: Table, index_name: str | None) -> tuple[RowLayout, Partitions]:
    """The rows that partitions are of: a table's own or a global index's."""
    if index_name is None:
        return table.layout, table.partitions
    return table.indexes[index_name], table.index_partitions[index_name]


def total_size(reader: Reader, table: Table, rows: RowLayout) -> PartitionSize:
    """What all partitions hold together."""
    items, size = reader.totals(rows.space)
    if rows.name is None and table.collection_space is not None:
        size = reader.totals(table.collection_space)[1]
    return PartitionSize(items, size)


def partition_size(reader: Reader, table: Table, rows: RowLayout, part: Partition) -> PartitionSize:
    """What one partition holds; this reads all of its rows."""
    items = size = 0
    for row in reader.rows(rows.space, part.low, part.high):
        items += 1
        size += row.size
    if rows.name is None and table.collection_space is not None:
        size = sum(row.size for row in reader.rows(table.collection_space, part.low, part.high))
    return PartitionSize(items, size)


def middle_key(reader: Reader, table: Table, rows: RowLayout, part: Partition) -> bytes | None:
    """Where half of a partition's bytes lie before, and half after; without rows, the middle of its range.

    None where it cannot be cut: it holds a single row, or the items of one partition key, which local
    indexes keep together.
    """
    together = rows.name is None and table.collection_space is not None
    space = table.collection_space if together and table.collection_space is not None else rows.space

    def weighted() -> Iterator[tuple[bytes, int]]:
        return ((row.key, row.size) for row in reader.rows(space, part.low, part.high))

    total = sum(size for _, size in weighted())
    if total == 0:
        return middle_hash(part.low, part.high)
    return split_point(weighted(), total, whole=together)


def partitions_of(record: TableRecord, index_name: str | None = None) -> Partitions:
    """The partitions that a record has for its table, or for a global index."""
    if index_name is None:
        return Partitions.from_record(record["partitions"])
    indexes = record["GlobalSecondaryIndexes"]
    return Partitions.from_record(
        next(each["partitions"] for each in indexes if each["IndexName"] == index_name)
    )


def split_in_record(
    core: Core,
    writer: Writer,
    now: float,
    record: TableRecord,
    index_name: str | None,
    number: int,
    at: bytes,
) -> TableRecord:
    """The record after a partition was split, its second half from `at` on."""
    before = partitions_of(record, index_name)
    after = before.split(number, at)
    stored = after.to_record()
    if index_name is not None:
        entries: list[IndexRecord] = [
            {**entry, "partitions": stored} if entry["IndexName"] == index_name else entry
            for entry in record["GlobalSecondaryIndexes"]
        ]
        return {**record, "GlobalSecondaryIndexes": entries}
    record = {**record, "partitions": stored}
    stream = open_stream(record)
    if stream is not None:
        left, right = (part.number for part in after if part.parent == number)
        draw = core.sequence_numbers.drawn(writer, stream)
        followed = split_shard(stream, draw, now, number, (left, right))
        record["streams"] = [*record["streams"][:-1], followed]
    return record


def split_partition(
    core: Core, table: Table, index_name: str | None, number: int, at: bytes | None = None
) -> tuple[int, int] | None:
    """Split a partition at a row key, or in the middle of its bytes; gives the numbers of both halves.

    None where it cannot be split, or is gone: another has split it meanwhile, or has deleted the table.
    """
    if at is None:
        rows, partitions = partitioned_rows(table, index_name)
        part = partitions.get(number)
        if part is None:
            return None
        # Beside writers, since a large partition takes its time.
        with core.storage.reading() as reader:
            at = middle_key(reader, table, rows, part)
        if at is None:
            return None
    core.meter.count_pending(table)
    with core.catalogue.change() as change:
        record = table.record
        if not table.exists or (index_name is not None and index_name not in table.indexes):
            return None
        _, partitions = partitioned_rows(table, index_name)
        part = partitions.get(number)
        if status_of(record) == "DELETING" or part is None:
            return None
        change.save(table, split_in_record(core, change.writer, change.now, record, index_name, number, at))
        _, partitions = partitioned_rows(table, index_name)
    left, right = (each.number for each in partitions if each.parent == number)
    return left, right
