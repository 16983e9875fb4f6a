"""Storage in one SQLite file, with a write-ahead log beside it while it is open."""

from __future__ import annotations

import os
import sqlite3
from typing import Self

from ..contract import Durable, Row, Storage, StorageProblem, Writer
from .file import StorageFile, require_sqlite
from .format import CURRENT, Format
from .problems import storage_problem
from .reader_pool import ReaderPool
from .views import SqliteReader, SqliteWriter
from .write_lock import WriteLock

__all__ = ["ReadBlock", "SharedCommitBlock", "SqliteStorage", "WriteBlock"]


class WriteBlock:
    """A block that writes; one object for all, since whose turn it is stands in `WriteLock`."""

    __slots__ = ("_turn", "_writer")

    def __init__(self, turn: WriteLock, writer: SqliteWriter) -> None:
        self._turn = turn
        self._writer = writer

    def __enter__(self) -> Writer:
        self._turn.begin()
        return self._writer

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        self._turn.end(keep=kind is None, waits=error is None or isinstance(error, Exception))
        if isinstance(error, sqlite3.Error):
            raise storage_problem(error) from error


class SharedCommitBlock:
    """A block whose writing blocks are savepoints of one transaction."""

    __slots__ = ("_turn",)

    def __init__(self, turn: WriteLock) -> None:
        self._turn = turn

    def __enter__(self) -> None:
        self._turn.begin()

    def __exit__(self, kind: type[BaseException] | None, *_raised: object) -> None:
        if kind is None or self._turn.is_own():
            self._turn.end(keep=True)


class ReadBlock:
    """A block that reads, with whichever connection is free when it begins."""

    __slots__ = ("_mark", "_reader", "_readers")

    _reader: SqliteReader
    _mark: int

    def __init__(self, readers: ReaderPool) -> None:
        self._readers = readers

    def __enter__(self) -> SqliteReader:
        self._reader = reader = self._readers.take()
        try:
            self._mark = reader.begin()
        except StorageProblem:
            reader.give_back(sound=False)
            raise
        return reader

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        reader = self._reader
        sound = False
        try:
            reader.end(self._mark)
            sound = not isinstance(error, sqlite3.Error | StorageProblem)
        except sqlite3.Error as failed:
            raise storage_problem(failed) from failed
        finally:
            reader.give_back(sound=sound)
        if isinstance(error, sqlite3.Error):  # from an iterator over rows
            raise storage_problem(error) from error


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
        require_sqlite()
        self._file = file = StorageFile(path, wanted, durable=durable)
        # Where no commit waits for the disk, sharing one saves nothing.
        self._turn = turn = WriteLock(file.connection, groups=durable is True and not file.in_memory)
        writer = SqliteWriter(turn)
        self._readers = ReaderPool(turn, writer, None if file.in_memory else file.connect_reader)
        self._writing, self._sharing = WriteBlock(turn, writer), SharedCommitBlock(turn)

    def reading(self) -> ReadBlock:
        return ReadBlock(self._readers)

    def writing(self) -> WriteBlock:
        return self._writing

    def sharing_commit(self) -> SharedCommitBlock:
        return self._sharing

    def get(self, space: int, key: bytes) -> Row | None:
        reader = self._readers.take()
        try:
            row = reader.get(space, key)
        except BaseException as error:
            reader.give_back(sound=False)
            if isinstance(error, sqlite3.Error):  # from the second step, which only ends the statement
                raise storage_problem(error) from error
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
