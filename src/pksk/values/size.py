"""The size of values and items in bytes, for limits and bills.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .decode import find_wire_error, find_wire_item_error
from .numbers import canonical_number

_CONTAINER_BYTES: Final = 3
_SIZE_ERRORS: Final = (ValueError, TypeError, AttributeError, KeyError)


def item_size(item: Mapping[str, Mapping[str, Any]]) -> int:
    """The size in bytes of an item in DynamoDB's JSON, names and values.

    Example:
        >>> item_size({"shirt-color": {"S": "R"}, "shirt-size": {"S": "M"}})
        23
    """
    try:
        return _text_size("".join(item)) + _sum(list(item.values()))
    except _SIZE_ERRORS as trouble:
        raise find_wire_item_error(item) or trouble from None


def value_size(wire: Mapping[str, Any]) -> int:
    """The size in bytes of a value in DynamoDB's JSON, without the attribute's name.

    Example:
        >>> value_size({"S": "abc"}), value_size({"L": [{"N": "1"}]}), value_size({"BOOL": True})
        (3, 6, 1)
    """
    try:
        return _sum([wire])
    except _SIZE_ERRORS as trouble:
        raise find_wire_error(wire) or trouble from None


def number_size(text: str) -> int:
    """The size in bytes of a number: one byte, and half a byte for each digit on either side of the point.

    The developer guide rounds all digits together. Measurements show that the service rounds the digits
    before and after the point separately, and adds one byte for a minus sign.

    Example:
        >>> number_size("15"), number_size("1.5"), number_size("-42"), number_size("1E125")
        (2, 3, 3, 2)
    """
    # Short texts without sign and exponent are within every limit and need no rewriting.
    if len(text) > 38 or not text.isascii() or not text.replace(".", "", 1).isdigit():
        text = canonical_number(text)
    whole, _, fraction = text.partition(".")
    digits, fraction = whole.lstrip("-0"), fraction.rstrip("0")
    if not fraction:
        digits = digits.rstrip("0")
    elif not digits:
        fraction = fraction.lstrip("0")
    return 1 + (len(digits) + 1) // 2 + (len(fraction) + 1) // 2 + (text[0] == "-")


def _sum(pending: list[Mapping[str, Any]]) -> int:
    """Sums wire values and their contents; without recursion, so that any depth works."""
    total = 0
    while pending:
        wire = pending.pop()
        (kind,) = wire
        inner = wire[kind]
        if kind == "S":
            total += len(inner) if inner.isascii() else len(inner.encode())
        elif kind == "N":
            total += number_size(inner)
        elif kind == "M":
            total += _CONTAINER_BYTES + len(inner) + _text_size("".join(inner))
            pending.extend(inner.values())
        elif kind == "L":
            total += _CONTAINER_BYTES + len(inner)
            pending.extend(inner)
        else:
            total += _LEAVES[kind](inner)
    return total


def _text_size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _base64_size(text: str) -> int:
    return len(text) // 4 * 3 - text[-2:].count("=")


_LEAVES: Final[dict[str, Callable[[Any], int]]] = {
    "B": _base64_size,
    "BOOL": lambda _: 1,
    "NULL": lambda _: 1,
    "SS": lambda members: _text_size("".join(members)),
    "NS": lambda members: sum(map(number_size, members)),
    "BS": lambda members: sum(map(_base64_size, members)),
}
