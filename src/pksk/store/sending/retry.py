"""When a request is sent again, how often, and after which pause: as botocore's standard mode does for DynamoDB."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, Literal, TypeAlias

from pksk.client import NO_ANSWER, NOT_SENT, ServiceError

__all__ = ["Quota", "Retry", "Trouble", "trouble"]

# What an error says about sending the same request again: nothing was done (throttled, unsent), others were at work on
# the same items (conflict), it may have been done (unknown), or it will never be otherwise (final).
Trouble: TypeAlias = Literal["throttled", "unsent", "conflict", "unknown", "final"]

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
_CONFLICTS: Final = frozenset(
    ("TransactionConflict", "TransactionConflictException", "TransactionInProgressException")
)
_UNKNOWN: Final = frozenset((NO_ANSWER, "RequestTimeout", "RequestTimeoutException"))
_LEAST_SERVER_FAULT: Final = 500


def trouble(error: ServiceError) -> Trouble:
    """What an error means for sending the same request again.

    Example:
        >>> trouble(ServiceError("ThrottlingException", "Rate exceeded"))
        'throttled'
        >>> trouble(ServiceError("InternalServerError", "Internal server error", 500))
        'unknown'
        >>> trouble(ServiceError("ValidationException", "no"))
        'final'
    """
    if error.code == "TransactionCanceledException":
        return _of_reasons(error.fields.get("CancellationReasons", ()))
    if error.code in _THROTTLED:
        return "throttled"
    if error.code in _CONFLICTS:
        return "conflict"
    if error.code == NOT_SENT:
        return "unsent"
    return "unknown" if error.code in _UNKNOWN or error.status >= _LEAST_SERVER_FAULT else "final"


def _of_reasons(reasons: Any) -> Trouble:
    """Of a cancelled transaction: final, unless every reason may be gone the next time."""
    codes = {each.get("Code") for each in reasons} - {"None", None}
    if codes and codes <= _CONFLICTS | _THROTTLED:
        return "conflict" if codes & _CONFLICTS else "throttled"
    return "final"


@dataclass(frozen=True)
class Retry:
    """How often a request is tried, and how long the pauses are; each pause is drawn at random up to its length.

    `attempts` counts the first one. Lengths double from one pause to the next: from `pause_seconds`, after throttling
    from `throttled_seconds`, and never above `most_seconds`. `contended` is how often a write is tried while others
    change what it depends on. `quota` bounds retries of all requests together, as long as the service is in trouble.

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

    def tries(self, kind: Trouble) -> int:
        """How often a request with this trouble is tried."""
        return self.contended if kind == "conflict" else self.attempts

    def pause(self, attempt: int, kind: Trouble, chance: float) -> float:
        """The seconds before the next attempt, after so many; `chance` is from 0 to 1."""
        base = self.throttled_seconds if kind == "throttled" else self.pause_seconds
        most = 1.0 if kind == "conflict" else self.most_seconds
        # A power of many attempts would be too large for a float.
        return chance * min(base * 2.0 ** min(attempt - 1, 30), most)


class Quota:
    """How many retries there may still be: each costs, each request that succeeds pays a little back.

    Example:
        >>> quota = Quota(7)
        >>> quota.take(), quota.take()
        (True, False)
        >>> quota.give_back()
        >>> quota.left
        3
    """

    _COST: Final = 5
    _PAID_BACK: Final = 1

    def __init__(self, most: int) -> None:
        self._most = self.left = most
        self._lock = Lock()

    def take(self) -> bool:
        """Take what one retry costs, if there is as much."""
        with self._lock:
            if self.left < self._COST:
                return False
            self.left -= self._COST
            return True

    def give_back(self) -> None:
        """Note that a request succeeded."""
        if self.left < self._most:
            with self._lock:
                self.left = min(self._most, self.left + self._PAID_BACK)
