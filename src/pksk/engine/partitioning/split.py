"""Measures partitions, finds the key to split one at, and splits it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pksk.engine.core import Core
from pksk.engine.row_layout import RowLayout
from pksk.engine.state import IndexRecord, Table, TableRecord, stream_record, table_record
from pksk.engine.storage import Reader, Writer
from pksk.partitions import Partition, Partitions, middle_hash, split_point


class PartitionSize(NamedTuple):
    """The number of items in a partition, and their bytes with those of local index entries."""

    items: int
    size: int


def partitioned_rows(table: Table, index_name: str | None) -> tuple[RowLayout, Partitions]:
    """The layout and the partitions of a table or a global index."""
    if index_name is None:
        return table.layout, table.partitions
    return table.indexes[index_name], table.index_partitions[index_name]


def total_size(reader: Reader, table: Table, rows: RowLayout) -> PartitionSize:
    """The size of all partitions together."""
    items, size = reader.totals(rows.space)
    if rows.name is None and table.collection_space is not None:
        size = reader.totals(table.collection_space)[1]
    return PartitionSize(items, size)


def partition_size(reader: Reader, table: Table, rows: RowLayout, part: Partition) -> PartitionSize:
    """The size of one partition; this reads all of its rows."""
    items = size = 0
    for row in reader.rows(rows.space, part.low, part.high):
        items += 1
        size += row.size
    if rows.name is None and table.collection_space is not None:
        size = sum(row.size for row in reader.rows(table.collection_space, part.low, part.high))
    return PartitionSize(items, size)


def middle_key(reader: Reader, table: Table, rows: RowLayout, part: Partition) -> bytes | None:
    """The key in the middle of a partition's bytes, or the middle of its range if it is empty.

    None if the partition cannot be split: it has one row, or a table with local indexes has items of only
    one partition key in it.
    """
    keeps_collections = rows.name is None and table.collection_space is not None
    space = table.collection_space if keeps_collections and table.collection_space is not None else rows.space

    def weighted() -> Iterator[tuple[bytes, int]]:
        return ((row.key, row.size) for row in reader.rows(space, part.low, part.high))

    total = sum(size for _, size in weighted())
    if total == 0:
        return middle_hash(part.low, part.high)
    return split_point(weighted(), total, whole=keeps_collections)


def partitions_of(record: TableRecord, index_name: str | None = None) -> Partitions:
    """The partitions in a record, of the table or of a global index."""
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
    """The record after a split; the second half begins at `at`."""
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
    stream = table_record.open_stream(record)
    if stream is not None:
        left, right = (part.number for part in after if part.parent == number)
        next_number = core.sequence_numbers.counter(writer, stream)
        split_stream = stream_record.split_shard(stream, next_number, now, number, (left, right))
        record["streams"] = [*record["streams"][:-1], split_stream]
    return record


def split_partition(
    core: Core, table: Table, index_name: str | None, number: int, at: bytes | None = None
) -> tuple[int, int] | None:
    """Split a partition at a row key, or in the middle of its bytes; returns the numbers of both halves.

    None if it cannot be split, or does not exist any more: another thread split it, or deleted the table.
    """
    if at is None:
        rows, partitions = partitioned_rows(table, index_name)
        part = partitions.get(number)
        if part is None:
            return None
        # Outside of the writing block, since a large partition takes long to read.
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
        if table_record.status_of(record) == "DELETING" or part is None:
            return None
        change.save(table, split_in_record(core, change.writer, change.now, record, index_name, number, at))
        _, partitions = partitioned_rows(table, index_name)
    left, right = (each.number for each in partitions if each.parent == number)
    return left, right
