"""Opening files: created, kept, upgraded and rejected."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pksk.engine.storage import Durable, MemoryStorage, SqliteStorage, open_storage
from pksk.engine.storage.sqlite.file import require_sqlite
from pksk.engine.storage.sqlite.format import CURRENT, Format
from pksk.errors import FileError, InvalidValue

from .files import as_someone_else, cut_short, filled, of_version


def _error_of(path: Path | str, wanted: Format = CURRENT) -> FileError:
    with pytest.raises(FileError) as raised:
        SqliteStorage(path, current=wanted)
    return raised.value


def _value(path: Path, pragma: str) -> object:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(f"PRAGMA {pragma}").fetchone()[0]
    finally:
        connection.close()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that anyone may write to, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o777)
        yield Path(name)


def test_memory_and_a_path_open_their_storages(path: Path) -> None:
    with open_storage(":memory:") as memory, open_storage(path, durable=False) as file:
        assert (type(memory), type(file)) == (MemoryStorage, SqliteStorage)
    with open_storage(str(path)) as again:
        assert type(again) is SqliteStorage


@pytest.mark.parametrize(("durable", "level"), [(True, 2), ("closed", 1), (False, 0)])
def test_a_commit_waits_for_the_disk_as_long_as_it_should(path: Path, durable: Durable, level: int) -> None:
    with SqliteStorage(path, durable=durable) as storage, storage.writing() as writer:
        writer.note("kept", b"1")
        # https://www.sqlite.org/pragma.html#pragma_synchronous: 2 is FULL, 1 is NORMAL, 0 is OFF.
        assert storage._file.connection.execute("PRAGMA synchronous").fetchone() == (level,)
    with SqliteStorage(path) as storage:
        assert storage.notes("kept") == {"kept": b"1"}


def test_a_new_file_has_the_application_id_and_the_format(path: Path) -> None:
    SqliteStorage(path).close()

    assert _value(path, "application_id") == int.from_bytes(b"pksk")
    assert _value(path, "user_version") == CURRENT.version
    assert _value(path, "journal_mode") == "wal"


def test_a_closed_file_has_no_files_beside_it(path: Path) -> None:
    filled(path)

    assert os.listdir(path.parent) == [path.name]


def test_rows_are_stored_after_reopening(path: Path) -> None:
    space = filled(path)

    with SqliteStorage(path) as storage, storage.reading() as reader:
        assert reader.totals(space) == (200, 199 * 100)
        assert [row.size for row in reader.rows(space, b"", None)] == list(range(200))
        assert storage.notes("") == {"kept": b"1"}


def test_numbers_of_spaces_continue_after_reopening(path: Path) -> None:
    space = filled(path)
    with SqliteStorage(path, durable=False) as storage, storage.writing() as writer:
        writer.drop_space(space)
    with SqliteStorage(path, durable=False) as storage, storage.writing() as writer:
        assert writer.make_space() > space


def test_an_empty_file_is_initialized(path: Path) -> None:
    path.touch()

    filled(path)

    assert _value(path, "page_size") == 8192


def test_a_sqlite_file_without_tables_is_initialized(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")  # as a process leaves it that was killed here
    connection.close()

    filled(path)


@pytest.mark.parametrize("name", ["späte Bestellung.db", "100%.db", "a?b#c.db", "file:x", "-", " "])
def test_a_file_can_have_any_name(name: str, tmp_path: Path) -> None:
    filled(tmp_path / name)

    assert os.listdir(tmp_path) == [name]


def test_a_relative_path_keeps_its_folder_after_a_change_of_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with SqliteStorage("tables.db", durable=False) as storage:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        with storage.writing() as writer:
            writer.note("n", b"1")

    with SqliteStorage(tmp_path / "tables.db") as storage:
        assert storage.notes("") == {"n": b"1"}


def test_a_damaged_file_is_rejected(path: Path) -> None:
    cut_short(path)

    assert _error_of(path).code == "storage-damaged"


def test_a_file_with_a_damaged_beginning_is_rejected(path: Path) -> None:
    filled(path)
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"\xee" * 2000)

    assert _error_of(path).code == "storage-damaged"


def test_a_file_whose_schema_is_not_text_is_rejected(path: Path) -> None:
    filled(path)
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE", b"CREA\xb3\xb3TABLE"))

    assert _error_of(path).code == "storage-damaged"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_is_rejected_without_waiting(path: Path) -> None:
    os.mkfifo(path)

    assert _error_of(path).code == "storage-unusable"
    assert os.listdir(path.parent) == [path.name]


def test_a_file_that_is_not_of_sqlite_is_rejected_unchanged(path: Path) -> None:
    path.write_bytes(b"not a database " * 1000)

    assert _error_of(path).code == "storage-not-sqlite"
    assert path.read_bytes() == b"not a database " * 1000
    assert os.listdir(path.parent) == [path.name]


def test_a_file_of_another_program_is_rejected_unchanged(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = path.read_bytes()

    assert _error_of(path).code == "storage-foreign"
    assert path.read_bytes() == before


def test_a_folder_is_rejected(tmp_path: Path) -> None:
    problem = _error_of(tmp_path)

    assert problem.code == "storage-is-folder"
    assert str(tmp_path / "tables.db") in problem.fix


@pytest.mark.parametrize("parent", ["missing", "a-file"])
def test_the_error_about_a_missing_folder_names_it(parent: str, tmp_path: Path) -> None:
    (tmp_path / "a-file").touch()

    problem = _error_of(tmp_path / parent / "tables.db")

    assert problem.code == "storage-folder-missing"
    assert str(tmp_path / parent) in problem.problem


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_an_invalid_file_name_is_rejected(name: str, tmp_path: Path) -> None:
    assert _error_of(tmp_path / name).code == "storage-unusable"


@pytest.mark.parametrize(("file_mode", "folder_mode"), [(0o600, 0o777), (0o444, 0o777), (0o666, 0o555)])
def test_a_read_only_file_is_rejected(file_mode: int, folder_mode: int, open_folder: Path) -> None:
    path = open_folder / "tables.db"
    filled(path)
    path.chmod(0 if file_mode == 0o600 else file_mode)
    open_folder.chmod(folder_mode)

    with as_someone_else():
        assert _error_of(path).code == "storage-permission"
    open_folder.chmod(0o777)


def test_a_newer_file_is_rejected_with_both_versions(path: Path) -> None:
    of_version(path, 7)

    assert (
        f"format 7, and this version of pksk supports formats up to {CURRENT.version}"
        in _error_of(path).problem
    )


def test_an_older_file_is_upgraded_step_by_step(path: Path) -> None:
    space = filled(path)
    done = []

    def second(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE notes ADD COLUMN colour TEXT DEFAULT 'red'")
        done.append(1)

    def third(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE notes SET colour = 'blue'")
        done.append(2)

    version_3 = Format(3, {2: third, 1: second})
    with SqliteStorage(path, current=version_3) as storage:
        assert storage.get(space, b"000007") is not None
    SqliteStorage(path, current=version_3).close()

    assert done == [1, 2]
    assert _value(path, "user_version") == 3
    assert _error_of(path).code == "storage-newer"


def test_an_upgrade_that_fails_leaves_the_file_as_it_was(path: Path) -> None:
    space = filled(path)

    def second(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM notes")

    def third(connection: sqlite3.Connection) -> None:
        connection.execute("SELECT * FROM nowhere")

    assert "no such table: nowhere" in _error_of(path, Format(3, {1: second, 2: third})).problem
    with SqliteStorage(path) as storage:
        assert storage.notes("") == {"kept": b"1"}
        assert storage.get(space, b"000007") is not None


def test_an_older_file_without_an_upgrade_is_rejected_with_both_versions(path: Path) -> None:
    filled(path)

    problem = _error_of(path, Format(3, {2: lambda _: None}))

    assert problem.code == "storage-older"
    assert "format 1" in problem.problem
    assert "format 3" in problem.problem
    filled(path)


def test_the_sqlite_of_this_python_is_recent_enough() -> None:
    require_sqlite()


@pytest.mark.parametrize("version", ["3.7.17", "3.23.1", "2.8.17"])
def test_an_old_sqlite_is_rejected(version: str) -> None:
    with pytest.raises(FileError, match=f"SQLite {version}, which is too old") as raised:
        require_sqlite(version)

    assert raised.value.code == "storage-sqlite-version"


@pytest.mark.parametrize("version", ["3.24.0", "3.24", "3.100.0", "4.0.0"])
def test_a_recent_sqlite_is_accepted(version: str) -> None:
    require_sqlite(version)


@pytest.mark.parametrize("name", [":memroy:", "memory", "Memory:", 5])
def test_a_mistyped_memory_leaves_no_file_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: object
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidValue) as raised:
        open_storage(name)  # type: ignore[arg-type]

    assert raised.value.code == "engine-path"
    assert list(tmp_path.iterdir()) == []
