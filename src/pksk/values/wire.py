"""The shapes of DynamoDB's JSON API that the other modules speak of."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from pksk.limits import NESTING_LEVELS

__all__ = ["KINDS", "MAX_DEPTH", "Wire", "WireItem", "plain_name"]

Wire: TypeAlias = dict[str, Any]
WireItem: TypeAlias = dict[str, Wire]

KINDS: Final = ("S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS")

# The item itself is the first level, so 31 lists and maps fit inside one another in an attribute.
MAX_DEPTH: Final = NESTING_LEVELS - 1


def plain_name(name: str) -> str:
    """A name that may be of a subclass, as the string itself; TypeError or UnicodeError if it is none.

    Example:
        >>> plain_name("größe")
        'größe'
    """
    plain = str.__str__(name)
    plain.encode()
    return plain
