"""Concurrent threads see all of a commit or none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Barrier, Event, Thread
from time import sleep

import pytest

from pksk.engine.storage import Reader, Row, SqliteStorage, Storage, StorageClosed, StorageProblem

from .failing import failing

ROUNDS = 150
PATIENCE = 30.0


def _write_pair(storage: Storage, space: int, number: int) -> None:
    with storage.writing() as writer:
        for key in (b"left", b"right"):
            writer.put(space, key, number, b"%d" % number)


def _fail_between(storage: Storage, space: int) -> None:
    with failing(storage.writing()) as writer:
        writer.put(space, b"left", 10**6, b"never committed")


def _by_key(reader: Reader, space: int) -> list[Row | None]:
    return [reader.get(space, b"left"), reader.get(space, b"right")]


def _by_range(reader: Reader, space: int) -> list[Row | None]:
    return list(reader.rows(space, b"l", b"s"))


@contextmanager
def _running(*work: Callable[[], None]) -> Iterator[None]:
    """Repeat functions in threads until the block ends; raises what they raise."""
    over = Event()

    def again(each: Callable[[], None]) -> None:
        while not over.is_set():
            each()

    with ThreadPoolExecutor(len(work)) as pool:
        done = [pool.submit(again, each) for each in work]
        try:
            yield
        finally:
            over.set()
        for each in done:
            each.result(PATIENCE)


def test_rows_written_together_become_visible_together(storage: Storage, space: int) -> None:
    _write_pair(storage, space, 0)

    def look() -> None:
        for look_at in (_by_key, _by_range):
            with storage.reading() as reader:
                pair = look_at(reader, space)
            assert len({row and row.data for row in pair}) == 1
        row = storage.get(space, b"left")
        assert row is not None
        assert row.size <= ROUNDS

    with _running(look, look, look):
        for number in range(ROUNDS):
            _write_pair(storage, space, number)
            _fail_between(storage, space)


def test_concurrent_increments_are_not_lost(storage: Storage, space: int) -> None:
    threads = 6

    def raise_it() -> None:
        for _ in range(ROUNDS // threads):
            with storage.writing() as writer:
                row = writer.get(space, b"counter")
                writer.put(space, b"counter", 1 if row is None else row.size + 1, b"")

    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(raise_it) for _ in range(threads)]:
            done.result(PATIENCE)

    assert storage.get(space, b"counter") == Row(b"counter", ROUNDS, b"")
    with storage.reading() as reader:
        assert reader.totals(space) == (4, 6 + ROUNDS)


def test_blocks_that_share_a_commit_become_visible_together(storage: Storage, space: int) -> None:
    _write_pair(storage, space, 0)

    def look() -> None:
        with storage.reading() as reader:
            pair = _by_key(reader, space)
        assert len({row and row.size for row in pair}) == 1

    with _running(look, look):
        for number in range(ROUNDS):
            with storage.sharing_commit():
                for key in (b"left", b"right"):
                    with storage.writing() as writer:
                        writer.put(space, key, number, b"")


def test_an_uncommitted_row_is_never_seen(storage: Storage, space: int) -> None:
    written = Event()

    def write_and_fail() -> None:
        with failing(storage.writing()) as writer:
            writer.put(space, b"x", 1, b"")
            written.set()
            sleep(0.05)

    with ThreadPoolExecutor(1) as pool:
        failed = pool.submit(write_and_fail)
        assert written.wait(PATIENCE)
        assert storage.get(space, b"x") is None
        failed.result(PATIENCE)


def test_a_thread_sees_its_own_writes_while_another_waits_to_write(storage: Storage, space: int) -> None:
    with ThreadPoolExecutor(1) as pool, storage.writing() as writer:
        writer.put(space, b"x", 1, b"")
        waiting = pool.submit(_write_pair, storage, space, 1)
        sleep(0.05)
        assert storage.get(space, b"x") is not None
        assert not waiting.done()


def test_readers_do_not_starve_a_writer(storage: Storage, space: int) -> None:
    def look() -> None:
        with storage.reading() as reader:
            list(reader.rows(space, b"", None))

    with _running(*[look] * 4):
        for number in range(20):
            _write_pair(storage, space, number)

    row = storage.get(space, b"left")
    assert row is not None
    assert row.size == 19


def test_totals_are_right_while_spaces_are_created_and_dropped(storage: Storage, space: int) -> None:
    def come_and_go() -> None:
        with storage.writing() as writer:
            made = writer.make_space()
            writer.put(made, b"x", 1, b"")
        with storage.reading() as reader:
            assert reader.totals(made) == (1, 1)
        with storage.writing() as writer:
            writer.drop_space(made)

    numbers = count()
    with _running(come_and_go, come_and_go, lambda: _write_pair(storage, space, next(numbers))):
        for _ in range(ROUNDS // 3):
            with storage.reading() as reader:
                rows, _ = reader.totals(space)
                assert rows in {3, 5}


@contextmanager
def _written_in_another_thread(storage: Storage, space: int, key: bytes) -> Iterator[None]:
    """A block that has written a row and goes on writing until this one ends."""
    written, go_on = Event(), Event()

    def write() -> None:
        with storage.writing() as writer:
            writer.put(space, key, 1, b"")
            written.set()
            go_on.wait(PATIENCE)

    thread = Thread(target=write)
    thread.start()
    assert written.wait(PATIENCE)
    try:
        yield
    finally:
        go_on.set()
        thread.join(PATIENCE)


@pytest.fixture
def file(path: Path) -> Iterator[SqliteStorage]:
    with SqliteStorage(path, durable=False) as storage:
        yield storage


@pytest.fixture
def table(file: SqliteStorage) -> int:
    with file.writing() as writer:
        made = writer.make_space()
        writer.put(made, b"a", 1, b"")
        return made


def test_a_file_can_be_read_during_a_writing_block(file: SqliteStorage, table: int) -> None:
    with _written_in_another_thread(file, table, b"b"):
        assert file.get(table, b"b") is None
        assert file.notes("") == {}
        with file.reading() as reader:
            assert [row.key for row in reader.rows(table, b"", None)] == [b"a"]
            assert reader.totals(table) == (1, 1)

    assert file.get(table, b"b") is not None


def test_a_view_of_a_file_does_not_change(file: SqliteStorage, table: int) -> None:
    with _written_in_another_thread(file, table, b"b"):
        reading = file.reading()
        reader = reading.__enter__()
        assert reader.get(table, b"b") is None
    with file.writing() as writer:
        writer.delete(table, b"a")
        writer.drop_space(table)

    assert [row.key for row in reader.rows(table, b"", None)] == [b"a"]
    reading.__exit__(None, None, None)


def test_unfinished_iterators_do_not_keep_an_old_view(file: SqliteStorage, table: int) -> None:
    unread = []
    with _written_in_another_thread(file, table, b"b"), file.reading() as reader:
        unread.append(reader.rows(table, b"", None))
    with _written_in_another_thread(file, table, b"c"):
        assert file.get(table, b"b") is not None


def test_threads_leave_no_connections_behind(file: SqliteStorage, table: int) -> None:
    before = _open_files()
    with _written_in_another_thread(file, table, b"b"):
        counts = [_open_files_after(file, table, threads=30) for _ in range(4)]
        assert 0 < len(file._readers._idle) <= 16
    file.close()

    assert len(file._readers._idle) == 0
    # SQLite keeps the descriptors of closed connections to use them again, so the first round counts.
    assert counts[1:] == counts[:1] * 3
    assert _open_files() < before


def _open_files_after(storage: Storage, space: int, *, threads: int) -> int:
    everyone = Barrier(threads)

    def look() -> None:
        with storage.reading() as reader:
            everyone.wait(PATIENCE)
            assert reader.get(space, b"a") is not None

    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(look) for _ in range(threads)]:
            done.result(PATIENCE)
    return _open_files()


def test_a_reader_can_finish_after_the_storage_was_closed(file: SqliteStorage, table: int) -> None:
    before = _open_files()
    with _written_in_another_thread(file, table, b"b"):
        reading = file.reading()
        reader = reading.__enter__()
    file.close()

    assert reader.get(table, b"a") == Row(b"a", 1, b"")
    reading.__exit__(None, None, None)
    with pytest.raises(StorageClosed):
        file.get(table, b"a")
    assert _open_files() < before


def test_a_deleted_file_is_not_created_again(file: SqliteStorage, table: int, path: Path) -> None:
    path.unlink()
    with _written_in_another_thread(file, table, b"b"), pytest.raises(StorageProblem):
        file.get(table, b"a")

    assert not path.exists()


def test_closing_while_others_read_and_write_ends_them_with_a_clear_error(
    storage: Storage, space: int
) -> None:
    def use(storage: Storage) -> None:
        for number in count():
            _write_pair(storage, space, number)
            storage.get(space, b"left")
            with storage.reading() as reader:
                list(reader.rows(space, b"", None))

    with ThreadPoolExecutor(4) as pool:
        working = [pool.submit(use, storage) for _ in range(4)]
        while (storage.get(space, b"left") or Row(b"", 0, b"")).size < 5:
            pass
        storage.close()
        for done in working:
            with pytest.raises(StorageClosed):
                done.result(PATIENCE)


def _open_files() -> int:
    return len(os.listdir("/dev/fd"))
