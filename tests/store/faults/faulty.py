"""A client that fails by a plan as networks and services do: before a request is executed, after it, or in part."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Any, Final

from pksk.client import NO_ANSWER, NOT_SENT, Client, ServiceError

__all__ = ["DONE_OR_NOT", "FAULTS", "AsyncFaulty", "Faulty"]

Request = Mapping[str, Any]
Answer = dict[str, Any]

# The codes of throttling; nothing is executed.
THROTTLED: Final = (
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
    "Throttling",
    "LimitExceededException",
)
# Those after which an attempt may have been executed all the same.
DONE_OR_NOT: Final = ("dropped", "late", "lost", "done-500", "done-503", "failed-500")
FAULTS: Final = (
    "none", "throttled", "unsent", "denied", "conflict", "in-progress", "delayed", "part", "nothing", *DONE_OR_NOT,
)  # fmt: skip


class Faulty:
    """Wraps a client; each call takes the next fault of the plan, until there are no more.

    `bare` leaves out what comes with errors, as servers do that know no ReturnValuesOnConditionCheckFailure. `busy`
    has others at work on one more item of each transaction that is cancelled.
    """

    def __init__(
        self,
        client: Client,
        plan: Sequence[str] = (),
        *,
        chance: int = 0,
        bare: bool = False,
        busy: bool = False,
    ) -> None:
        self.client, self.plan, self.bare, self.busy = client, list(plan), bare, busy
        self.random = Random(chance)
        self.met: list[str] = []
        self.sent: list[str] = []
        self._late: list[Callable[[], object]] = []

    def call(self, operation: str, request: Request) -> Answer:
        fault = self._next(operation)
        self._refuse(fault, operation, request)
        answer = self._executed(fault, operation, request)
        self._lose(fault)
        return answer

    def settle(self) -> None:
        """Let arrive what is still under way."""
        late, self._late = self._late, []
        for execute in late:
            execute()

    @property
    def open(self) -> bool:
        """Whether an attempt may have been executed, without an answer for the caller."""
        return any(fault in DONE_OR_NOT for fault in self.met)

    def _next(self, operation: str) -> str:
        # What was delayed comes after one other request, which is how requests change places.
        if self.met and self.met[-1] != "late":
            self.settle()
        fault = self.plan.pop(0) if self.plan else "none"
        self.met.append(fault)
        self.sent.append(operation)
        return fault

    def _refuse(self, fault: str, operation: str, request: Request) -> None:
        """Raise what keeps a request from being executed, or from being executed now."""
        if fault == "throttled":
            raise _throttled(operation, request, self.random)
        if fault == "denied":
            raise ServiceError(
                "ExpiredTokenException", "The security token included in the request is expired"
            )
        if fault == "unsent":
            raise ServiceError(NOT_SENT, "the connection was refused", 0)
        if fault in ("conflict", "in-progress") and operation in _TAKING_TURNS:
            raise _conflict(fault, operation, request)
        if fault == "failed-500":
            raise ServiceError("InternalServerError", "Internal server error", 500)
        if fault in ("dropped", "late"):
            if fault == "late":
                self._late.append(lambda: _quietly(self.client, operation, request))
            raise ServiceError(NO_ANSWER, "the connection was closed", 0)

    def _executed(self, fault: str, operation: str, request: Request) -> Answer:
        try:
            if operation in ("BatchWriteItem", "BatchGetItem"):
                return self._part(fault, operation, request)
            if operation in ("Query", "Scan") and fault == "part":
                most = self.random.randint(1, min(3, request.get("Limit", 3)))
                return self.client.call(operation, {**request, "Limit": most})
            return self.client.call(operation, request)
        except ServiceError as error:
            self._lose(fault)
            raise self._rejection(error) from None

    def _rejection(self, error: ServiceError) -> ServiceError:
        reasons = [dict(each) for each in error.fields.get("CancellationReasons", ())]
        idle = [each for each in reasons if each["Code"] == "None"]
        if self.busy and idle:
            self.random.choice(idle)["Code"] = "TransactionConflict"
            error = _cancelled(reasons)
        return ServiceError(error.code, error.message, error.status) if self.bare else error

    def _part(self, fault: str, operation: str, request: Request) -> Answer:
        """A batch of which some members are not processed, and whose answer has another order."""
        wanted = [(table, each) for table, some in request["RequestItems"].items() for each in _members(some)]
        self.random.shuffle(wanted)
        kept = len(wanted)
        if fault in ("part", "nothing"):
            kept = 0 if fault == "nothing" else self.random.randint(0, kept)
        done, left = _request(request, wanted[:kept]), _request(request, wanted[kept:])
        answer = self.client.call(operation, {**request, "RequestItems": done}) if done else {}
        for items in answer.get("Responses", {}).values():
            self.random.shuffle(items)
        return answer | {"UnprocessedItems" if operation == "BatchWriteItem" else "UnprocessedKeys": left}

    def _lose(self, fault: str) -> None:
        """Raise instead of an answer that there is."""
        if fault == "lost":
            raise ServiceError(NO_ANSWER, "the connection was closed", 0)
        if fault == "done-500":
            raise ServiceError("InternalServerError", "Internal server error", 500)
        if fault == "done-503":
            raise ServiceError("ServiceUnavailable", None, 503)


class AsyncFaulty:
    """The same for programs that await; `at` is called before and after each wait of a call."""

    def __init__(self, faulty: Faulty, at: Callable[[], None] | None = None) -> None:
        self.faulty, self._at = faulty, at or (lambda: None)

    async def call(self, operation: str, request: Request) -> Answer:
        await self._wait()
        fault = self.faulty._next(operation)
        self.faulty._refuse(fault, operation, request)
        answer = self.faulty._executed(fault, operation, request)
        await self._wait()
        self.faulty._lose(fault)
        return answer

    async def pause(self, seconds: float) -> None:
        """Let no time pass, and give others their turn."""
        await self._wait()

    async def _wait(self) -> None:
        self._at()
        await asyncio.sleep(0)


_TAKING_TURNS: Final = (
    "PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "TransactGetItems", "GetItem",
)  # fmt: skip


def _throttled(operation: str, request: Request, random: Random) -> ServiceError:
    if operation.startswith("Transact") and random.random() < 0.5:
        code = random.choice(("ThrottlingError", "ProvisionedThroughputExceeded"))
        return _cancelled(_first(request, code))
    status = 400 if random.random() < 0.9 else 503
    return ServiceError(random.choice(THROTTLED), "Rate exceeded", status)


def _conflict(fault: str, operation: str, request: Request) -> ServiceError:
    if fault == "in-progress" and operation == "TransactWriteItems":
        return ServiceError("TransactionInProgressException", "The transaction is in progress")
    if operation.startswith("Transact"):
        return _cancelled(_first(request, "TransactionConflict"))
    return ServiceError("TransactionConflictException", "Transaction is ongoing for the item")


def _cancelled(reasons: Sequence[Mapping[str, Any]]) -> ServiceError:
    shown = ", ".join(each["Code"] for each in reasons)
    message = f"Transaction cancelled, please refer cancellation reasons for specific reasons [{shown}]"
    return ServiceError("TransactionCanceledException", message, fields={"CancellationReasons": reasons})


def _first(request: Request, code: str) -> list[dict[str, str]]:
    return [{"Code": code}, *({"Code": "None"} for _ in request["TransactItems"][1:])]


def _members(some: Any) -> list[Any]:
    return list(some["Keys"]) if isinstance(some, Mapping) else list(some)


def _request(request: Request, wanted: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    tables: dict[str, Any] = {}
    for table, member in wanted:
        given = request["RequestItems"][table]
        if isinstance(given, Mapping):
            tables.setdefault(table, {**given, "Keys": []})["Keys"].append(member)
        else:
            tables.setdefault(table, []).append(member)
    return tables


def _quietly(client: Client, operation: str, request: Request) -> None:
    with suppress(ServiceError):  # its caller has stopped waiting
        client.call(operation, request)
