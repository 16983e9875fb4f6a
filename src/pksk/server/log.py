"""A log of one JSON document a line."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import Any, Protocol, TextIO

import orjson

__all__ = ["Log", "QuietLog", "Writes"]


class Writes(Protocol):
    """What takes the events of a server."""

    def __call__(self, event: str, **members: Any) -> None:
        """Take one event."""

    def request(self, **members: Any) -> None:
        """Take one request that was answered."""


class QuietLog:
    """Writes nothing."""

    def __call__(self, event: str, **members: Any) -> None:
        return

    def request(self, **members: Any) -> None:
        return


class Log:
    """Writes events to a stream; requests that were answered too if `requests` is set.

    Example:
        >>> log = Log(sys.stdout, clock=lambda: 1_800_000_000.0)
        >>> log("stopped", requests=7)
        {"time":"2027-01-15T08:00:00.000Z","event":"stopped","requests":7}
    """

    def __init__(self, stream: TextIO | None = None, *, requests: bool = False, clock: Any = None) -> None:
        self._stream = stream or sys.stderr
        self._requests = requests
        self._clock = clock

    def __call__(self, event: str, **members: Any) -> None:
        now = datetime.fromtimestamp(self._clock(), UTC) if self._clock else datetime.now(UTC)
        time = f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z"
        line = orjson.dumps({"time": time, "event": event, **members}).decode()
        try:
            self._stream.write(line + "\n")
            self._stream.flush()
        except (OSError, ValueError):  # nobody reads it any more; that must not stop the server
            return

    def request(self, **members: Any) -> None:
        if self._requests:
            self("request", **members)
