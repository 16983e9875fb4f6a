"""What DynamoDB says of transactions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = [
    "IN_PROGRESS",
    "ITEM_TWICE",
    "NO_ACTION",
    "REASON_CONFLICT",
    "TOKEN_MISMATCH",
    "TOO_LARGE",
    "TWO_ACTIONS",
    "cancelled",
]

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


def cancelled(codes: Iterable[str]) -> str:
    """A transaction that was cancelled, with the code of each position."""
    return (
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{', '.join(codes)}]"
    )
