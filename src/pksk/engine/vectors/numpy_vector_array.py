"""Vectors in memory as one numpy matrix, all compared at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any, Final

import numpy as np

from .distance import SearchVector
from .vector_array import VectorArray

# The rounding error of a sum of products, for each number added, and the smallest error of a product in 32 bits.
_ERROR_32: Final = 2.0**-23
_ERROR_64: Final = 2.0**-52
_TINY_32: Final = 2.0**-126
# So many rows are converted to 64 bits at a time.
_CHUNK: Final = 4096
# So few candidates are scored without the second pass.
_FEW_CANDIDATES: Final = 256


class NumpyVectorArray(VectorArray):
    """Vectors as the rows of a matrix, which doubles when it is full."""

    def __init__(self, dimensions: int) -> None:
        super().__init__(dimensions)
        self._matrix: Any = np.zeros((0, dimensions), "<f4")
        # The length of each vector.
        self._lengths: Any = np.zeros(0)

    def _candidates(self, search: SearchVector, count: int, positions: list[int] | None) -> Iterable[int]:
        """Candidates by arithmetic in 32 bits, and if they are many, in 64."""
        if positions is None:
            chosen = np.arange(len(self.keys))
            matrix, lengths = self._matrix[: len(self.keys)], self._lengths[: len(self.keys)]
        else:
            chosen = np.asarray(positions)
            matrix, lengths = self._matrix[chosen], self._lengths[chosen]
        with np.errstate(all="ignore"):
            dots = (matrix @ np.frombuffer(search.packed, "<f4")).astype(np.float64)
            if np.isfinite(dots).all():
                near = self._within_bounds(search, count, dots, lengths, wide=False)
                if len(near) <= max(_FEW_CANDIDATES, 4 * count):
                    return chosen[near].tolist()  # type: ignore[no-any-return]
                chosen, matrix, lengths = chosen[near], matrix[near], lengths[near]
            near = self._within_bounds(search, count, _wide_dots(matrix, search), lengths, wide=True)
        return chosen[near].tolist()  # type: ignore[no-any-return]

    def _within_bounds(self, search: SearchVector, count: int, dots: Any, lengths: Any, *, wide: bool) -> Any:
        """The positions whose lowest possible rank is at most the `count`-th lowest of the highest possible ones."""
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
        highest = np.partition(ranks + errors, count - 1)[count - 1]
        return np.flatnonzero(ranks - errors <= highest)

    def _reserve(self, count: int) -> None:
        capacity = len(self._matrix)
        if count <= capacity:
            return
        size = max(count, 2 * capacity)
        matrix, lengths = np.zeros((size, self.dimensions), "<f4"), np.zeros(size)
        matrix[: len(self.keys)] = self._matrix[: len(self.keys)]
        lengths[: len(self.keys)] = self._lengths[: len(self.keys)]
        self._matrix, self._lengths = matrix, lengths

    def _write(self, position: int, vectors: Sequence[bytes]) -> None:
        for start in range(0, len(vectors), _CHUNK):
            chunk = vectors[start : start + _CHUNK]
            rows = np.frombuffer(b"".join(chunk), "<f4").reshape(len(chunk), self.dimensions)
            low = position + start
            self._matrix[low : low + len(chunk)] = rows
            wide = rows.astype(np.float64)
            self._lengths[low : low + len(chunk)] = np.sqrt((wide * wide).sum(axis=1))

    def _move(self, source: int, target: int) -> None:
        self._matrix[target], self._lengths[target] = self._matrix[source], self._lengths[source]

    def _shrink(self) -> None:
        """Free space when three quarters of it are unused."""
        if len(self._matrix) > _CHUNK and len(self.keys) * 4 < len(self._matrix):
            self._matrix = self._matrix[: len(self.keys) * 2].copy()
            self._lengths = self._lengths[: len(self.keys) * 2].copy()

    def _packed(self, position: int) -> bytes:
        packed: bytes = self._matrix[position].tobytes()
        return packed

    def _floats(self, position: int) -> Sequence[float]:
        floats: list[float] = self._matrix[position].tolist()
        return floats


def _wide_dots(matrix: Any, search: SearchVector) -> Any:
    numbers = np.array(search.numbers)
    chunks = [
        matrix[start : start + _CHUNK].astype(np.float64) @ numbers for start in range(0, len(matrix), _CHUNK)
    ]
    return np.concatenate(chunks)
