"""The cancellation of a transaction: a reason for each of its members, by position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import orjson

from pksk.engine.faults import ServiceError, fault
from pksk.engine.texts import transactions as texts
from pksk.engine.writes.perform import ConditionFailed

__all__ = ["cancelled", "conflicting", "reason"]

_CODES: Final = {
    "ConditionalCheckFailedException": "ConditionalCheckFailed",
    "ItemCollectionSizeLimitExceededException": "ItemCollectionSizeLimitExceeded",
    "ValidationException": "ValidationError",
}


def cancelled(reasons: Sequence[dict[str, Any] | None]) -> ServiceError:
    """The error for these reasons; None stands for a member that nothing was wrong with."""
    given = [reason or {"Code": "None"} for reason in reasons]
    message = texts.cancelled(reason["Code"] for reason in given)
    return fault("TransactionCanceledException", message, CancellationReasons=given)


def conflicting(taken: Iterable[bool]) -> ServiceError:
    """The error for members whose items others are at work on, each true or not by position."""
    conflict = {"Code": "TransactionConflict", "Message": texts.REASON_CONFLICT}
    return cancelled([dict(conflict) if one else None for one in taken])


def reason(error: ServiceError, *, with_item: bool = False) -> dict[str, Any]:
    """Why one member failed; with the item that a condition was held against where it is wanted."""
    found: dict[str, Any] = {"Code": _CODES[error.code], "Message": error.message}
    if with_item and isinstance(error, ConditionFailed) and error.row is not None:
        found["Item"] = orjson.loads(error.row.data)
    return found
