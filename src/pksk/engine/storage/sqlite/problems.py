"""Converts SQLite's errors: those of opening a file, and those of using it."""

from __future__ import annotations

import sqlite3
from typing import Final

from pksk.engine.storage.contract import SpaceMissing, StorageClosed, StorageProblem
from pksk.errors import FileError, quote_path

from .statements import missing_space

_NO_PERMISSION: Final = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")
_LOCKED: Final = ("SQLITE_BUSY", "SQLITE_LOCKED")


def storage_problem(error: sqlite3.Error) -> StorageProblem:
    """The problem with an open file."""
    message = str(error)
    space = missing_space(message)
    if space is not None:
        return SpaceMissing(space)
    if isinstance(error, sqlite3.ProgrammingError) and "closed" in message:
        return StorageClosed()
    if getattr(error, "sqlite_errorname", "") == "SQLITE_FULL":
        return StorageProblem(f"The disk is full, and this write is not stored: {message}.")
    return StorageProblem(f"SQLite failed: {message}.")


def open_problem(path: str, error: sqlite3.Error | UnicodeDecodeError) -> FileError:
    """The reason why a file cannot be opened."""
    if isinstance(error, UnicodeDecodeError):  # raised by Python for SQLite's message about damage
        return damaged_problem(path, "its schema is not text")
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_NOTADB":
        return _not_sqlite_problem(path)
    if name.startswith("SQLITE_CORRUPT"):
        return damaged_problem(path, str(error))
    if name.startswith(_NO_PERMISSION):
        return permission_problem(path, str(error))
    if name.startswith(_LOCKED):
        return _locked_problem(path)
    return unusable_problem(path, str(error))


def permission_problem(path: str, reason: str) -> FileError:
    """The file cannot be read or written by this user."""
    return FileError(
        "storage-permission",
        f"{quote_path(path)} cannot be opened for reading and writing: {reason}.",
        expected="The file must be readable and writable, and its folder writable.",
        fix="check the permissions of the file and the folder, or choose another folder.",
    )


def unusable_problem(path: str, reason: str) -> FileError:
    """Any other error of the system or SQLite when a file is opened."""
    return FileError(
        "storage-unusable",
        f"{quote_path(path)} cannot be used: {reason}.",
        expected="Tables are stored in a file on a local disk with free space.",
        fix="check the disk and the file name, or choose another folder.",
    )


def _not_sqlite_problem(path: str) -> FileError:
    return FileError(
        "storage-not-sqlite",
        f"{quote_path(path)} is not a SQLite file.",
        expected="Tables are stored in a file that pksk has created; a missing file is created.",
        fix="check the name, or name a file that does not exist yet.",
    )


def damaged_problem(path: str, reason: str) -> FileError:
    """The content of a file is not what was written."""
    return FileError(
        "storage-damaged",
        f"{quote_path(path)} is damaged: {reason}.",
        expected="The usual reason is a copy that was made while the file was in use, or was incomplete.",
        fix="use a backup, or recover what is readable: sqlite3 FILE .recover",
    )


def _locked_problem(path: str) -> FileError:
    return FileError(
        "storage-in-use",
        f"{quote_path(path)} is locked by another program.",
        expected="Only one engine at a time can use a file, and no other program may write to it.",
        fix="end the other program, such as the sqlite3 shell, or open another file.",
    )
