"""How a stream lies in its space: the changes of a shard in one range, in the order of their sequence numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from pksk.engine.storage import Reader, Row, Writer

from .lineage import SHARD_BYTES, Shard, Stream, shard_key

__all__ = [
    "NUMBER_BYTES",
    "created",
    "first_row",
    "forget_shard",
    "last_number",
    "last_of_shard",
    "mark_trimmed",
    "number_of",
    "row_key",
    "shard_end",
    "trimmed_until",
    "unreadable_rows",
]

# A row's key is the number of its shard, which is 1 or more, and its own. It holds the time, the event, who made it
# if that was no caller, and keys and images as JSON has them, with a blank between each.
NUMBER_BYTES: Final = 8
# Before all shards: up to which number one is trimmed.
_TRIMMED: Final = bytes(SHARD_BYTES) + b"trimmed"


def shard_end(shard: int) -> bytes:
    """The first bytes after all keys of a shard."""
    return shard_key(shard + 1)


def row_key(shard: int, number: int) -> bytes:
    """The key of a change."""
    return shard_key(shard) + number.to_bytes(NUMBER_BYTES)


def number_of(row: Row) -> int:
    """The sequence number of a change."""
    return int.from_bytes(row.key[SHARD_BYTES:])


def created(row: Row) -> int:
    """When a change was made, in whole seconds."""
    return int(row.data[: row.data.index(b" ")])


def first_row(reader: Reader, space: int, shard: int, position: int) -> Row | None:
    """The first change of a shard from a position on."""
    return next(iter(reader.rows(space, row_key(shard, position), shard_end(shard))), None)


def trimmed_until(reader: Reader, space: int, shard: int) -> int:
    """The last sequence number of a shard whose change was removed; 0 where none was."""
    row = reader.get(space, _TRIMMED + shard_key(shard))
    return 0 if row is None else int(row.data)


def mark_trimmed(writer: Writer, space: int, shard: int, number: int) -> None:
    """Keep that the changes of a shard were removed up to a sequence number."""
    writer.put(space, _TRIMMED + shard_key(shard), 0, b"%d" % number)


def forget_shard(writer: Writer, space: int, shard: int) -> None:
    """Keep nothing of a shard whose changes were all removed."""
    writer.delete(space, _TRIMMED + shard_key(shard))


def unreadable_rows(reader: Reader, space: int) -> Iterator[Row]:
    """Changes that were stored before streams could be read: they stand before all shards."""
    return takewhile(lambda row: len(row.key) == NUMBER_BYTES, reader.rows(space, b"", shard_key(1)))


def last_number(reader: Reader, stream: Stream) -> int:
    """The last sequence number that a stream is known to have given."""
    space = stream["space"]
    return max((last_of_shard(reader, space, shard) for shard in stream["shards"]), default=0)


def last_of_shard(reader: Reader, space: int, shard: Shard) -> int:
    """The last sequence number that a shard is known to have: its end, or that of its newest change."""
    if "end" in shard:
        return int(shard["end"])
    number = shard["number"]
    rows = reader.rows(space, shard_key(number), shard_end(number), backwards=True)
    newest = next(iter(rows), None)
    known = shard["start"] if newest is None else number_of(newest)
    return max(known, trimmed_until(reader, space, number))
