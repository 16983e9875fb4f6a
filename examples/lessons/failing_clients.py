"""Clients that throttle, or answer slowly, as DynamoDB may: the engine does neither."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import sleep
from typing import Any

from pksk import Client, ServiceError

SLOW_SECONDS = 0.1


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
