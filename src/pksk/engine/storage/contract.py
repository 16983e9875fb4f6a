"""The contract of a storage: sorted rows in numbered spaces, notes by name, and atomic writes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from functools import partial
from threading import RLock
from typing import Final, Literal, NamedTuple, Protocol, Self, TypeAlias, TypeVar, cast

# When a commit is on disk: before it returns (True), when the storage is closed, or at some time (False).
Durable: TypeAlias = bool | Literal["closed"]


class Row(NamedTuple):
    """A stored row: its key, by which rows are sorted; its billed size; its item as DynamoDB's JSON."""

    key: bytes
    size: int
    data: bytes


# Makes a Row from a cursor's tuple, in C. With Row(*values), a Scan takes a tenth longer.
row_of: Final = cast("Callable[[tuple[bytes, int, bytes]], Row]", partial(tuple.__new__, Row))


class StorageProblem(Exception):
    """A storage failed, for example because the disk is full; nothing of the block is stored."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class StorageClosed(StorageProblem):
    """The storage is closed."""

    def __init__(self) -> None:
        super().__init__("The storage is closed.")


class BlockAbandoned(StorageProblem):
    """`Storage.abandon` has ended the block before its own end."""

    def __init__(self) -> None:
        super().__init__("An interrupt ended this block early, and its uncommitted writes are lost.")


class SpaceMissing(StorageProblem):
    """The space does not exist: it was dropped, perhaps by another thread."""

    def __init__(self, space: int) -> None:
        super().__init__(f"Space {space} does not exist.")
        self.space = space

    def __reduce__(self) -> tuple[type[SpaceMissing], tuple[int]]:
        return type(self), (self.space,)


class Reader(Protocol):
    """One consistent view of all rows and notes, until its block ends."""

    def get(self, space: int, key: bytes) -> Row | None:
        """The row with this key."""

    def rows(self, space: int, low: bytes, high: bytes | None, *, backwards: bool = False) -> Iterator[Row]:
        """The rows from `low` up to, but not including, `high` (None: to the end), in order and lazily.

        The iterator ends with its block. A writer may change rows while it iterates: a changed row is
        returned with its old or new content, every other row exactly once.
        """

    def totals(self, space: int) -> tuple[int, int]:
        """The number of rows in a space and the sum of their sizes; cheap from the second call on.

        A reader gets the committed totals, which may be newer than its view.
        """


class Writer(Reader, Protocol):
    """A view that sees its own writes."""

    def put(self, space: int, key: bytes, size: int, data: bytes) -> None:
        """Write a row, replacing one with the same key."""

    def delete(self, space: int, key: bytes) -> None:
        """Remove a row, if it exists."""

    def make_space(self) -> int:
        """Create an empty space; the number of a committed space is never used again."""

    def copy_space(self, space: int) -> int:
        """Create a space with a copy of the rows of another."""

    def drop_space(self, space: int) -> None:
        """Remove a space with all its rows."""

    def note(self, name: str, data: bytes | None) -> None:
        """Write a note, or remove it with None."""


class Storage(ABC):
    """All data of an engine; safe under many threads. Failures raise `StorageProblem`.

    Other threads see a block's writes when it is committed; the writing thread sees them at once, also
    through `get`, `notes` and `reading` inside its block. A thread is in one block at a time, except that a
    writing block may be inside another: it is atomic by itself, and part of the outer one.
    """

    @abstractmethod
    def reading(self) -> AbstractContextManager[Reader]:
        """A block that reads one consistent view, possibly beside a writer."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[Writer]:
        """The only writing block at a time; its end commits all writes, an exception rolls them back."""

    @abstractmethod
    def sharing_commit(self) -> AbstractContextManager[None]:
        """A block whose writing blocks share one commit at its end; each is still atomic.

        It keeps other writers out from its beginning. It is not a transaction: after an exception, the
        writing blocks that had ended are committed. If the commit fails, nothing is stored and
        `StorageProblem` is raised. Inside another writing block, it is part of that one.
        """

    @abstractmethod
    def get(self, space: int, key: bytes) -> Row | None:
        """One row. Faster than a reading block."""

    @abstractmethod
    def notes(self, prefix: str) -> dict[str, bytes]:
        """The notes whose names begin with a prefix, sorted by name."""

    @abstractmethod
    def is_free(self) -> bool:
        """Whether no other thread is in a writing block, or waits for one."""

    @abstractmethod
    def abandon(self) -> None:
        """Roll back and end all blocks of this thread, after an interrupt.

        An interrupt, such as Ctrl-C, can come while a block begins or ends, and the block then stays open.
        Outer blocks are ended too: they pass on an exception, but if they reach their end without one, they
        raise `StorageProblem`, and they must not write before that.
        """

    @abstractmethod
    def close(self) -> None:
        """Release files and locks once no writing block is open; closing twice is fine."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()


_Value = TypeVar("_Value")


class SortedValues(Protocol[_Value]):
    """The used part of SortedDict, which has no type hints."""

    def get(self, key: bytes) -> _Value | None: ...
    def __getitem__(self, key: bytes) -> _Value: ...
    def __setitem__(self, key: bytes, value: _Value) -> None: ...
    def __delitem__(self, key: bytes) -> None: ...
    def setdefault(self, key: bytes, default: _Value) -> _Value: ...
    def pop(self, key: bytes, default: _Value | None) -> _Value | None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[bytes]: ...
    def irange(
        self, low: bytes, high: bytes | None, inclusive: tuple[bool, bool], reverse: bool
    ) -> Iterator[bytes]: ...


def release_fully(lock: RLock) -> None:
    """Release a lock as often as this thread has acquired it."""
    with suppress(RuntimeError):  # this thread does not hold it any more
        while True:
            lock.release()
