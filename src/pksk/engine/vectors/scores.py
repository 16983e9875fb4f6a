"""Scores: how near two vectors are, computed the same way wherever numpy is and is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum, sqrt
from operator import mul, sub

from .floats import unpacked

__all__ = ["SearchVector"]


@dataclass(frozen=True)
class SearchVector:
    """What a search compares vectors with: a vector of 32-bit floats, and the index's distance function.

    Example:
        >>> from pksk.engine.vectors.floats import packed, unpacked
        >>> search = SearchVector("EUCLIDEAN", packed([{"N": "3"}, {"N": "4"}]))
        >>> search.score(unpacked(packed([{"N": "0"}, {"N": "0"}])))
        5.0
    """

    distance: str
    packed: bytes
    numbers: tuple[float, ...] = field(init=False, repr=False)
    # The sum of the squares of its numbers.
    squares: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        numbers = tuple(unpacked(self.packed))
        object.__setattr__(self, "numbers", numbers)
        object.__setattr__(self, "squares", _dot(numbers, numbers))

    def score(self, vector: Sequence[float]) -> float:
        """The score of a vector, from sums without an error of rounding, so that it has no order of its own."""
        if self.distance == "EUCLIDEAN":
            apart = list(map(sub, self.numbers, vector))
            return sqrt(_dot(apart, apart))
        dot = _dot(self.numbers, vector)
        if self.distance == "DOT_PRODUCT":
            return dot + 0.0  # which has no sign where it is nothing
        lengths = sqrt(self.squares * _dot(vector, vector))
        # A vector of zeros has no direction: it is as far from all as what stands at a right angle.
        return min(max(1.0 - dot / lengths, 0.0), 2.0) if lengths else 1.0

    def rank(self, score: float) -> float:
        """What orders results: the nearest has the lowest."""
        return -score if self.distance == "DOT_PRODUCT" else score


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    # The product of two 32-bit floats is a 64-bit float, exactly.
    return fsum(map(mul, one, other))
