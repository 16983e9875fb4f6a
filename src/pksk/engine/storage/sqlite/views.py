"""Reads and writes of blocks in a SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import takewhile

from pksk.engine.storage.contract import Reader, Row, SpaceMissing, Writer, row_of

from .problems import storage_problem
from .statements import ROWS_AHEAD, copy_statement, statements
from .write_lock import WriteLock


class SqliteReader(Reader):
    """Reads with the connection of the write lock, which it holds, or with its own in a subclass."""

    def __init__(self, connection: sqlite3.Connection, write_lock: WriteLock) -> None:
        self._connection = connection
        self._write_lock = write_lock
        self._execute = connection.cursor().execute
        self._unfinished: list[sqlite3.Cursor] = []

    def get(self, space: int, key: bytes) -> Row | None:
        row = self._run(statements(space).get, (key,)).fetchone()
        return None if row is None else row_of(row)

    def rows(self, space: int, low: bytes, high: bytes | None, *, backwards: bool = False) -> Iterator[Row]:
        sql = statements(space)
        try:
            if high is None:
                cursor = self._connection.execute(sql.from_on[backwards], (low,))
            else:
                cursor = self._connection.execute(sql.between[backwards], (low, high))
        except sqlite3.Error as error:
            raise storage_problem(error) from error
        self._unfinished.append(cursor)
        return map(row_of, cursor)

    def totals(self, space: int) -> tuple[int, int]:
        write_lock = self._write_lock
        # While another thread writes, totals are counted and not cached.
        return write_lock.totals.committed.get(space) or write_lock.count(space) or self._count_rows(space)

    def notes(self, prefix: str) -> dict[str, bytes]:
        """The notes whose names begin with a prefix."""
        with closing(self._connection.cursor()) as cursor:
            notes = cursor.execute("SELECT name, data FROM notes WHERE name >= ? ORDER BY name", (prefix,))
            return dict(takewhile(lambda note: note[0].startswith(prefix), notes))

    def begin(self) -> int:
        """Begin to read one view; returns the argument of `end`."""
        return len(self._unfinished)

    def end(self, mark: int) -> None:
        """Close iterators that were not read to their end, and would keep their view open."""
        while len(self._unfinished) > mark:
            self._unfinished.pop().close()

    def give_back(self, *, sound: bool = True) -> None:
        """Release the connection; `sound=False` after an error."""
        self._write_lock.release()

    def reset(self) -> None:
        """Close all open iterators, after an interrupt."""
        self.end(0)
        self._execute("")  # this ends the cursor's last statement

    def _run(self, sql: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        try:
            return self._execute(sql, values)
        except sqlite3.Error as error:
            raise storage_problem(error) from error

    def _count_rows(self, space: int) -> tuple[int, int]:
        rows, size = self._run(statements(space).totals).fetchone()
        return rows, size


class SqliteWriter(SqliteReader, Writer):
    """Writes within the transaction of its block.

    A block that changes spaces or notes is committed at once, so that no other thread knows of them before the file.
    """

    def __init__(self, write_lock: WriteLock) -> None:
        super().__init__(write_lock.connection, write_lock)
        self._totals = write_lock.totals

    def get(self, space: int, key: bytes) -> Row | None:
        row = super().get(space, key)
        if self._totals.current(space) is not None:
            self._totals.sizes[space, key] = None if row is None else row.size
        return row

    def rows(self, space: int, low: bytes, high: bytes | None, *, backwards: bool = False) -> Iterator[Row]:
        """Rows in chunks, so that no statement is open while the block writes."""
        while True:
            chunk = self._chunk(space, low, high, backwards=backwards)
            yield from map(row_of, chunk)
            if len(chunk) < ROWS_AHEAD:
                return
            last = chunk[-1][0]
            if backwards:
                high = last
            else:
                low = last + b"\0"

    def totals(self, space: int) -> tuple[int, int]:
        known = self._totals.current(space)
        if known is None:
            known = self._count_rows(space)
            self._totals.store(space, known)
        return known

    def put(self, space: int, key: bytes, size: int, data: bytes) -> None:
        if self._totals.current(space) is None:
            self._run(statements(space).put, (key, size, data))
            return
        old = self._size(space, key)
        self._run(statements(space).put, (key, size, data))
        self._totals.change(space, key, old, size)

    def delete(self, space: int, key: bytes) -> None:
        if self._totals.current(space) is None:
            self._run(statements(space).delete, (key,))
            return
        old = self._size(space, key)
        self._run(statements(space).delete, (key,))
        self._totals.change(space, key, old, None)

    def make_space(self) -> int:
        self._write_lock.commit_now = True
        number = self._run("INSERT INTO spaces DEFAULT VALUES").lastrowid
        assert number is not None
        self._run(statements(number).make)
        return number

    def copy_space(self, space: int) -> int:
        if self._run("SELECT 1 FROM spaces WHERE number = ?", (space,)).fetchone() is None:
            raise SpaceMissing(space)
        copy = self.make_space()
        self._run(copy_statement(space, copy))
        totals = self._totals.current(space)
        if totals is not None:
            self._totals.store(copy, totals)
        return copy

    def drop_space(self, space: int) -> None:
        self._write_lock.commit_now = True
        if not self._run("DELETE FROM spaces WHERE number = ?", (space,)).rowcount:
            raise SpaceMissing(space)
        self._run(statements(space).drop)
        self._totals.forget(space)

    def note(self, name: str, data: bytes | None) -> None:
        self._write_lock.commit_now = True
        if data is None:
            self._run("DELETE FROM notes WHERE name = ?", (name,))
        else:
            sql = "INSERT INTO notes VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET data = excluded.data"
            self._run(sql, (name, data))

    def _chunk(
        self, space: int, low: bytes, high: bytes | None, *, backwards: bool
    ) -> list[tuple[bytes, int, bytes]]:
        sql = statements(space)
        if high is None:
            return self._run(sql.chunk_from_on[backwards], (low,)).fetchall()
        return self._run(sql.chunk_between[backwards], (low, high)).fetchall()

    def _size(self, space: int, key: bytes) -> int | None:
        sizes = self._totals.sizes
        if (space, key) in sizes:
            return sizes[space, key]
        row = self._run(statements(space).size, (key,)).fetchone()
        return None if row is None else int(row[0])
