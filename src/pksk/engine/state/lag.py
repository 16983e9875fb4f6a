"""Reads that lag behind writes: rows as they were some seconds ago."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from heapq import merge
from operator import itemgetter
from threading import Lock
from typing import Protocol, TypeAlias

from sortedcontainers import SortedDict

from pksk.engine.storage import Reader, Row

__all__ = ["Lag"]


_Images: TypeAlias = deque[Row | None]


class _SortedImages(Protocol):
    """What is used of SortedDict, which has no types of its own."""

    def __getitem__(self, key: bytes) -> _Images: ...
    def __delitem__(self, key: bytes) -> None: ...
    def __len__(self) -> int: ...
    def setdefault(self, key: bytes, default: _Images) -> _Images: ...
    def irange(
        self, low: bytes, high: bytes | None, inclusive: tuple[bool, bool], reverse: bool
    ) -> Iterator[bytes]: ...


class Lag:
    """What rows were before they were written, for as long as reads are still to show it.

    A write is noted before it is committed, and a read takes its view before it asks, so that no
    write is seen too soon. A write that is undone after its note leaves nothing wrong behind: what
    it noted is what is stored.
    """

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds = seconds
        self._clock = clock
        # By space and key: what stood there before each write, oldest first.
        self._images: dict[int, _SortedImages] = {}
        self._notes: deque[tuple[float, int, bytes]] = deque()
        self._lock = Lock()

    def note(self, space: int, key: bytes, old: Row | None) -> None:
        """Remember the row that is about to be written over or removed, or that there was none."""
        with self._lock:
            now = self._forget()
            images = self._images.setdefault(space, SortedDict())
            images.setdefault(key, deque()).append(old)
            self._notes.append((now, space, key))

    def rows(
        self, reader: Reader, space: int, low: bytes, high: bytes | None, *, backwards: bool = False
    ) -> Iterator[Row]:
        """The rows of a range as they were, in order."""
        stored = reader.rows(space, low, high, backwards=backwards)
        with self._lock:
            self._forget()
            images = self._images.get(space)
            if not images:
                return stored
            keys = images.irange(low, high, (True, False), backwards)
            shown = {key: images[key][0] for key in keys}
        return _merged(stored, shown, backwards=backwards) if shown else stored

    def _forget(self) -> float:
        """Let go of what no read is to show any more; gives the time."""
        now = self._clock()
        notes = self._notes
        while notes and notes[0][0] <= now - self._seconds:
            _, space, key = notes.popleft()
            images = self._images[space]
            images[key].popleft()
            if not images[key]:
                del images[key]
                if not images:
                    del self._images[space]
        return now


def _merged(stored: Iterator[Row], shown: dict[bytes, Row | None], *, backwards: bool) -> Iterator[Row]:
    untouched = (row for row in stored if row.key not in shown)
    older = (row for row in shown.values() if row is not None)
    return merge(untouched, older, key=itemgetter(0), reverse=backwards)
