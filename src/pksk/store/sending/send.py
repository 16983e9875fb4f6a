"""Sends one request until it is answered: again where that is safe, and never where it could be done twice."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pksk.client import ServiceError
from pksk.store.hooks import RequestFinished, RequestStarted, start_hooks
from pksk.store.sending.diagnosis import (
    diagnose,
    request_name,
    retries_exhausted,
    unknown_deletion,
    unknown_outcome,
)
from pksk.store.sending.retry import FailureKind, failure_kind
from pksk.store.sending.steps import Call, Pause, Steps

if TYPE_CHECKING:
    from pksk.store.core import Core

__all__ = ["Answer", "RetriedRequest", "send"]

Answer: TypeAlias = dict[str, Any]

# What the caller makes an error of himself, since he knows what was asked.
_LEFT_TO_CALLERS: Final = frozenset(
    (
        ("PutItem", "ConditionalCheckFailedException"),
        ("UpdateItem", "ConditionalCheckFailedException"),
        ("DeleteItem", "ConditionalCheckFailedException"),
        ("TransactWriteItems", "TransactionCanceledException"),
    )
)
_ITEM_READS: Final = frozenset(
    ("GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems", "SearchVectors")
)
_READS: Final = _ITEM_READS | {"DescribeTable", "DescribeTimeToLive", "ListTables"}
# The operations that tell what they consumed where they are asked.
_METERED: Final = _ITEM_READS | {
    "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems",
}  # fmt: skip


def send(
    core: Core,
    operation: str,
    request: Mapping[str, Any],
    about: Any = None,
    *,
    repeatable: bool = True,
    doubts: list[ServiceError] | None = None,
) -> Steps[Answer]:
    """The answer to a request; `about` is the read or write that it is sent for.

    `repeatable` says that doing it twice is the same as doing it once, as long as nobody else writes in between. Of a
    write whose condition fails and of a transaction that is cancelled the `ServiceError` is raised, of everything else
    a `StoreError`.

    A write that may have been done, by an attempt without an answer, raises `OutcomeUnknown`, whatever is said of later
    attempts; only a transaction is recognised by its token. So every other error of a write says that it was not done.

    An answer that leaves something undone says nothing of an attempt before it, which may do that yet. Who gives a list
    for `doubts` finds the error of that attempt there.
    """
    try:
        if core.hooks or core.meters:
            answer: Answer = yield from _send_observed(core, operation, request, about, 1)
        else:
            answer = yield Call(operation, request)
    except ServiceError as error:
        first = error
    else:
        core.quota.give_back()
        return answer
    again = RetriedRequest(core, operation, request, about, repeatable=repeatable)
    answer = yield from again.answer(first)
    if doubts is not None and again.open is not None:
        doubts.append(again.open)
    return answer


class RetriedRequest:
    """One request that was in trouble, sent again as often as it takes or is allowed."""

    def __init__(
        self, core: Core, operation: str, request: Mapping[str, Any], about: Any, *, repeatable: bool = True
    ) -> None:
        self.core, self.operation, self.request, self.about = core, operation, request, about
        self.repeatable = repeatable
        self.attempt = 1
        # The last error of an attempt that may have been done, and of which nobody has said so.
        self.open: ServiceError | None = None
        self.cost = 1

    def answer(self, error: ServiceError) -> Steps[Answer]:
        """The answer after all, or the error that says why there is none."""
        core = self.core
        while True:
            kind = failure_kind(error)
            if kind == "unknown" and self.operation not in _READS:
                self.open = error
            if kind == "final":
                raise (yield from self._final(error)) from error
            self._check(error, kind)
            yield Pause(core.retry.pause(self.attempt, kind, core.chance()))
            self.attempt += 1
            try:
                answer = yield from _send_observed(
                    core, self.operation, self.request, self.about, self.attempt
                )
            except ServiceError as next_error:
                error = next_error
            else:
                core.quota.give_back(self.cost)
                self._check_told(answer)
                return answer

    def _final(self, error: ServiceError) -> Steps[Exception]:
        left_to_caller = (self.operation, error.code) in _LEFT_TO_CALLERS
        # A transaction is recognised by its token: what is said of it last is said of all attempts.
        if self.open is not None and not (left_to_caller and self.operation == "TransactWriteItems"):
            return unknown_outcome(self.about, error, self._name)
        if left_to_caller:
            return error
        return (yield from diagnose(self.operation, self.request, self.about, error))

    def _check(self, error: ServiceError, kind: FailureKind) -> None:
        """Raise, unless the request may be sent again."""
        if self.open is not None and not self.repeatable:
            raise unknown_outcome(self.about, error, self._name) from error
        tried_enough = self.attempt >= self.core.retry.tries(kind)
        if tried_enough or (kind != "conflict" and not self._paid(kind)):
            if self.open is not None:
                raise unknown_outcome(self.about, error, self._name) from error
            raise retries_exhausted(kind, self.about, error, self.attempt, self._name) from error

    @property
    def _name(self) -> str:
        return request_name(self.about, self.operation, self.request)

    def _paid(self, kind: FailureKind) -> bool:
        """Take what a retry costs from the quota; whether there was as much."""
        self.cost = self.core.quota.take(kind)
        return self.cost > 0

    def _check_told(self, answer: Answer) -> None:
        """Raise where an answer should say what there was, and an attempt before may have seen more of it."""
        gone = self.operation == "DeleteItem" and "Attributes" not in answer
        if gone and self.open is not None and self.request.get("ReturnValues") == "ALL_OLD":
            raise unknown_deletion(self.about, self.open) from self.open


def _send_observed(
    core: Core, operation: str, request: Mapping[str, Any], about: Any, attempt: int
) -> Steps[Answer]:
    """One attempt, with all who watch."""
    metered = bool(core.meters) and operation in _METERED
    if metered:
        request = {**request, "ReturnConsumedCapacity": "INDEXES"}
    sending = RequestStarted(operation, request, about, attempt)
    finishes = start_hooks(core.hooks, sending)
    began = perf_counter()
    try:
        answer: Answer = yield Call(operation, request)
    except BaseException as error:
        done = RequestFinished(None, error, perf_counter() - began)
        core.meters.note(sending, done)
        for finish in finishes:
            finish(done)
        raise
    done = RequestFinished(answer, None, perf_counter() - began)
    core.meters.note(sending, done)
    for finish in finishes:
        finish(done)
    return answer
