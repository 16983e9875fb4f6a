"""A file opened for verification: locked as by a storage, and left unchanged."""

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

__all__ = ["InspectedFile"]

# So many of its own findings SQLite tells at most.
_MOST_FINDINGS: Final = 100


class InspectedFile:
    """One view of a file of this format, which is not upgraded, nor is its log moved into it.

    Example:
        >>> import tempfile
        >>> from pksk.engine.storage import SqliteStorage
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     SqliteStorage(f"{folder}/tables.db").close()
        ...     with InspectedFile(f"{folder}/tables.db") as file:
        ...         list(file.damages()), file.numbered(), file.reader.notes("")
        ([], set(), {})
    """

    def __init__(self, path: str | os.PathLike[str], *, wanted: Format = CURRENT) -> None:
        require_sqlite()
        self._path = real_path(path)
        if not os.path.exists(self._path):
            raise _missing_problem(self._path)
        self._lock = FileLock(self._path)
        try:
            self._connection = self._connected(wanted)
        except BaseException:
            self._lock.release()
            raise
        self.reader = SqliteReader(self._connection, WriteLock(self._connection, groups=False))

    def damages(self) -> Iterator[str]:
        """What SQLite itself finds wrong."""
        for (finding,) in self._connection.execute(f"PRAGMA integrity_check({_MOST_FINDINGS})"):
            if finding != "ok":
                yield finding

    def numbered(self) -> set[int]:
        """The spaces that are there by their numbers."""
        if self._is_empty:
            return set()
        return {number for (number,) in self._connection.execute("SELECT number FROM spaces")}

    def stored(self) -> set[int]:
        """The spaces that have a table for their rows."""
        names = self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {space for (name,) in names if (space := space_of_table(name)) is not None}

    def notes(self) -> dict[str, bytes]:
        """All notes by their names."""
        return {} if self._is_empty else self.reader.notes("")

    def close(self) -> None:
        """Give the file back."""
        self.reader.end(0)
        self._connection.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    def _connected(self, wanted: Format) -> sqlite3.Connection:
        # Without a log, nothing is made beside the file; with one, nothing of it is moved into the file.
        how = "mode=ro" if _has_log(self._path) else "mode=ro&immutable=1"
        try:
            connection = sqlite3.connect(
                f"{Path(self._path).as_uri()}?{how}", uri=True, timeout=BUSY_SECONDS, isolation_level=None
            )
            try:
                for setting in CACHE_PRAGMAS:
                    connection.execute(setting)
                connection.execute("BEGIN")
                self._is_empty = not require_current(connection, self._path, wanted)
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
        f"There is no file {quote_path(path)}.",
        expected="Only a file that is there can be verified; none is made.",
        fix="check the name.",
    )
