"""Vectors as 32-bit floats: from DynamoDB's numbers to bytes, and back."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from struct import pack
from typing import Any, Final

from pksk.values import canonical

__all__ = ["FLOAT_BYTES", "as_decimal", "packed", "repacked", "unpacked"]

FLOAT_BYTES: Final = 4
# So many digits may tell one 32-bit float from all others; fewer often do.
_DIGITS: Final = range(6, 10)


def packed(numbers: Sequence[Any]) -> bytes | None:
    """The numbers of a list in DynamoDB's JSON as 32-bit floats, little end first; None if they are no such.

    Example:
        >>> packed([{"N": "1"}, {"N": "-0.5"}]).hex()
        '0000803f000000bf'
        >>> packed([{"N": "1e39"}]), packed([{"S": "1"}])
        (None, None)
    """
    try:
        return pack(f"<{len(numbers)}f", *[float(number["N"]) for number in numbers])
    except (KeyError, OverflowError):
        return None


def unpacked(data: bytes) -> array[float]:
    """The floats of a vector that was packed.

    Example:
        >>> unpacked(packed([{"N": "0.5"}, {"N": "2"}])).tolist()
        [0.5, 2.0]
    """
    floats = array("f", data)
    if sys.byteorder == "big":
        floats.byteswap()
    return floats


def repacked(floats: array[float]) -> bytes:
    r"""The bytes of floats, as `packed` gives them.

    Example:
        >>> repacked(unpacked(b"\x00\x00\x80?")).hex()
        '0000803f'
    """
    return pack(f"<{len(floats)}f", *floats) if sys.byteorder == "big" else floats.tobytes()


def as_decimal(number: float) -> str:
    """A 32-bit float as the shortest of DynamoDB's numbers that stands for it.

    Example:
        >>> as_decimal(unpacked(packed([{"N": "0.1"}]))[0])
        '0.1'
    """
    for digits in _DIGITS:
        text = f"{number:.{digits}g}"
        if pack("f", float(text)) == pack("f", number):
            break
    return canonical(text)
