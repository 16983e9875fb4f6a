"""Storage in memory: sorted rows behind one lock."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, takewhile
from threading import RLock
from typing import Final, TypeAlias, cast

from sortedcontainers import SortedDict

from . import contract
from .contract import Reader, Row, SortedValues, SpaceMissing, Storage, StorageClosed, Writer


class _Space:
    """The rows of one space, and the sum of their sizes."""

    __slots__ = ("rows", "size")

    def __init__(self) -> None:
        self.rows: SortedValues[Row] = SortedDict()
        self.size = 0

    def copy(self) -> _Space:
        """A copy of the space."""
        rows, copy = self.rows, _Space()
        copy.rows = SortedDict({key: rows[key] for key in rows})
        copy.size = self.size
        return copy


class _Spaces(dict[int, _Space]):
    """Spaces by number; replaced instead of changed, so that undo only restores the former object."""

    def __missing__(self, space: int) -> _Space:
        raise SpaceMissing(space)


class _ClosedSpaces(_Spaces):
    """The spaces of a closed storage: every access raises."""

    def __missing__(self, space: int) -> _Space:
        raise StorageClosed


# The space, the key, its former row (None: remove the key), and the former size of the space.
_UndoStep: TypeAlias = tuple[_Space, bytes, Row | None, int]


class _MemoryState:
    """All rows and notes, their lock, and an undo log of the open writing blocks."""

    __slots__ = (
        "abandoned",
        "block_starts",
        "closed",
        "lock",
        "next_space",
        "notes",
        "sharers",
        "spaces",
        "undo",
    )

    def __init__(self) -> None:
        self.lock = RLock()
        self.abandoned = False  # whether any block was ever abandoned
        self.closed = False
        self.spaces = _Spaces()
        self.next_space = 1
        self.notes = _Space()  # the keys of its rows are the names
        self.sharers = 0
        self.undo: list[_UndoStep] = []
        # For each open writing block: the length of `undo` and the spaces when it began.
        self.block_starts: list[tuple[int, _Spaces]] = []

    def is_own(self) -> bool:
        """Whether this thread holds the lock."""
        # Private, but threading.Condition uses it too.
        return bool(self.lock._is_owned())  # type: ignore[attr-defined]

    def restore(self, start: tuple[int, _Spaces]) -> None:
        """Undo everything since a block began."""
        length, self.spaces = start
        undo = self.undo
        while len(undo) > length:
            space, key, row, size = undo[-1]
            if row is None:
                space.rows.pop(key, None)
            else:
                space.rows[key] = row
            space.size = size
            del undo[-1]  # last, so that an interrupt before it repeats the step

    def restore_after_interrupt(self, start: tuple[int, _Spaces]) -> None:
        """Like `restore`, and rebuild sorted rows, whose keys and values an interrupt may have left inconsistent."""
        length, spaces = start
        steps = self.undo[length:]
        for space, key, row, size in reversed(steps):
            values = cast("dict[bytes, Row]", space.rows)
            if row is None:
                dict.pop(values, key, None)
            else:
                dict.__setitem__(values, key, row)
            space.size = size
        for space in {step[0] for step in steps}:
            space.rows = SortedDict(dict.items(cast("dict[bytes, Row]", space.rows)))
        self.spaces = spaces
        del self.undo[length:]

    def abandon(self) -> None:
        """Roll back and end all blocks of this thread."""
        self.abandoned = True
        if self.lock.acquire(blocking=False):  # otherwise this thread is in no block
            if self.block_starts:
                self.restore_after_interrupt(self.block_starts[0])
            self.block_starts.clear()
            self.undo.clear()
            self.sharers = 0
            contract.release_fully(self.lock)


# Keys that a writer reads ahead, since it may change rows while it iterates.
_KEYS_AHEAD: Final = 100


class _MemoryReader(Reader):
    """Reads; its block holds the lock."""

    def __init__(self, state: _MemoryState) -> None:
        self._state = state

    def get(self, space: int, key: bytes) -> Row | None:
        return self._state.spaces[space].rows.get(key)

    def rows(self, space: int, low: bytes, high: bytes | None, *, backwards: bool = False) -> Iterator[Row]:
        rows = self._state.spaces[space].rows
        return map(rows.__getitem__, rows.irange(low, high, (True, False), backwards))

    def totals(self, space: int) -> tuple[int, int]:
        target = self._state.spaces[space]
        return len(target.rows), target.size


class _MemoryWriter(_MemoryReader, Writer):
    """Writes in place, and logs the former rows for undo."""

    def rows(self, space: int, low: bytes, high: bytes | None, *, backwards: bool = False) -> Iterator[Row]:
        return _rows_while_writing(self._state.spaces[space].rows, low, high, backwards=backwards)

    def put(self, space: int, key: bytes, size: int, data: bytes) -> None:
        self._put(self._state.spaces[space], key, size, data)

    def delete(self, space: int, key: bytes) -> None:
        self._delete(self._state.spaces[space], key)

    def make_space(self) -> int:
        return self._add(_Space())

    def copy_space(self, space: int) -> int:
        return self._add(self._state.spaces[space].copy())

    def drop_space(self, space: int) -> None:
        state = self._state
        spaces = _Spaces(state.spaces)
        if spaces.pop(space, None) is None:
            raise SpaceMissing(space)
        state.spaces = spaces

    def note(self, name: str, data: bytes | None) -> None:
        if data is None:
            self._delete(self._state.notes, name.encode())
        else:
            self._put(self._state.notes, name.encode(), 0, data)

    def _add(self, space: _Space) -> int:
        state = self._state
        number = state.next_space
        state.next_space += 1
        spaces = _Spaces(state.spaces)
        spaces[number] = space
        state.spaces = spaces
        return number

    def _put(self, target: _Space, key: bytes, size: int, data: bytes) -> None:
        rows, sum_before = target.rows, target.size
        old = rows.get(key)
        self._state.undo.append((target, key, old, sum_before))
        if old is None:
            target.size = sum_before + size
        else:
            target.size = sum_before + size - old.size
            key = old.key  # the dict keeps this object, so that no row has two
        rows[key] = Row(key, size, data)

    def _delete(self, target: _Space, key: bytes) -> None:
        old = target.rows.get(key)
        if old is not None:
            self._state.undo.append((target, key, old, target.size))
            target.size -= old.size
            target.rows.pop(key, None)


def _rows_while_writing(
    rows: SortedValues[Row], low: bytes, high: bytes | None, *, backwards: bool
) -> Iterator[Row]:
    """Rows that may change during iteration: reads keys in chunks."""
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
    __slots__ = ("_state",)

    def __init__(self, state: _MemoryState) -> None:
        self._state = state

    def _acquire_lock(self) -> _MemoryState:
        state = self._state
        state.lock.acquire()
        if state.closed:
            state.lock.release()
            raise StorageClosed
        return state


class _ReadBlock(_Block):
    """A block that reads; it keeps writers out."""

    __slots__ = ("_reader",)

    def __init__(self, state: _MemoryState) -> None:
        super().__init__(state)
        self._reader = _MemoryReader(state)

    def __enter__(self) -> Reader:
        self._acquire_lock()
        return self._reader

    def __exit__(self, *_raised: object) -> None:
        try:
            self._state.lock.release()
        except RuntimeError:  # the block was abandoned
            return


class _WriteBlock(_Block):
    """A block that writes, and is rolled back by an exception."""

    __slots__ = ("_writer",)

    def __init__(self, state: _MemoryState) -> None:
        super().__init__(state)
        self._writer = _MemoryWriter(state)

    def __enter__(self) -> Writer:
        state = self._acquire_lock()
        state.block_starts.append((len(state.undo), state.spaces))
        return self._writer

    def __exit__(self, kind: type[BaseException] | None, *_raised: object) -> None:
        state = self._state
        if state.abandoned and not state.is_own():
            return _raise_abandoned(kind)
        starts = state.block_starts
        if kind is not None:
            if issubclass(kind, Exception):
                state.restore(starts[-1])
            else:
                state.restore_after_interrupt(starts[-1])
        starts.pop()  # from here on, an interrupt rolls back nothing
        if not starts:
            state.undo.clear()
        state.lock.release()


class _SharedCommitBlock(_Block):
    """Keeps other threads out until its end. There is no commit to share."""

    __slots__ = ()

    def __enter__(self) -> None:
        self._acquire_lock().sharers += 1

    def __exit__(self, kind: type[BaseException] | None, *_raised: object) -> None:
        state = self._state
        if state.abandoned and not state.is_own():
            return _raise_abandoned(kind)
        state.sharers -= 1
        state.lock.release()


def _raise_abandoned(kind: type[BaseException] | None) -> None:
    if kind is None:
        raise contract.BlockAbandoned


class MemoryStorage(Storage):
    """Rows in sorted dicts behind one lock; the data ends with the process."""

    def __init__(self) -> None:
        self._state = state = _MemoryState()
        self._read_block, self._write_block = _ReadBlock(state), _WriteBlock(state)
        self._shared_commit = _SharedCommitBlock(state)

    def reading(self) -> _ReadBlock:
        return self._read_block

    def writing(self) -> _WriteBlock:
        return self._write_block

    def sharing_commit(self) -> _SharedCommitBlock:
        return self._shared_commit

    def get(self, space: int, key: bytes) -> Row | None:
        state = self._state
        with state.lock:
            return state.spaces[space].rows.get(key)

    def notes(self, prefix: str) -> dict[str, bytes]:
        start = prefix.encode()
        with self._read_block:
            rows = self._state.notes.rows
            keys = takewhile(
                lambda key: key.startswith(start), rows.irange(start, None, (True, False), False)
            )
            return {key.decode(): rows[key].data for key in keys}

    def is_free(self) -> bool:
        lock = self._state.lock
        if not lock.acquire(blocking=False):
            return False
        lock.release()
        return True

    def abandon(self) -> None:
        self._state.abandon()

    def close(self) -> None:
        state = self._state
        with state.lock:
            if state.block_starts or state.sharers:
                raise contract.StorageProblem(
                    "The storage cannot be closed inside one of its writing blocks."
                )
            state.closed = True
            state.spaces, state.notes = _ClosedSpaces(), _Space()
