"""An open SQLite file: its path, its lock and its connections, also one that is only checked."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Self, TextIO

from pksk.engine.storage.contract import Durable
from pksk.errors import FileError, quote_path

from .format import CURRENT, Format, prepare, require_current
from .problems import open_problem, permission_problem, unusable_problem
from .statements import space_of_table
from .views import SqliteReader
from .write_lock import WriteLock

# The first version with INSERT ... ON CONFLICT DO UPDATE.
_OLDEST_SQLITE: Final = (3, 24)


def require_sqlite(version: str = sqlite3.sqlite_version) -> None:
    """Raise if SQLite is too old."""
    if tuple(map(int, version.split("."))) < _OLDEST_SQLITE:
        raise FileError(
            "storage-sqlite-version",
            f"This Python has SQLite {version}, which is too old to store tables in a file.",
            expected=f"SQLite {'.'.join(map(str, _OLDEST_SQLITE))} or later is needed.",
            fix='use a Python built with a newer SQLite, or open ":memory:".',
        )


_IN_MEMORY: Final = ":memory:"
# Prepared statements of each connection; a table with twenty indexes uses about a hundred.
_CACHED_STATEMENTS: Final = 1024
# How long to wait for another program, such as the sqlite3 shell, that writes to the file.
BUSY_SECONDS: Final = 5.0
# The pages that a connection keeps in memory. Readers keep few: each commit empties their caches.
_CACHE_KIB: Final = 16384
_READER_CACHE_KIB: Final = 2048
_PRAGMAS: Final = (
    "PRAGMA mmap_size = 0",  # mapped pages count as memory of the process, and a read error would kill it
    "PRAGMA temp_store = MEMORY",
    "PRAGMA journal_size_limit = 67108864",  # a long log is truncated again
)
# Keeps the file locked, and the index of its log in memory: a read needs no system call for locks. Without it, GetItem
# takes a fifth longer. https://www.sqlite.org/vfs.html#standard_unix_vfses
_VFS: Final = "unix-excl"


def connect(path: str, *, durable: Durable, only_reads: bool = False) -> sqlite3.Connection:
    """A connection to a file, which is created if it is missing, unless the connection only reads."""
    options = f"mode={'rw' if only_reads else 'rwc'}&vfs={_VFS}"
    connection = sqlite3.connect(
        path if path == _IN_MEMORY else f"{Path(path).as_uri()}?{options}",
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
        if only_reads:
            _limit_cache(connection, _READER_CACHE_KIB)
    except BaseException:
        connection.close()
        raise
    return connection


def _limit_cache(connection: sqlite3.Connection, kib: int) -> None:
    """Limit the pages in memory.

    The file must have its page size. Otherwise SQLite divides by the default of 4096 bytes, and keeps twice as much.
    """
    connection.execute(f"PRAGMA cache_size = -{kib}")


_NO_FOLDER: Final = (errno.ENOENT, errno.ENOTDIR)
_NO_PERMISSION: Final = (errno.EACCES, errno.EPERM, errno.EROFS)


class FileLock:
    """A lock, by a file beside the locked one that exists as long as the lock."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock_path = f"{path}-lock"
        self._pid = os.getpid()
        self._file = self._acquire()

    def release(self) -> None:
        """Release the lock, unless this is a forked child of the process that acquired it."""
        if self._pid == os.getpid():
            with suppress(FileNotFoundError):
                os.unlink(self._lock_path)  # while it is locked, so that it is not another process's
            fcntl.flock(self._file, fcntl.LOCK_UN)
        self._file.close()

    def _acquire(self) -> TextIO:
        while True:
            file = self._open()
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_same_file(file, self._lock_path):
                    file.truncate()
                    file.write(f"{self._pid}\n")
                    file.flush()
                    return file
            except BlockingIOError:
                with file:
                    raise _in_use_problem(self._path, file.read().strip()) from None
            except OSError as error:
                with suppress(OSError):  # a full disk fails again, for what was not written
                    file.close()
                raise unusable_problem(self._path, error.strerror or str(error)) from None
            file.close()  # another process removed the file before it was locked here

    def _open(self) -> TextIO:
        try:
            return os.fdopen(os.open(self._lock_path, os.O_RDWR | os.O_CREAT, 0o666), "r+", encoding="ascii")
        except OSError as error:
            reason = error.strerror or str(error)
            if error.errno in _NO_FOLDER:
                raise _no_folder_problem(self._path) from None
            if error.errno in _NO_PERMISSION:
                raise permission_problem(self._path, reason) from None
            raise unusable_problem(self._path, reason) from None


