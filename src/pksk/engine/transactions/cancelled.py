"""The cancellation of a transaction: a reason for each of its members, by position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import orjson

from pksk.engine.faults import ServiceError, fault
from pksk.engine.keys import EmptyKey
from pksk.engine.texts import transactions as texts
from pksk.engine.writes.perform import UnmetCondition

__all__ = ["Reason", "cancelled", "conflicting", "each", "reason"]

M = TypeVar("M")
T = TypeVar("T")
Reason: TypeAlias = dict[str, Any]

_CODES: Final = {
    "ConditionalCheckFailedException": "ConditionalCheckFailed",
    "DuplicateItemException": "DuplicateItem",
    "ItemCollectionSizeLimitExceededException": "ItemCollectionSizeLimitExceeded",
    "ValidationException": "ValidationError",
}


def cancelled(reasons: Sequence[Reason | None]) -> ServiceError:
    """The error for these reasons; None stands for a member that nothing was wrong with."""
    given = [reason or {"Code": "None"} for reason in reasons]
    message = texts.cancelled(reason["Code"] for reason in given)
    return fault("TransactionCanceledException", message, CancellationReasons=given)


def conflicting(taken: Iterable[bool]) -> ServiceError:
    """The error for members whose items others are at work on, each true or not by position."""
    conflict = {"Code": "TransactionConflict", "Message": texts.REASON_CONFLICT}
    return cancelled([dict(conflict) if one else None for one in taken])


def each(
    members: Sequence[M],
    work: Callable[[M], T],
    reason_of: Callable[[M, ServiceError], Reason] = lambda _, error: reason(error),
) -> list[T]:
    """What some work makes of each member; where it fails for any, the error with all reasons."""
    reasons: list[Reason | None] = [None] * len(members)
    made: list[T] = []
    for place, member in enumerate(members):
        try:
            made.append(work(member))
        except EmptyKey:
            # No reason for one member: it refuses the request.
            raise
        except ServiceError as error:
            reasons[place] = reason_of(member, error)
    if any(reasons):
        raise cancelled(reasons)
    return made


def reason(error: ServiceError, *, with_item: bool = False) -> Reason:
    """Why one member failed; with the item that a condition was held against where it is wanted."""
    found: Reason = {"Code": _CODES[error.code], "Message": error.message}
    if with_item and isinstance(error, UnmetCondition) and error.row is not None:
        found["Item"] = orjson.loads(error.row.data)
    return found
