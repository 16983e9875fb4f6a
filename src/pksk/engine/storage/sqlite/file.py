"""A SQLite file while one storage has it: its path, its lock file, and the connections to it."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final, TextIO

from pksk.errors import FileError, quote_path

from ..contract import Durable
from .format import Format, prepare
from .problems import open_problem, permission_problem, unusable_problem

__all__ = [
    "BUSY_SECONDS",
    "CACHE_PRAGMAS",
    "IN_MEMORY",
    "FileLock",
    "StorageFile",
    "connect",
    "real_path",
    "require_sqlite",
]

# The first with INSERT ... ON CONFLICT DO UPDATE, which writes a row anew in place.
_OLDEST_SQLITE: Final = (3, 24)


def require_sqlite(version: str = sqlite3.sqlite_version) -> None:
    """Refuse an SQLite that lacks what a storage uses.

    Example:
        >>> require_sqlite("3.24.0")
        >>> require_sqlite("3.8.11")
        Traceback (most recent call last):
        pksk.errors.FileError: This Python brings SQLite 3.8.11, which is too old to keep tables in a file.
        SQLite 3.24 or later is needed.
        Fix: use a Python built with a newer SQLite, or open ":memory:".  (pksk explain storage-sqlite-version)
    """
    if tuple(map(int, version.split("."))) < _OLDEST_SQLITE:
        raise FileError(
            "storage-sqlite-version",
            f"This Python brings SQLite {version}, which is too old to keep tables in a file.",
            expected=f"SQLite {'.'.join(map(str, _OLDEST_SQLITE))} or later is needed.",
            fix='use a Python built with a newer SQLite, or open ":memory:".',
        )


IN_MEMORY: Final = ":memory:"
# So many statements stay prepared for each connection; a table with twenty indexes uses about a hundred.
_CACHED_STATEMENTS: Final = 1024
# How long to wait for another program that writes to the file, such as the sqlite3 shell.
BUSY_SECONDS: Final = 5.0
CACHE_PRAGMAS: Final = (
    "PRAGMA cache_size = -16384",  # KiB
    "PRAGMA mmap_size = 268435456",  # what is not in that cache is read from the system's, without a copy
    "PRAGMA temp_store = MEMORY",
)
_PRAGMAS: Final = (
    *CACHE_PRAGMAS,
    "PRAGMA journal_size_limit = 67108864",  # a log that one great write made long is cut again
)


def connect(path: str, *, durable: Durable, only_reads: bool = False) -> sqlite3.Connection:
    """A connection to a file, which is made where it is missing, but never by one that only reads."""
    connection = sqlite3.connect(
        path if path == IN_MEMORY else f"{Path(path).as_uri()}?mode={'rw' if only_reads else 'rwc'}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_CACHED_STATEMENTS,
    )
    # https://www.sqlite.org/pragma.html#pragma_synchronous
    synchronous = "NORMAL" if durable == "closed" else "FULL" if durable else "OFF"
    try:
        for setting in _PRAGMAS:
            connection.execute(setting)
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute(f"PRAGMA query_only = {'ON' if only_reads else 'OFF'}")
    except BaseException:
        connection.close()
        raise
    return connection


_NO_FOLDER: Final = (errno.ENOENT, errno.ENOTDIR)
_NO_PERMISSION: Final = (errno.EACCES, errno.EPERM, errno.EROFS)


class FileLock:
    """A lock on a file beside the one it is for, which is gone again once the lock is released."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._beside = f"{path}-lock"
        self._pid = os.getpid()
        self._file = self._take()

    def release(self) -> None:
        """Give the lock back; a process that was forked from its holder leaves it alone."""
        if self._pid == os.getpid():
            with suppress(FileNotFoundError):
                os.unlink(self._beside)  # while it is still held, so that nobody else's is removed
            fcntl.flock(self._file, fcntl.LOCK_UN)
        self._file.close()

    def _take(self) -> TextIO:
        while True:
            file = self._opened()
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_same_file(file, self._beside):
                    file.truncate()
                    file.write(f"{self._pid}\n")
                    file.flush()
                    return file
            except BlockingIOError:
                with file:
                    raise _in_use_problem(self._path, file.read().strip()) from None
            except OSError as error:
                file.close()
                raise unusable_problem(self._path, error.strerror or str(error)) from None
            file.close()  # its last holder removed it between our opening and our locking

    def _opened(self) -> TextIO:
        try:
            return os.fdopen(os.open(self._beside, os.O_RDWR | os.O_CREAT, 0o666), "r+", encoding="ascii")
        except OSError as error:
            said = error.strerror or str(error)
            if error.errno in _NO_FOLDER:
                raise _no_folder_problem(self._path) from None
            if error.errno in _NO_PERMISSION:
                raise permission_problem(self._path, said) from None
            raise unusable_problem(self._path, said) from None


def _is_same_file(file: TextIO, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def _no_folder_problem(path: str) -> FileError:
    return FileError(
        "storage-folder-missing",
        f"There is no folder {quote_path(os.path.dirname(path))} for {quote_path(os.path.basename(path))}.",
        expected="A file is made where there is none; its folder is not.",
        fix="make the folder, or check the name.",
    )


def _in_use_problem(path: str, pid: str) -> FileError:
    if pid == str(os.getpid()):
        who, fix = "in this process", "use the one that has it, or close that first."
    else:
        who = f"in process {pid}" if pid else "in another process"
        fix = f"end {who.removeprefix('in ')} or close its engine, or open another file."
    return FileError(
        "storage-in-use",
        f"{quote_path(path)} is open already, {who}.",
        expected="One engine at a time has a file.",
        fix=fix,
    )


class StorageFile:
    """A file that is locked and of the wanted format; or memory, which needs no lock."""

    def __init__(self, path: str | os.PathLike[str], wanted: Format, *, durable: Durable) -> None:
        self.in_memory = path == IN_MEMORY
        self._durable = durable
        self._path = IN_MEMORY if self.in_memory else real_path(path)
        self._lock = None if self.in_memory else FileLock(self._path)
        try:
            self.connection = self._prepared(wanted)
        except BaseException:
            self.release()
            raise

    def connect_reader(self) -> sqlite3.Connection:
        """Another connection, which only reads."""
        return connect(self._path, durable=self._durable, only_reads=True)

    def release(self) -> None:
        """Give back the lock."""
        if self._lock is not None:
            self._lock.release()

    def _prepared(self, wanted: Format) -> sqlite3.Connection:
        try:
            connection = connect(self._path, durable=self._durable)
            try:
                prepare(connection, self._path, wanted)
            except BaseException:
                connection.close()
                raise
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise open_problem(self._path, error) from error
        return connection


def real_path(path: str | os.PathLike[str]) -> str:
    """Where a file really is, by which it is locked; refuses a folder."""
    try:
        real = os.path.realpath(path)
        is_folder = os.path.isdir(real)
        is_special = os.path.exists(real) and not os.path.isfile(real)
    except ValueError as error:  # such as a zero byte in the name
        raise unusable_problem(os.fspath(path), str(error)) from error
    if is_folder:
        raise FileError(
            "storage-is-folder",
            f"{quote_path(real)} is a folder.",
            expected="Tables are kept in one file.",
            fix=f"name a file in it, such as {quote_path(os.path.join(real, 'tables.db'))}.",
        )
    if is_special:  # a pipe would be waited for without an end
        raise unusable_problem(real, "it is no ordinary file")
    return real
