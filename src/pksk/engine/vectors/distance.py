"""Vectors as 32-bit floats, and their scores, which are the same with and without numpy."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from dataclasses import field
from decimal import Decimal
from math import fsum, sqrt
from operator import mul, sub
from struct import pack
from typing import Any, Final

from pksk.dataclass import dataclass

FLOAT_BYTES: Final = 4
# A 32-bit float needs at most nine digits, and often fewer.
_DIGITS: Final = range(6, 10)
# Between these, a float is written without an exponent.
_PLAIN_FROM, _PLAIN_BELOW = Decimal("1e-6"), Decimal("1e13")


def pack_floats(numbers: Sequence[Any]) -> bytes | None:
    """A list of numbers in DynamoDB's JSON as little-endian 32-bit floats; None if that is impossible."""
    try:
        return pack(f"<{len(numbers)}f", *[float(number["N"]) for number in numbers])
    except (KeyError, OverflowError):
        return None


def unpack_floats(data: bytes) -> array[float]:
    """The floats of a packed vector."""
    floats = array("f", data)
    if sys.byteorder == "big":
        floats.byteswap()
    return floats


def repack_floats(floats: array[float]) -> bytes:
    """The bytes of floats, in the format of `pack_floats`."""
    return pack(f"<{len(floats)}f", *floats) if sys.byteorder == "big" else floats.tobytes()


def stored_decimal(number: float) -> str:
    """A 32-bit float as a vector index gives it back: the shortest decimal, with a fraction or an exponent."""
    if not number:
        return "0.0"
    for digits in _DIGITS:
        text = f"{number:.{digits}g}"
        if pack("f", float(text)) == pack("f", number):
            break
    decimal = Decimal(text).normalize()
    sign, figures, exponent = decimal.as_tuple()
    if _PLAIN_FROM <= abs(decimal) < _PLAIN_BELOW:
        plain = f"{decimal:f}"
        return plain if "." in plain else f"{plain}.0"
    first, *others = map(str, figures)
    mantissa = f"{first}.{''.join(others)}" if others else first
    return f"{'-' * sign}{mantissa}e{int(exponent) + len(others)}"


@dataclass(frozen=True)
class SearchVector:
    """The vector of a search, as 32-bit floats, and the index's distance function."""

    distance: str
    packed: bytes
    numbers: tuple[float, ...] = field(init=False, repr=False)
    # The sum of the squares of the numbers.
    squares: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        numbers = tuple(unpack_floats(self.packed))
        object.__setattr__(self, "numbers", numbers)
        object.__setattr__(self, "squares", _dot(numbers, numbers))

    def score(self, vector: Sequence[float]) -> float:
        """The score of a vector, from sums without rounding errors."""
        if self.distance == "EUCLIDEAN":
            differences = list(map(sub, self.numbers, vector))
            return sqrt(_dot(differences, differences))
        dot = _dot(self.numbers, vector)
        if self.distance == "DOT_PRODUCT":
            return dot + 0.0  # never -0.0
        lengths = sqrt(self.squares * _dot(vector, vector))
        # A vector of zeros has no direction: it scores like one at a right angle.
        return min(max(1.0 - dot / lengths, 0.0), 2.0) if lengths else 1.0

    def rank(self, score: float) -> float:
        """The order of results: the nearest has the lowest rank."""
        return -score if self.distance == "DOT_PRODUCT" else score


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    # The product of two 32-bit floats is a 64-bit float, exactly.
    return fsum(map(mul, one, other))
