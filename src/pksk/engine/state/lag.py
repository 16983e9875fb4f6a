"""Reads that lag behind writes: rows as they were some seconds ago."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from heapq import merge
from operator import itemgetter
from threading import Lock
from typing import TypeAlias

from sortedcontainers import SortedDict

from pksk.engine.storage import Reader, Row
from pksk.engine.storage.contract import SortedValues

_Images: TypeAlias = deque[Row | None]


class Lag:
    """Previous versions of rows, for as long as reads return them.

    A write adds its previous row before the commit, and a read takes its view before it looks here, so that
    no write is visible too soon. The previous row of a write that is rolled back equals the stored row.
    """

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds = seconds
        self._clock = clock
        # By space and key: the previous rows, oldest first.
        self._images: dict[int, SortedValues[_Images]] = {}
        self._notes: deque[tuple[float, int, bytes]] = deque()
        self._lock = Lock()

    def note(self, space: int, key: bytes, old: Row | None) -> None:
        """Keep the row that is about to be replaced or removed, or None if there is none."""
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
            previous = {key: images[key][0] for key in keys}
        return _merged(stored, previous, backwards=backwards) if previous else stored

    def _forget(self) -> float:
        """Drop versions that no read returns any more; returns the time."""
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


def _merged(stored: Iterator[Row], previous: dict[bytes, Row | None], *, backwards: bool) -> Iterator[Row]:
    untouched = (row for row in stored if row.key not in previous)
    older = (row for row in previous.values() if row is not None)
    return merge(untouched, older, key=itemgetter(0), reverse=backwards)
