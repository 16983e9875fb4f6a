"""The format of table records: a file with another format is rejected and not changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from pksk.engine import Engine, check_file
from pksk.engine.state.table_record import RECORD_FORMAT, read_record, record_bytes
from pksk.engine.storage import SqliteStorage
from pksk.errors import FileError
from tests.engine.valid_requests import ORDERS

NOTE = "table/orders"


def with_record_format(path: Path, version: Any) -> bytes:
    """Write a file with one table, and store another format version in its record."""
    with Engine.open(path) as engine:
        engine.call("CreateTable", ORDERS)
    with SqliteStorage(path) as storage:
        record = {**orjson.loads(storage.notes(NOTE)[NOTE]), "format": version}
        with storage.writing() as writer:
            writer.note(NOTE, orjson.dumps(record))
    return orjson.dumps(record)


def test_a_record_is_read_as_it_was_stored(tmp_path: Path) -> None:
    stored = with_record_format(tmp_path / "tables.db", RECORD_FORMAT)

    assert record_bytes(read_record(stored)) == stored


@pytest.mark.parametrize(
    ("version", "problem", "fix"),
    [
        (RECORD_FORMAT + 1, f"is stored in format {RECORD_FORMAT + 1}, and this pksk reads", "upgrade pksk."),
        (
            RECORD_FORMAT - 1,
            f"is stored in format {RECORD_FORMAT - 1}, and this pksk reads",
            "open it with that",
        ),
        (None, "is stored in format None, and this pksk reads", "open it with that"),
    ],
)
def test_a_file_with_another_record_format_cannot_be_opened(
    version: int | None, problem: str, fix: str, tmp_path: Path
) -> None:
    path = tmp_path / "tables.db"
    stored = with_record_format(path, version)

    with pytest.raises(FileError) as raised:
        Engine.open(path)

    assert raised.value.code == "storage-record-format"
    assert "orders" in raised.value.problem
    assert problem in raised.value.problem
    assert fix in str(raised.value)
    with SqliteStorage(path) as storage:
        assert storage.notes(NOTE)[NOTE] == stored


def test_checking_a_file_reports_another_record_format(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    with_record_format(path, RECORD_FORMAT + 1)

    report = check_file(path)

    assert not report.is_sound
    assert f"its record has format {RECORD_FORMAT + 1}" in str(report)
