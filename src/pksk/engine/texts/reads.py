"""What DynamoDB says of queries and scans."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = [
    "CONSISTENT_INDEX",
    "NO_KEY_CONDITION",
    "PREDICATE_MISMATCH",
    "QUERY_VECTOR_INDEX",
    "SCAN_VECTOR_INDEX",
    "SEGMENT_MISSING",
    "SEGMENT_TOO_LARGE",
    "SELECT_NEEDS_INDEX",
    "SELECT_NEEDS_NAMES",
    "START_KEY_INVALID",
    "START_KEY_OUTSIDE",
    "TOTAL_MISSING",
    "TYPE_MISMATCH",
    "UNSUPPORTED_CONDITION",
    "filter_not_projected",
    "filters_key",
    "missing_key_condition",
    "not_projected",
    "select_all",
    "select_and_names",
    "start_key_refused",
    "start_key_segment",
    "too_many_conditions",
]

_INVALID: Final = "One or more parameter values were invalid: "

# Select, and what stands beside it.
SELECT_NEEDS_NAMES: Final = (
    "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
)
# "Querying" is what a scan is told, too.
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
    """A Select beside the names of attributes, which only SPECIFIC_ATTRIBUTES takes."""
    return f"Cannot specify the {parameter} when choosing to get {_CHOSEN.get(select, select)}"


def select_all(index: str) -> str:
    """Whole items asked of a global index that keeps only a part of them."""
    return (
        f"{_INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index {index} "
        "because its projection type is not ALL"
    )


def not_projected(index: str, names: Iterable[str]) -> str:
    """Attributes asked of a global index that does not keep them."""
    return f"{_INVALID}Global secondary index {index} does not project [{', '.join(names)}]"


def filter_not_projected(index: str, names: Iterable[str]) -> str:
    """A query of an index, filtered by attributes that it does not keep."""
    return f"{_INVALID}Secondary index {index} does not project one or more filter attributes: [{', '.join(names)}]"


def missing_key_condition(name: str) -> str:
    """A key condition without one of the attributes that it needs."""
    return f"Query condition missed key schema element: {name}"


def too_many_conditions(count: int, most: int) -> str:
    """A key condition on more attributes than the key has."""
    return (
        f"The number of query conditions ({count}) exceeds "
        f"the number of key attributes defined in the schema ({most})"
    )


def filters_key(name: str, *, legacy: bool) -> str:
    """A filter of a query on an attribute that is part of the key."""
    parameter = "QueryFilter" if legacy else "Filter Expression"
    return f"{parameter} can only contain non-primary key attributes: Primary key attribute: {name}"


def start_key_refused(reason: str) -> str:
    """A starting key with a value that is none."""
    return f"{START_KEY_INVALID}: {reason}"


def start_key_segment(segment: int, total: int) -> str:
    """A starting key that another segment of a scan has given."""
    return start_key_refused(
        "Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. "
        f"TotalSegments: {total} Segment: {segment}"
    )
