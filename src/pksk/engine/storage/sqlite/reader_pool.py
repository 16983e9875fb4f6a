"""The connections that read: the writing one while nobody writes, else one of a pool."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Final

from ..contract import StorageClosed
from .problems import storage_problem
from .views import SqliteReader, SqliteWriter
from .write_lock import WriteLock

__all__ = ["ReaderPool"]

# Connections beyond these are closed again when the threads that needed them are done.
_MOST_IDLE: Final = 16


class ReaderPool:
    """As many connections as threads that read at the same time, used again and again."""

    def __init__(
        self, turn: WriteLock, writer: SqliteWriter, connect: Callable[[], sqlite3.Connection] | None
    ) -> None:
        self._turn = turn
        self._writer = writer
        self._in_turn = SqliteReader(turn.connection, turn)
        self._connect = connect  # None: there can be no other connection, and readers wait for the writer
        self._idle: list[_PooledReader] = []

    def take(self) -> SqliteReader:
        """A reader that no other thread has until it is given back; within a thread's turn, its writer."""
        turn = self._turn
        if not turn.take_now():
            if self._connect is not None:
                return self._beside(self._connect)
            turn.take()
        if turn.closed:
            turn.release()
            raise StorageClosed
        return self._writer if turn.depth else self._in_turn

    def give_back(self, reader: _PooledReader) -> None:
        """Keep a reader for the next who needs one."""
        if len(self._idle) >= _MOST_IDLE:
            reader.close()
            return
        self._idle.append(reader)
        if self._turn.closed:  # looked at after it was added, so that either this or `close` finds it
            self.close()

    def reset(self) -> None:
        """Let go of what was being read with the connection that writes; for the thread that has it."""
        for reader in (self._in_turn, self._writer):
            reader.reset()

    def close(self) -> None:
        """Close those that nobody has; the storage is closed by now, and the others find that out."""
        while True:
            try:
                self._idle.pop().close()
            except IndexError:
                return

    def _beside(self, connect: Callable[[], sqlite3.Connection]) -> SqliteReader:
        try:
            return self._idle.pop()  # the one used last, whose cache is warm
        except IndexError:
            pass
        if self._turn.closed:
            raise StorageClosed
        try:
            return _PooledReader(connect(), self._turn, self)
        except sqlite3.Error as error:
            raise storage_problem(error) from error


class _PooledReader(SqliteReader):
    """Reads one view with a connection of its own, whatever is written meanwhile."""

    def __init__(self, connection: sqlite3.Connection, turn: WriteLock, readers: ReaderPool) -> None:
        super().__init__(connection, turn)
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
        """Close its connection."""
        self._connection.close()
