"""DynamoDB's messages about queries and scans."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_INVALID: Final = "One or more parameter values were invalid: "

# Select and the parameters that it conflicts with.
SELECT_NEEDS_NAMES: Final = (
    "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
)
# Scans say "Querying" too.
SELECT_NEEDS_INDEX: Final = "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"
_CHOSEN: Final = {"COUNT": "only the Count"}

# Indexes.
CONSISTENT_INDEX: Final = "Consistent reads are not supported on global secondary indexes"
# One has a full stop, the other none.
QUERY_VECTOR_INDEX: Final = "Query operation not supported on this index type."
SCAN_VECTOR_INDEX: Final = "Scan operation not supported on this index type"

# Key conditions.
NO_KEY_CONDITION: Final = (
    "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
)
UNSUPPORTED_CONDITION: Final = "Query key condition not supported"
TYPE_MISMATCH: Final = f"{_INVALID}Condition parameter type does not match schema type"

# Where a page begins.
START_KEY_INVALID: Final = "The provided starting key is invalid"
START_KEY_OUTSIDE: Final = (
    "The provided starting key is outside query boundaries based on provided conditions"
)
PREDICATE_MISMATCH: Final = "The provided starting key does not match the range key predicate"

# Segments of a scan.
TOTAL_MISSING: Final = (
    "The TotalSegments parameter is required but was not present in the request "
    "when Segment parameter is present"
)
SEGMENT_MISSING: Final = (
    "The Segment parameter is required but was not present in the request "
    "when parameter TotalSegments is present"
)
SEGMENT_TOO_LARGE: Final = "The Segment parameter is zero-based and must be less than parameter TotalSegments"


def select_and_names(parameter: str, select: str) -> str:
    """A Select beside attribute names, which only SPECIFIC_ATTRIBUTES supports."""
    return f"Cannot specify the {parameter} when choosing to get {_CHOSEN.get(select, select)}"


def select_all(index: str) -> str:
    """A request for whole items from a global index with a partial projection."""
    return (
        f"{_INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index {index} "
        "because its projection type is not ALL"
    )


def not_projected(index: str, names: Iterable[str]) -> str:
    """Attributes that are not projected into a global index."""
    return f"{_INVALID}Global secondary index {index} does not project [{', '.join(names)}]"


def filter_not_projected(index: str, names: Iterable[str]) -> str:
    """A filter on attributes that are not projected into the index."""
    return f"{_INVALID}Secondary index {index} does not project one or more filter attributes: [{', '.join(names)}]"


def missing_key_condition(name: str) -> str:
    """A key condition without a required attribute."""
    return f"Query condition missed key schema element: {name}"


def too_many_conditions(count: int, most: int) -> str:
    """A key condition on more attributes than the key has."""
    return (
        f"The number of query conditions ({count}) exceeds "
        f"the number of key attributes defined in the schema ({most})"
    )


def filters_key(name: str, *, legacy: bool) -> str:
    """A filter on a key attribute."""
    parameter = "QueryFilter" if legacy else "Filter Expression"
    return f"{parameter} can only contain non-primary key attributes: Primary key attribute: {name}"


def start_key_refused(reason: str) -> str:
    """A start key with an invalid value."""
    return f"{START_KEY_INVALID}: {reason}"


def start_key_segment(segment: int, total: int) -> str:
    """A start key of another segment of a scan."""
    return start_key_refused(
        "Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. "
        f"TotalSegments: {total} Segment: {segment}"
    )
