"""The stored record of a stream: its shards, change records and sequence numbers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from math import inf
from operator import itemgetter
from typing import Final, Literal, NotRequired, TypeAlias, TypedDict

from pksk.engine.storage import Reader, Row, Writer

# How long a change can be read, and with it its shard and its stream.
RETENTION_SECONDS: Final = 24 * 3600
# Returns the stream's next sequence number.
NextNumber: TypeAlias = Callable[[], int]
# How many bytes the number of a shard takes in the keys of its changes.
SHARD_BYTES: Final = 4


class Shard(TypedDict):
    """A shard as it is stored; one that is closed has an end."""

    number: int
    id: str
    partition: int
    parent: str | None
    # The sequence numbers of its first and last change.
    start: int
    end: NotRequired[int]
    opened: float
    closed: NotRequired[float]


class Stream(TypedDict):
    """A stream as it is stored, with its shards in the order in which they were opened."""

    label: str
    view: str
    space: int
    opened: float
    closed: NotRequired[float]
    shards: list[Shard]


def with_first_shards(
    stream: Stream, next_number: NextNumber, now: float, partitions: Iterable[int]
) -> Stream:
    """A stream with its first shards, one for each partition."""
    shards: list[Shard] = []
    for partition in partitions:
        shards.append(_new_shard(stream, shards, partition, None, next_number(), now))
    return {**stream, "shards": shards}


def split_shard(
    stream: Stream, next_number: NextNumber, now: float, parent: int, children: tuple[int, int]
) -> Stream:
    """A stream after a partition split: its shard is closed, and each new partition has a child shard."""
    return _replace_shards(stream, next_number, now, {parent: children})


def roll_shards(stream: Stream, next_number: NextNumber, now: float, *, opened_until: float = inf) -> Stream:
    """A stream whose open shards are closed and followed by a child each, unless opened after `opened_until`."""
    due = {
        partition: (partition,)
        for partition, shard in open_shards(stream).items()
        if shard["opened"] <= opened_until
    }
    return _replace_shards(stream, next_number, now, due)


def with_shards_closed(stream: Stream, last: int, now: float) -> Stream:
    """A closed stream: its open shards end with its last sequence number."""
    shards: list[Shard] = [
        shard if "end" in shard else {**shard, "end": last, "closed": now} for shard in stream["shards"]
    ]
    return {**stream, "shards": shards, "closed": now}


def open_shards(stream: Stream) -> dict[int, Shard]:
    """The open shards, by partition number."""
    return {shard["partition"]: shard for shard in stream["shards"] if "end" not in shard}


def shard_key(shard: int) -> bytes:
    """The first bytes of the keys of a shard's changes."""
    return shard.to_bytes(SHARD_BYTES)


def shard_keys(stream: Stream) -> dict[int, bytes]:
    """The first bytes of the keys of changes in each open shard, by partition number."""
    return {partition: shard_key(shard["number"]) for partition, shard in open_shards(stream).items()}


def is_past_retention(entry: Stream | Shard, now: float) -> bool:
    """Whether a stream or a shard was closed so long ago that all its changes are trimmed."""
    return bool(entry.get("closed", inf) + RETENTION_SECONDS <= now)


def readable_shards(stream: Stream, now: float, after: str = "") -> Iterator[Shard]:
    """The readable shards in the order of their ids, from after an id on."""
    shards = stream["shards"]
    for position in range(bisect_right(shards, after, key=itemgetter("id")), len(shards)):
        if not is_past_retention(shards[position], now):
            yield shards[position]


def find_shard(stream: Stream, member: Literal["id", "number"], value: int | str) -> Shard | None:
    """The shard with an id or a number. Both grow, so a binary search finds it among thousands."""
    shards: list[Shard] = stream["shards"]
    position = bisect_left(shards, value, key=itemgetter(member))
    return shards[position] if position < len(shards) and shards[position][member] == value else None


def _replace_shards(
    stream: Stream, next_number: NextNumber, now: float, followers: Mapping[int, tuple[int, ...]]
) -> Stream:
    """A stream in which the open shards of some partitions are closed and followed by those of others."""
    parents = [shard for shard in stream["shards"] if "end" not in shard and shard["partition"] in followers]
    if not parents:
        return stream
    ends: dict[int, Shard] = {
        shard["number"]: {**shard, "end": next_number(), "closed": now} for shard in parents
    }
    shards = [ends.get(shard["number"], shard) for shard in stream["shards"]]
    for parent in parents:
        for partition in followers[parent["partition"]]:
            shards.append(_new_shard(stream, shards, partition, parent["id"], next_number(), now))
    return {**stream, "shards": shards}


def _new_shard(
    stream: Stream, others: list[Shard], partition: int, parent: str | None, start: int, now: float
) -> Shard:
    number, stamp = 1, int(now * 1000)
    if others:
        last = others[-1]
        # Ids grow, so that a list can continue after the id of a removed shard.
        number, stamp = last["number"] + 1, max(stamp, int(last["id"].split("-")[1]) + 1)
    suffix = blake2b(f"{stream['label']}/{number}".encode(), digest_size=4).hexdigest()
    return {
        "number": number,
        "id": f"shardId-{max(stamp, 0):020}-{suffix}",
        "partition": partition,
        "parent": parent,
        "start": start,
        "opened": now,
    }


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

    def counter(self, writer: Writer, stream: Stream) -> NextNumber:
        """A function that returns the next number of a stream with each call."""
        return lambda: self.next(writer, stream)


def format_sequence_number(number: int) -> str:
    """A sequence number as responses show it."""
    return str(_FIRST_FORMATTED + number)


def parse_sequence_number(text: str) -> int | None:
    """The sequence number of a text; None if it is not one."""
    if len(text) != _DIGITS or not (text.isascii() and text.isdigit()) or text[0] != "1":
        return None
    return int(text) - _FIRST_FORMATTED
