"""DynamoDB's messages about vectors in items, and about searches."""

from __future__ import annotations

from typing import Final

# Items. This sentence ends in a full stop, other messages have a colon there.
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
# These follow the messages about a KeyConditionExpression.
NESTED_ATTRIBUTE: Final = (
    f"{_CONDITION}SearchConditionExpressions cannot have conditions on nested attributes"
)
ONE_CONDITION_EACH: Final = "SearchConditionExpressions must only contain one condition per key"


def wrong_size(attribute: str, expected: int, actual: int, index: str) -> str:
    """A vector whose length is not the index's number of dimensions."""
    return (
        f"{_INVALID}Invalid size for parameter {attribute}, Expected: {expected}, Actual: {actual} "
        f"IndexName: {index}"
    )


def wrong_type(attribute: str, expected: str, actual: str, index: str) -> str:
    """A vector that is not a list, or an element that is not a number; worded like `wrong_size`."""
    return (
        f"{_INVALID}Invalid type for parameter {attribute}, Expected: {expected}, Actual: {actual} "
        f"IndexName: {index}"
    )


def out_of_range(attribute: str, index: str) -> str:
    """A vector with a number outside of 32-bit floats; worded like `wrong_size`."""
    return (
        f"{_INVALID}Invalid value for parameter {attribute}, All values must be 32-bit floating-point numbers "
        f"IndexName: {index}"
    )


def top_k_range(given: int, most: int) -> str:
    """A search for too many results."""
    return f"Provided TopK value '{given}' is out of valid range. The value must be between 1 and {most} inclusive"


def dimensions_differ(given: int, expected: int) -> str:
    """A search with a vector of the wrong length."""
    return f"Input search vector dimension {given} does not match vector index dimension {expected}"


def backfilling(name: str) -> str:
    """A search of an index that is still being filled."""
    return f"Cannot search backfilling vector index: {name}"


def not_in_schema(attribute: str) -> str:
    """A condition on an attribute outside of the search schema; worded like a key condition."""
    return f"{_CONDITION}Attribute is not part of the SearchSchema: {attribute}"
