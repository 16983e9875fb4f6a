"""Storage in one file of SQLite's, with a write-ahead log beside it while it is open."""

from __future__ import annotations

import os
import sqlite3
from typing import Self

from ..contract import Durable, Row, Storage
from .blocks import Reading, Sharing, Writing
from .file import StorageFile
from .format import CURRENT, Format
from .problems import problem_of
from .readers import Readers
from .turn import Turn
from .version import needs_sqlite
from .views import SqliteWriter

__all__ = ["SqliteStorage"]


class SqliteStorage(Storage):
    """Rows in a file; one connection writes, and others read beside it.

    With ":memory:" as its path one connection does both, as a measure of what SQLite itself costs.

    Example:
        >>> with SqliteStorage(":memory:") as storage:
        ...     with storage.writing() as writer:
        ...         orders = writer.make_space()
        ...         writer.put(orders, b"order#1", 5, b'{"n":1}')
        ...     storage.get(orders, b"order#1")
        Row(key=b'order#1', size=5, data=b'{"n":1}')
    """

    def __init__(
        self, path: str | os.PathLike[str], *, durable: Durable = True, wanted: Format = CURRENT
    ) -> None:
        needs_sqlite()
        self._file = file = StorageFile(path, wanted, durable=durable)
        # Where no commit waits for the disk, sharing one saves nothing.
        self._turn = turn = Turn(file.connection, groups=durable is True and not file.in_memory)
        writer = SqliteWriter(turn)
        self._readers = Readers(turn, writer, None if file.in_memory else file.connect_reader)
        self._writing, self._sharing = Writing(turn, writer), Sharing(turn)

    def reading(self) -> Reading:
        return Reading(self._readers)

    def writing(self) -> Writing:
        return self._writing

    def sharing_commit(self) -> Sharing:
        return self._sharing

    def get(self, space: int, key: bytes) -> Row | None:
        reader = self._readers.take()
        try:
            row = reader.get(space, key)
        except BaseException as error:
            reader.give_back(sound=False)
            if isinstance(error, sqlite3.Error):  # from the second step, which only ends the statement
                raise problem_of(error) from error
            raise
        reader.give_back()
        return row

    def notes(self, prefix: str) -> dict[str, bytes]:
        with self.reading() as reader:
            return reader.notes(prefix)

    def is_free(self) -> bool:
        return self._turn.is_free()

    def abandon(self) -> None:
        self._turn.abandon(self._readers.reset)

    def close(self) -> None:
        if self._turn.close(self._readers.close):
            self._file.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()
