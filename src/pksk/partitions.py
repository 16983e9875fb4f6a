"""Partitions as ranges of key hashes: how many a table begins with, where one splits, and which keys are busiest."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from operator import itemgetter
from typing import Any, Final, Generic, TypeVar

__all__ = [
    "HASH_BYTES",
    "HASH_COUNT",
    "PARTITION_READ_UNITS",
    "PARTITION_WRITE_UNITS",
    "Partition",
    "Partitions",
    "TopKeys",
    "initial_count",
    "key_hash",
    "middle_hash",
    "segment",
    "split_point",
    "warm_count",
]

HASH_BYTES: Final = 8
HASH_COUNT: Final = 2 ** (8 * HASH_BYTES)


def key_hash(typed_key: bytes) -> bytes:
    """The place of a partition key, given as the bytes of its type and value; places compare as they follow.

    Example:
        >>> key_hash(b"Scustomer#1").hex(), len(key_hash(b""))
        ('f5dc5a2ca1e5a639', 8)
    """
    # AWS does not name its hash, and any uniform one spreads keys alike. Files are laid out by this one.
    return blake2b(typed_key, digest_size=HASH_BYTES).digest()


def segment(number: int, of: int) -> tuple[bytes, bytes | None]:
    """The first place of a segment and the first place after it, None at the end of the range.

    Example:
        >>> [(low.hex()[:4], high and high.hex()[:4]) for low, high in (segment(0, 2), segment(1, 2))]
        [('0000', '8000'), ('8000', None)]
    """
    low, high = -(-HASH_COUNT * number // of), -(-HASH_COUNT * (number + 1) // of)
    return low.to_bytes(HASH_BYTES), None if high == HASH_COUNT else high.to_bytes(HASH_BYTES)


@dataclass(frozen=True, slots=True)
class Partition:
    """One partition: the rows from `low` to before `high`, None at the end.

    A row's key begins with the place of its partition key. So a bound of eight bytes lies between
    partition keys, and a longer one may lie inside an item collection.
    """

    number: int
    low: bytes
    high: bytes | None
    parent: int | None = None


class Partitions:
    """Partitions in the order of their ranges; a split makes new ones, and numbers are never used again.

    Example:
        >>> two = Partitions.even(2)
        >>> three = two.split(1, bytes.fromhex("c000000000000000"))
        >>> [(each.number, each.parent, each.low.hex()[:4]) for each in three]
        [(0, None, ''), (2, 1, '8000'), (3, 1, 'c000')]
        >>> three.find(bytes.fromhex("c1")).number
        3
    """

    __slots__ = ("_lows", "_next", "_parts")

    def __init__(self, parts: Sequence[Partition], following: int) -> None:
        self._parts = tuple(parts)
        self._lows = [part.low for part in parts]
        self._next = following

    @classmethod
    def even(cls, count: int) -> Partitions:
        """So many partitions of the same width."""
        bounds = [segment(number, count) for number in range(count)]
        # The first begins before every key.
        return cls(
            [Partition(number, low if number else b"", high) for number, (low, high) in enumerate(bounds)],
            count,
        )

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Partitions:
        """Partitions from what `record` gave."""
        lows = [(number, bytes.fromhex(low), parent) for number, low, parent in record["parts"]]
        highs = [low for _, low, _ in lows[1:]] + [None]
        parts = [
            Partition(number, low, high, parent)
            for (number, low, parent), high in zip(lows, highs, strict=True)
        ]
        return cls(parts, record["next"])

    def record(self) -> dict[str, Any]:
        """What is stored of them, as JSON has it."""
        return {
            "next": self._next,
            "parts": [[part.number, part.low.hex(), part.parent] for part in self._parts],
        }

    def find(self, key: bytes) -> Partition:
        """The partition that a row belongs to."""
        return self._parts[bisect_right(self._lows, key) - 1]

    def get(self, number: int) -> Partition | None:
        """The partition with this number; one that has split has none any more."""
        return next((part for part in self._parts if part.number == number), None)

    @property
    def following(self) -> int:
        """The number that the next partition gets; it rises with each split."""
        return self._next

    @property
    def lows(self) -> Sequence[bytes]:
        """The beginnings of all partitions, in order."""
        return self._lows

    def split(self, number: int, at: bytes) -> Partitions:
        """These partitions with one of them in two, the second from `at` on."""
        place = next(place for place, part in enumerate(self._parts) if part.number == number)
        part = self._parts[place]
        if at <= part.low or (part.high is not None and at >= part.high):
            raise ValueError(f"{at.hex()} is not within partition {number}")
        children = (
            Partition(self._next, part.low, at, number),
            Partition(self._next + 1, at, part.high, number),
        )
        return Partitions([*self._parts[:place], *children, *self._parts[place + 1 :]], self._next + 2)

    def __iter__(self) -> Iterator[Partition]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


def split_point(
    weighted: Iterable[tuple[bytes, float]], total: float, *, whole: bool = False
) -> bytes | None:
    """The key that a second half begins with, given row keys in order with their weights.

    The cut lies where half of `total` is reached: between two partition keys, then it is their place
    alone, or within the rows of one. With `whole` these stay together, and the cut is the nearest
    one between partition keys. None where there is no cut with rows on both sides.

    Example:
        >>> rows = [(b"place--1" + b"a", 10), (b"place--2" + b"a", 10), (b"place--2" + b"b", 80)]
        >>> split_point(rows, 100), split_point(rows, 100, whole=True), split_point(rows[1:], 90, whole=True)
        (b'place--2b', b'place--2', None)
    """
    half, before = total / 2, 0.0
    last: bytes | None = None
    chosen: bytes | None = None
    distance = 0.0
    for key, weight in weighted:
        if last is not None:
            starts = key[:HASH_BYTES] != last[:HASH_BYTES]
            far = abs(before - half)
            if chosen is not None and before >= half and far >= distance:
                break
            if (starts or not whole) and (chosen is None or far < distance):
                chosen, distance = key[:HASH_BYTES] if starts else key, far
        before += weight
        last = key
    return chosen


def middle_hash(low: bytes, high: bytes | None) -> bytes | None:
    """The place half way between two bounds, None where there is none between them.

    Example:
        >>> middle_hash(b"", None).hex(), middle_hash(bytes.fromhex("c000000000000000"), None).hex()
        ('8000000000000000', 'e000000000000000')
        >>> middle_hash(b"place--1a", b"place--1b") is None
        True
    """
    first = int.from_bytes(low[:HASH_BYTES].ljust(HASH_BYTES, b"\x00"))
    after = HASH_COUNT if high is None else int.from_bytes(high[:HASH_BYTES].ljust(HASH_BYTES, b"\x00"))
    between = (first + after) // 2
    return between.to_bytes(HASH_BYTES) if first < between < after else None


# What one partition carries in a second.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
PARTITION_READ_UNITS: Final = 3000
PARTITION_WRITE_UNITS: Final = 1000
_ON_DEMAND_PARTITIONS: Final = 4


def initial_count(mode: str, read_units: int = 0, write_units: int = 0) -> int:
    """The partitions of a new table: four on demand, and otherwise enough for its units.

    Example:
        >>> initial_count("PAY_PER_REQUEST"), initial_count("PROVISIONED", read_units=5500, write_units=1500)
        (4, 4)
    """
    if mode == "PAY_PER_REQUEST":
        return _ON_DEMAND_PARTITIONS
    # The shares of both limits are added, over a common denominator so that nothing is rounded.
    needed = read_units * PARTITION_WRITE_UNITS + write_units * PARTITION_READ_UNITS
    return max(1, -(-needed // (PARTITION_READ_UNITS * PARTITION_WRITE_UNITS)))


def warm_count(read_units: int, write_units: int) -> int:
    """The partitions that a table needs to take so many reads and so many writes in a second at once.

    Example:
        >>> warm_count(12_000, 4_000), warm_count(30_000, 10_000)
        (4, 10)
    """
    return max(1, -(-read_units // PARTITION_READ_UNITS), -(-write_units // PARTITION_WRITE_UNITS))


_Key = TypeVar("_Key", bytes, str, int)
# So many times its counters are kept before the small ones are taken out, since that takes a sort.
_SLACK: Final = 4


class TopKeys(Generic[_Key]):
    """Weights by key, of which the largest `counters` are sure to be kept.

    This is SpaceSaving as Misra and Gries have it, in batches: when there are too many counters, the
    first weight that is one too many is taken off all of them, and those that have nothing left are
    gone. A weight is never told too high, nor too low by more than `error`. That is at most the sum of
    all weights over `counters`, so a key that has more than that is always there.

    Example:
        >>> top = TopKeys[str](counters=2)
        >>> top.add(["a", "b", "a", "c"], 1.5)
        >>> top.largest(1), top.total, top.error
        ([('a', 3.0)], 6.0, 0.0)
    """

    __slots__ = ("_counters", "_weights", "error", "total")

    def __init__(self, counters: int = 1000) -> None:
        self._counters = counters
        self._weights: dict[_Key, float] = {}
        self.total = 0.0
        self.error = 0.0

    def add(self, keys: Iterable[_Key], weight: float = 1.0) -> None:
        """Add a weight for each time that a key is given; fastest with many keys at once."""
        self._merge(Counter(keys), weight)

    def _merge(self, counts: Mapping[_Key, float], weight: float) -> None:
        self.total += weight * sum(counts.values())
        if len(counts) > 2 * self._counters:
            # What is small within a batch does not even reach the counters.
            counts, least = _keep_largest(counts, self._counters)
            self.error += least * weight
        weights = self._weights
        for key, count in counts.items():
            weights[key] = weights.get(key, 0.0) + count * weight
        if len(weights) > _SLACK * self._counters:
            self._weights, least = _keep_largest(weights, self._counters)
            self.error += least

    def largest(self, count: int) -> list[tuple[_Key, float]]:
        """The keys with the largest weights, the largest first and equal ones in their own order."""
        return sorted(sorted(self._weights.items()), key=itemgetter(1), reverse=True)[:count]

    @property
    def kept(self) -> KeysView[_Key]:
        """The keys that have a counter now."""
        return self._weights.keys()

    def __getitem__(self, key: _Key) -> float:
        """The weight that a key has at least."""
        return self._weights.get(key, 0.0)


def _keep_largest(weights: Mapping[_Key, float], counters: int) -> tuple[dict[_Key, float], float]:
    """At most so many of the weights, each less by what the first that is one too many had; and that."""
    least = sorted(weights.values(), reverse=True)[counters]
    return {key: weight - least for key, weight in weights.items() if weight > least}, least
