"""Sends one request, and retries it if that cannot apply a write twice."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any, Final, TypeAlias

from pksk.client import ServiceError
from pksk.model.requests.request import Request
from pksk.sending.diagnosis import (
    diagnose,
    request_name,
    retries_exhausted,
    unknown_deletion,
    unknown_outcome,
)
from pksk.sending.hooks import RequestFinished, RequestStarted, start_hooks
from pksk.sending.operation import Call, Core, Pause, Steps
from pksk.sending.retry import FailureKind, failure_kind

Answer: TypeAlias = dict[str, Any]

# Errors that the caller translates, because it knows the conditions of the write.
_CALLER_ERRORS: Final = frozenset(
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
_READS: Final = _ITEM_READS | {
    "DescribeTable", "DescribeTimeToLive", "ListTables", "DescribeStream", "GetShardIterator", "GetRecords",
}  # fmt: skip
# The operations that accept ReturnConsumedCapacity.
_METERED: Final = _ITEM_READS | {
    "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems",
}  # fmt: skip


def send(
    core: Core,
    operation: str,
    parameters: Mapping[str, Any],
    request: Request | None = None,
    *,
    repeatable: bool = True,
    unresolved: list[ServiceError] | None = None,
) -> Steps[Answer]:
    """The response to a request; `request` is the read or write that it belongs to.

    `repeatable` means that the request has the same effect if it is applied twice without other writes in between. A
    failed condition and a cancelled transaction raise the `ServiceError`, everything else raises a `StoreError`.

    If an attempt to write got no answer, later errors raise `OutcomeUnknown`, except for transactions, which DynamoDB
    recognises by their token. Every other error therefore means that the write was not applied.

    A batch response can list unprocessed items that an earlier unanswered attempt may still apply: `unresolved`
    collects the error of that attempt.
    """
    try:
        if core.hooks or core.meters:
            answer: Answer = yield from _send_observed(core, operation, parameters, request, 1)
        else:
            answer = yield Call(operation, parameters)
    except ServiceError as error:
        first = error
    else:
        core.quota.give_back()
        return answer
    retried = RetriedRequest(core, operation, parameters, request, repeatable=repeatable)
    answer = yield from retried.answer(first)
    if unresolved is not None and retried.unresolved is not None:
        unresolved.append(retried.unresolved)
    return answer


class RetriedRequest:
    """A request whose first attempt failed, with its retries."""

    def __init__(
        self,
        core: Core,
        operation: str,
        parameters: Mapping[str, Any],
        request: Request | None,
        *,
        repeatable: bool = True,
    ) -> None:
        self.core, self.operation, self.parameters, self.request = core, operation, parameters, request
        self.repeatable = repeatable
        self.attempt = 1
        # The last error after which it is unknown whether the write was applied.
        self.unresolved: ServiceError | None = None
        self.cost = 1

    def answer(self, error: ServiceError) -> Steps[Answer]:
        """The response of a later attempt; raises the error of the last one."""
        core = self.core
        while True:
            kind = failure_kind(error)
            if kind == "unknown" and self.operation not in _READS:
                self.unresolved = error
            if kind == "final":
                raise (yield from self._final(error)) from error
            self._check(error, kind)
            yield Pause(core.retry.pause(self.attempt, kind, core.chance()))
            self.attempt += 1
            try:
                answer = yield from _send_observed(
                    core, self.operation, self.parameters, self.request, self.attempt
                )
            except ServiceError as next_error:
                error = next_error
            else:
                core.quota.give_back(self.cost)
                self._check_old_item(answer)
                return answer

    def _final(self, error: ServiceError) -> Steps[Exception]:
        for_caller = (self.operation, error.code) in _CALLER_ERRORS
        # DynamoDB recognises a transaction by its token: the last response holds for all attempts.
        if self.unresolved is not None and not (for_caller and self.operation == "TransactWriteItems"):
            return unknown_outcome(self.request, error, self._name)
        if for_caller:
            return error
        return (yield from diagnose(self.operation, self.parameters, self.request, error))

    def _check(self, error: ServiceError, kind: FailureKind) -> None:
        """Raise, unless the request may be sent again."""
        if self.unresolved is not None and not self.repeatable:
            raise unknown_outcome(self.request, error, self._name) from error
        exhausted = self.attempt >= self.core.retry.tries(kind)
        if exhausted or (kind != "conflict" and not self._take_quota(kind)):
            if self.unresolved is not None:
                raise unknown_outcome(self.request, error, self._name) from error
            raise retries_exhausted(kind, self.request, error, self.attempt, self._name) from error

    @property
    def _name(self) -> str:
        return request_name(self.request, self.operation, self.parameters)

    def _take_quota(self, kind: FailureKind) -> bool:
        """Take the cost of a retry from the quota; False if the quota is too low."""
        self.cost = self.core.quota.take(kind)
        return self.cost > 0

    def _check_old_item(self, answer: Answer) -> None:
        """Raise if the response lacks the old item because an earlier attempt may have deleted it."""
        gone = self.operation == "DeleteItem" and "Attributes" not in answer
        if gone and self.unresolved is not None and self.parameters.get("ReturnValues") == "ALL_OLD":
            raise unknown_deletion(self.request, self.unresolved) from self.unresolved


def _send_observed(
    core: Core, operation: str, parameters: Mapping[str, Any], request: Request | None, attempt: int
) -> Steps[Answer]:
    """One attempt, with hooks and meters."""
    metered = bool(core.meters) and operation in _METERED
    if metered:
        parameters = {**parameters, "ReturnConsumedCapacity": "INDEXES"}
    started = RequestStarted(operation, parameters, request, attempt)
    finishes = start_hooks(core.hooks, started)
    began = perf_counter()
    try:
        answer: Answer = yield Call(operation, parameters)
    except BaseException as error:
        finished = RequestFinished(None, error, perf_counter() - began)
        core.meters.note(started, finished)
        for finish in finishes:
            finish(finished)
        raise
    finished = RequestFinished(answer, None, perf_counter() - began)
    core.meters.note(started, finished)
    for finish in finishes:
        finish(finished)
    return answer
