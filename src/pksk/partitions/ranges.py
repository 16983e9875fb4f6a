"""Partitions as ranges of key hashes: how many a new table has, and where one splits."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Final, TypedDict

from pksk.dataclass import dataclass
from pksk.partitions.ceilings import PARTITION_READ_UNITS, PARTITION_WRITE_UNITS
from pksk.schema import GSI, Provisioned, Table

HASH_BYTES: Final = 8
HASH_COUNT: Final = 2 ** (8 * HASH_BYTES)


def key_hash(typed_key: bytes) -> bytes:
    """The hash of a partition key, from the bytes of its type and value.

    Example:
        >>> key_hash(b"Scustomer#1").hex(), len(key_hash(b""))
        ('f5dc5a2ca1e5a639', 8)
    """
    # AWS does not publish its hash. Files are laid out by this one.
    return blake2b(typed_key, digest_size=HASH_BYTES).digest()


def segment(number: int, of: int) -> tuple[bytes, bytes | None]:
    """The first hash of a segment and the first hash after it; None at the end of the range.

    Example:
        >>> [(low.hex()[:4], high and high.hex()[:4]) for low, high in (segment(0, 2), segment(1, 2))]
        [('0000', '8000'), ('8000', None)]
    """
    low, high = -(-HASH_COUNT * number // of), -(-HASH_COUNT * (number + 1) // of)
    return low.to_bytes(HASH_BYTES), None if high == HASH_COUNT else high.to_bytes(HASH_BYTES)


@dataclass(frozen=True, slots=True)
class Partition:
    """One partition: the rows from `low` up to, but not including, `high`; None at the end.

    A row's key begins with the hash of its partition key. A bound of eight bytes therefore lies between
    partition keys, and a longer one may lie within an item collection.
    """

    number: int
    low: bytes
    high: bytes | None
    parent: int | None = None


class StoredPartitions(TypedDict):
    """Partitions as a table's record keeps them: number, low bound and parent of each, and the next number."""

    next: int
    parts: list[tuple[int, str, int | None]]


class Partitions:
    """Partitions in the order of their ranges. A split makes new ones; numbers are never used again.

    Example:
        >>> two = Partitions.even(2)
        >>> three = two.split(1, bytes.fromhex("c000000000000000"))
        >>> [(each.number, each.parent, each.low.hex()[:4]) for each in three]
        [(0, None, ''), (2, 1, '8000'), (3, 1, 'c000')]
        >>> three.find(bytes.fromhex("c1")).number
        3
    """

    __slots__ = ("_parts", "lows", "next_number")

    def __init__(self, parts: Sequence[Partition], next_number: int) -> None:
        self._parts = tuple(parts)
        # Where each partition begins, and the number of the next new one, which rises with each split.
        self.lows: Sequence[bytes] = [part.low for part in parts]
        self.next_number = next_number

    @classmethod
    def even(cls, count: int) -> Partitions:
        """So many partitions of equal width."""
        bounds = [segment(number, count) for number in range(count)]
        # The first begins before every key.
        return cls(
            [Partition(number, low if number else b"", high) for number, (low, high) in enumerate(bounds)],
            count,
        )

    @classmethod
    def from_record(cls, record: StoredPartitions) -> Partitions:
        """Partitions from their stored form."""
        lows = [(number, bytes.fromhex(low), parent) for number, low, parent in record["parts"]]
        highs = [low for _, low, _ in lows[1:]] + [None]
        parts = [
            Partition(number, low, high, parent)
            for (number, low, parent), high in zip(lows, highs, strict=True)
        ]
        return cls(parts, record["next"])

    def to_record(self) -> StoredPartitions:
        """The stored form, for JSON."""
        return {
            "next": self.next_number,
            "parts": [(part.number, part.low.hex(), part.parent) for part in self._parts],
        }

    def find(self, key: bytes) -> Partition:
        """The partition of a row key."""
        return self._parts[bisect_right(self.lows, key) - 1]

    def count(self, low: bytes, high: bytes | None = None, last: bytes | None = None) -> int:
        """How many partitions have row keys from `low` up to, but not including, `high`, or up to `last` itself.

        Example:
            >>> Partitions.even(4).count(*segment(1, 2))
            2
        """
        end = len(self.lows) if high is None else bisect_left(self.lows, high)
        if last is not None:
            end = bisect_right(self.lows, last)
        return end - bisect_right(self.lows, low) + 1

    def get(self, number: int) -> Partition | None:
        """The partition with this number; None if it has split, or never existed."""
        return next((part for part in self._parts if part.number == number), None)

    def split(self, number: int, at: bytes) -> Partitions:
        """These partitions with one of them split; its second half begins at `at`."""
        position = next(position for position, part in enumerate(self._parts) if part.number == number)
        part = self._parts[position]
        if at <= part.low or (part.high is not None and at >= part.high):
            raise ValueError(f"{at.hex()} is not within partition {number}")
        left = Partition(self.next_number, part.low, at, number)
        right = Partition(self.next_number + 1, at, part.high, number)
        others = self._parts[:position], self._parts[position + 1 :]
        return Partitions([*others[0], left, right, *others[1]], self.next_number + 2)

    def __iter__(self) -> Iterator[Partition]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


