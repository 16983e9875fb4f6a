"""The log of a server: one JSON document a line, or plain lines for people."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
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
    """Writes events to a stream as JSON, or as text `for_people`; and every request if `requests` is set."""

    def __init__(
        self,
        stream: TextIO | None = None,
        *,
        requests: bool = False,
        for_people: bool = False,
        clock: Callable[[], float] = time,
    ) -> None:
        self._stream: TextIO | None = stream or sys.stderr
        self.requests = requests
        self._line = text_line if for_people else json_line
        self._clock = clock

    def __call__(self, event: str, **members: Any) -> None:
        if self._stream is None:  # standard error was closed before we started
            return
        try:
            self._stream.write(self._line(self._clock(), event, members) + "\n")
            self._stream.flush()
        except (OSError, ValueError):  # a closed log must not stop the server
            return


def json_line(seconds: float, event: str, members: Mapping[str, Any]) -> str:
    """An event as JSON.

    Example:
        >>> json_line(0, "stopping", {"signal": "SIGTERM"})
        '{"time":"1970-01-01T00:00:00.000Z","event":"stopping","signal":"SIGTERM"}'
    """
    now = datetime.fromtimestamp(seconds, UTC)
    moment = f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z"
    return orjson.dumps({"time": moment, "event": event, **members}, default=repr).decode()


def text_line(seconds: float, event: str, members: Mapping[str, Any]) -> str:
    """An event for people, in local time; a traceback follows on lines of its own.

    Example:
        >>> text_line(0, "request", {"operation": "GetItem", "status": 200})[8:]
        '  request  operation=GetItem status=200'
    """
    pairs = [f"{name}={value}" for name, value in members.items() if name != "traceback"]
    line = f"{datetime.fromtimestamp(seconds):%H:%M:%S}  {event}  {' '.join(pairs)}".rstrip()
    return f"{line}\n{members['traceback']}" if "traceback" in members else line


class LogHandler(logging.Handler):
    """Writes the warnings and errors of Python's logging to the same log."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record, with its traceback if it has one."""
        members = {"logger": record.name, "message": record.getMessage()}
        if record.exc_info:
            members["traceback"] = logging.Formatter().formatException(record.exc_info)
        self._log(record.levelname.lower(), **members)
