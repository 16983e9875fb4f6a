"""`check_file`: a sound file has no problems, and each kind of damage is reported."""

from __future__ import annotations

import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from pksk.engine import Engine, FileReport, check_file
from pksk.engine.storage import SqliteStorage
from pksk.errors import FileError
from pksk.schema import Table
from tests.engine.storage.files import cut_short, of_version

from .damages import DAMAGES
from .sample_file import damaged_file, write_sample_file


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "tables.db"
    write_sample_file(path)
    return path


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path / "tables.db"))


def test_a_file_with_every_kind_of_data_is_sound(path: Path) -> None:
    before = path.read_bytes()
    report = check_file(path)

    assert report.problems == ()
    assert report.is_sound
    assert all(
        report.counts[what] > 1
        for what in (
            "tables", "items", "index entries", "vector entries", "expiry entries", "item collections",
            "partitions", "shards", "changes", "items in backups", "spaces", "notes",
        )
    )  # fmt: skip
    assert (report.counts["backups"], report.counts["tokens"]) == (1, 1)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["tables.db"]


def test_a_report_lists_problems_and_counts(path: Path) -> None:
    assert str(check_file(path)).startswith(f"{path} is sound: 8 notes, 18 spaces, 5 tables, ")
    text = str(FileReport("t.db", ("a: b",), 2, {"tables": 1}))
    assert text == "a: b\n...\nt.db has 2 problems: 1 tables."


@pytest.mark.parametrize("damage", DAMAGES)
def test_each_kind_of_damage_is_reported(damage: str, path: Path) -> None:
    damage_file, expected = DAMAGES[damage]
    with damaged_file(path) as file:
        damage_file(file)
    report = check_file(path)

    assert not report.is_sound
    assert any(re.search(expected, problem) for problem in report.problems), "\n".join(report.problems)


def test_damaged_pages_are_reported(path: Path) -> None:
    page = 8192
    data = bytearray(path.read_bytes())
    with damaged_file(path) as file:
        ((root,),) = file.run("SELECT rootpage FROM sqlite_master WHERE name = ?", file.space())
    data[(root - 1) * page + 8 : (root - 1) * page + 60] = b"\xff" * 52
    path.write_bytes(data)

    report = check_file(path)

    assert any(problem.startswith("SQLite: ") for problem in report.problems), report.problems


def test_a_file_after_a_crash_is_checked_unchanged(path: Path) -> None:
    with SqliteStorage(path, durable=False) as storage, storage.writing() as writer:
        # As after a crash: the log is copied while the file is open.
        writer.note("odd", b"0")
    open_ = SqliteStorage(path, durable=False)
    with open_.writing() as writer:
        writer.note("odder", b"0")
    copy = path.with_name("copy.db")
    for end in ("", "-wal"):
        shutil.copy(f"{path}{end}", f"{copy}{end}")
    open_.close()
    before = [copy.read_bytes(), copy.with_name("copy.db-wal").read_bytes()]

    report = check_file(copy)

    assert [problem.split(":")[0] for problem in report.problems] == ["note 'odd'", "note 'odder'"]
    assert [copy.read_bytes(), copy.with_name("copy.db-wal").read_bytes()] == before


def test_at_most_a_thousand_problems_are_listed(path: Path) -> None:
    with damaged_file(path) as file:
        file.run(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) "
            "INSERT INTO notes SELECT 'odd ' || i, X'30' FROM n"
        )

    report = check_file(path)

    assert (len(report.problems), report.problem_count) == (1000, 1500)


def test_progress_is_reported(path: Path) -> None:
    progress: list[tuple[str, int]] = []
    with Engine.open(path, durable=False) as engine:
        for start in range(0, 2000, 25):
            puts = [{"PutRequest": {"Item": {"n": {"N": str(start + n + 10)}}}} for n in range(25)]
            engine.call("BatchWriteItem", {"RequestItems": {"guarded": puts}})

    check_file(path, lambda *what: progress.append(what))

    assert progress[0] == ("SQLite", 0)
    assert ("guarded", 1000) in progress
    assert ("guarded", 2000) in progress


# Files that are not verified at all.


def _code(path: Path) -> str:
    with pytest.raises(FileError) as raised:
        check_file(path)
    return raised.value.code


def test_a_file_in_use_is_rejected(path: Path) -> None:
    with Engine.open(path, durable=False):
        assert _code(path) == "storage-in-use"

    assert check_file(path).is_sound


def test_foreign_and_missing_files_are_rejected(tmp_path: Path) -> None:
    newer, older, foreign, text = (tmp_path / name for name in ("newer", "older", "foreign", "text"))
    of_version(newer, 99)
    of_version(older, 0)
    browser = sqlite3.connect(foreign)
    browser.execute("CREATE TABLE visits (url TEXT)")
    browser.close()
    text.write_text("Milk, eggs, bread. " * 100)

    assert [_code(path) for path in (newer, older, foreign, text, tmp_path / "none", tmp_path)] == [
        "storage-newer", "storage-older", "storage-foreign", "storage-not-sqlite", "storage-missing",
        "storage-is-folder",
    ]  # fmt: skip
    assert not (tmp_path / "none").exists()


def test_an_incomplete_copy_of_a_file_is_not_sound(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    cut_short(path)

    assert _code(path) == "storage-damaged"


def test_a_file_whose_schema_is_not_text_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    Engine.open(path).close()
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE", b"CREA\xb3\xb3TABLE"))

    assert _code(path) == "storage-damaged"


@pytest.mark.parametrize("record", [b"{", b"{}", b"[]", b"7", b"\xff"])
def test_an_engine_rejects_a_file_with_invalid_table_records(record: bytes, tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    with Engine.open(path) as engine:
        engine.call("CreateTable", Table("orders").create_request())
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE notes SET data = ? WHERE name LIKE 'table%'", (record,))
    connection.close()

    for _ in range(2):  # it is not left open either
        with pytest.raises(FileError) as raised:
            Engine.open(path)
        assert raised.value.code == "storage-damaged"


def test_an_empty_file_is_sound(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    path.touch()

    assert check_file(path).is_sound
