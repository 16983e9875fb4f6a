"""A file that is opened to be checked: locked like a storage's, and not changed."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Self

from pksk.errors import FileError, quote_path

from .file import BUSY_SECONDS, CACHE_PRAGMAS, FileLock, real_path, require_sqlite
from .format import CURRENT, Format, require_current
from .problems import open_problem
from .statements import space_of_table
from .views import SqliteReader
from .write_lock import WriteLock

# The most findings that SQLite reports.
_MOST_FINDINGS: Final = 100


class InspectedFile:
    """One view of a file. The file is not upgraded, and its log is not merged into it.

    Example:
        >>> import tempfile
        >>> from pksk.engine.storage import SqliteStorage
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     SqliteStorage(f"{folder}/tables.db").close()
        ...     with InspectedFile(f"{folder}/tables.db") as file:
        ...         list(file.find_damage()), file.listed_spaces(), file.reader.notes("")
        ([], set(), {})
    """

    def __init__(self, path: str | os.PathLike[str], *, current: Format = CURRENT) -> None:
        require_sqlite()
        self._path = real_path(path)
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
                for setting in CACHE_PRAGMAS:
                    connection.execute(setting)
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
