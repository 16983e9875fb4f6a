"""Change records in storage: their keys, their sequence numbers, and which of them are trimmed."""

from __future__ import annotations

from typing import Final

from pksk.engine.storage import Reader, Row, Writer

from .shards import RETENTION_SECONDS, SHARD_BYTES, NextNumber, Shard, Stream, shard_key

# A row key is the number of the shard, from 1 on, and the sequence number. A row has the time, the event, the
# service that made the change if it was not a caller, and keys and images in JSON, separated by blanks.
SEQUENCE_NUMBER_BYTES: Final = 8
# Sorts before all shards; records up to which number each shard is trimmed.
_TRIMMED_PREFIX: Final = bytes(SHARD_BYTES) + b"trimmed"


def shard_end(shard: int) -> bytes:
    """The first bytes after all keys of a shard."""
    return shard_key(shard + 1)


def change_key(shard: int, number: int) -> bytes:
    """The key of a change."""
    return shard_key(shard) + number.to_bytes(SEQUENCE_NUMBER_BYTES)


def sequence_number(row: Row) -> int:
    """The sequence number of a change."""
    return int.from_bytes(row.key[SHARD_BYTES:])


def created_at(row: Row) -> int:
    """When a change was made, in whole seconds."""
    return int(row.data[: row.data.index(b" ")])


def first_change(reader: Reader, space: int, shard: int, position: int) -> Row | None:
    """The first change of a shard from a position on."""
    return next(iter(reader.rows(space, change_key(shard, position), shard_end(shard))), None)


def trimmed_until(reader: Reader, space: int, shard: int) -> int:
    """The last sequence number that was removed from a shard; 0 if there is none."""
    row = reader.get(space, _TRIMMED_PREFIX + shard_key(shard))
    return 0 if row is None else int(row.data)


def mark_trimmed(writer: Writer, space: int, shard: int, number: int) -> None:
    """Store that a shard's changes were removed up to a sequence number."""
    writer.put(space, _TRIMMED_PREFIX + shard_key(shard), 0, b"%d" % number)


def forget_shard(writer: Writer, space: int, shard: int) -> None:
    """Remove what is stored of a shard whose changes are all removed."""
    writer.delete(space, _TRIMMED_PREFIX + shard_key(shard))


def last_number(reader: Reader, stream: Stream) -> int:
    """The last known sequence number of a stream."""
    space = stream["space"]
    return max((last_number_of_shard(reader, space, shard) for shard in stream["shards"]), default=0)


def last_number_of_shard(reader: Reader, space: int, shard: Shard) -> int:
    """The last known sequence number of a shard: its end, or that of its newest change."""
    if "end" in shard:
        return int(shard["end"])
    number = shard["number"]
    rows = reader.rows(space, shard_key(number), shard_end(number), backwards=True)
    newest = next(iter(rows), None)
    known = shard["start"] if newest is None else sequence_number(newest)
    return max(known, trimmed_until(reader, space, number))


def trim_horizon(now: float) -> int:
    """The time before which changes are trimmed, in whole seconds like the times of changes."""
    return int(now) - RETENTION_SECONDS


def first_number_since(reader: Reader, space: int, shard: Shard, since: float) -> int:
    """The first position of a shard whose changes were all made at a time or later."""
    number = shard["number"]
    start: int = max(shard["start"], trimmed_until(reader, space, number) + 1)
    first = first_change(reader, space, number, start)
    if first is None or created_at(first) >= since:
        return start
    newest = next(iter(reader.rows(space, shard_key(number), shard_end(number), backwards=True)))
    if created_at(newest) < since:
        return sequence_number(newest) + 1
    # Times grow with the numbers, so a binary search finds it.
    before, after = sequence_number(first), sequence_number(newest)
    while after - before > 1:
        middle = (before + after) // 2
        row = first_change(reader, space, number, middle)
        if row is not None and created_at(row) < since:
            before = sequence_number(row)
        else:
            after = middle
    return after


def is_trimmed(reader: Reader, space: int, shard: Shard, position: int, now: float) -> bool:
    """Whether a change of a shard at or after a position was trimmed."""
    number = shard["number"]
    if trimmed_until(reader, space, number) >= position:
        return True
    row: Row | None = first_change(reader, space, number, position)
    return row is not None and created_at(row) < trim_horizon(now)


# Responses show numbers with 21 digits, the fewest on AWS.
_FIRST_FORMATTED: Final = 10**20
_DIGITS: Final = len(str(_FIRST_FORMATTED))


class SequenceNumbers:
    """The last sequence number of each stream, for the thread that writes.

    The number of a write that was not stored is not used again.
    """

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: dict[int, int] = {}

    def next(self, writer: Writer, stream: Stream) -> int:
        """The next sequence number of a stream."""
        space = stream["space"]
        last = self._last.get(space)
        if last is None:
            last = last_number(writer, stream)
        self._last[space] = number = last + 1
        return number

    def drawn(self, writer: Writer, stream: Stream) -> NextNumber:
        """A function that returns the next number of a stream with each call."""
        return lambda: self.next(writer, stream)


def format_sequence_number(number: int) -> str:
    """A sequence number as responses show it.

    Example:
        >>> format_sequence_number(7)
        '100000000000000000007'
    """
    return str(_FIRST_FORMATTED + number)


def parse_sequence_number(text: str) -> int | None:
    """The sequence number of a text; None if it is not one.

    Example:
        >>> parse_sequence_number("100000000000000000007"), parse_sequence_number("000000000000000000007")
        (7, None)
    """
    if len(text) != _DIGITS or not (text.isascii() and text.isdigit()) or text[0] != "1":
        return None
    return int(text) - _FIRST_FORMATTED
