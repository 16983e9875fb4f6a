"""Signs of trouble with keys, as a program sees them: slow calls, throttling, scans, filters that leave most out.

A hook is told of every request; what it hears is enough to name the access pattern that is in trouble.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import sleep
from typing import Any

from pksk import Client, RequestFinished, RequestStarted, ServiceError

__all__ = ["Indicators", "Slow", "Throttling"]

SLOW_SECONDS = 0.1
# A filter that leaves out more than this of what is read is a key that is missing.
LEFT_OUT = 0.5
_THROTTLED = ("ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded")


@dataclass
class Indicators:
    """A hook for `connect(hooks=[...])` that counts signs of trouble by access pattern."""

    seen: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __call__(self, sending: RequestStarted) -> Callable[[RequestFinished], None]:
        """Told of each request as it is sent."""
        name = sending.pattern or " ".join([sending.operation, *sending.tables])

        def finish(done: RequestFinished) -> None:
            for sign in _signs(sending, done):
                self.seen[name, sign] += 1

        return finish

    @property
    def rows(self) -> list[tuple[str, str, int]]:
        """The access patterns in trouble, each with its sign and how often that was seen."""
        return [(name, sign, times) for (name, sign), times in sorted(self.seen.items())]


def _signs(sending: RequestStarted, done: RequestFinished) -> list[str]:
    answer = done.answer or {}
    read, found = answer.get("ScannedCount", 0), answer.get("Count", 0)
    checks = (
        ("slow", done.seconds > SLOW_SECONDS),
        ("throttled", isinstance(done.error, ServiceError) and done.error.code in _THROTTLED),
        ("scan", sending.operation == "Scan"),
        ("filtered away", read > 0 and (read - found) / read > LEFT_OUT),
    )
    return [sign for sign, is_there in checks if is_there]


@dataclass
class Throttling:
    """A client on which every so many calls are throttled, as a hot partition on AWS would do it."""

    client: Client
    every: int
    calls: int = 0

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer, or ask to slow down."""
        self.calls += 1
        if self.calls % self.every == 0:
            raise ServiceError("ThrottlingException", "Rate exceeded")
        return dict(self.client.call(operation, request))


@dataclass
class Slow:
    """A client whose answers to some operation take long."""

    client: Client
    operation: str
    seconds: float = SLOW_SECONDS * 1.2

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer after a while."""
        if operation == self.operation:
            sleep(self.seconds)
        return dict(self.client.call(operation, request))
