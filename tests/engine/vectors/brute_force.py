"""Search by comparing every vector, from the definitions."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from fractions import Fraction

__all__ = ["DISTANCES", "brute_force", "score", "thirty_two_bits"]

DISTANCES = ("COSINE", "EUCLIDEAN", "DOT_PRODUCT")


def thirty_two_bits(numbers: Iterable[float]) -> list[float]:
    """Numbers as 32-bit floats have them."""
    return [struct.unpack("<f", struct.pack("<f", number))[0] for number in numbers]


def score(distance: str, one: Sequence[float], other: Sequence[float]) -> float:
    """The distance of two vectors, or their product."""
    left, right = (list(map(Fraction, thirty_two_bits(vector))) for vector in (one, other))
    dot = sum((a * b for a, b in zip(left, right, strict=True)), Fraction())
    if distance == "DOT_PRODUCT":
        return float(dot)
    if distance == "EUCLIDEAN":
        return math.sqrt(sum(((a - b) ** 2 for a, b in zip(left, right, strict=True)), Fraction()))
    squares = sum(a * a for a in left) * sum(b * b for b in right)
    return 1.0 if not squares else 1.0 - float(dot) / math.sqrt(squares)


def brute_force(
    distance: str, vector: Sequence[float], candidates: Iterable[tuple[str, Sequence[float]]], count: int
) -> list[tuple[str, float]]:
    """The names of the nearest and their scores; of equals, those come first that are given first."""
    scored = [(name, score(distance, vector, other)) for name, other in candidates]
    highest_first = distance == "DOT_PRODUCT"
    return sorted(scored, key=lambda each: -each[1] if highest_first else each[1])[:count]
