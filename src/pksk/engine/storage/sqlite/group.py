"""Blocks of several threads that end in one commit, so that the disk is waited for once."""

from __future__ import annotations

from threading import Event
from time import perf_counter
from typing import Final

from ..contract import StorageProblem

__all__ = ["Group"]

# The first of a group waits no longer for others than this, nor for more of them.
_MOST_SECONDS: Final = 0.01
_MOST_BLOCKS: Final = 100


class Group:
    """Blocks that have ended and are not committed yet; whoever wrote one of them waits here."""

    __slots__ = ("_blocks", "_done", "_opened", "_problem")

    def __init__(self) -> None:
        self._opened = perf_counter()
        self._blocks = 0
        self._done = Event()
        self._problem: str | None = None

    def add(self) -> None:
        """One more block has ended."""
        self._blocks += 1

    def is_full(self) -> bool:
        """Whether it is time to commit."""
        return self._blocks >= _MOST_BLOCKS or perf_counter() - self._opened > _MOST_SECONDS

    def end(self, problem: str | None = None) -> None:
        """All of it is stored, or nothing of it for some reason; what was said first holds."""
        if not self._done.is_set():
            self._problem = problem
            self._done.set()

    def wait(self, seconds: float) -> bool:
        """Wait for its end; False where that takes longer. Raises what kept it from being stored."""
        if not self._done.wait(seconds):
            return False
        if self._problem is not None:
            raise StorageProblem(self._problem)
        return True
