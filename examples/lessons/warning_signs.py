"""Warning signs of a bad key, as a hook sees them: slow calls, throttling, scans, and filters that drop most items.

A hook is called for every request, with the name of its access pattern.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import sleep
from typing import Any

from pksk import Client, RequestFinished, RequestStarted, ServiceError

SLOW_SECONDS = 0.1
# If a filter drops more than this share of what is read, a key is missing.
DROPPED = 0.5
_THROTTLED = ("ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded")


@dataclass
class WarningSigns:
    """A hook for `connect(hooks=[...])` that counts warning signs by access pattern."""

    seen: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __call__(self, sending: RequestStarted) -> Callable[[RequestFinished], None]:
        """Called for each request."""
        name = sending.pattern or " ".join([sending.operation, *sending.tables])

        def finish(done: RequestFinished) -> None:
            for sign in _signs(sending, done):
                self.seen[name, sign] += 1

        return finish

    @property
    def rows(self) -> list[tuple[str, str, int]]:
        """The access patterns with warning signs, and how often each was seen."""
        return [(name, sign, times) for (name, sign), times in sorted(self.seen.items())]


def _signs(sending: RequestStarted, done: RequestFinished) -> list[str]:
    answer = done.answer or {}
    read, found = answer.get("ScannedCount", 0), answer.get("Count", 0)
    checks = (
        ("slow", done.seconds > SLOW_SECONDS),
        ("throttled", isinstance(done.error, ServiceError) and done.error.code in _THROTTLED),
        ("scan", sending.operation == "Scan"),
        ("filtered away", read > 0 and (read - found) / read > DROPPED),
    )
    return [sign for sign, is_there in checks if is_there]


@dataclass
class Throttling:
    """A client that throttles one in `every` calls, as a hot partition on AWS would."""

    client: Client
    every: int
    calls: int = 0

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer, or raise a throttling error."""
        self.calls += 1
        if self.calls % self.every == 0:
            raise ServiceError("ThrottlingException", "Rate exceeded")
        return dict(self.client.call(operation, request))


@dataclass
class Slow:
    """A client that answers one operation slowly."""

    client: Client
    operation: str
    seconds: float = SLOW_SECONDS * 1.2

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer after a while."""
        if operation == self.operation:
            sleep(self.seconds)
        return dict(self.client.call(operation, request))
