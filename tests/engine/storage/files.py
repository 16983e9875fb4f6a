"""Files for tests: damaged, of other formats, and without permissions."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pksk.engine.storage import SqliteStorage

NOBODY = 65534


@contextmanager
def as_someone_else(*, when: bool = True) -> Iterator[None]:
    """Act as a user without the permissions of root."""
    if when and os.geteuid() == 0:
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)
    else:
        yield


def filled(path: Path, rows: int = 200) -> int:
    """A file with one space of many rows; gives its number."""
    with SqliteStorage(path, durable=False) as storage, storage.writing() as writer:
        space = writer.make_space()
        for number in range(rows):
            writer.put(space, b"%06d" % number, number, b"x" * 500)
        writer.note("kept", b"1")
    return space


def cut_short(path: Path) -> None:
    """A file that was not copied to its end."""
    filled(path)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def of_version(path: Path, version: int) -> int:
    """A file that says it has this version of the format."""
    space = filled(path)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    return space
