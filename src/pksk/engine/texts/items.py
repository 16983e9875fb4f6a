"""DynamoDB's messages about attribute values, items and their keys, batches and transactions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

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
    """A string set with a duplicate member; the older wording has no quotes."""
    shown = _listed(members, quoted)
    return f"One or more parameter values were invalid: Input collection {shown} contains duplicates."


def duplicate_binaries(members: Iterable[str], *, quoted: bool = True) -> str:
    """A binary set with a duplicate member; the missing space is the service's."""
    shown = _listed(members, quoted)
    return (
        f"One or more parameter values were invalid: Input collection {shown}of type BS contains duplicates."
    )


def _listed(members: Iterable[str], quoted: bool) -> str:
    mark = '"' if quoted else ""
    return "[" + ", ".join(f"{mark}{member}{mark}" for member in members) + "]"


def not_numeric(words: str, text: str) -> str:
    """A string that is not a number, which follows if there is one."""
    return f"{words}: {text}" if text else words


DUPLICATES: Final = "Provided list of item keys contains duplicates"
# For several tables; too many keys of one table break a constraint of the member.
TOO_MANY_KEYS: Final = "Too many items requested for the BatchGetItem call"
TOO_MANY_WRITES: Final = "Too many items requested for the BatchWriteItem call"
# DynamoDB words a member with no action or two actions as if it were an attribute value.
NO_REQUEST: Final = EMPTY_VALUE
TWO_REQUESTS: Final = SEVERAL_TYPES


ITEM_TWICE: Final = "Transaction request cannot include multiple operations on one item"
NO_ACTION: Final = "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"
TWO_ACTIONS: Final = "TransactItems can only contain one of Check, Put, Update or Delete"
TOO_LARGE: Final = "Transaction size has exceeded the maximum allowed size of 4 MB"

TOKEN_MISMATCH: Final = (
    "DynamoDB rejected the request because you retried a request with a different payload but with an "
    "idempotent token that was already used."
)
IN_PROGRESS: Final = "Transaction from previous request is still in progress"
REASON_CONFLICT: Final = "Transaction is ongoing for the item"


def transaction_cancelled(codes: Iterable[str]) -> str:
    """A cancelled transaction, with the code of each position."""
    return (
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{', '.join(codes)}]"
    )


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
    """A key attribute with an empty string or binary."""
    return (
        f"{_NOT_VALID}The AttributeValue for a key attribute cannot contain an empty {_KINDS[kind]} value. "
        f"Key: {name}"
    )


def empty_index_key(name: str, kind: str, index: str) -> str:
    """An index key attribute with an empty string or binary."""
    return (
        f"{_NOT_VALID}A value specified for a secondary index key is not supported. The AttributeValue for a key "
        f"attribute cannot contain an empty {_KINDS[kind]} value. IndexName: {index}, IndexKey: {name}"
    )


def updated_index_key_empty(kind: str) -> str:
    """An update expression that sets an index key to an empty string or binary."""
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
    """An update of a key attribute."""
    return f"{_INVALID}Cannot update attribute {name}. This attribute is part of the key"
