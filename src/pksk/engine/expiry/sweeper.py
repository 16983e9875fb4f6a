"""Sweeps in the background, from the time at which a table has expiring items until the engine is closed."""

from __future__ import annotations

import logging
import os
from threading import Event, Lock, RLock, Thread, current_thread
from typing import Final
from weakref import ReferenceType, WeakSet, ref

from pksk.engine.clock import Clock
from pksk.engine.core import Core
from pksk.engine.storage import StorageClosed

from .sweep import sweep

__all__ = ["Sweeper"]

_LOG: Final = logging.getLogger("pksk.engine")
# How often the clock is looked at; one that is moved by `Clock` wakes the sweeper at once.
_ROUND_SECONDS: Final = 0.5
# After a failure each round waits twice as long as the one before, up to so many rounds.
_MOST_ROUNDS: Final = 128
_FORK_SECONDS: Final = 1.0
_JOIN_SECONDS: Final = 5.0


class Sweeper:
    """The thread that deletes expired items of one engine; it does not keep the engine alive."""

    def __init__(self, core: Core) -> None:
        self._core = ref(core)
        self._wake = Event()
        self._thread: Thread | None = None
        self._deleted = 0
        self._starting = Lock()
        # Held while sweeping, so that a fork finds no storage half way.
        self.busy = RLock()
        if isinstance(core.settings.clock, Clock):
            core.settings.clock.watch(self._wake)
        _SWEEPERS.add(self)

    def start(self) -> None:
        """Sweep in the background from now on; where that is done already, at once."""
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(
                    target=_run, args=(ref(self), self._core, self._wake), name="pksk-expiry", daemon=True
                )
                self._thread.start()
        self._wake.set()

    def sweep(self, core: Core) -> None:
        """Delete all that has expired by now."""
        with self.busy:
            self._deleted += sweep(core)

    def expire(self, core: Core) -> int:
        """Sweep, and say how many items were deleted since this was last asked."""
        with self.busy:
            self.sweep(core)
            deleted, self._deleted = self._deleted, 0
        return deleted

    def close(self) -> None:
        """Wait for the thread, which ends by itself once the engine is closed."""
        self._wake.set()
        if self._thread is not None and self._thread is not current_thread():
            self._thread.join(_JOIN_SECONDS)


def _run(mine: ReferenceType[Sweeper], engine: ReferenceType[Core], wake: Event) -> None:
    failures = 0
    while True:
        wake.wait(_ROUND_SECONDS * min(2**failures, _MOST_ROUNDS))
        wake.clear()
        sweeper, core = mine(), engine()
        if sweeper is None or core is None or core.closed:
            return
        try:
            sweeper.sweep(core)
            failures = 0
        except StorageClosed:
            return
        except Exception:
            _LOG.exception("Expired items could not be deleted")
            failures += 1
        del sweeper, core  # lest waiting keeps them


_SWEEPERS: Final[WeakSet[Sweeper]] = WeakSet()
_held: list[Sweeper] = []


def _before_fork() -> None:
    # No longer than a moment: whoever forks may be inside a block that a sweeper waits for.
    _held.extend(sweeper for sweeper in list(_SWEEPERS) if sweeper.busy.acquire(timeout=_FORK_SECONDS))


def _after_fork() -> None:
    while _held:
        _held.pop().busy.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