def _is_same_file(file: TextIO, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def _no_folder_problem(path: str) -> FileError:
    return FileError(
        "storage-folder-missing",
        f"Folder {quote_path(os.path.dirname(path))} of file {quote_path(os.path.basename(path))} does not exist.",
        expected="A missing file is created, but not its folder.",
        fix="create the folder, or check the name.",
    )


def _in_use_problem(path: str, pid: str) -> FileError:
    if pid == str(os.getpid()):
        owner, fix = "in this process", "use the engine that has it open, or close that first."
    else:
        owner = f"in process {pid}" if pid else "in another process"
        fix = f"end {owner.removeprefix('in ')}, or share the file over HTTP: pksk serve --data FILE."
    return FileError(
        "storage-in-use",
        f"{quote_path(path)} is already open {owner}.",
        expected="Only one engine at a time can use a file.",
        fix=fix,
    )


class StorageFile:
    """A locked file of the current format; or memory, which needs no lock."""

    def __init__(self, path: str | os.PathLike[str], current: Format, *, durable: Durable) -> None:
        self.in_memory = path == _IN_MEMORY
        self._durable = durable
        self._path = _IN_MEMORY if self.in_memory else _real_path(path)
        self._lock = None if self.in_memory else FileLock(self._path)
        try:
            self.connection = self._connect(current)
        except BaseException:
            self.release()
            raise

    def connect_reader(self) -> sqlite3.Connection:
        """A connection that only reads."""
        return connect(self._path, durable=self._durable, only_reads=True)

    def release(self) -> None:
        """Release the lock."""
        if self._lock is not None:
            self._lock.release()

    def _connect(self, current: Format) -> sqlite3.Connection:
        try:
            connection = connect(self._path, durable=self._durable)
            try:
                prepare(connection, self._path, current)
                _limit_cache(connection, _CACHE_KIB)
            except BaseException:
                connection.close()
                raise
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise open_problem(self._path, error) from error
        return connection


def _real_path(path: str | os.PathLike[str]) -> str:
    """The path without links, by which a file is locked; raises for a folder."""
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
            expected="Tables are stored in one file.",
            fix=f"name a file in it, such as {quote_path(os.path.join(real, 'tables.db'))}.",
        )
    if is_special:  # opening a pipe would block
        raise unusable_problem(real, "it is not a regular file")
    return real


# The most findings that SQLite reports.
_MOST_FINDINGS: Final = 100


class InspectedFile:
    """One view of a file. The file is not upgraded, and its log is not merged into it."""

    def __init__(self, path: str | os.PathLike[str], *, current: Format = CURRENT) -> None:
        require_sqlite()
        self._path = _real_path(path)
        if not os.path.exists(self._path):
            raise _missing_problem(self._path)
        self._lock = FileLock(self._path)
        try:
            self._connection = self._connect(current)
        except BaseException:
            self._lock.release()
            raise
        self.reader = SqliteReader(self._connection, WriteLock(self._connection, groups=False))

    def find_damage(self) -> Iterator[str]:
        """The problems that SQLite itself finds."""
        for (finding,) in self._connection.execute(f"PRAGMA integrity_check({_MOST_FINDINGS})"):
            if finding != "ok":
                yield finding

    def listed_spaces(self) -> set[int]:
        """The numbers of the spaces in the list of spaces."""
        if self._is_empty:
            return set()
        return {number for (number,) in self._connection.execute("SELECT number FROM spaces")}

    def stored_spaces(self) -> set[int]:
        """The numbers of the spaces that have a table of rows."""
        names = self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {space for (name,) in names if (space := space_of_table(name)) is not None}

    def notes(self) -> dict[str, bytes]:
        """All notes by name."""
        return {} if self._is_empty else self.reader.notes("")

    def close(self) -> None:
        """Close and unlock the file."""
        self.reader.end(0)
        self._connection.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    def _connect(self, current: Format) -> sqlite3.Connection:
        # Without a log, nothing is created beside the file; with one, it is not merged into the file.
        mode = "mode=ro" if _has_log(self._path) else "mode=ro&immutable=1"
        try:
            connection = sqlite3.connect(
                f"{Path(self._path).as_uri()}?{mode}", uri=True, timeout=BUSY_SECONDS, isolation_level=None
            )
            try:
                _limit_cache(connection, _CACHE_KIB)
                connection.execute("BEGIN")
                self._is_empty = not require_current(connection, self._path, current)
            except BaseException:
                connection.close()
                raise
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise open_problem(self._path, error) from error
        return connection


def _has_log(path: str) -> bool:
    try:
        return os.path.getsize(f"{path}-wal") > 0
    except OSError:
        return False


def _missing_problem(path: str) -> FileError:
    return FileError(
        "storage-missing",
        f"File {quote_path(path)} does not exist.",
        expected="Only an existing file can be checked.",
        fix="check the file name.",
    )
