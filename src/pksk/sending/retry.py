"""Retry rules: which errors, how often and after which pause, as in botocore's standard mode for DynamoDB."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any, Final, Literal, TypeAlias

from pksk.client import NO_ANSWER, NOT_SENT, ServiceError
from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, quote

# What an error means for a retry: the request was not applied (throttled, unsent), it conflicted with other writes
# (conflict), it may have been applied (unknown), or a retry fails again (final).
FailureKind: TypeAlias = Literal["throttled", "unsent", "conflict", "unknown", "final"]

_THROTTLED: Final = frozenset(
    (
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "ThrottlingError",
        "RequestThrottled",
        "RequestThrottledException",
        "TooManyRequestsException",
        "ProvisionedThroughputExceeded",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "LimitExceededException",
        "BandwidthLimitExceeded",
        "SlowDown",
        "PriorRequestNotComplete",
    )
)
# botocore treats the last two as throttling and as a transient error; here they are conflicts.
_CONFLICTS: Final = frozenset(
    (
        "TransactionConflict",
        "TransactionConflictException",
        "TransactionInProgressException",
        "ReplicatedWriteConflictException",
    )
)
_UNKNOWN: Final = frozenset((NO_ANSWER, "RequestTimeout", "RequestTimeoutException"))
LEAST_SERVER_FAULT: Final = 500
_OK: Final = 200


def failure_kind(error: ServiceError) -> FailureKind:
    """What an error means for sending the same request again.

    Example:
        >>> failure_kind(ServiceError("ThrottlingException", "Rate exceeded"))
        'throttled'
        >>> failure_kind(ServiceError("InternalServerError", "Internal server error", 500))
        'unknown'
        >>> failure_kind(ServiceError("ValidationException", "no"))
        'final'
    """
    if error.code == "TransactionCanceledException":
        return _cancellation_kind(reasons_of(error))
    if error.code in _THROTTLED:
        # Table changes take minutes, and indexes hours: the caller of the table operation waits for them.
        return "final" if is_concurrent_change_limit(error) else "throttled"
    if error.code in _CONFLICTS:
        return "conflict"
    if error.code == NOT_SENT:
        return "unsent"
    # A success status with an unreadable body, for example a truncated one.
    unreadable = _OK <= error.status < _OK + 100
    return (
        "unknown" if error.code in _UNKNOWN or unreadable or error.status >= LEAST_SERVER_FAULT else "final"
    )


def is_concurrent_change_limit(error: ServiceError) -> bool:
    """Whether too many tables or indexes are being changed at the same time; this is not throttling."""
    return error.code == "LimitExceededException" and "simultaneous" in (error.message or "").lower()


def _cancellation_kind(reasons: Sequence[Mapping[str, Any]]) -> FailureKind:
    """The kind of a cancelled transaction: final, unless every reason is transient."""
    codes = {each.get("Code") for each in reasons} - {"None", None}
    if codes and all(map(is_transient, codes)):
        return "conflict" if codes & _CONFLICTS else "throttled"
    return "final"


def reasons_of(error: ServiceError) -> Sequence[Mapping[str, Any]]:
    """The cancellation reason of each transaction member; from the message if the service has no list.

    Example:
        >>> reasons_of(ServiceError("TransactionCanceledException", "... [None, ConditionalCheckFailed]"))
        [{'Code': 'None'}, {'Code': 'ConditionalCheckFailed'}]
    """
    reasons: Sequence[Mapping[str, Any]] = error.fields.get("CancellationReasons") or ()
    if reasons:
        return reasons
    match = re.search(r"\[(\w+(?:, \w+)*)\]", error.message or "")
    return [{"Code": code} for code in match[1].split(", ")] if match else []


def is_transient(code: str | None) -> bool:
    """Whether a cancellation reason is transient: a conflict or throttling."""
    return code in _CONFLICTS or code in _THROTTLED


# The first attempt counts, so there is always one.
_MINIMUM: Final = {
    "attempts": 1, "conflict_attempts": 1,
    "pause_seconds": 0, "throttled_pause_seconds": 0, "max_pause_seconds": 0, "quota": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Retry:
    """How often a request is tried, and the longest pause before each retry; the actual pause is random.

    `attempts` includes the first attempt. The longest pause doubles with each retry: it starts at `pause_seconds`, or
    at `throttled_pause_seconds` after throttling, and ends at `max_pause_seconds`. A write that conflicts with other
    writes has `conflict_attempts`, with pauses of at most one second. `quota` limits the retries of all requests
    together while the service fails; retries after conflicts do not count.

    The defaults are those of the AWS SDKs since 2026, in standard mode for DynamoDB:
    https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html

    Example:
        >>> Retry(attempts=2).pause(1, "throttled", 0.5)
        0.5
    """

    attempts: int = 4
    conflict_attempts: int = 30
    pause_seconds: float = 0.025
    throttled_pause_seconds: float = 1.0
    max_pause_seconds: float = 20.0
    quota: int = 500

    def __post_init__(self) -> None:
        for name, least in _MINIMUM.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value >= least:
                raise InvalidValue(
                    "store-retry",
                    f"Retry({name}={quote(value)}): it must be a number, {least} or more.",
                    fix=f"the default is Retry({name}={Retry.__dataclass_fields__[name].default}).",
                )

    def tries(self, kind: FailureKind) -> int:
        """The number of attempts for a failure of this kind."""
        return self.conflict_attempts if kind == "conflict" else self.attempts

    def pause(self, attempt: int, kind: FailureKind, chance: float) -> float:
        """The seconds to wait after this attempt; `chance` is from 0 to 1."""
        base = self.throttled_pause_seconds if kind == "throttled" else self.pause_seconds
        most = 1.0 if kind == "conflict" else self.max_pause_seconds
        # Limit the exponent: a large power overflows a float.
        return chance * min(base * 2.0 ** min(attempt - 1, 30), most)


class Quota:
    """Limits retries: each retry takes from the quota, and each success gives back.

    A retry after throttling costs less than others, because the service requests it. A success after retries gives
    back the cost of the last one; a success at the first attempt gives back 1.

    Example:
        >>> quota = Quota(20)
        >>> quota.take("unknown"), quota.take("throttled"), quota.take("throttled"), quota.left
        (14, 5, 0, 1)
        >>> quota.give_back(5)
        >>> quota.left
        6
    """

    _COST: Final = 14
    _COST_OF_THROTTLED: Final = 5

    def __init__(self, most: int) -> None:
        self._most = self.left = most
        self._lock = Lock()

    def take(self, kind: FailureKind) -> int:
        """Take the cost of one retry, and return it; 0 if the quota is too low."""
        cost = self._COST_OF_THROTTLED if kind == "throttled" else self._COST
        with self._lock:
            if self.left < cost:
                return 0
            self.left -= cost
            return cost

    def give_back(self, cost: int = 1) -> None:
        """Give back the cost of the last retry of a successful request."""
        if self.left < self._most:
            with self._lock:
                self.left = min(self._most, self.left + cost)
