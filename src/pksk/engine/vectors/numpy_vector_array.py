"""Vectors in memory as one numpy matrix, all compared at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any, Final

import numpy as np

from .distance import SearchVector
from .vector_array import VectorArray

__all__ = ["NumpyVectorArray"]

# How far sums of products may be from what they should be, for each number that is added, and the least
# that a product in 32 bits can be wrong by.
_ERROR_32: Final = 2.0**-23
_ERROR_64: Final = 2.0**-52
_TINY_32: Final = 2.0**-126
# So many rows are widened to 64 bits at a time.
_CHUNK: Final = 4096
# With so few candidates there is nothing to gain from cutting down again.
_FEW_CANDIDATES: Final = 256


class NumpyVectorArray(VectorArray):
    """A block whose vectors are the rows of a matrix, which doubles when it is full."""

    def __init__(self, dimensions: int) -> None:
        super().__init__(dimensions)
        self._matrix: Any = np.zeros((0, dimensions), "<f4")
        # The length of each vector.
        self._lengths: Any = np.zeros(0)

    def _candidates(self, search: SearchVector, count: int, places: list[int] | None) -> Iterable[int]:
        """What may be nearest by 32 bits, and if that is much, by 64."""
        if places is None:
            chosen = np.arange(len(self.keys))
            matrix, lengths = self._matrix[: len(self.keys)], self._lengths[: len(self.keys)]
        else:
            chosen = np.asarray(places)
            matrix, lengths = self._matrix[chosen], self._lengths[chosen]
        with np.errstate(all="ignore"):
            dots = (matrix @ np.frombuffer(search.packed, "<f4")).astype(np.float64)
            if np.isfinite(dots).all():
                near = self._near(search, count, dots, lengths, wide=False)
                if len(near) <= max(_FEW_CANDIDATES, 4 * count):
                    return chosen[near].tolist()  # type: ignore[no-any-return]
                chosen, matrix, lengths = chosen[near], matrix[near], lengths[near]
            near = self._near(search, count, _wide_dots(matrix, search), lengths, wide=True)
        return chosen[near].tolist()  # type: ignore[no-any-return]

    def _near(self, search: SearchVector, count: int, dots: Any, lengths: Any, *, wide: bool) -> Any:
        """The places of those whose least possible rank is not above that of `count` others at the most."""
        each = (self.dimensions + 8) * (_ERROR_64 if wide else _ERROR_32)
        own = sqrt(search.squares)
        errors = each * own * lengths + (0.0 if wide else self.dimensions * _TINY_32)
        if search.distance == "EUCLIDEAN":
            ranks = lengths * lengths - 2.0 * dots
            errors = 2.0 * errors + (self.dimensions + 8) * _ERROR_64 * (lengths + own) ** 2
        elif search.distance == "DOT_PRODUCT":
            ranks = -dots
        else:
            both = lengths * own
            whole = np.where(both > 0.0, both, 1.0)
            ranks = np.where(both > 0.0, -dots / whole, 0.0)
            errors = np.where(both > 0.0, errors / whole + each, 0.0)
        most = np.partition(ranks + errors, count - 1)[count - 1]
        return np.flatnonzero(ranks - errors <= most)

    def _reserve(self, count: int) -> None:
        room = len(self._matrix)
        if count <= room:
            return
        size = max(count, 2 * room)
        matrix, lengths = np.zeros((size, self.dimensions), "<f4"), np.zeros(size)
        matrix[: len(self.keys)] = self._matrix[: len(self.keys)]
        lengths[: len(self.keys)] = self._lengths[: len(self.keys)]
        self._matrix, self._lengths = matrix, lengths

    def _put_all(self, place: int, vectors: Sequence[bytes]) -> None:
        for start in range(0, len(vectors), _CHUNK):
            some = vectors[start : start + _CHUNK]
            rows = np.frombuffer(b"".join(some), "<f4").reshape(len(some), self.dimensions)
            low = place + start
            self._matrix[low : low + len(some)] = rows
            wide = rows.astype(np.float64)
            self._lengths[low : low + len(some)] = np.sqrt((wide * wide).sum(axis=1))

    def _move(self, source: int, target: int) -> None:
        self._matrix[target], self._lengths[target] = self._matrix[source], self._lengths[source]

    def _shrink(self) -> None:
        """Give room back once three quarters of it are not needed."""
        if len(self._matrix) > _CHUNK and len(self.keys) * 4 < len(self._matrix):
            self._matrix = self._matrix[: len(self.keys) * 2].copy()
            self._lengths = self._lengths[: len(self.keys) * 2].copy()

    def _packed(self, place: int) -> bytes:
        packed: bytes = self._matrix[place].tobytes()
        return packed

    def _floats(self, place: int) -> Sequence[float]:
        floats: list[float] = self._matrix[place].tolist()
        return floats


def _wide_dots(matrix: Any, search: SearchVector) -> Any:
    numbers = np.array(search.numbers)
    chunks = [
        matrix[start : start + _CHUNK].astype(np.float64) @ numbers for start in range(0, len(matrix), _CHUNK)
    ]
    return np.concatenate(chunks)
