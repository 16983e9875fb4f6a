"""The vectors of one part of an index in memory: found by key, filtered, and searched for the nearest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Hashable, Iterable, Mapping, Sequence
from heapq import nsmallest
from math import sqrt
from operator import mul
from typing import Final, NamedTuple

from .distance import SearchVector, repack_floats, unpack_floats

__all__ = ["ArrayEntry", "Neighbor", "PlainVectorArray", "VectorArray"]


class ArrayEntry(NamedTuple):
    """What a block keeps of an entry."""

    key: bytes
    vector: bytes
    filters: tuple[Hashable, ...]


class Neighbor(NamedTuple):
    """A vector that a search has found."""

    key: bytes
    score: float
    vector: bytes


class VectorArray(ABC):
    """Vectors of one number of dimensions, each with the key of its row and the values that it is filtered by.

    They stand in no order: one that goes leaves its place to the last.
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.keys: list[bytes] = []
        self._filters: list[tuple[Hashable, ...]] = []
        self._places: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self.keys)

    def extend(self, entries: Sequence[ArrayEntry]) -> None:
        """Add many entries, none of which it has."""
        start = len(self.keys)
        self._reserve(start + len(entries))
        self._put_all(start, [entry.vector for entry in entries])
        for place, entry in enumerate(entries, start):
            self._places[entry.key] = place
            self.keys.append(entry.key)
            self._filters.append(entry.filters)

    def put(self, entry: ArrayEntry) -> None:
        """Add an entry, in the place of one with the same key."""
        place = self._places.get(entry.key)
        if place is None:
            self.extend((entry,))
        else:
            self._put_all(place, [entry.vector])
            self._filters[place] = entry.filters

    def remove(self, key: bytes) -> None:
        """Take an entry out, if it is there."""
        place = self._places.pop(key, None)
        if place is None:
            return
        last = len(self.keys) - 1
        if place != last:
            self._move(last, place)
            self.keys[place], self._filters[place] = self.keys[last], self._filters[last]
            self._places[self.keys[place]] = place
        self.keys.pop()
        self._filters.pop()
        self._shrink()

    def get(self, key: bytes) -> ArrayEntry | None:
        """What it keeps under a key."""
        place = self._places.get(key)
        return None if place is None else ArrayEntry(key, self._packed(place), self._filters[place])

    def nearest(self, search: SearchVector, count: int, wanted: Mapping[int, Hashable]) -> list[Neighbor]:
        """The nearest of those whose filters have the values wanted, by score and then by key."""
        passing = self._passing(wanted) if wanted else None
        left = len(self.keys) if passing is None else len(passing)
        places: Iterable[int] = range(left) if passing is None else passing
        if left > count:
            places = self._candidates(search, count, passing)
        # Many items often have the same vector.
        scores: dict[bytes, float] = {}
        found = []
        for place in places:
            packed = self._packed(place)
            score = scores.get(packed)
            if score is None:
                score = scores[packed] = search.score(self._floats(place))
            found.append((search.rank(score), self.keys[place], score, packed))
        return [Neighbor(key, score, packed) for _, key, score, packed in nsmallest(count, found)]

    def _passing(self, wanted: Mapping[int, Hashable]) -> list[int]:
        ((first, value), *others) = wanted.items()
        places = [place for place, has in enumerate(self._filters) if has[first] == value]
        for which, value in others:
            places = [place for place in places if self._filters[place][which] == value]
        return places

    @abstractmethod
    def _candidates(self, search: SearchVector, count: int, places: list[int] | None) -> Iterable[int]:
        """Places among which the nearest are surely found; of those given, or of all."""

    @abstractmethod
    def _reserve(self, count: int) -> None:
        """Make room for so many vectors."""

    @abstractmethod
    def _put_all(self, place: int, vectors: Sequence[bytes]) -> None:
        """Write vectors from a place on."""

    @abstractmethod
    def _move(self, source: int, target: int) -> None:
        """Copy the vector of one place to another."""

    @abstractmethod
    def _shrink(self) -> None:
        """Forget what stands in the place after the last key."""

    @abstractmethod
    def _packed(self, place: int) -> bytes:
        """The vector of a place as bytes."""

    @abstractmethod
    def _floats(self, place: int) -> Sequence[float]:
        """The vector of a place as floats."""


# How far sums of products may be from what they should be, for each number that is added.
_ERROR: Final = 2.0**-52


class PlainVectorArray(VectorArray):
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
        floats = [unpack_floats(vector) for vector in vectors]
        self._vectors[place : place + len(floats)] = floats
        self._lengths[place : place + len(floats)] = [sqrt(sum(map(mul, each, each))) for each in floats]

    def _move(self, source: int, target: int) -> None:
        self._vectors[target], self._lengths[target] = self._vectors[source], self._lengths[source]

    def _shrink(self) -> None:
        self._vectors.pop()
        self._lengths.pop()

    def _packed(self, place: int) -> bytes:
        return repack_floats(self._vectors[place])

    def _floats(self, place: int) -> Sequence[float]:
        return self._vectors[place]
