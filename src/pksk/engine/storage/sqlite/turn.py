"""The turn to write: one thread at a time has it, and its blocks end in one commit or none."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from threading import RLock, get_ident
from typing import Final

from ..contract import BlockAbandoned, StorageClosed, StorageProblem
from ..locks import let_go
from .problems import problem_of
from .statements import statements
from .totals import Totals

__all__ = ["Turn"]

_LOST: Final = "A write failed in such a way that SQLite took back everything since the last commit."


class Turn:
    """The connection that writes; a block inside another is a savepoint of its transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.totals = Totals()
        self.closed = False
        self.depth = 0  # how many blocks that write have begun, one inside the other
        self._lock = RLock()
        self._execute = connection.cursor().execute
        self._owner = 0
        self._lost = False
        self._waiting: set[int] = set()  # threads

    def take_now(self) -> bool:
        """Take the connection for reading, unless another thread has it or waits for its turn to write."""
        if self._waiting and self._owner != get_ident():
            return False
        return self._lock.acquire(blocking=False)

    def take(self) -> None:
        """Take the connection, however long it takes."""
        if not self._lock.acquire(blocking=False):
            thread = get_ident()
            try:
                self._waiting.add(thread)
                self._lock.acquire()
            finally:
                self._waiting.discard(thread)

    def release(self) -> None:
        """Let others have it."""
        try:
            self._lock.release()
        except RuntimeError:  # the block was abandoned
            return

    def is_own(self) -> bool:
        """Whether this thread is in a block that writes."""
        return self._owner == get_ident()

    def begin(self) -> None:
        """Wait for the turn, and begin a block."""
        self.take()
        try:
            if self.depth:
                self._begin_inner()
            else:
                self._begin_outer()
        except BaseException as error:
            self._lock.release()
            if isinstance(error, sqlite3.Error):
                raise problem_of(error) from error
            raise
        self.depth += 1

    def end(self, *, keep: bool) -> None:
        """End a block; what it wrote holds or not."""
        if self._owner != get_ident():
            if keep:
                raise BlockAbandoned
            return
        self.depth -= 1
        try:
            if self.depth:
                self._end_inner(keep=keep)
            else:
                self._end_outer(keep=keep)
        except sqlite3.Error as error:
            raise problem_of(error) from error
        except BaseException:
            self.totals.forget_all()
            raise
        finally:
            self._lock.release()

    def abandon(self, reset: Callable[[], None]) -> None:
        """Take back and end all blocks of this thread; `reset` ends what was being read."""
        self._waiting.discard(get_ident())
        if not self._lock.acquire(blocking=False):
            return  # another thread has it, and this one has no block
        self.depth = self._owner = 0
        self.totals.forget_all()
        with suppress(sqlite3.Error):  # the next block tries again
            reset()
            self._take_back()
        let_go(self._lock)

    def count(self, space: int) -> tuple[int, int] | None:
        """Count a space, if it is nobody's turn; from then on its totals are kept up."""
        if not self.take_now():
            return None
        try:
            if self.closed or self.depth:
                return None
            rows, size = self._execute(statements(space).totals).fetchone()
            self.totals.committed[space] = rows, size
            return rows, size
        except sqlite3.Error as error:
            raise problem_of(error) from error
        finally:
            self._lock.release()

    def close(self, others: Callable[[], None]) -> bool:
        """Close the others and then this connection, once the last turn is over; False if that was before."""
        with self._lock:
            if self.depth:
                raise StorageProblem("The storage cannot be closed inside a block of its own that writes.")
            if self.closed:
                return False
            self.closed = True
            others()
            self.connection.close()
            return True

    def _begin_outer(self) -> None:
        if self.closed:
            raise StorageClosed
        if self.connection.in_transaction:  # a thread was interrupted right after its BEGIN
            self._execute("ROLLBACK")
        self._execute("BEGIN IMMEDIATE")
        self._owner = get_ident()

    def _begin_inner(self) -> None:
        if self._lost:
            raise StorageProblem(_LOST)
        self._execute("SAVEPOINT block")
        self.totals.begin_inner()

    def _end_inner(self, *, keep: bool) -> None:
        self._lost = self._lost or not self.connection.in_transaction
        self.totals.end_inner(keep=keep)
        if not self._lost:
            if not keep:
                self._execute("ROLLBACK TO block")
            self._execute("RELEASE block")
        elif keep:
            raise StorageProblem(_LOST)

    def _end_outer(self, *, keep: bool) -> None:
        self._owner = 0
        if not keep:
            self._take_back()
        elif self._lost or not self.connection.in_transaction:
            self._take_back()
            raise StorageProblem(_LOST)
        else:
            try:
                self._execute("COMMIT")
            except BaseException:
                self._take_back()  # unless an interrupt came when it was stored already
                raise
            self.totals.end(keep=True)

    def _take_back(self) -> None:
        self._lost = False
        self.totals.end(keep=False)
        if self.connection.in_transaction:
            self._execute("ROLLBACK")
