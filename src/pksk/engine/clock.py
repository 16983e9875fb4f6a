"""A clock for tests, which changes only when you move it."""

from __future__ import annotations

import time
from math import isfinite
from threading import Event, Lock
from weakref import WeakSet

from pksk.errors import InvalidValue, quote


class Clock:
    """The time of an engine, in seconds since 1970. It changes only when you move it.

    Without a `start` it begins at the present time. Threads that wait for a time wake up when the clock
    moves.

    Example:
        >>> from pksk.engine import Engine
        >>> clock = Clock(1_767_225_600)
        >>> engine = Engine.open(clock=clock)
        >>> clock.advance(60)
        >>> clock()
        1767225660.0
    """

    def __init__(self, start: float | None = None) -> None:
        self._lock = Lock()
        self._events: WeakSet[Event] = WeakSet()
        self._now = time.time() if start is None else _moment("start", start)

    def __call__(self) -> float:
        """The current time of the clock."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Move the clock forward by some seconds, or back if they are negative.

        Example:
            >>> clock = Clock(0)
            >>> clock.advance(1.5)
            >>> clock()
            1.5
        """
        step = _moment("seconds", seconds)
        with self._lock:
            self._now += step
        self._wake()

    def set(self, moment: float) -> None:
        """Set the clock to a time, in seconds since 1970.

        Example:
            >>> clock = Clock(0)
            >>> clock.set(1_767_225_600)
            >>> clock()
            1767225600.0
        """
        now = _moment("moment", moment)
        with self._lock:
            self._now = now
        self._wake()

    def watch(self, event: Event) -> None:
        """Set `event` whenever the clock moves, as long as the event is referenced.

        Example:
            >>> clock, moved = Clock(0), Event()
            >>> clock.watch(moved)
            >>> clock.advance(1)
            >>> moved.is_set()
            True
        """
        with self._lock:
            self._events.add(event)

    def _wake(self) -> None:
        with self._lock:
            events = list(self._events)
        for event in events:
            event.set()


def _moment(name: str, seconds: float) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not isfinite(seconds):
        raise InvalidValue(
            "engine-setting",
            f"{name} is {quote(seconds)}.",
            expected="A clock is advanced by a number of seconds, or set to a time in seconds since 1970.",
            fix="pass a number; for a datetime, pass its timestamp().",
        )
    return float(seconds)
