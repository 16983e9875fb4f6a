"""How a thread lets go of a lock that it may have taken more than once."""

from __future__ import annotations

from contextlib import suppress
from threading import RLock

__all__ = ["let_go"]


def let_go(lock: RLock) -> None:
    """Release a lock as often as this thread has taken it."""
    with suppress(RuntimeError):  # it is not this thread's any more
        while True:
            lock.release()
