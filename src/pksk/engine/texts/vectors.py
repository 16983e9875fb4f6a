"""What DynamoDB says of vectors in items, and of searches for them."""

from __future__ import annotations

from typing import Final

__all__ = [
    "BAD_COMPARATOR",
    "BAD_OPERATOR",
    "BAD_SEARCH_VECTOR",
    "CONDITION_NEEDED",
    "NESTED_ATTRIBUTE",
    "ONE_CONDITION_EACH",
    "VALUE_TYPE",
    "backfilling",
    "dimensions_differ",
    "not_in_schema",
    "out_of_range",
    "top_k_range",
    "wrong_size",
    "wrong_type",
]

# Items. This sentence ends in a full stop where that of other refusals ends in a colon.
_INVALID: Final = "One or more parameter values were invalid. "

# Searches.
_CONDITION: Final = "Invalid SearchConditionExpression: "
BAD_SEARCH_VECTOR: Final = (
    "Search vector contains invalid values. All values in the search vector must be a 32-bit "
    "floating-point number attribute"
)
CONDITION_NEEDED: Final = "SearchConditionExpression must be provided when SearchSchema has a HASH key"
BAD_COMPARATOR: Final = f"{_CONDITION}Invalid comparator used in SearchConditionExpression"
BAD_OPERATOR: Final = f"{_CONDITION}Invalid operator used in SearchConditionExpression"
VALUE_TYPE: Final = (
    "One or more parameter values were invalid: Condition parameter type does not match schema type"
)
# These follow what is said of a KeyConditionExpression.
NESTED_ATTRIBUTE: Final = (
    f"{_CONDITION}SearchConditionExpressions cannot have conditions on nested attributes"
)
ONE_CONDITION_EACH: Final = "SearchConditionExpressions must only contain one condition per key"


def wrong_size(attribute: str, expected: int, actual: int, index: str) -> str:
    """A vector of more or fewer numbers than its index has dimensions."""
    return (
        f"{_INVALID}Invalid size for parameter {attribute}, Expected: {expected}, Actual: {actual} "
        f"IndexName: {index}"
    )


def wrong_type(attribute: str, expected: str, actual: str, index: str) -> str:
    """A vector that is no list, or an element of one that is no number; in the manner of `wrong_size`."""
    return (
        f"{_INVALID}Invalid type for parameter {attribute}, Expected: {expected}, Actual: {actual} "
        f"IndexName: {index}"
    )


def out_of_range(attribute: str, index: str) -> str:
    """A vector with a number that no 32-bit float can be; in the manner of `wrong_size`."""
    return (
        f"{_INVALID}Invalid value for parameter {attribute}, All values must be 32-bit floating-point numbers "
        f"IndexName: {index}"
    )


def top_k_range(given: int, most: int) -> str:
    """A search for more results than there may be."""
    return f"Provided TopK value '{given}' is out of valid range. The value must be between 1 and {most} inclusive"


def dimensions_differ(given: int, expected: int) -> str:
    """A search with a vector that the index cannot be compared with."""
    return f"Input search vector dimension {given} does not match vector index dimension {expected}"


def backfilling(name: str) -> str:
    """A search of an index that is still being filled."""
    return f"Cannot search backfilling vector index: {name}"


def not_in_schema(attribute: str) -> str:
    """A condition on an attribute that is not in the search schema; as of a key condition."""
    return f"{_CONDITION}Attribute is not part of the SearchSchema: {attribute}"
