"""The shards of a stream: opened for partitions, closed, and followed by child shards."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from math import inf
from operator import itemgetter
from typing import Final, Literal, NotRequired, TypeAlias, TypedDict

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


def with_first_shards(stream: Stream, draw: NextNumber, now: float, partitions: Iterable[int]) -> Stream:
    """A stream with its first shards, one for each partition."""
    shards: list[Shard] = []
    for partition in partitions:
        shards.append(_new_shard(stream, shards, partition, None, draw(), now))
    return {**stream, "shards": shards}


def split_shard(
    stream: Stream, draw: NextNumber, now: float, parent: int, children: tuple[int, int]
) -> Stream:
    """A stream after a partition split: its shard is closed, and each new partition has a child shard.

    Example:
        >>> from itertools import count
        >>> numbers = count(1).__next__
        >>> stream: Stream = {"label": "2026-11-16", "view": "KEYS_ONLY", "space": 1, "opened": 0.0, "shards": []}
        >>> stream = with_first_shards(stream, numbers, 0.0, [0])
        >>> stream = split_shard(stream, numbers, 60.0, parent=0, children=(1, 2))
        >>> [(each["number"], each["partition"], each["start"], each.get("end")) for each in stream["shards"]]
        [(1, 0, 1, 2), (2, 1, 3, None), (3, 2, 4, None)]
    """
    return _replace_shards(stream, draw, now, {parent: children})


def roll_shards(stream: Stream, draw: NextNumber, now: float, *, opened_until: float = inf) -> Stream:
    """A stream whose open shards are closed and followed by a child each, unless opened after `opened_until`."""
    due = {
        partition: (partition,)
        for partition, shard in open_shards(stream).items()
        if shard["opened"] <= opened_until
    }
    return _replace_shards(stream, draw, now, due)


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
    stream: Stream, draw: NextNumber, now: float, followers: Mapping[int, tuple[int, ...]]
) -> Stream:
    """A stream in which the open shards of some partitions are closed and followed by those of others."""
    parents = [shard for shard in stream["shards"] if "end" not in shard and shard["partition"] in followers]
    if not parents:
        return stream
    ends: dict[int, Shard] = {shard["number"]: {**shard, "end": draw(), "closed": now} for shard in parents}
    shards = [ends.get(shard["number"], shard) for shard in stream["shards"]]
    for parent in parents:
        for partition in followers[parent["partition"]]:
            shards.append(_new_shard(stream, shards, partition, parent["id"], draw(), now))
    return {**stream, "shards": shards}


def _new_shard(
    stream: Stream, others: list[Shard], partition: int, parent: str | None, start: int, now: float
) -> Shard:
    number, stamp = 1, int(now * 1000)
    if others:
        last = others[-1]
        # Ids grow, so that a list can continue after the id of a removed shard.
        number, stamp = last["number"] + 1, max(stamp, int(last["id"].split("-")[1]) + 1)
    return {
        "number": number,
        "id": f"shardId-{max(stamp, 0):020}-{_id_suffix(stream['label'], number)}",
        "partition": partition,
        "parent": parent,
        "start": start,
        "opened": now,
    }


def _id_suffix(label: str, number: int) -> str:
    return blake2b(f"{label}/{number}".encode(), digest_size=4).hexdigest()
