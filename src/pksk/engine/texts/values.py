"""What DynamoDB says of attribute values that it refuses; what it says of numbers stands in pksk.values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = [
    "DUPLICATE_NUMBERS",
    "EMPTY_NAME",
    "EMPTY_SETS",
    "EMPTY_VALUE",
    "LONG_NAME",
    "NESTING",
    "NULL_FALSE",
    "SEVERAL_TYPES",
    "duplicate_binaries",
    "duplicate_strings",
    "not_numeric",
]

EMPTY_VALUE: Final = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
SEVERAL_TYPES: Final = (
    "Supplied AttributeValue has more than one datatypes set, "
    "must contain exactly one of the supported datatypes"
)
NULL_FALSE: Final = (
    "One or more parameter values were invalid: Null attribute value types must have the value of true"
)
# The grammar and the two spaces are the service's own.
EMPTY_SETS: Final = {
    "SS": "One or more parameter values were invalid: An string set  may not be empty",
    "NS": "One or more parameter values were invalid: An number set  may not be empty",
    "BS": "One or more parameter values were invalid: Binary sets should not be empty",
}
DUPLICATE_NUMBERS: Final = "Input collection contains duplicates"
NESTING: Final = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
EMPTY_NAME: Final = "Empty attribute name"
LONG_NAME: Final = "Attribute name is too large, must be less than 65536 bytes"


def duplicate_strings(members: Iterable[str], *, quoted: bool = True) -> str:
    """Of a string set that holds a member twice; the older wording has no quotes."""
    shown = _listed(members, quoted)
    return f"One or more parameter values were invalid: Input collection {shown} contains duplicates."


def duplicate_binaries(members: Iterable[str], *, quoted: bool = True) -> str:
    """Of a binary set that holds a member twice; the missing space is the service's own."""
    shown = _listed(members, quoted)
    return (
        f"One or more parameter values were invalid: Input collection {shown}of type BS contains duplicates."
    )


def _listed(members: Iterable[str], quoted: bool) -> str:
    mark = '"' if quoted else ""
    return "[" + ", ".join(f"{mark}{member}{mark}" for member in members) + "]"


def not_numeric(words: str, text: str) -> str:
    """Of a text that is no number; the text follows, where there is one."""
    return f"{words}: {text}" if text else words
