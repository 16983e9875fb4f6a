"""Retries follow botocore's standard mode as of 2026, compared with its own code; conflicts have their own."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ConnectTimeoutError, EndpointConnectionError, ReadTimeoutError
from botocore.retries import quota, standard
from botocore.session import Session
from hypothesis import given
from hypothesis import strategies as st

from pksk import Retry, Store
from pksk.client import NO_ANSWER, NOT_SENT, ServiceError
from pksk.errors import StoreError
from pksk.sending.driver import Driver
from pksk.sending.retry import failure_kind
from pksk.sending.send import send
from pksk.store import Core
from tests.store.shop import Line

# What each outcome of an attempt is to a Client, and to botocore: a status with a code, or what it raises.
OUTCOMES: Final[dict[str, tuple[ServiceError | None, Any]]] = {
    "answer": (None, (200, None)),
    "throttled": (ServiceError("ThrottlingException", "slow"), (400, "ThrottlingException")),
    "throughput": (
        ServiceError("ProvisionedThroughputExceededException", "slow"),
        (400, "ProvisionedThroughputExceededException"),
    ),
    "limit": (ServiceError("LimitExceededException", "slow"), (400, "LimitExceededException")),
    "request limit": (ServiceError("RequestLimitExceeded", "slow"), (400, "RequestLimitExceeded")),
    "throttled by 503": (ServiceError("ThrottlingException", "slow", 503), (503, "ThrottlingException")),
    "internal": (ServiceError("InternalServerError", "no", 500), (500, "InternalServerError")),
    "bad gateway": (ServiceError("NotDynamoDB", "no", 502), (502, "502")),
    "unavailable": (ServiceError("ServiceUnavailable", None, 503), (503, "ServiceUnavailable")),
    "gateway timeout": (ServiceError("NotDynamoDB", None, 504), (504, "504")),
    "timeout": (ServiceError(NO_ANSWER, "no", 0), ReadTimeoutError(endpoint_url="x", error="x")),
    "no connection": (ServiceError(NOT_SENT, "no", 0), EndpointConnectionError(endpoint_url="x", error="x")),
    "connect timeout": (ServiceError(NOT_SENT, "no", 0), ConnectTimeoutError(endpoint_url="x", error="x")),
    "invalid": (ServiceError("AccessDeniedException", "no"), (400, "AccessDeniedException")),
    "missing": (ServiceError("UnrecognizedClientException", "no"), (400, "UnrecognizedClientException")),
}
CHANCE: Final = 0.75


class Botocore:
    """botocore's own handler of retries, for one client after the other request."""

    def __init__(self) -> None:
        adapter = standard.RetryEventAdapter()
        throttling = standard.ThrottlingErrorDetector(adapter)
        self.quota = quota.RetryQuota()
        self.checker = standard.RetryQuotaChecker(self.quota, throttling)
        backoff = standard.ExponentialBackoff(
            random=lambda: CHANCE, service_name="dynamodb", throttling_detector=throttling
        )
        conditions = standard.StandardRetryConditions(max_attempts=standard._SERVICE_MAX_ATTEMPTS["dynamodb"])
        self.handler = standard.RetryHandler(
            standard.RetryPolicy(conditions, backoff), adapter, self.checker, service_name="dynamodb"
        )

    def pauses(self, outcomes: list[str], operation: Any) -> list[float]:
        """The pauses of one request with the given attempts, as botocore's endpoint would make them."""
        context: dict[str, Any] = {}
        found: list[float] = []
        for attempt, name in enumerate(outcomes, 1):
            met = OUTCOMES[name][1]
            response = None if isinstance(met, Exception) else _response(*met)
            delay = self.handler.needs_retry(
                response=response,
                attempts=attempt,
                operation=operation,
                caught_exception=met if isinstance(met, Exception) else None,
                request_dict={"context": context},
            )
            if delay is None:
                self.checker.release_retry_quota(context, None if response is None else response[0])
                break
            found.append(delay)
        return found


def _response(status: int, code: str | None) -> tuple[AWSResponse, dict[str, Any]]:
    return AWSResponse("x", status, {}, None), {"Error": {"Code": code}} if code else {}


@pytest.fixture(scope="module")
def operation() -> Any:
    return Session().get_service_model("dynamodb").operation_model("GetItem")


