"""The blocks of a storage in a file."""

from __future__ import annotations

import sqlite3

from ..contract import StorageProblem, Writer
from .problems import problem_of
from .readers import Readers
from .turn import Turn
from .views import SqliteReader, SqliteWriter

__all__ = ["Reading", "Sharing", "Writing"]


class Writing:
    """A block that writes; one object for all, since whose turn it is stands in `Turn`."""

    __slots__ = ("_turn", "_writer")

    def __init__(self, turn: Turn, writer: SqliteWriter) -> None:
        self._turn = turn
        self._writer = writer

    def __enter__(self) -> Writer:
        self._turn.begin()
        return self._writer

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        self._turn.end(keep=kind is None, waits=error is None or isinstance(error, Exception))
        if isinstance(error, sqlite3.Error):
            raise problem_of(error) from error


class Sharing:
    """A block whose writing blocks are savepoints of one transaction."""

    __slots__ = ("_turn",)

    def __init__(self, turn: Turn) -> None:
        self._turn = turn

    def __enter__(self) -> None:
        self._turn.begin()

    def __exit__(self, kind: type[BaseException] | None, *_raised: object) -> None:
        if kind is None or self._turn.is_own():
            self._turn.end(keep=True)


class Reading:
    """A block that reads, with whichever connection is free when it begins."""

    __slots__ = ("_mark", "_reader", "_readers")

    _reader: SqliteReader
    _mark: int

    def __init__(self, readers: Readers) -> None:
        self._readers = readers

    def __enter__(self) -> SqliteReader:
        self._reader = reader = self._readers.take()
        try:
            self._mark = reader.begin()
        except StorageProblem:
            reader.give_back(sound=False)
            raise
        return reader

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        reader = self._reader
        sound = False
        try:
            reader.end(self._mark)
            sound = not isinstance(error, sqlite3.Error | StorageProblem)
        except sqlite3.Error as failed:
            raise problem_of(failed) from failed
        finally:
            reader.give_back(sound=sound)
        if isinstance(error, sqlite3.Error):  # from an iterator over rows
            raise problem_of(error) from error
