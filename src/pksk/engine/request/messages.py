"""DynamoDB's messages about members of requests with wrong types, or that break a constraint.

AWS is moving its operations to a newer wording one by one, region by region; `wording` knows which have moved.
All others, and requests that the older layer reads, have the older wording.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

# Requests that cannot be read: a SerializationException.

STRUCTURE_FOUND: Final = "Start of structure or map found where not expected"
FIELD_TYPE: Final = "Unexpected field type"


def collection_type(java_type: str) -> str:
    """A JSON list in the wrong place."""
    return f"Unrecognized collection type {java_type}"


def scalar_type(name: str) -> str:
    """A scalar as the service's language names it."""
    return "java.nio.ByteBuffer" if name == "Blob" else f"java.lang.{name}"


def structure_type(name: str) -> str:
    """A structure as the service's language names it."""
    return f"com.amazonaws.dynamodb.v20120810.{name}"


# Members that break a constraint: a ValidationException.

MOST_LISTED: Final = 10
NAME_PATTERN: Final = "[a-zA-Z0-9_.-]+"
NOT_NULL: Final = "Member must not be null"
ACTION: Final = (
    "Member must satisfy enum value set: [ADD, DELETE, PUT]' for Action"  # the quote is the service's
)

# The choices of the newer wording, in its order and with its slips: both operators and UPDATED_NEW are others.
NEWER_CHOICES: Final = {
    "ConditionalOperator": ("ALL", "OR"),
    "ReturnValue": ("ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATE_NEW", "NONE"),
}
# The newer wording has not reached these choices.
OLDER_CHOICES: Final = frozenset({"ReturnConsumedCapacity", "ReturnItemCollectionMetrics", "Select"})

_PATTERN: Final = frozenset({"pattern"})
_EVERY_VIOLATION: Final = frozenset({"missing", "length", "pattern"})


class Wording(NamedTuple):
    """How an operation reports broken constraints."""

    newer: bool
    # A table name that breaks several constraints: all of them, its pattern first; or one, its length first.
    every_name_violation: bool = False
    # Errors about a table name that still have the older wording: "missing", "length", "pattern".
    older_names: frozenset[str] = frozenset()
    # Violations of names are reported without the others.
    names_alone: bool = False
    # Names that are keys of a map are reported only without others.
    map_keys_last: bool = False
    # Only the first of several invalid choices is reported.
    first_choice_only: bool = False
    # An invalid ConditionalOperator is reported alone, and without the number of errors.
    bare_operator: bool = False


OLDER: Final = Wording(newer=False, every_name_violation=True)
_NEWER: Final = Wording(newer=True)
_READ_BY_CONDITION: Final = Wording(newer=True, bare_operator=True)

# Every operation that is not here words it as before.
_WORDINGS: Final = {
    "BatchGetItem": _NEWER,
    "BatchWriteItem": OLDER._replace(map_keys_last=True),
    "DeleteItem": Wording(newer=True, older_names=_PATTERN),
    "GetItem": _NEWER,
    "PutItem": Wording(newer=True, older_names=_EVERY_VIOLATION),
    "Query": _READ_BY_CONDITION,
    "Scan": _READ_BY_CONDITION,
    "SearchVectors": _NEWER,
    "UpdateItem": Wording(
        newer=True,
        every_name_violation=True,
        older_names=_PATTERN,
        names_alone=True,
        first_choice_only=True,
    ),
}


# Where Scan was not yet read by the newer layer in October 2026; it was in 20 of 33 regions.
_OLDER_SCANS: Final = frozenset(
    {
        "ap-northeast-1",
        "ca-central-1",
        "eu-north-1",
        "eu-west-1",
        "us-east-1",
        "us-east-2",
        "us-west-2",
    }
)


def wording(operation: str, region: str) -> Wording:
    """How an operation reports broken constraints and invalid values in a region."""
    if operation == "Scan" and region in _OLDER_SCANS:
        return OLDER
    return _WORDINGS.get(operation, OLDER)


def validation_errors(violations: Sequence[str]) -> str:
    """All violations of a request in one message; the service lists ten at most."""
    listed = violations[:MOST_LISTED]
    return f"{len(listed)} validation error{'s' * (len(listed) > 1)} detected: {'; '.join(listed)}"


def broken_constraint_older(path: str, constraint: str, value: str | None) -> str:
    """One constraint in the older wording; without a value if the member is missing."""
    text = "null" if value is None else f"'{value}'"
    return f"Value {text} at '{path}' failed to satisfy constraint: {constraint}"


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
