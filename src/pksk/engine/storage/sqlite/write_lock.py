"""The connection that writes: one thread at a time holds it, and threads that wait share a commit."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from threading import Event, RLock, get_ident
from time import perf_counter
from typing import Final

from ..contract import BlockAbandoned, StorageClosed, StorageProblem, release_fully
from .problems import storage_problem
from .statements import statements
from .totals import Totals

__all__ = ["CommitGroup", "WriteLock"]

# The first of a group waits no longer for others than this, nor for more of them.
_MOST_GROUP_SECONDS: Final = 0.01
_MOST_BLOCKS: Final = 100


class CommitGroup:
    """Blocks that have ended and are not committed yet; whoever wrote one of them waits here."""

    __slots__ = ("_blocks", "_done", "_opened", "_problem")

    def __init__(self) -> None:
        self._opened = perf_counter()
        self._blocks = 0
        self._done = Event()
        self._problem: str | None = None

    def add(self) -> None:
        """One more block has ended."""
        self._blocks += 1

    def is_full(self) -> bool:
        """Whether it is time to commit."""
        return self._blocks >= _MOST_BLOCKS or perf_counter() - self._opened > _MOST_GROUP_SECONDS

    def end(self, problem: str | None = None) -> None:
        """All of it is stored, or nothing of it for some reason; what was said first holds."""
        if not self._done.is_set():
            self._problem = problem
            self._done.set()

    def wait(self, seconds: float) -> bool:
        """Wait for its end; False where that takes longer. Raises what kept it from being stored."""
        if not self._done.wait(seconds):
            return False
        if self._problem is not None:
            raise StorageProblem(self._problem)
        return True


_LOST_TRANSACTION: Final = (
    "A write failed in such a way that SQLite took back everything since the last commit."
)
_INTERRUPTED_COMMIT: Final = "A thread was interrupted while it committed what others had written too."
# Who waits for others to commit looks after it himself where they do not come, as after an interrupt.
_WAIT_SECONDS: Final = 0.5


class WriteLock:
    """The connection that writes; a block inside another is a savepoint of its transaction.

    With `groups`, a block that ends while others wait for their turn is not committed yet: the next one becomes
    a savepoint of the same transaction, and the last of them commits for all. Nobody reads meanwhile with this
    connection, which sees what is not stored.
    """

    def __init__(self, connection: sqlite3.Connection, *, groups: bool) -> None:
        self.connection = connection
        self.totals = Totals()
        self.closed = False
        self.depth = 0  # how many blocks that write have begun, one inside the other
        self.at_once = False  # whether the block that writes is to be committed when it ends
        self._lock = RLock()
        self._execute = connection.cursor().execute
        self._owner = 0
        self._lost = False
        self._waiting: set[int] = set()  # threads
        self._groups = groups
        self._group: CommitGroup | None = None  # set while blocks have ended that are not committed

    def take_now(self) -> bool:
        """Take the connection for reading, unless another thread has it or waits for its turn to write."""
        own = self._owner == get_ident()
        if (self._waiting and not own) or not self._lock.acquire(blocking=False):
            return False
        if self._group is not None and not own:
            self._lock.release()
            return False
        return True

    def is_free(self) -> bool:
        """Whether this thread would have it at once."""
        if not self.take_now():
            return False
        self._lock.release()
        return True

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
                raise storage_problem(error) from error
            raise
        self.depth += 1

    def end(self, *, keep: bool, waits: bool = True) -> None:
        """End a block; what it wrote holds or not.

        Also one that is taken back has seen what others wrote: its failure is told when that is stored. One that
        was interrupted waits for nothing.
        """
        if self._owner != get_ident():
            if keep:
                raise BlockAbandoned
            return
        self.depth -= 1
        group: CommitGroup | None = None
        try:
            if self.depth:
                self._end_inner(keep=keep)
            else:
                group = self._end_outer(keep=keep)
        except sqlite3.Error as error:
            raise storage_problem(error) from error
        except BaseException:
            self.totals.forget_all()
            raise
        finally:
            self._lock.release()
        if group is not None and waits:
            self._wait(group)

    def abandon(self, reset: Callable[[], None]) -> None:
        """Take back and end all blocks of this thread; `reset` ends what was being read."""
        self._waiting.discard(get_ident())
        if not self._lock.acquire(blocking=False):
            return  # another thread has it, and this one has no block
        if self._group is not None and self._owner != get_ident():
            release_fully(self._lock)  # what others have written is theirs
            return
        self.depth = self._owner = 0
        self.totals.forget_all()
        with suppress(sqlite3.Error):  # the next block tries again
            reset()
            self._take_back()
        release_fully(self._lock)

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
            raise storage_problem(error) from error
        finally:
            self._lock.release()

    def close(self, others: Callable[[], None]) -> bool:
        """Close the others and then this connection, once the last turn is over; False if that was before."""
        with self._lock:
            if self.depth:
                raise StorageProblem("The storage cannot be closed inside a block of its own that writes.")
            if self.closed:
                return False
            self._commit_others()
            self.closed = True
            others()
            self.connection.close()
            return True

    def _begin_outer(self) -> None:
        if self.closed:
            raise StorageClosed
        if self._group is not None:
            self._execute("SAVEPOINT block")
            self.totals.begin_inner()
        else:
            if self.connection.in_transaction:  # a thread was interrupted right after its BEGIN
                self._execute("ROLLBACK")
            self._execute("BEGIN IMMEDIATE")
        self.at_once = False
        self._owner = get_ident()

    def _begin_inner(self) -> None:
        if self._lost:
            raise StorageProblem(_LOST_TRANSACTION)
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
            raise StorageProblem(_LOST_TRANSACTION)

    def _end_outer(self, *, keep: bool) -> CommitGroup | None:
        """End the block of this thread; gives the group whose commit is to be waited for."""
        saw = self._group is not None  # what others wrote and nobody has stored
        try:
            if self._group is not None or keep:
                if self._lost or not self.connection.in_transaction:
                    raise StorageProblem(_LOST_TRANSACTION)
                return self._left(keep=keep)
            self._take_back()
        except BaseException as error:
            self._take_back(error)
            if keep or saw or not isinstance(error, sqlite3.Error | StorageProblem):
                raise
        finally:
            self._owner = 0
        return None

    def _left(self, *, keep: bool) -> CommitGroup | None:
        group = self._group
        if group is not None:
            if not keep:
                self._execute("ROLLBACK TO block")
            self._execute("RELEASE block")
            self.totals.end_inner(keep=keep)
        if self._may_wait(group):
            if group is None:
                group = self._group = CommitGroup()
            group.add()
            return group
        self._commit()
        return None

    def _may_wait(self, group: CommitGroup | None) -> bool:
        """Whether another thread commits what this one has written."""
        return self._groups and bool(self._waiting) and not (self.at_once or (group and group.is_full()))

    def _commit(self) -> None:
        self._execute("COMMIT")  # an interrupt may come when it is stored already
        self.totals.end(keep=True)
        if self._group is not None:
            self._group.end()  # before it is let go, so that an interrupt leaves nobody in doubt
            self._group = None

    def _wait(self, group: CommitGroup) -> None:
        """Wait until others have committed; where nobody is left to do it, do it here."""
        while not group.wait(_WAIT_SECONDS):
            if self._lock.acquire(blocking=False):
                try:
                    if self._group is group:
                        self._commit_others()
                    else:  # whoever had it was interrupted
                        group.end(_INTERRUPTED_COMMIT)
                finally:
                    self._lock.release()

    def _commit_others(self) -> None:
        """Commit what other threads have written and wait for; it is they who are told if that fails."""
        if self._group is not None:
            try:
                self._commit()
            except BaseException as error:
                self._take_back(error)
                if not isinstance(error, sqlite3.Error):
                    raise

    def _take_back(self, error: BaseException | None = None) -> None:
        # An interrupt can come when all is stored already.
        told = None if _is_interrupt(error) and not self.connection.in_transaction else _failure_text(error)
        self._lost = False
        self.totals.end(keep=False)
        group, self._group = self._group, None
        try:
            if self.connection.in_transaction:
                self._execute("ROLLBACK")
        finally:
            if group is not None:
                group.end(told)


def _is_interrupt(error: BaseException | None) -> bool:
    return error is not None and not isinstance(error, Exception)


def _failure_text(error: BaseException | None) -> str:
    """What those are told whose blocks are taken back with another's."""
    if isinstance(error, sqlite3.Error):
        return str(storage_problem(error))
    return str(error) if isinstance(error, StorageProblem) else _INTERRUPTED_COMMIT
