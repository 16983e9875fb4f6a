"""A file while one storage has it: its name, its lock, and connections to it."""

from __future__ import annotations

import os
import sqlite3

from pksk.errors import FileProblem, quote_path

from ..contract import Durable
from .connect import IN_MEMORY, connect
from .format import Format, prepare
from .lock import FileLock
from .problems import cannot_open, unusable_problem

__all__ = ["StorageFile", "real_path"]


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
            raise cannot_open(self._path, error) from error
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
        raise FileProblem(
            "storage-is-folder",
            f"{quote_path(real)} is a folder.",
            expected="Tables are kept in one file.",
            fix=f"name a file in it, such as {quote_path(os.path.join(real, 'tables.db'))}.",
        )
    if is_special:  # a pipe would be waited for without an end
        raise unusable_problem(real, "it is no ordinary file")
    return real
