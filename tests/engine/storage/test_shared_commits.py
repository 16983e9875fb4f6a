"""Blocks of several threads in one commit: stored together or not at all, invisible before, rolled back one by one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Event, get_ident
from time import monotonic
from typing import Any

import pytest

from pksk.engine.storage import SqliteStorage, StorageClosed, StorageProblem, Writer
from pksk.engine.storage.sqlite import write_lock as write_locks
from pksk.engine.storage.sqlite.write_lock import CommitGroup, WriteLock

from .failing import Stop, failing

PATIENCE = 20


@pytest.fixture
def file(path: Path) -> Iterator[SqliteStorage]:
    with SqliteStorage(path) as storage:
        yield storage


@pytest.fixture
def space(file: SqliteStorage) -> int:
    with file.writing() as writer:
        made = writer.make_space()
    with file.reading() as reader:
        assert reader.totals(made) == (0, 0)
    return made


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


def _write_lock(file: SqliteStorage) -> WriteLock:
    return file._write_lock


def _until(holds: Callable[[], bool]) -> None:
    end = monotonic() + PATIENCE
    while not holds():
        assert monotonic() < end


def _counted(file: SqliteStorage) -> list[str]:
    """A list to which each commit is added from now on."""
    commits: list[str] = []
    _write_lock(file).connection.set_trace_callback(
        lambda sql: commits.append(sql) if sql == "COMMIT" else None
    )
    return commits


class Queue:
    """Threads that wait for their turn behind this one, which is in a block until it lets them."""

    def __init__(self, file: SqliteStorage, space: int, pool: ThreadPoolExecutor) -> None:
        self._file, self._space, self._pool = file, space, pool
        self._inside, self._go_on = Event(), Event()
        self.first = pool.submit(self._first)
        assert self._inside.wait(PATIENCE)

    def _first(self) -> None:
        with self._file.writing() as writer:
            writer.put(self._space, b"first", 1, b"")
            self._inside.set()
            assert self._go_on.wait(PATIENCE)

    def add(self, work: Callable[[Writer], object]) -> Future[None]:
        """One more, which waits."""

        def write() -> None:
            with self._file.writing() as writer:
                work(writer)

        waiting = len(_write_lock(self._file)._waiting)
        added = self._pool.submit(write)
        _until(lambda: len(_write_lock(self._file)._waiting) > waiting)
        return added

    def put(self, key: bytes) -> Future[None]:
        return self.add(lambda writer: writer.put(self._space, key, 1, b""))

    def go(self) -> None:
        self._go_on.set()


def _keys(file: SqliteStorage, space: int) -> list[bytes]:
    with file.reading() as reader:
        keys = [row.key for row in reader.rows(space, b"", None)]
        assert reader.totals(space) == (len(keys), len(keys))
    return keys


def _problem(done: Future[None]) -> str:
    with pytest.raises(StorageProblem) as caught:
        done.result(PATIENCE)
    return caught.value.problem


def _deny_commits(action: int, what: str | None, *_more: Any) -> int:
    raised = action == sqlite3.SQLITE_TRANSACTION and what == "COMMIT"
    return sqlite3.SQLITE_DENY if raised else sqlite3.SQLITE_OK


def test_blocks_that_wait_for_each_other_share_a_commit(
    file: SqliteStorage, space: int, threads: ThreadPoolExecutor
) -> None:
    commits = _counted(file)
    queue = Queue(file, space, threads)
    others = [queue.put(b"%d" % number) for number in range(5)]
    queue.go()
    for done in (queue.first, *others):
        done.result(PATIENCE)

    assert len(commits) == 1
    assert len(_keys(file, space)) == 6


def test_no_thread_continues_or_sees_writes_before_the_commit(
    file: SqliteStorage, space: int, threads: ThreadPoolExecutor
) -> None:
    inside, go_on = Event(), Event()

    def stay(writer: Writer) -> None:
        inside.set()
        assert writer.get(space, b"first") is not None
        assert go_on.wait(PATIENCE)

    queue = Queue(file, space, threads)
    last = queue.add(stay)
    queue.go()
    assert inside.wait(PATIENCE)
    assert file.get(space, b"first") is None
    assert _keys(file, space) == []
    assert not file.is_free()
    assert not queue.first.done()
    go_on.set()
    for done in (queue.first, last):
        done.result(PATIENCE)

    assert _keys(file, space) == [b"first"]
    assert file.is_free()


def test_a_failed_block_does_not_affect_its_group(
    file: SqliteStorage, space: int, threads: ThreadPoolExecutor
) -> None:
    def fail(writer: Writer) -> None:
        writer.put(space, b"first", 7, b"")
        writer.put(space, b"x", 7, b"")
        raise Stop

    commits = _counted(file)
    queue = Queue(file, space, threads)
    others = [queue.add(fail), queue.put(b"second"), queue.add(fail)]
    queue.go()
    queue.first.result(PATIENCE)
    others[1].result(PATIENCE)
    for done in others[::2]:
        with pytest.raises(Stop):
            done.result(PATIENCE)

    assert _keys(file, space) == [b"first", b"second"]
    assert len(commits) <= 2


def test_blocks_inside_blocks_and_shared_commits_take_part(
    file: SqliteStorage, space: int, threads: ThreadPoolExecutor
) -> None:
    def nest(writer: Writer) -> None:
        writer.put(space, b"outer", 1, b"")
        with failing(file.writing()) as inner:
            inner.put(space, b"gone", 1, b"")
        with file.sharing_commit(), file.writing() as inner:
            inner.put(space, b"inner", 1, b"")

    queue = Queue(file, space, threads)
    others = [queue.add(nest), queue.put(b"last")]
    queue.go()
    for done in (queue.first, *others):
        done.result(PATIENCE)

    assert _keys(file, space) == [b"first", b"inner", b"last", b"outer"]


def test_a_commit_that_fails_fails_all_of_them(
    file: SqliteStorage, space: int, threads: ThreadPoolExecutor
) -> None:
    queue = Queue(file, space, threads)
    others = [queue.put(b"%d" % number) for number in range(3)]
    _write_lock(file).connection.set_authorizer(_deny_commits)
    queue.go()

    assert {_problem(done) for done in (queue.first, *others)} == {"SQLite failed: not authorized."}
    _write_lock(file).connection.set_authorizer(None)
    assert _keys(file, space) == []
    with file.writing() as writer:
        writer.put(space, b"after", 1, b"")
    assert _keys(file, space) == [b"after"]


def test_a_failure_after_uncommitted_reads_is_raised_after_the_commit(
    file: SqliteStorage, space: int, threads: ThreadPoolExecutor
) -> None:
    """As a condition does that fails over their rows: if these are not stored, it has not failed."""
    inside, go_on = Event(), Event()

    def fail(writer: Writer) -> None:
        assert writer.get(space, b"first") is not None
        raise Stop

    def stay(_writer: Writer) -> None:
        inside.set()
        assert go_on.wait(PATIENCE)

    queue = Queue(file, space, threads)
    failing_one, last = queue.add(fail), queue.add(stay)
    queue.go()
    assert inside.wait(PATIENCE)
    early = failing_one.done()
    _write_lock(file).connection.set_authorizer(_deny_commits)
    go_on.set()

    problems = {_problem(done) for done in (queue.first, failing_one, last)}
    assert problems == {"SQLite failed: not authorized."}
    assert not early


def test_a_failed_commit_fails_all_threads_of_the_group(
    file: SqliteStorage, space: int, threads: ThreadPoolExecutor
) -> None:
    def fail(_writer: Writer) -> None:
        raise Stop

    queue = Queue(file, space, threads)
    last = queue.add(fail)
    _write_lock(file).connection.set_authorizer(_deny_commits)
    queue.go()

    assert _problem(queue.first) == _problem(last)


def test_a_thread_whose_wait_timed_out_does_not_report_a_stored_write_as_lost(
    file: SqliteStorage, space: int, threads: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit ends between the last check and the moment the thread gets the write lock."""
    wait = CommitGroup.wait

    def impatient(group: CommitGroup, _seconds: float) -> bool:
        if glances:
            return wait(group, PATIENCE)
        glances.append(True)
        assert group._done.wait(PATIENCE)
        _until(file.is_free)
        return False

    glances: list[bool] = []
    monkeypatch.setattr(CommitGroup, "wait", impatient)
    queue = Queue(file, space, threads)
    second = queue.put(b"second")
    queue.go()
    for done in (queue.first, second):
        done.result(PATIENCE)

    assert _keys(file, space) == [b"first", b"second"]


