"""Stops a worker on SIGTERM and SIGINT, after what it is doing."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stop_on_signals(stop: threading.Event) -> Iterator[threading.Event]:
    """Set an event on SIGTERM and SIGINT, and call the handler of the program; a second one acts as it did before."""
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def handle(number: int, frame: FrameType | None) -> None:
        stop.set()
        handler = before[signal.Signals(number)]
        signal.signal(number, handler)
        if callable(handler) and handler is not signal.default_int_handler:
            handler(number, frame)

    for number in before:
        signal.signal(number, handle)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
