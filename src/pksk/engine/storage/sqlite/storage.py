"""Storage in one SQLite file, which has a write-ahead log beside it while it is open."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from typing import Final

from pksk.engine.storage.contract import Durable, Row, Storage, StorageClosed, StorageProblem, Writer

from .file import StorageFile, require_sqlite
from .format import CURRENT, Format
from .problems import storage_problem
from .views import SqliteReader, SqliteWriter
from .write_lock import WriteLock

# More idle connections than this are closed.
_MOST_IDLE: Final = 16


class _ReaderPool:
    """Connections that read: one for each thread that reads at the same time.

    While no other thread writes, the connection that writes is used: opening one more would make a program
    that opens a file, reads and ends take a sixth longer.
    """

    def __init__(
        self, write_lock: WriteLock, writer: SqliteWriter, connect: Callable[[], sqlite3.Connection] | None
    ) -> None:
        self._write_lock = write_lock
        self._writer = writer
        self._shared_reader = SqliteReader(write_lock.connection, write_lock)
        self._connect = connect  # None: there is only one connection, and readers wait for the writer
        self._idle: list[_PooledReader] = []

    def take(self) -> SqliteReader:
        """A reader for this thread alone; inside its own writing block, the writer."""
        write_lock = self._write_lock
        if not write_lock.try_acquire():
            if self._connect is not None:
                return self._take_idle(self._connect)
            write_lock.acquire()
        if write_lock.closed:
            write_lock.release()
            raise StorageClosed
        return self._writer if write_lock.depth else self._shared_reader

    def give_back(self, reader: _PooledReader) -> None:
        """Keep a reader for later."""
        if len(self._idle) >= _MOST_IDLE:
            reader.close()
            return
        self._idle.append(reader)
        if self._write_lock.closed:  # checked after the append, so that either this or `close` finds it
            self.close()

    def reset(self) -> None:
        """End all reading with the connection that writes; the caller holds the write lock."""
        for reader in (self._shared_reader, self._writer):
            reader.reset()

    def close(self) -> None:
        """Close the idle readers. The storage is closed, so the others are closed when they are given back."""
        while True:
            try:
                self._idle.pop().close()
            except IndexError:
                return

    def _take_idle(self, connect: Callable[[], sqlite3.Connection]) -> SqliteReader:
        try:
            return self._idle.pop()  # the most recently used, whose cache is warm
        except IndexError:
            pass
        if self._write_lock.closed:
            raise StorageClosed
        try:
            return _PooledReader(connect(), self._write_lock, self)
        except sqlite3.Error as error:
            raise storage_problem(error) from error


class _PooledReader(SqliteReader):
    """Reads one view with its own connection, beside a writer."""

    def __init__(self, connection: sqlite3.Connection, write_lock: WriteLock, readers: _ReaderPool) -> None:
        super().__init__(connection, write_lock)
        self._readers = readers

    def begin(self) -> int:
        self._run("BEGIN")
        return 0

    def end(self, mark: int) -> None:
        super().end(mark)
        self._run("COMMIT")

    def give_back(self, *, sound: bool = True) -> None:
        if sound:
            self._readers.give_back(self)
        else:
            self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class _WriteBlock:
    """A block that writes. One object serves all threads: `WriteLock` knows which one writes."""

    __slots__ = ("_write_lock", "_writer")

    def __init__(self, write_lock: WriteLock, writer: SqliteWriter) -> None:
        self._write_lock = write_lock
        self._writer = writer

    def __enter__(self) -> Writer:
        self._write_lock.begin()
        return self._writer

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        self._write_lock.end(keep=kind is None, wait=error is None or isinstance(error, Exception))
        if isinstance(error, sqlite3.Error):
            raise storage_problem(error) from error


class _SharedCommitBlock:
    """A block whose writing blocks are savepoints of one transaction."""

    __slots__ = ("_write_lock",)

    def __init__(self, write_lock: WriteLock) -> None:
        self._write_lock = write_lock

    def __enter__(self) -> None:
        self._write_lock.begin()

    def __exit__(self, kind: type[BaseException] | None, *_raised: object) -> None:
        if kind is None or self._write_lock.is_own():
            self._write_lock.end(keep=True)


class _ReadBlock:
    """A block that reads, with a connection that is free when it begins."""

    __slots__ = ("_mark", "_reader", "_readers")

    _reader: SqliteReader
    _mark: int

    def __init__(self, readers: _ReaderPool) -> None:
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
        if isinstance(error, sqlite3.Error):  # raised while iterating over rows
            raise storage_problem(error) from error


class SqliteStorage(Storage):
    """Rows in a file: one connection writes, and others read beside it.

    With the path ":memory:", one connection does both, to measure the cost of SQLite itself.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, durable: Durable = True, current: Format = CURRENT
    ) -> None:
        require_sqlite()
        self._file = file = StorageFile(path, current, durable=durable)
        # Sharing commits only helps if they wait for the disk.
        self._write_lock = write_lock = WriteLock(
            file.connection, groups=durable is True and not file.in_memory
        )
        writer = SqliteWriter(write_lock)
        self._readers = _ReaderPool(write_lock, writer, None if file.in_memory else file.connect_reader)
        self._write_block, self._shared_commit = (
            _WriteBlock(write_lock, writer),
            _SharedCommitBlock(write_lock),
        )

    def reading(self) -> _ReadBlock:
        return _ReadBlock(self._readers)

    def writing(self) -> _WriteBlock:
        return self._write_block

    def sharing_commit(self) -> _SharedCommitBlock:
        return self._shared_commit

    def get(self, space: int, key: bytes) -> Row | None:
        reader = self._readers.take()
        try:
            row = reader.get(space, key)
        except BaseException as error:
            reader.give_back(sound=False)
            if isinstance(error, sqlite3.Error):  # when the statement ended
                raise storage_problem(error) from error
            raise
        reader.give_back()
        return row

    def notes(self, prefix: str) -> dict[str, bytes]:
        with self.reading() as reader:
            return reader.notes(prefix)

    def is_free(self) -> bool:
        return self._write_lock.is_free()

    def abandon(self) -> None:
        self._write_lock.abandon(self._readers.reset)

    def close(self) -> None:
        if self._write_lock.close(self._readers.close):
            self._file.release()
