"""A record in which one partition has become two, and its shard in the open stream with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.engine.streams.lineage import split as split_shard
from pksk.engine.tables.record import Record, open_stream, stored_partitions
from pksk.partitions import Partitions

if TYPE_CHECKING:
    from pksk.engine.core import Core
    from pksk.engine.storage import Writer

__all__ = ["cut", "partitions_of"]

_INDEXES = "GlobalSecondaryIndexes"


def partitions_of(record: Record, index_name: str | None = None) -> Partitions:
    """The partitions that a record has for its table, or for a global index."""
    entry = record
    if index_name is not None:
        entry = next(each for each in record[_INDEXES] if each["IndexName"] == index_name)
    return stored_partitions(entry)


def cut(
    core: Core, writer: Writer, now: float, record: Record, index_name: str | None, number: int, at: bytes
) -> Record:
    """The record after a partition was split, its second half from `at` on."""
    before = partitions_of(record, index_name)
    after = before.split(number, at)
    stored = after.record()
    if index_name is not None:
        entries = [
            {**entry, "partitions": stored} if entry["IndexName"] == index_name else entry
            for entry in record[_INDEXES]
        ]
        return {**record, _INDEXES: entries}
    record = {**record, "partitions": stored}
    stream = open_stream(record)
    if stream is not None:
        left, right = (part.number for part in after if part.parent == number)
        draw = core.sequences.drawn(writer, stream)
        followed = split_shard(stream, draw, now, number, (left, right))
        record["streams"] = [*record["streams"][:-1], followed]
    return record
