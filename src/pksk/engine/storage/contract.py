"""What a storage does: ordered rows in numbered spaces, and notes by name; writes are all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from functools import partial
from threading import RLock
from types import TracebackType
from typing import Final, Literal, NamedTuple, Protocol, Self, TypeAlias, cast

__all__ = [
    "BlockAbandoned",
    "Durable",
    "Reader",
    "Row",
    "SpaceMissing",
    "Storage",
    "StorageClosed",
    "StorageProblem",
    "Writer",
    "release_fully",
    "row_of",
]

# When what was committed is on disk: before a commit returns, when the storage is closed, or some time.
Durable: TypeAlias = bool | Literal["closed"]


class Row(NamedTuple):
    """A stored row: its key, which orders it; the size it is billed by; its item as DynamoDB's JSON."""

    key: bytes
    size: int
    data: bytes


# Row's own constructor is a Python function; this one is C, and takes what a cursor gives.
row_of: Final = cast("Callable[[tuple[bytes, int, bytes]], Row]", partial(tuple.__new__, Row))


class StorageProblem(Exception):
    """What a storage could not do, such as writing to a full disk; nothing of the block is stored."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class StorageClosed(StorageProblem):
    """The storage was used after it was closed."""

    def __init__(self) -> None:
        super().__init__("The storage is closed.")


class BlockAbandoned(StorageProblem):
    """A block came to its end after `Storage.abandon` had ended it."""

    def __init__(self) -> None:
        super().__init__(
            "An interrupt ended this block before its end, and what it had not committed is lost."
        )


class SpaceMissing(StorageProblem):
    """There is no such space: it was dropped, perhaps by another thread since its number was looked up."""

    def __init__(self, space: int) -> None:
        super().__init__(f"There is no space {space}.")
        self.space = space

    def __reduce__(self) -> tuple[type[SpaceMissing], tuple[int]]:
        return type(self), (self.space,)


class Reader(Protocol):
    """One consistent view of everything stored, good until its block ends."""

    def get(self, space: int, key: bytes) -> Row | None:
        """The row with this key."""

    def rows(self, space: int, low: bytes, high: bytes | None, *, backwards: bool = False) -> Iterator[Row]:
        """The rows from `low` to before `high` (None: to the end) in order, read as they are asked for.

        The iterator ends with its block. A writer may write while it iterates, also into the space it
        iterates: a row that it changes is seen as it was or as it is, every other row once.
        """

    def totals(self, space: int) -> tuple[int, int]:
        """How many rows a space has, and the sum of their sizes; cheap once it was asked for.

        A reader gets them as last committed, which may be later than its view.
        """


class Writer(Reader, Protocol):
    """A view that sees its own writes."""

    def put(self, space: int, key: bytes, size: int, data: bytes) -> None:
        """Write a row, over one with the same key."""

    def delete(self, space: int, key: bytes) -> None:
        """Remove a row, if it is there."""

    def make_space(self) -> int:
        """A new, empty space; a number that was stored once is never used again."""

    def copy_space(self, space: int) -> int:
        """A new space with the rows that another one has now; from then on each goes its own way."""

    def drop_space(self, space: int) -> None:
        """Remove a space with all its rows."""

    def note(self, name: str, data: bytes | None) -> None:
        """Write a note by its name, or remove it with None."""


class Storage(Protocol):
    """Where an engine keeps everything; safe under many threads.

    Other threads see a block's writes when it is committed; the thread that writes sees them at once,
    also through `get`, `notes` and `reading` inside its block. A thread takes one block at a time, but
    for a writing block inside another, which is all or nothing by itself and part of the outer one.
    All that fails raises `StorageProblem`.
    """

    def reading(self) -> AbstractContextManager[Reader]:
        """A block that reads one consistent view, and may run beside a writer."""

    def writing(self) -> AbstractContextManager[Writer]:
        """A block alone in writing; at its end all of it is stored, after an exception none of it."""

    def sharing_commit(self) -> AbstractContextManager[None]:
        """A block whose writing blocks are committed together at its end, each still all or nothing.

        It is alone in writing from its beginning. It is no transaction over its blocks: after an
        exception those that had ended are stored. Only if the commit itself fails is nothing stored,
        and StorageProblem says so. Inside another block that writes it joins that one.
        """

    def get(self, space: int, key: bytes) -> Row | None:
        """One row, without the cost of a block."""

    def notes(self, prefix: str) -> dict[str, bytes]:
        """All notes whose names begin so, in the order of their names."""

    def is_free(self) -> bool:
        """Whether no other thread is in a block that writes, or waits for one."""

    def abandon(self) -> None:
        """Take back and end all blocks of this thread; for one who was interrupted, and cannot know his place.

        An interrupt, such as Ctrl-C, can come while a block begins or ends, and the block then stays
        open. Where none is, nothing happens. A block around the one that was interrupted, such as one
        that shares a commit, is ended too: it lets an exception pass, but coming to its end without
        one it raises `StorageProblem`, and it must not write before that.
        """

    def close(self) -> None:
        """Give back files and locks, after the blocks that write have ended; closing twice is no error."""

    def __enter__(self) -> Self:
        """The storage itself."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""


def release_fully(lock: RLock) -> None:
    """Release a lock as often as this thread has taken it."""
    with suppress(RuntimeError):  # it is not this thread's any more
        while True:
            lock.release()