def test_all_threads_fail_if_sqlite_rolls_back_everything(
    file: SqliteStorage, space: int, threads: ThreadPoolExecutor
) -> None:
    def lose(_writer: Writer) -> None:
        _write_lock(file).connection.execute("ROLLBACK")  # as SQLite does when the disk is full

    queue = Queue(file, space, threads)
    others = [queue.put(b"second"), queue.add(lose), queue.put(b"after")]
    queue.go()

    problems = [_problem(done) for done in (queue.first, others[0], others[1]) if done.exception(PATIENCE)]
    others[2].exception(PATIENCE)
    assert problems
    assert all("rolled back everything" in each for each in problems)
    stored = [name for name, done in zip((b"first", b"second", b"after"), (queue.first, others[0], others[2]),
                                         strict=True) if not done.exception()]  # fmt: skip
    assert _keys(file, space) == sorted(stored)


def test_a_block_that_changes_spaces_or_notes_is_committed_at_its_end(
    file: SqliteStorage, space: int, threads: ThreadPoolExecutor
) -> None:
    written, go_on = Event(), Event()

    def write(writer: Writer) -> None:
        writer.note("n", b"1")
        written.set()

    def stay(_writer: Writer) -> None:
        # Whose turn comes first is the system's to say.
        assert not written.is_set() or go_on.wait(PATIENCE)

    queue = Queue(file, space, threads)
    noted = queue.add(write)
    waiting = queue.add(stay)
    queue.go()
    noted.result(PATIENCE)
    go_on.set()
    waiting.result(PATIENCE)

    assert file.notes("") == {"n": b"1"}


