"""What a file has in it besides its spaces, by which it is known as ours, and how older ones are upgraded."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final, TypeAlias

from pksk.dataclass import dataclass
from pksk.errors import FileError, quote_path

__all__ = ["CURRENT", "Format", "Upgrade", "file_version", "prepare", "require_current"]

# What brings a file from one version to the next; it leaves BEGIN and COMMIT to its caller.
Upgrade: TypeAlias = Callable[[sqlite3.Connection], None]


@dataclass(frozen=True, slots=True)
class Format:
    """A version of the format, and for each earlier version the step to the one after it."""

    version: int
    upgrades: Mapping[int, Upgrade] = field(default_factory=dict)


CURRENT: Final = Format(1)

_APPLICATION: Final = int.from_bytes(b"pksk")
# The rows of 1 KB items stay whole in their page; in pages of 4096 bytes each would need another one.
_PAGE_BYTES: Final = 8192
_TABLES: Final = (
    # AUTOINCREMENT: a number is never given twice, also after its row is gone.
    "CREATE TABLE spaces (number INTEGER PRIMARY KEY AUTOINCREMENT)",
    "CREATE TABLE notes (name TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID",
)


def prepare(connection: sqlite3.Connection, path: str, wanted: Format) -> None:
    """Make an empty file one of ours, bring an older one of ours up to date, refuse all others."""
    version = file_version(connection, path, wanted)
    _use_wal(connection)
    if version is None:
        _create(connection, wanted)
        return
    if version < wanted.version:
        _upgrade(connection, path, version, wanted)
    _check_writable(connection)


def file_version(connection: sqlite3.Connection, path: str, wanted: Format) -> int | None:
    """The version of a file of ours, None of an empty one; refuses a newer one, and one of another program."""
    application, version = _pragma(connection, "application_id"), _pragma(connection, "user_version")
    if not application and not version and _is_empty(connection):
        return None
    if application != _APPLICATION:
        raise _foreign_problem(path)
    if version > wanted.version:
        raise _newer_problem(path, version, wanted)
    return version


def require_current(connection: sqlite3.Connection, path: str, wanted: Format) -> bool:
    """Refuse a file that is not of this version, without a change to it; False for an empty one."""
    version = file_version(connection, path, wanted)
    if version is not None and version < wanted.version:
        raise _older_problem(path, version, wanted)
    return version is not None


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    return int(value)


def _is_empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


def _use_wal(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")  # heeded while the file is empty
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode not in {"wal", "memory"}:
        raise sqlite3.OperationalError("its file system has no shared memory, which a write-ahead log needs")


def _check_writable(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM notes WHERE 0")  # a BEGIN IMMEDIATE would not fail before its first write


def _create(connection: sqlite3.Connection, wanted: Format) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for table in _TABLES:
        connection.execute(table)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {wanted.version}")
    connection.execute("COMMIT")


def _upgrade(connection: sqlite3.Connection, path: str, version: int, wanted: Format) -> None:
    steps = [wanted.upgrades.get(each) for each in range(version, wanted.version)]
    connection.execute("BEGIN IMMEDIATE")
    for step in steps:
        if step is None:
            raise _older_problem(path, version, wanted)
        step(connection)
    connection.execute(f"PRAGMA user_version = {wanted.version}")
    connection.execute("COMMIT")


def _foreign_problem(path: str) -> FileError:
    return FileError(
        "storage-foreign",
        f"{quote_path(path)} is a file of SQLite's that another program made.",
        expected="Tables are kept in a file that pksk made itself; a new one is made where there is none.",
        fix="check the name, or name a file that does not exist yet.",
    )


def _newer_problem(path: str, version: int, wanted: Format) -> FileError:
    return FileError(
        "storage-newer",
        f"{quote_path(path)} has format {version}, and this pksk knows formats up to {wanted.version}.",
        expected="A newer pksk wrote the file.",
        fix="upgrade pksk.",
    )


def _older_problem(path: str, version: int, wanted: Format) -> FileError:
    return FileError(
        "storage-older",
        f"{quote_path(path)} has format {version}, and this pksk has no way from there to format {wanted.version}.",
        expected="Older formats are upgraded when a file is opened, step by step, as long as pksk knows them.",
        fix="open it with a pksk between the two first, or begin with a new file.",
    )
