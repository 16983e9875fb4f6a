"""Vectors in memory without numpy: right in all cases, and slow with many."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from math import sqrt
from operator import mul
from typing import Final

from .block import Block
from .floats import repacked, unpacked
from .scores import SearchVector

__all__ = ["PlainBlock"]

# How far sums of products may be from what they should be, for each number that is added.
_ERROR: Final = 2.0**-52


class PlainBlock(Block):
    """A block whose vectors are arrays of Python's own."""

    def __init__(self, dimensions: int) -> None:
        super().__init__(dimensions)
        self._vectors: list[array[float]] = []
        self._lengths: list[float] = []

    def _candidates(self, search: SearchVector, count: int, places: list[int] | None) -> Iterable[int]:
        chosen = range(len(self.keys)) if places is None else places
        ranges = [self._range(search, place) for place in chosen]
        most = nsmallest(count, [high for _, high in ranges])[-1]
        return [place for place, (low, _) in zip(chosen, ranges, strict=True) if low <= most]

    def _range(self, search: SearchVector, place: int) -> tuple[float, float]:
        """The bounds of what ranks a vector, computed quickly."""
        dot = sum(map(mul, search.numbers, self._vectors[place]))
        length, own = self._lengths[place], sqrt(search.squares)
        error = (self.dimensions + 8) * _ERROR * length * own
        if search.distance == "EUCLIDEAN":
            rank = length * length - 2.0 * dot
            error = 2.0 * error + (self.dimensions + 8) * _ERROR * (length + own) ** 2
        elif search.distance == "DOT_PRODUCT":
            rank = -dot
        else:
            both = length * own
            rank, error = (-dot / both, (self.dimensions + 8) * _ERROR) if both else (0.0, 0.0)
        return rank - error, rank + error

    def _reserve(self, count: int) -> None:
        pass

    def _put_all(self, place: int, vectors: Sequence[bytes]) -> None:
        floats = [unpacked(vector) for vector in vectors]
        self._vectors[place : place + len(floats)] = floats
        self._lengths[place : place + len(floats)] = [sqrt(sum(map(mul, each, each))) for each in floats]

    def _move(self, source: int, target: int) -> None:
        self._vectors[target], self._lengths[target] = self._vectors[source], self._lengths[source]

    def _shrink(self) -> None:
        self._vectors.pop()
        self._lengths.pop()

    def _packed(self, place: int) -> bytes:
        return repacked(self._vectors[place])

    def _floats(self, place: int) -> Sequence[float]:
        return self._vectors[place]
