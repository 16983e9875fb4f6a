"""Storage in memory: sorted rows behind one lock, gone when the process ends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Final, Self

from .contract import (
    BlockAbandoned,
    Reader,
    Row,
    SpaceMissing,
    Storage,
    StorageClosed,
    StorageProblem,
    Writer,
    row_of,
)
from .memory_state import ClosedSpaces, MemoryState, SortedRows, Space, Spaces

__all__ = ["MemoryReader", "MemoryStorage", "MemoryWriter", "ReadBlock", "SharedCommitBlock", "WriteBlock"]

_KEYS_AHEAD: Final = 100


class MemoryReader(Reader):
    """Reads while its block holds the lock."""

    def __init__(self, kept: MemoryState) -> None:
        self._kept = kept

    def get(self, space: int, key: bytes) -> Row | None:
        return self._kept.spaces[space].rows.get(key)

    def rows(self, space: int, low: bytes, high: bytes | None, *, backwards: bool = False) -> Iterator[Row]:
        rows = self._kept.spaces[space].rows
        return map(rows.__getitem__, rows.irange(low, high, (True, False), backwards))

    def totals(self, space: int) -> tuple[int, int]:
        held = self._kept.spaces[space]
        return len(held.rows), held.size


class MemoryWriter(MemoryReader, Writer):
    """Writes in place, and remembers what was there."""

    def rows(self, space: int, low: bytes, high: bytes | None, *, backwards: bool = False) -> Iterator[Row]:
        return _rows_while_writing(self._kept.spaces[space].rows, low, high, backwards=backwards)

    def put(self, space: int, key: bytes, size: int, data: bytes) -> None:
        self._put(self._kept.spaces[space], key, size, data)

    def delete(self, space: int, key: bytes) -> None:
        self._delete(self._kept.spaces[space], key)

    def make_space(self) -> int:
        return self._add(Space())

    def copy_space(self, space: int) -> int:
        return self._add(self._kept.spaces[space].copy())

    def drop_space(self, space: int) -> None:
        kept = self._kept
        spaces = Spaces(kept.spaces)
        if spaces.pop(space, None) is None:
            raise SpaceMissing(space)
        kept.spaces = spaces

    def note(self, name: str, data: bytes | None) -> None:
        if data is None:
            self._delete(self._kept.notes, name.encode())
        else:
            self._put(self._kept.notes, name.encode(), 0, data)

    def _add(self, space: Space) -> int:
        kept = self._kept
        number = kept.next_space
        kept.next_space += 1
        spaces = Spaces(kept.spaces)
        spaces[number] = space
        kept.spaces = spaces
        return number

    def _put(self, held: Space, key: bytes, size: int, data: bytes) -> None:
        rows, sum_before = held.rows, held.size
        old = rows.get(key)
        self._kept.undo.append((held, key, old, sum_before))
        if old is None:
            held.size = sum_before + size
        else:
            held.size = sum_before + size - old.size
            key = old.key  # the one that the dict keeps, lest each row has two
        rows[key] = row_of((key, size, data))

    def _delete(self, held: Space, key: bytes) -> None:
        old = held.rows.get(key)
        if old is not None:
            self._kept.undo.append((held, key, old, held.size))
            held.size -= old.size
            held.rows.pop(key, None)


def _rows_while_writing(
    rows: SortedRows, low: bytes, high: bytes | None, *, backwards: bool
) -> Iterator[Row]:
    """Rows that may be written between one and the next: their keys are looked up a hundred at a time."""
    while keys := list(islice(rows.irange(low, high, (True, False), backwards), _KEYS_AHEAD)):
        for key in keys:
            row = rows.get(key)
            if row is not None:
                yield row
        if backwards:
            high = keys[-1]
        else:
            low = keys[-1] + b"\0"


class _Block:
    __slots__ = ("_kept",)

    def __init__(self, kept: MemoryState) -> None:
        self._kept = kept

    def _take_lock(self) -> MemoryState:
        kept = self._kept
        kept.lock.acquire()
        if kept.closed:
            kept.lock.release()
            raise StorageClosed
        return kept


class ReadBlock(_Block):
    """Keeps writers out while it lasts."""

    __slots__ = ("_reader",)

    def __init__(self, kept: MemoryState) -> None:
        super().__init__(kept)
        self._reader = MemoryReader(kept)

    def __enter__(self) -> Reader:
        self._take_lock()
        return self._reader

    def __exit__(self, *_raised: object) -> None:
        try:
            self._kept.lock.release()
        except RuntimeError:  # the block was abandoned
            return


class WriteBlock(_Block):
    """Undoes what was done in it when an exception leaves it."""

    __slots__ = ("_writer",)

    def __init__(self, kept: MemoryState) -> None:
        super().__init__(kept)
        self._writer = MemoryWriter(kept)

    def __enter__(self) -> Writer:
        kept = self._take_lock()
        kept.marks.append((len(kept.undo), kept.spaces))
        return self._writer

    def __exit__(self, kind: type[BaseException] | None, *_raised: object) -> None:
        kept = self._kept
        if kept.abandoned and not kept.is_own():
            return _raise_abandoned(kind)
        marks = kept.marks
        if kind is not None:
            if issubclass(kind, Exception):
                kept.restore(marks[-1])
            else:
                kept.mend(marks[-1])
        marks.pop()  # from here on an interrupt takes back nothing
        if not marks:
            kept.undo.clear()
        kept.lock.release()


class SharedCommitBlock(_Block):
    """There is no commit to share; others see nothing before the end all the same, as in a file."""

    __slots__ = ()

    def __enter__(self) -> None:
        self._take_lock().sharers += 1

    def __exit__(self, kind: type[BaseException] | None, *_raised: object) -> None:
        kept = self._kept
        if kept.abandoned and not kept.is_own():
            return _raise_abandoned(kind)
        kept.sharers -= 1
        kept.lock.release()


def _raise_abandoned(kind: type[BaseException] | None) -> None:
    if kind is None:
        raise BlockAbandoned


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
        self._kept = kept = MemoryState()
        self._reading, self._writing, self._sharing = (
            ReadBlock(kept),
            WriteBlock(kept),
            SharedCommitBlock(kept),
        )

    def reading(self) -> ReadBlock:
        return self._reading

    def writing(self) -> WriteBlock:
        return self._writing

    def sharing_commit(self) -> SharedCommitBlock:
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
