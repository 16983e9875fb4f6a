"""The format of a file: how a new one is created, how pksk recognizes it, and how older ones are upgraded."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final, TypeAlias

from pksk.dataclass import dataclass
from pksk.errors import FileError, quote_path

# Upgrades a file by one version, without BEGIN and COMMIT.
Upgrade: TypeAlias = Callable[[sqlite3.Connection], None]


@dataclass(frozen=True, slots=True)
class Format:
    """A version of the format, and the upgrade from each earlier version to the next."""

    version: int
    upgrades: Mapping[int, Upgrade] = field(default_factory=dict)


CURRENT: Final = Format(1)

_APPLICATION: Final = int.from_bytes(b"pksk")
# Rows of 1 KB items fit in such pages; with pages of 4096 bytes, each would need an overflow page.
_PAGE_BYTES: Final = 8192
_TABLES: Final = (
    # AUTOINCREMENT: no number is used twice, even after its row is deleted.
    "CREATE TABLE spaces (number INTEGER PRIMARY KEY AUTOINCREMENT)",
    "CREATE TABLE notes (name TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID",
)


def prepare(connection: sqlite3.Connection, path: str, current: Format) -> None:
    """Initialize an empty file, or upgrade an older one; raise for other files."""
    version = _file_version(connection, path, current)
    _use_wal(connection)
    if version is None:
        _create(connection, current)
        return
    if version < current.version:
        _upgrade(connection, path, version, current)
    _check_writable(connection)


def _file_version(connection: sqlite3.Connection, path: str, current: Format) -> int | None:
    """The version of a file, None if it is empty; raises for newer files and those of other programs."""
    application, version = _pragma(connection, "application_id"), _pragma(connection, "user_version")
    if not application and not version and _is_empty(connection):
        return None
    if application != _APPLICATION:
        raise _foreign_problem(path)
    if version > current.version:
        raise _newer_problem(path, version, current)
    return version


def require_current(connection: sqlite3.Connection, path: str, current: Format) -> bool:
    """Raise if a file has another version; False if it is empty. Does not change the file."""
    version = _file_version(connection, path, current)
    if version is not None and version < current.version:
        raise _older_problem(path, version, current)
    return version is not None


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    return int(value)


def _is_empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


def _use_wal(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")  # only effective while the file is empty
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode not in {"wal", "memory"}:
        raise sqlite3.OperationalError("SQLite cannot keep a write-ahead log for it")


def _check_writable(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM notes WHERE 0")  # BEGIN IMMEDIATE alone would not fail


def _create(connection: sqlite3.Connection, current: Format) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for table in _TABLES:
        connection.execute(table)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {current.version}")
    connection.execute("COMMIT")


def _upgrade(connection: sqlite3.Connection, path: str, version: int, current: Format) -> None:
    steps = [current.upgrades.get(each) for each in range(version, current.version)]
    connection.execute("BEGIN IMMEDIATE")
    for step in steps:
        if step is None:
            raise _older_problem(path, version, current)
        step(connection)
    connection.execute(f"PRAGMA user_version = {current.version}")
    connection.execute("COMMIT")


def _foreign_problem(path: str) -> FileError:
    return FileError(
        "storage-foreign",
        f"{quote_path(path)} is a SQLite file of another program.",
        expected="Tables are stored in a file that pksk has created; a missing file is created.",
        fix="check the name, or name a file that does not exist yet.",
    )


def _newer_problem(path: str, version: int, current: Format) -> FileError:
    return FileError(
        "storage-newer",
        f"{quote_path(path)} has format {version}, and this version of pksk supports formats up to {current.version}.",
        expected="The file was written by a newer version of pksk.",
        fix="upgrade pksk.",
    )


def _older_problem(path: str, version: int, current: Format) -> FileError:
    return FileError(
        "storage-older",
        f"{quote_path(path)} has format {version}, which this version of pksk cannot upgrade to format "
        f"{current.version}.",
        expected="Older formats are upgraded step by step when a file is opened.",
        fix="open it with an intermediate version of pksk first, or use a new file.",
    )