def split_point(
    weighted: Iterable[tuple[bytes, float]], total: float, *, whole: bool = False
) -> bytes | None:
    """The key at which the second half begins, from row keys in order with their weights.

    The cut is nearest to half of `total`: either between two partition keys, and then it is a hash, or
    within the rows of one. With `whole`, rows of a partition key stay together. None if no cut leaves rows
    on both sides.

    Example:
        >>> rows = [(b"hash-001" + b"a", 10), (b"hash-002" + b"a", 10), (b"hash-002" + b"b", 80)]
        >>> split_point(rows, 100), split_point(rows, 100, whole=True), split_point(rows[1:], 90, whole=True)
        (b'hash-002b', b'hash-002', None)
    """
    half, before = total / 2, 0.0
    last: bytes | None = None
    best: bytes | None = None
    least = 0.0
    for key, weight in weighted:
        if last is not None:
            is_new_hash = key[:HASH_BYTES] != last[:HASH_BYTES]
            difference = abs(before - half)
            if best is not None and before >= half and difference >= least:
                break
            if (is_new_hash or not whole) and (best is None or difference < least):
                best, least = key[:HASH_BYTES] if is_new_hash else key, difference
        before += weight
        last = key
    return best


def middle_hash(low: bytes, high: bytes | None) -> bytes | None:
    """The hash half way between two bounds; None if no hash lies between them.

    Example:
        >>> middle_hash(b"", None).hex(), middle_hash(bytes.fromhex("c000000000000000"), None).hex()
        ('8000000000000000', 'e000000000000000')
        >>> middle_hash(b"hash-001a", b"hash-001b") is None
        True
    """
    first = int.from_bytes(low[:HASH_BYTES].ljust(HASH_BYTES, b"\x00"))
    after = HASH_COUNT if high is None else int.from_bytes(high[:HASH_BYTES].ljust(HASH_BYTES, b"\x00"))
    between = (first + after) // 2
    return between.to_bytes(HASH_BYTES) if first < between < after else None


_ON_DEMAND_PARTITIONS: Final = 4


def initial_count(mode: str, read_units: int = 0, write_units: int = 0) -> int:
    """The partitions of a new table: four on demand, otherwise enough for its provisioned units.

    Example:
        >>> initial_count("PAY_PER_REQUEST"), initial_count("PROVISIONED", read_units=5500, write_units=1500)
        (4, 4)
    """
    if mode == "PAY_PER_REQUEST":
        return _ON_DEMAND_PARTITIONS
    # The sum of both shares, over a common denominator to avoid rounding.
    units = read_units * PARTITION_WRITE_UNITS + write_units * PARTITION_READ_UNITS
    return max(1, -(-units // (PARTITION_READ_UNITS * PARTITION_WRITE_UNITS)))


def new_partitions(table: Table, index_name: str | None = None) -> Partitions:
    """The partitions of a new table, or of its index, by its billing; a local index has those of its table.

    Example:
        >>> from pksk.schema import Provisioned, Table
        >>> provisioned = Table("orders", billing=Provisioned(read=5, write=5))
        >>> len(new_partitions(Table("orders"))), len(new_partitions(provisioned))
        (4, 1)
    """
    index = table.index(index_name)
    billing = table.billing_of(index) if isinstance(index, GSI) else table.billing
    if isinstance(billing, Provisioned):
        return Partitions.even(initial_count("PROVISIONED", billing.read, billing.write))
    return Partitions.even(initial_count("PAY_PER_REQUEST"))


def warm_count(read_units: int, write_units: int) -> int:
    """The partitions that a table needs for so many reads and writes per second.

    Example:
        >>> warm_count(12_000, 4_000), warm_count(30_000, 10_000)
        (4, 10)
    """
    return max(1, -(-read_units // PARTITION_READ_UNITS), -(-write_units // PARTITION_WRITE_UNITS))
