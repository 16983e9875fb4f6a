"""The types of DynamoDB's JSON (the wire format)."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from pksk.limits import NESTING_LEVELS

Wire: TypeAlias = dict[str, Any]
WireItem: TypeAlias = dict[str, Wire]

KINDS: Final = ("S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS")

# The item itself is the first level, so an attribute can nest 31 lists and maps.
MAX_DEPTH: Final = NESTING_LEVELS - 1


def plain_name(name: str) -> str:
    """The name as a plain str, from a subclass too; raises TypeError or UnicodeError if it is not valid text.

    Example:
        >>> plain_name("größe")
        'größe'
    """
    plain = str.__str__(name)
    plain.encode()
    return plain
