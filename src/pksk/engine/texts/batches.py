"""What DynamoDB says of batches."""

from __future__ import annotations

from typing import Final

__all__ = ["DUPLICATE_KEYS", "DUPLICATE_WRITES", "MIXED_PROJECTIONS", "NO_REQUEST", "ONE_REQUEST", "TOO_MANY_KEYS", "TOO_MANY_WRITES"]

DUPLICATE_KEYS: Final = "Provided list of item keys contains duplicates"
DUPLICATE_WRITES: Final = DUPLICATE_KEYS
TOO_MANY_KEYS: Final = "Too many items requested for the BatchGetItem call"
TOO_MANY_WRITES: Final = "Too many items requested for the BatchWriteItem call"
ONE_REQUEST: Final = (
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
)
NO_REQUEST: Final = (
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
)
MIXED_PROJECTIONS: Final = (
    "Can not use both expression and non-expression parameters in the same request: "
    "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}"
)
