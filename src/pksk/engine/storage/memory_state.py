"""The rows and notes of a storage in memory, with a log to undo what a block wrote."""

from __future__ import annotations

from collections.abc import Iterator
from threading import RLock
from typing import Protocol, TypeAlias, cast

from sortedcontainers import SortedDict

from .contract import Row, SpaceMissing, StorageClosed, release_fully

__all__ = ["ClosedSpaces", "MemoryState", "SortedRows", "Space", "Spaces"]


class SortedRows(Protocol):
    """What is used of SortedDict, which has no types of its own."""

    def get(self, key: bytes) -> Row | None: ...
    def __getitem__(self, key: bytes) -> Row: ...
    def __setitem__(self, key: bytes, row: Row) -> None: ...
    def pop(self, key: bytes, default: Row | None) -> Row | None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[bytes]: ...
    def irange(
        self, low: bytes, high: bytes | None, inclusive: tuple[bool, bool], reverse: bool
    ) -> Iterator[bytes]: ...


class Space:
    """The rows of one space, and the sum of their sizes."""

    __slots__ = ("rows", "size")

    def __init__(self) -> None:
        self.rows: SortedRows = SortedDict()
        self.size = 0

    def copy(self) -> Space:
        """Another space with the same rows."""
        rows, copy = self.rows, Space()
        # In their order already, so that sorting them takes one look.
        copy.rows = SortedDict({key: rows[key] for key in rows})
        copy.size = self.size
        return copy


class Spaces(dict[int, Space]):
    """Spaces by number; never changed but replaced, so that undoing is going back to the former one."""

    def __missing__(self, space: int) -> Space:
        raise SpaceMissing(space)


class ClosedSpaces(Spaces):
    """What a closed storage has: nothing, and whoever looks for it is told."""

    def __missing__(self, space: int) -> Space:
        raise StorageClosed


# A row to put back, or a key to remove where it is None, and the size that its space then had.
_UndoStep: TypeAlias = tuple[Space, bytes, Row | None, int]


class MemoryState:
    """Everything stored, its lock, and how to undo what the blocks that write have done so far."""

    __slots__ = ("abandoned", "closed", "lock", "marks", "next_space", "notes", "sharers", "spaces", "undo")

    def __init__(self) -> None:
        self.lock = RLock()
        self.abandoned = False  # whether any block ever was
        self.closed = False
        self.spaces = Spaces()
        self.next_space = 1
        self.notes = Space()  # the keys of its rows are the names
        self.sharers = 0
        self.undo: list[_UndoStep] = []
        # For each writing block, one inside the other: how long `undo` was, and the spaces of then.
        self.marks: list[tuple[int, Spaces]] = []

    def is_own(self) -> bool:
        """Whether this thread has the lock."""
        # A private name, but of C's, and what threading.Condition asks.
        return bool(self.lock._is_owned())  # type: ignore[attr-defined]

    def restore(self, mark: tuple[int, Spaces]) -> None:
        """Go back to what was when a block began."""
        length, self.spaces = mark
        undo = self.undo
        while len(undo) > length:
            space, key, row, size = undo[-1]
            if row is None:
                space.rows.pop(key, None)
            else:
                space.rows[key] = row
            space.size = size
            del undo[-1]  # not before it is done, lest an interrupt leaves it undone

    def mend(self, mark: tuple[int, Spaces]) -> None:
        """Go back after an interrupt, which may have left sorted rows with keys and values that disagree."""
        length, spaces = mark
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
        """Take back and end all blocks of this thread."""
        self.abandoned = True
        if self.lock.acquire(blocking=False):  # else another thread has it, and this one has no block
            if self.marks:
                self.mend(self.marks[0])
            self.marks.clear()
            self.undo.clear()
            self.sharers = 0
            release_fully(self.lock)
