"""What DynamoDB says of items and their keys."""

from __future__ import annotations

from typing import Final

__all__ = [
    "COLLECTION_TOO_LARGE",
    "CONDITION_FAILED",
    "ITEM_TOO_LARGE",
    "KEY_MISMATCH",
    "NESTED_TOO_DEEP",
    "PREFIX",
    "RETURN_VALUES",
    "TRANSACTION_CONFLICT",
    "UPDATED_INDEX_KEY_SIZE",
    "UPDATED_INDEX_KEY_TYPE",
    "UPDATE_TOO_LARGE",
    "cannot_update",
    "empty_index_key",
    "empty_key",
    "index_key_size",
    "index_key_type",
    "key_type",
    "missing_key",
    "partition_key_too_long",
    "sort_key_too_long",
    "updated_index_key_empty",
]

# What PutItem, UpdateItem and DeleteItem put before the faults of a request.
PREFIX: Final = "1 validation error detected: "

CONDITION_FAILED: Final = "The conditional request failed"
COLLECTION_TOO_LARGE: Final = "Collection size exceeded."
ITEM_TOO_LARGE: Final = "Item size has exceeded the maximum allowed size"
UPDATE_TOO_LARGE: Final = "Item size to update has exceeded the maximum allowed size"
KEY_MISMATCH: Final = "The provided key element does not match the schema"
NESTED_TOO_DEEP: Final = "Nesting Levels have exceeded supported limits"
RETURN_VALUES: Final = "ReturnValues can only be ALL_OLD or NONE"
TRANSACTION_CONFLICT: Final = "Transaction is ongoing for the item"
UPDATED_INDEX_KEY_TYPE: Final = (
    "The update expression attempted to update the secondary index key to unsupported type"
)
UPDATED_INDEX_KEY_SIZE: Final = (
    "The update expression attempted to update the secondary index key beyond allowed size limits"
)

_INVALID: Final = "One or more parameter values were invalid: "
_NOT_VALID: Final = "One or more parameter values are not valid. "
_KINDS: Final = {"S": "string", "B": "binary"}


def missing_key(name: str) -> str:
    """A put without one of the table's key attributes."""
    return f"{_INVALID}Missing the key {name} in the item"


def key_type(name: str, expected: str, actual: str) -> str:
    """A put whose key attribute has another type than the table's."""
    return f"{_INVALID}Type mismatch for key {name} expected: {expected} actual: {actual}"


def index_key_type(name: str, expected: str, actual: str, index: str) -> str:
    """A write whose attribute cannot be the key of an index."""
    return f"{_INVALID}Type mismatch for Index Key {name} Expected: {expected} Actual: {actual} IndexName: {index}"


def index_key_size(name: str, actual: int, most: int, index: str) -> str:
    """A write whose attribute is too long for the key of an index."""
    return (
        f"{_INVALID}Size limit exceeded for Index Key {name} Actual Size: {actual} bytes "
        f"Max Size: {most} bytes IndexName: {index}"
    )


def empty_key(name: str, kind: str) -> str:
    """A key attribute with an empty text or binary."""
    return (
        f"{_NOT_VALID}The AttributeValue for a key attribute cannot contain an empty {_KINDS[kind]} value. "
        f"Key: {name}"
    )


def empty_index_key(name: str, kind: str, index: str) -> str:
    """An index key attribute with an empty text or binary."""
    return (
        f"{_NOT_VALID}A value specified for a secondary index key is not supported. The AttributeValue for a key "
        f"attribute cannot contain an empty {_KINDS[kind]} value. IndexName: {index}, IndexKey: {name}"
    )


def updated_index_key_empty(kind: str) -> str:
    """An update expression that gives an index key an empty text or binary."""
    return (
        f"{_NOT_VALID}The update expression attempted to update a secondary index key to a value that is not "
        f"supported. The AttributeValue for a key attribute cannot contain an empty {_KINDS[kind]} value."
    )


def partition_key_too_long(most: int) -> str:
    """A partition key above its limit; the missing space is the service's."""
    return f"{_INVALID}Size of hashkey has exceeded the maximum size limit of{most} bytes"


def sort_key_too_long(most: int) -> str:
    """A sort key above its limit."""
    return f"{_INVALID}Aggregated size of all range keys has exceeded the size limit of {most} bytes"


def cannot_update(name: str) -> str:
    """An update of an attribute that is part of the table's key."""
    return f"{_INVALID}Cannot update attribute {name}. This attribute is part of the key"