@pytest.fixture(autouse=True)
def _as_of_2026(monkeypatch: pytest.MonkeyPatch) -> None:
    # The default from botocore 1.44 on; before that, AWS_NEW_RETRIES_2026 enables it.
    if hasattr(standard, "NEW_RETRIES_ENABLED"):
        monkeypatch.setattr(standard, "NEW_RETRIES_ENABLED", True)


class Told:
    """A client with the given results of its attempts."""

    def __init__(self, outcomes: list[str]) -> None:
        self.left = list(outcomes)

    def call(self, operation: str, request: Any) -> dict[str, Any]:
        error = OUTCOMES[self.left.pop(0)][0]
        if error is not None:
            raise error
        return {}


def ours(core: Core, outcomes: list[str]) -> list[float]:
    """The pauses that the store makes for the same."""
    found: list[float] = []
    with suppress(StoreError):
        Driver(Told(outcomes), pause=found.append).run(send(core, "GetItem", {"TableName": "t", "Key": {}}))
    return found


attempts = st.lists(st.sampled_from(sorted(OUTCOMES)), min_size=4, max_size=4).map(
    lambda some: [*some, "answer"]
)


@given(st.lists(attempts, max_size=60))
def test_pauses_and_quota_are_those_of_botocore(operation: Any, requests: list[list[str]]) -> None:
    theirs, core = Botocore(), Core(chance=lambda: CHANCE)
    for outcomes in requests:
        assert ours(core, outcomes) == theirs.pauses(outcomes, operation)
        assert core.quota.left == theirs.quota.available_capacity


def test_an_outage_uses_the_quota_up_and_answers_fill_it_again(operation: Any) -> None:
    theirs, core = Botocore(), Core(chance=lambda: CHANCE)
    outage = [["internal"] * 5] * 30 + [["throttled"] * 5] * 30 + [["answer"]] * 600
    used = []
    for outcomes in outage:
        assert ours(core, outcomes) == theirs.pauses(outcomes, operation)
        used.append(core.quota.left)

    assert min(used) < 5
    assert used[-1] == 500


@pytest.mark.parametrize(
    "request_",
    [Line.primary.get(customer="7", number=1, line=1), Line(customer="7", number=1, line=1)],
    ids=["get", "put"],
)
def test_a_get_or_put_that_succeeds_at_once_refills_the_quota(request_: Any) -> None:
    core = Core()
    taken = core.quota.take("unknown")
    store = Store(Told(["answer"]), core)

    (store.put if isinstance(request_, Line) else store.get)(request_)

    assert core.quota.left == 500 - taken + 1


def test_the_longest_pauses_are_as_documented() -> None:
    retry = Retry()

    assert [retry.pause(attempt, "unknown", 1) for attempt in (1, 2, 3)] == [0.025, 0.05, 0.1]
    assert [retry.pause(attempt, "throttled", 1) for attempt in (1, 2, 3)] == [1, 2, 4]
    assert retry.pause(50, "throttled", 1) == 20
    assert retry.pause(3, "throttled", 0) == 0


@pytest.mark.parametrize("code", standard.ThrottledRetryableChecker._THROTTLED_ERROR_CODES)
def test_the_throttling_errors_of_botocore_are_retried(code: str) -> None:
    # Of which one is a conflict here, and one is EC2's.
    if code != "EC2ThrottledException":
        assert failure_kind(ServiceError(code, "slow")) in ("throttled", "conflict")


def test_conflicts_are_tried_longer_and_cost_no_quota() -> None:
    core = Core(chance=lambda: 1.0)
    OUTCOMES["conflict"] = ServiceError("TransactionConflictException", "busy"), None
    try:
        pauses = ours(core, ["conflict"] * 40)
    finally:
        del OUTCOMES["conflict"]

    assert len(pauses) == Retry().conflict_attempts - 1
    assert pauses[:4] == [0.025, 0.05, 0.1, 0.2]
    assert max(pauses) == 1
    assert core.quota.left == 500


@pytest.mark.parametrize("code", ["ReplicatedWriteConflictException", "TransactionInProgressException"])
def test_concurrent_transactions_on_an_item_are_a_conflict(code: str) -> None:
    assert failure_kind(ServiceError(code, "busy")) == "conflict"
