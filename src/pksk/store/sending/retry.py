"""When a request is sent again, how often, and after which pause: as botocore's standard mode does for DynamoDB."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any, Final, Literal, TypeAlias

from pksk.client import NO_ANSWER, NOT_SENT, ServiceError
from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, quote

__all__ = [
    "LEAST_SERVER_FAULT",
    "FailureKind",
    "Quota",
    "Retry",
    "failure_kind",
    "is_concurrent_change_limit",
    "is_transient",
    "reasons_of",
]

# What an error says about sending the same request again: nothing was done (throttled, unsent), others were at work on
# the same items (conflict), it may have been done (unknown), or it will never be otherwise (final).
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
# botocore takes the last two for throttling and for a passing error; here they are tried as often as other conflicts.
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
        # Changes of tables take minutes, and indexes hours: who asks for one knows how to wait for that.
        return "final" if is_concurrent_change_limit(error) else "throttled"
    if error.code in _CONFLICTS:
        return "conflict"
    if error.code == NOT_SENT:
        return "unsent"
    # A status of success with an answer that cannot be read, such as one that was cut short.
    unreadable = _OK <= error.status < _OK + 100
    return (
        "unknown" if error.code in _UNKNOWN or unreadable or error.status >= LEAST_SERVER_FAULT else "final"
    )


def is_concurrent_change_limit(error: ServiceError) -> bool:
    """Whether as many tables or indexes are being changed as may be at a time; it is no matter of load.

    Example:
        >>> words = "Only 1 online index can be created or deleted simultaneously per table"
        >>> is_concurrent_change_limit(ServiceError("LimitExceededException", f"Subscriber limit exceeded: {words}"))
        True
    """
    return error.code == "LimitExceededException" and "simultaneous" in (error.message or "").lower()


def _cancellation_kind(reasons: Sequence[Mapping[str, Any]]) -> FailureKind:
    """Of a cancelled transaction: final, unless every reason may be gone the next time."""
    codes = {each.get("Code") for each in reasons} - {"None", None}
    if codes and all(map(is_transient, codes)):
        return "conflict" if codes & _CONFLICTS else "throttled"
    return "final"


def reasons_of(error: ServiceError) -> Sequence[Mapping[str, Any]]:
    """Why each member of a transaction was cancelled; from its message, where a service says it nowhere else.

    Example:
        >>> reasons_of(ServiceError("TransactionCanceledException", "... [None, ConditionalCheckFailed]"))
        [{'Code': 'None'}, {'Code': 'ConditionalCheckFailed'}]
    """
    told: Sequence[Mapping[str, Any]] = error.fields.get("CancellationReasons") or ()
    if told:
        return told
    found = re.search(r"\[(\w+(?:, \w+)*)\]", error.message or "")
    return [{"Code": code} for code in found[1].split(", ")] if found else []


def is_transient(code: str | None) -> bool:
    """Whether a reason to cancel a transaction may be gone the next time: others were at work, or there were too many.

    Example:
        >>> is_transient("TransactionConflict"), is_transient("ConditionalCheckFailed")
        (True, False)
    """
    return code in _CONFLICTS or code in _THROTTLED


# The first attempt counts, so there is always one.
_MINIMUM: Final = {
    "attempts": 1, "contended": 1, "pause_seconds": 0, "throttled_seconds": 0, "most_seconds": 0, "quota": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Retry:
    """How often a request is tried, and how long the pauses are; each pause is drawn at random up to its length.

    `attempts` counts the first one. Lengths double from one pause to the next: from `pause_seconds`, after throttling
    from `throttled_seconds`, and never above `most_seconds`. `contended` is how often a write is tried while others
    change what it depends on, and then no pause is above a second. `quota` bounds retries of all requests together, as
    long as the service is in trouble; retries for conflicts do not count, since they say nothing about the service.

    Figures and quota are those of AWS's SDKs since 2026, in their standard mode for DynamoDB:
    https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html

    Example:
        >>> Retry(attempts=2).pause(1, "throttled", 0.5)
        0.5
    """

    attempts: int = 4
    contended: int = 30
    pause_seconds: float = 0.025
    throttled_seconds: float = 1.0
    most_seconds: float = 20.0
    quota: int = 500

    def __post_init__(self) -> None:
        for name, least in _MINIMUM.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value >= least:
                raise InvalidValue(
                    "store-retry",
                    f"Retry({name}={quote(value)}): it is a number from {least} on.",
                    fix=f"write Retry({name}={Retry.__dataclass_fields__[name].default}), which is the default.",
                )

    def tries(self, kind: FailureKind) -> int:
        """How often a request with this trouble is tried."""
        return self.contended if kind == "conflict" else self.attempts

    def pause(self, attempt: int, kind: FailureKind, chance: float) -> float:
        """The seconds before the next attempt, after so many; `chance` is from 0 to 1."""
        base = self.throttled_seconds if kind == "throttled" else self.pause_seconds
        most = 1.0 if kind == "conflict" else self.most_seconds
        # A power of many attempts would be too large for a float.
        return chance * min(base * 2.0 ** min(attempt - 1, 30), most)


class Quota:
    """How many retries there may still be: each costs, and what succeeds pays back.

    A retry after throttling costs less than one after anything else, since the service has asked for it. A request
    that succeeds after retries pays back what the last of them cost, one that needs none pays back 1.

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
        """Take what one retry costs, if there is as much; 0 where there is not."""
        cost = self._COST_OF_THROTTLED if kind == "throttled" else self._COST
        with self._lock:
            if self.left < cost:
                return 0
            self.left -= cost
            return cost

    def give_back(self, cost: int = 1) -> None:
        """Note that a request succeeded, whose last retry has cost so much."""
        if self.left < self._most:
            with self._lock:
                self.left = min(self._most, self.left + cost)
