"""DynamoDB's messages about members of requests with wrong types, or that break a constraint.

AWS is moving its operations to a newer wording one by one; `WORDINGS` lists those that have moved. All
others, and requests that the older layer reads, have the older wording.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

# Requests that cannot be read: a SerializationException.

UNEXPECTED_TOKEN: Final = "Unexpected token received from parser"
STRUCTURE_FOUND: Final = "Start of structure or map found where not expected"
FIELD_TYPE: Final = "Unexpected field type"
VALUE_TYPE: Final = "Unexpected value type in payload"
NOT_A_BLOB: Final = "only base-64-encoded strings are convertible to bytes"
LAST_CHARACTER: Final = "Invalid last non-pad Base64 character dectected"  # the slip is the service's


def not_converted(token: str, target: str) -> str:
    """A JSON scalar of the wrong type, such as a number for a string."""
    return f"{token}_VALUE cannot be converted to {target}"


def collection_type(java_type: str) -> str:
    """A JSON list in the wrong place."""
    return f"Unrecognized collection type {java_type}"


def base64_length(length: int) -> str:
    """Base64 with missing characters."""
    return f"Base64 encoded length is expected a multiple of 4 bytes but found: {length}"


def base64_character(character: str) -> str:
    """Base64 with an invalid character."""
    return f"Invalid Base64 character: '{character}'"


def scalar_type(name: str) -> str:
    """A scalar as the service's language names it."""
    return "java.nio.ByteBuffer" if name == "Blob" else f"java.lang.{name}"


def structure_type(name: str) -> str:
    """A structure as the service's language names it."""
    return f"com.amazonaws.dynamodb.v20120810.{name}"


def list_type(element: str) -> str:
    """A list as the service's language names it."""
    return f"java.util.List<{element}>"


def map_type(element: str) -> str:
    """A map from strings as the service's language names it."""
    return f"java.util.Map<java.lang.String, {element}>"


# Members that break a constraint: a ValidationException.

MOST_LISTED: Final = 10
NAME_PATTERN: Final = "[a-zA-Z0-9_.-]+"
NOT_NULL: Final = "Member must not be null"
ACTION: Final = (
    "Member must satisfy enum value set: [ADD, DELETE, PUT]' for Action"  # the quote is the service's
)
EMPTY_BATCH_WRITE: Final = "The requestItems parameter is required for BatchWriteItem"

# Where the newer wording lists the values of a choice in another order than the older one, misspelling included.
NEWER_CHOICES: Final = {
    "ConditionalOperator": ("AND", "OR"),
    "ReturnValue": ("ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATE_NEW", "NONE"),
    "Select": ("ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "COUNT"),
}


class Wording(NamedTuple):
    """How an operation reports broken constraints."""

    newer: bool
    # A name that breaks several constraints: all of them, its pattern first; or one, its length first.
    every_name_fault: bool = False
    # Violations of names are reported without the others.
    names_alone: bool = False
    # Only the first of several invalid choices is reported.
    first_choice_only: bool = False


OLDER: Final = Wording(newer=False, every_name_fault=True)
_NEWER: Final = Wording(newer=True)

# Every operation that is not here words it as before.
WORDINGS: Final = {
    "BatchGetItem": _NEWER,
    "DeleteItem": _NEWER,
    "GetItem": _NEWER,
    "PutItem": _NEWER,
    "Query": _NEWER,
    "Scan": _NEWER,
    "UpdateItem": Wording(newer=True, every_name_fault=True, names_alone=True, first_choice_only=True),
}


def missing_name(member: str) -> str:
    """A table operation without a table name."""
    return f"The parameter '{member}' is required but was not present in the request"


def name_length(member: str) -> str:
    """A table operation with an invalid table name."""
    return f"{member} must be at least 3 characters long and at most 255 characters long"


def validation_errors(faults: Sequence[str]) -> str:
    """All violations of a request in one message; the service lists ten at most."""
    listed = faults[:MOST_LISTED]
    return f"{len(listed)} validation error{'s' * (len(listed) > 1)} detected: {'; '.join(listed)}"


def broken_constraint(path: str, constraint: str) -> str:
    """One constraint in the newer wording, which does not repeat the value."""
    return f"Value at '{path}' failed to satisfy constraint: {constraint}"


def broken_constraint_older(path: str, constraint: str, value: str | None) -> str:
    """One constraint in the older wording; without a value if the member is missing."""
    shown = "null" if value is None else f"'{value}'"
    return f"Value {shown} at '{path}' failed to satisfy constraint: {constraint}"


def not_chosen(choices: Sequence[str]) -> str:
    """An invalid choice in the newer wording, which names no member."""
    return f"Failed to satisfy constraint: {not_among(choices)}"


def not_among(choices: Sequence[str]) -> str:
    """A value outside of the allowed ones."""
    return f"Member must satisfy enum value set: [{', '.join(choices)}]"


def pattern(expression: str) -> str:
    """A string with an invalid character."""
    return f"Member must satisfy regular expression pattern: {expression}"


def shortest(length: int) -> str:
    """A string, list or map that is too short."""
    return f"Member must have length greater than or equal to {length}"


def longest(length: int) -> str:
    """A string, list or map that is too long."""
    return f"Member must have length less than or equal to {length}"


def at_least(value: int) -> str:
    """A number that is too low."""
    return f"Member must have value greater than or equal to {value}"


def at_most(value: int) -> str:
    """A number that is too high."""
    return f"Member must have value less than or equal to {value}"


def elements(constraints: Sequence[str]) -> str:
    """A list with an element that breaks a constraint."""
    return f"Member must satisfy constraint: [{', '.join(constraints)}]"


def keys(constraints: Sequence[str]) -> str:
    """A map with a key that breaks a constraint."""
    return f"Map keys must satisfy constraint: [{', '.join(constraints)}]"


def values(constraints: Sequence[str]) -> str:
    """A map with a value that breaks a constraint."""
    return f"Map value must satisfy constraint: [{', '.join(constraints)}]"
