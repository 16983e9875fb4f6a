"""A log with one JSON document a line."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from time import time
from typing import Any, Protocol, TextIO

import orjson


class EventLog(Protocol):
    """Receives the events of a server."""

    @property
    def requests(self) -> bool:
        """Whether to log every request."""

    def __call__(self, event: str, **members: Any) -> None:
        """Log one event."""


class QuietLog:
    """Writes nothing."""

    requests = False

    def __call__(self, event: str, **members: Any) -> None:
        return


class Log:
    """Writes events to a stream, and every request if `requests` is set.

    Example:
        >>> log = Log(sys.stdout, clock=lambda: 1_800_000_000.0)
        >>> log("stopped", requests=7)
        {"time":"2027-01-15T08:00:00.000Z","event":"stopped","requests":7}
    """

    def __init__(
        self, stream: TextIO | None = None, *, requests: bool = False, clock: Callable[[], float] = time
    ) -> None:
        self._stream: TextIO | None = stream or sys.stderr
        self.requests = requests
        self._clock = clock

    def __call__(self, event: str, **members: Any) -> None:
        if self._stream is None:  # standard error was closed before we started
            return
        now = datetime.fromtimestamp(self._clock(), UTC)
        moment = f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z"
        line = orjson.dumps({"time": moment, "event": event, **members}, default=repr).decode()
        try:
            self._stream.write(line + "\n")
            self._stream.flush()
        except (OSError, ValueError):  # a closed log must not stop the server
            return


class LogHandler(logging.Handler):
    """Writes the warnings and errors of Python's logging to the same log.

    Example:
        >>> logger = logging.Logger("pksk.engine")
        >>> logger.addHandler(LogHandler(Log(sys.stdout, clock=lambda: 1_800_000_000.0)))
        >>> logger.warning("%s failed", "GetItem")
        {"time":"2027-01-15T08:00:00.000Z","event":"warning","logger":"pksk.engine","message":"GetItem failed"}
    """

    def __init__(self, log: EventLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record, with its traceback if it has one."""
        members = {"logger": record.name, "message": record.getMessage()}
        if record.exc_info:
            members["traceback"] = logging.Formatter().formatException(record.exc_info)
        self._log(record.levelname.lower(), **members)
