"""The vectors of one index partition in memory: found by key, filtered, and searched for the nearest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Hashable, Iterable, Mapping, Sequence
from heapq import nsmallest
from math import sqrt
from operator import mul
from typing import Final, NamedTuple

from .distance import SearchVector, repack_floats, unpack_floats


class ArrayEntry(NamedTuple):
    """A row's key, its vector, and the values that searches filter by."""

    key: bytes
    vector: bytes
    filters: tuple[Hashable, ...]


class Neighbor(NamedTuple):
    """A vector that a search found."""

    key: bytes
    score: float
    vector: bytes


class VectorArray(ABC):
    """Vectors of equal dimensions, each with the key of its row and its filter values.

    They have no order: if one is removed, the last takes its position.
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.keys: list[bytes] = []
        self._filters: list[tuple[Hashable, ...]] = []
        self._positions: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self.keys)

    def extend(self, entries: Sequence[ArrayEntry]) -> None:
        """Add many new entries."""
        start = len(self.keys)
        self._reserve(start + len(entries))
        self._write(start, [entry.vector for entry in entries])
        for position, entry in enumerate(entries, start):
            self._positions[entry.key] = position
            self.keys.append(entry.key)
            self._filters.append(entry.filters)

    def put(self, entry: ArrayEntry) -> None:
        """Add an entry, or replace the one with the same key."""
        position = self._positions.get(entry.key)
        if position is None:
            self.extend((entry,))
        else:
            self._write(position, [entry.vector])
            self._filters[position] = entry.filters

    def remove(self, key: bytes) -> None:
        """Remove an entry, if it exists."""
        position = self._positions.pop(key, None)
        if position is None:
            return
        last = len(self.keys) - 1
        if position != last:
            self._move(last, position)
            self.keys[position], self._filters[position] = self.keys[last], self._filters[last]
            self._positions[self.keys[position]] = position
        self.keys.pop()
        self._filters.pop()
        self._shrink()

    def get(self, key: bytes) -> ArrayEntry | None:
        """The entry with a key."""
        position = self._positions.get(key)
        return None if position is None else ArrayEntry(key, self._packed(position), self._filters[position])

    def nearest(self, search: SearchVector, count: int, filters: Mapping[int, Hashable]) -> list[Neighbor]:
        """The nearest entries with these filter values, by score and then by key."""
        matching = self._matching(filters) if filters else None
        positions: Iterable[int] = range(len(self.keys)) if matching is None else matching
        if (len(self.keys) if matching is None else len(matching)) > count:
            positions = self._candidates(search, count, matching)
        # Many items often have the same vector.
        scores: dict[bytes, float] = {}
        ranked = []
        for position in positions:
            packed = self._packed(position)
            score = scores.get(packed)
            if score is None:
                score = scores[packed] = search.score(self._floats(position))
            ranked.append((search.rank(score), self.keys[position], score, packed))
        return [Neighbor(key, score, packed) for _, key, score, packed in nsmallest(count, ranked)]

    def _matching(self, filters: Mapping[int, Hashable]) -> list[int]:
        ((first, value), *others) = filters.items()
        positions = [position for position, values in enumerate(self._filters) if values[first] == value]
        for number, value in others:
            positions = [position for position in positions if self._filters[position][number] == value]
        return positions

    @abstractmethod
    def _candidates(self, search: SearchVector, count: int, positions: list[int] | None) -> Iterable[int]:
        """Positions that certainly include the nearest, out of these or of all."""

    @abstractmethod
    def _reserve(self, count: int) -> None:
        """Allocate space for so many vectors."""

    @abstractmethod
    def _write(self, position: int, vectors: Sequence[bytes]) -> None:
        """Write vectors from a position on."""

    @abstractmethod
    def _move(self, source: int, target: int) -> None:
        """Copy the vector of one position to another."""

    @abstractmethod
    def _shrink(self) -> None:
        """Free the position after the last key."""

    @abstractmethod
    def _packed(self, position: int) -> bytes:
        """The vector at a position as bytes."""

    @abstractmethod
    def _floats(self, position: int) -> Sequence[float]:
        """The vector at a position as floats."""


# The rounding error of a sum of products, for each number added.
_ERROR: Final = 2.0**-52


class PlainVectorArray(VectorArray):
    """Vectors as Python arrays."""

    def __init__(self, dimensions: int) -> None:
        super().__init__(dimensions)
        self._vectors: list[array[float]] = []
        self._lengths: list[float] = []

    def _candidates(self, search: SearchVector, count: int, positions: list[int] | None) -> Iterable[int]:
        chosen = range(len(self.keys)) if positions is None else positions
        bounds = [self._rank_bounds(search, position) for position in chosen]
        highest = nsmallest(count, [high for _, high in bounds])[-1]
        return [position for position, (low, _) in zip(chosen, bounds, strict=True) if low <= highest]

    def _rank_bounds(self, search: SearchVector, position: int) -> tuple[float, float]:
        """Bounds of a vector's rank by float arithmetic: a search takes a quarter of the time of exact scores."""
        dot = sum(map(mul, search.numbers, self._vectors[position]))
        length, own = self._lengths[position], sqrt(search.squares)
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

    def _write(self, position: int, vectors: Sequence[bytes]) -> None:
        floats = [unpack_floats(vector) for vector in vectors]
        self._vectors[position : position + len(floats)] = floats
        self._lengths[position : position + len(floats)] = [
            sqrt(sum(map(mul, each, each))) for each in floats
        ]

    def _move(self, source: int, target: int) -> None:
        self._vectors[target], self._lengths[target] = self._vectors[source], self._lengths[source]

    def _shrink(self) -> None:
        self._vectors.pop()
        self._lengths.pop()

    def _packed(self, position: int) -> bytes:
        return repack_floats(self._vectors[position])

    def _floats(self, position: int) -> Sequence[float]:
        return self._vectors[position]
