"""What DynamoDB says of batches."""

from __future__ import annotations

from typing import Final

from .values import EMPTY_VALUE, SEVERAL_TYPES

__all__ = ["DUPLICATES", "NO_REQUEST", "TOO_MANY_KEYS", "TOO_MANY_WRITES", "TWO_REQUESTS"]

DUPLICATES: Final = "Provided list of item keys contains duplicates"
# Across tables; of too many in one table a member's own constraint speaks.
TOO_MANY_KEYS: Final = "Too many items requested for the BatchGetItem call"
TOO_MANY_WRITES: Final = "Too many items requested for the BatchWriteItem call"
# A member that is neither a put nor a delete, or both, is spoken of as if it were a value.
NO_REQUEST: Final = EMPTY_VALUE
TWO_REQUESTS: Final = SEVERAL_TYPES
