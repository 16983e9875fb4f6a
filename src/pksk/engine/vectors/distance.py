"""Vectors as 32-bit floats, and their scores, which are the same with and without numpy."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from dataclasses import field
from math import fsum, sqrt
from operator import mul, sub
from struct import pack
from typing import Any, Final

from pksk.dataclass import dataclass
from pksk.values import canonical_number

FLOAT_BYTES: Final = 4
# A 32-bit float needs at most nine digits, and often fewer.
_DIGITS: Final = range(6, 10)


def pack_floats(numbers: Sequence[Any]) -> bytes | None:
    """A list of numbers in DynamoDB's JSON as little-endian 32-bit floats; None if that is impossible.

    Example:
        >>> pack_floats([{"N": "1"}, {"N": "-0.5"}]).hex()
        '0000803f000000bf'
        >>> pack_floats([{"N": "1e39"}]), pack_floats([{"S": "1"}])
        (None, None)
    """
    try:
        return pack(f"<{len(numbers)}f", *[float(number["N"]) for number in numbers])
    except (KeyError, OverflowError):
        return None


def unpack_floats(data: bytes) -> array[float]:
    """The floats of a packed vector.

    Example:
        >>> unpack_floats(pack_floats([{"N": "0.5"}, {"N": "2"}])).tolist()
        [0.5, 2.0]
    """
    floats = array("f", data)
    if sys.byteorder == "big":
        floats.byteswap()
    return floats


def repack_floats(floats: array[float]) -> bytes:
    r"""The bytes of floats, in the format of `pack_floats`.

    Example:
        >>> repack_floats(unpack_floats(b"\x00\x00\x80?")).hex()
        '0000803f'
    """
    return pack(f"<{len(floats)}f", *floats) if sys.byteorder == "big" else floats.tobytes()


def shortest_decimal(number: float) -> str:
    """The shortest DynamoDB number for a 32-bit float.

    Example:
        >>> shortest_decimal(unpack_floats(pack_floats([{"N": "0.1"}]))[0])
        '0.1'
    """
    for digits in _DIGITS:
        text = f"{number:.{digits}g}"
        if pack("f", float(text)) == pack("f", number):
            break
    return canonical_number(text)


@dataclass(frozen=True)
class SearchVector:
    """The vector of a search, as 32-bit floats, and the index's distance function.

    Example:
        >>> from pksk.engine.vectors.distance import pack_floats, unpack_floats
        >>> search = SearchVector("EUCLIDEAN", pack_floats([{"N": "3"}, {"N": "4"}]))
        >>> search.score(unpack_floats(pack_floats([{"N": "0"}, {"N": "0"}])))
        5.0
    """

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
