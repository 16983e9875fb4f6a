"""What SQLite's errors mean: to whoever opens a file, and to whoever uses it."""

from __future__ import annotations

import sqlite3
from typing import Final

from pksk.errors import FileError, quote_path

from ..contract import SpaceMissing, StorageClosed, StorageProblem
from .statements import missing_space

__all__ = ["damaged_problem", "open_problem", "permission_problem", "storage_problem", "unusable_problem"]

_NO_PERMISSION: Final = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")
_LOCKED: Final = ("SQLITE_BUSY", "SQLITE_LOCKED")


def storage_problem(error: sqlite3.Error) -> StorageProblem:
    """What could not be done with an open file."""
    said = str(error)
    space = missing_space(said)
    if space is not None:
        return SpaceMissing(space)
    if isinstance(error, sqlite3.ProgrammingError) and "closed" in said:
        return StorageClosed()
    if getattr(error, "sqlite_errorname", "") == "SQLITE_FULL":
        return StorageProblem(f"There is no room on the disk, and nothing of this is stored: {said}.")
    return StorageProblem(f"SQLite could not do it: {said}.")


def open_problem(path: str, error: sqlite3.Error | UnicodeDecodeError) -> FileError:
    """Why a file cannot be opened."""
    if isinstance(error, UnicodeDecodeError):  # Python's, of an error of SQLite's that names what is damaged
        return damaged_problem(path, "its schema is no text")
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


def permission_problem(path: str, said: str) -> FileError:
    """You may not read it, or not write it."""
    return FileError(
        "storage-permission",
        f"{quote_path(path)} cannot be opened for reading and writing: {said}.",
        expected="The file must be yours to read and write, and its folder yours to write.",
        fix="check the permissions of both, or choose another folder.",
    )


def unusable_problem(path: str, said: str) -> FileError:
    """Anything else that the system or SQLite says when it opens a file."""
    return FileError(
        "storage-unusable",
        f"{quote_path(path)} cannot be used: {said}.",
        expected="Tables are kept in a file on a local disk that has room.",
        fix="check the disk and the name, or choose another folder.",
    )


def _not_sqlite_problem(path: str) -> FileError:
    return FileError(
        "storage-not-sqlite",
        f"{quote_path(path)} is not a file of SQLite's.",
        expected="Tables are kept in a file that pksk made itself; a new one is made where there is none.",
        fix="check the name, or name a file that does not exist yet.",
    )


def damaged_problem(path: str, said: str) -> FileError:
    """What is in it is not what was written."""
    return FileError(
        "storage-damaged",
        f"{quote_path(path)} is damaged: {said}.",
        expected="A file that was copied while it was in use, or not to its end, is the usual reason.",
        fix="take a copy from before the damage, or save what can be read: sqlite3 FILE .recover",
    )


def _locked_problem(path: str) -> FileError:
    return FileError(
        "storage-in-use",
        f"{quote_path(path)} is locked by another program.",
        expected="One engine at a time has a file, and nothing else may be writing to it.",
        fix="end what else has it open, such as the sqlite3 shell, or open another file.",
    )
