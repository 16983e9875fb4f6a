"""The partitions of a table or an index: ranges of row keys that together cover all of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .placement import segment

__all__ = ["Partition", "Partitions"]


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