def test_a_waiting_thread_commits_if_no_other_does(
    file: SqliteStorage, space: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_locks, "_WAIT_SECONDS", 0.01)
    _write_lock(file)._waiting.add(get_ident() + 1)  # a thread that was interrupted while it waited
    with file.writing() as writer:
        writer.put(space, b"a", 1, b"")

    assert _keys(file, space) == [b"a"]


def test_closing_commits_the_group(
    file: SqliteStorage, space: int, threads: ThreadPoolExecutor, path: Path
) -> None:
    _write_lock(file)._waiting.add(0)
    queue = Queue(file, space, threads)
    queue.go()
    _until(lambda: _write_lock(file)._group is not None)
    file.close()
    queue.first.result(PATIENCE)

    with SqliteStorage(path) as again:
        assert _keys(again, space) == [b"first"]
    with pytest.raises(StorageClosed):
        file.get(space, b"first")


def test_abandoning_keeps_the_group(file: SqliteStorage, space: int, threads: ThreadPoolExecutor) -> None:
    _write_lock(file)._waiting.add(0)
    queue = Queue(file, space, threads)
    queue.go()
    _until(lambda: _write_lock(file)._group is not None)
    file.abandon()
    _write_lock(file)._waiting.discard(0)
    with file.writing() as writer:
        writer.put(space, b"second", 1, b"")
    queue.first.result(PATIENCE)

    assert _keys(file, space) == [b"first", b"second"]


def test_an_interrupted_thread_rolls_back_uncommitted_writes(
    file: SqliteStorage, space: int, threads: ThreadPoolExecutor
) -> None:
    _write_lock(file)._waiting.add(0)
    queue = Queue(file, space, threads)
    queue.go()
    _until(lambda: _write_lock(file)._group is not None)
    _write_lock(file)._waiting.discard(0)
    block = file.writing()
    block.__enter__().put(space, b"second", 1, b"")
    file.abandon()

    assert "interrupted" in _problem(queue.first)
    assert _keys(file, space) == []


def test_threads_that_fail_at_random_store_exactly_the_successful_writes(
    file: SqliteStorage, space: int, threads: ThreadPoolExecutor
) -> None:
    def work(thread: int) -> list[bytes]:
        random, kept = Random(thread), []
        for number in range(40):
            key = b"%d/%d" % (thread, number)
            try:
                with file.writing() as writer:
                    writer.put(space, key, 1, b"")
                    if random.random() < 0.3:
                        raise Stop
                kept.append(key)
                assert file.get(space, key) is not None
            except Stop:
                assert file.get(space, key) is None
        return kept

    def look() -> None:
        with file.reading() as reader:
            once, again = ([row.key for row in reader.rows(space, b"", None)] for _ in range(2))
        assert once == again

    kept = [threads.submit(work, number) for number in range(6)]
    while not all(done.done() for done in kept):
        look()

    assert _keys(file, space) == sorted(key for done in kept for key in done.result())
