"""Storage whose rows are gone when the process ends."""

from __future__ import annotations

from itertools import takewhile
from typing import Self

from ..contract import Row, Storage, StorageProblem
from .blocks import Reading, Sharing, Writing
from .kept import ClosedSpaces, Kept, Space

__all__ = ["MemoryStorage"]


class MemoryStorage(Storage):
    """Rows in sorted dicts, behind one lock.

    Example:
        >>> with MemoryStorage() as storage:
        ...     with storage.writing() as writer:
        ...         orders = writer.make_space()
        ...         writer.put(orders, b"order#1", 5, b'{"n":1}')
        ...     storage.get(orders, b"order#1")
        Row(key=b'order#1', size=5, data=b'{"n":1}')
    """

    def __init__(self) -> None:
        self._kept = kept = Kept()
        self._reading, self._writing, self._sharing = Reading(kept), Writing(kept), Sharing(kept)

    def reading(self) -> Reading:
        return self._reading

    def writing(self) -> Writing:
        return self._writing

    def sharing_commit(self) -> Sharing:
        return self._sharing

    def get(self, space: int, key: bytes) -> Row | None:
        kept = self._kept
        with kept.lock:
            return kept.spaces[space].rows.get(key)

    def notes(self, prefix: str) -> dict[str, bytes]:
        start = prefix.encode()
        with self._reading:
            rows = self._kept.notes.rows
            keys = takewhile(
                lambda key: key.startswith(start), rows.irange(start, None, (True, False), False)
            )
            return {key.decode(): rows[key].data for key in keys}

    def is_free(self) -> bool:
        lock = self._kept.lock
        if not lock.acquire(blocking=False):
            return False
        lock.release()
        return True

    def abandon(self) -> None:
        self._kept.abandon()

    def close(self) -> None:
        kept = self._kept
        with kept.lock:
            if kept.marks or kept.sharers:
                raise StorageProblem("The storage cannot be closed inside a block of its own that writes.")
            kept.closed = True
            kept.spaces, kept.notes = ClosedSpaces(), Space()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()
