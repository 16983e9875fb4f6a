"""Only one storage at a time can open a file, and a process that ends releases it."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pytest

from pksk.engine.storage import SqliteStorage
from pksk.errors import FileError
from tests.project.tree import SOURCE

HOLD = """
import sys
from pksk.engine.storage import SqliteStorage
storage = SqliteStorage(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""

FORK = """
import os, sys
from pksk.engine.storage import SqliteStorage
storage = SqliteStorage(sys.argv[1])
child = os.fork()
if not child:
    storage._file.release()
    os._exit(0)
os.waitpid(child, 0)
SqliteStorage(sys.argv[1])
"""

# Writing to a file fails, as on a full disk.
FULL = """
import resource, sys
from pksk.engine.storage import SqliteStorage
from pksk.errors import FileError
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
try:
    SqliteStorage(sys.argv[1])
except FileError as error:
    print(error.code)
"""


@contextmanager
def _held_by_a_process(path: Path) -> Iterator[subprocess.Popen[str]]:
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        try:
            yield process
        finally:
            process.kill()


def _error_of(path: Path) -> FileError:
    with pytest.raises(FileError) as raised:
        SqliteStorage(path)
    assert raised.value.code == "storage-in-use"
    return raised.value


def test_the_error_about_a_file_in_use_names_the_process(path: Path) -> None:
    with _held_by_a_process(path) as process:
        problem = _error_of(path)

    assert problem.problem == f"'{path}' is already open in process {process.pid}."
    assert problem.fix == f"end process {process.pid}, or share the file over HTTP: pksk serve --data FILE."


def test_a_disk_without_space_for_the_lock_is_an_error_with_a_code(path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(path)], check=False, env=environment, capture_output=True, text=True
    )

    assert (ran.stdout, ran.stderr) == ("storage-unusable\n", "")


def test_a_process_that_is_killed_leaves_no_lock(path: Path) -> None:
    with _held_by_a_process(path) as process:
        process.kill()
        process.wait()

        SqliteStorage(path).close()


def test_a_file_is_not_opened_twice_in_one_process(path: Path) -> None:
    with SqliteStorage(path, durable=False):
        problem = _error_of(path)

    assert problem.problem == f"'{path}' is already open in this process."
    SqliteStorage(path).close()


def test_another_name_of_the_same_file_is_rejected_too(path: Path, tmp_path: Path) -> None:
    (tmp_path / "other.db").symlink_to(path)

    with SqliteStorage(path, durable=False):
        _error_of(tmp_path / "other.db")
        _error_of(tmp_path / "." / path.name)


def test_a_file_that_could_not_be_opened_is_not_locked(path: Path) -> None:
    path.write_text("not a database" * 100)
    for _ in range(2):
        with pytest.raises(FileError, match="not a SQLite file"):
            SqliteStorage(path)
    path.unlink()

    SqliteStorage(path).close()


def test_a_lock_file_of_a_dead_process_is_ignored(path: Path) -> None:
    Path(f"{path}-lock").write_text("12345678\n" * 3)

    with SqliteStorage(path):
        assert Path(f"{path}-lock").read_text() == f"{os.getpid()}\n"


def test_a_lock_whose_file_was_removed_is_released(path: Path) -> None:
    with SqliteStorage(path):
        Path(f"{path}-lock").unlink()

    SqliteStorage(path).close()


def test_a_lock_on_a_file_that_was_just_removed_is_acquired_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = SqliteStorage(path)
    lock = fcntl.flock

    def close_first_and_lock(file: TextIO, operation: int) -> None:
        first.close()  # between the opening of the lock's file and its locking
        lock(file, operation)

    monkeypatch.setattr(fcntl, "flock", close_first_and_lock)
    with SqliteStorage(path, durable=False):
        monkeypatch.undo()
        _error_of(path)


def test_only_one_of_many_concurrent_opens_gets_the_file(path: Path) -> None:
    SqliteStorage(path).close()

    def open_and_close(_number: int) -> bool:
        try:
            storage = SqliteStorage(path, durable=False)
        except FileError as raised:
            if raised.code != "storage-in-use":
                raise
            return False
        # Were two of them inside, the second would find the other's note.
        with storage.writing() as writer:
            assert storage.notes("") == {}
            writer.note("mine", b"1")
        with storage.writing() as writer:
            writer.note("mine", None)
        storage.close()
        return True

    with ThreadPoolExecutor(8) as pool:
        assert any(pool.map(open_and_close, range(200)))
    assert os.listdir(path.parent) == [path.name]


def test_a_forked_child_does_not_release_the_lock(path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    ran = subprocess.run(
        [sys.executable, "-c", FORK, str(path)], check=False, env=environment, capture_output=True, text=True
    )

    assert "is already open in this process" in ran.stderr


def test_other_programs_cannot_read_or_write_an_open_file(path: Path) -> None:
    with _held_by_a_process(path):
        other = sqlite3.connect(path, timeout=0)
        try:
            for statement in ("SELECT * FROM notes", "DELETE FROM notes"):
                with pytest.raises(sqlite3.OperationalError, match="locked"):
                    other.execute(statement)
        finally:
            other.close()


def test_a_file_that_another_program_locks_is_rejected(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SqliteStorage(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    monkeypatch.setattr("pksk.engine.storage.sqlite.file.BUSY_SECONDS", 0.01)

    try:
        assert "locked by another program" in _error_of(path).problem
    finally:
        other.close()
