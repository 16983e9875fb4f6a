"""The SQLite file of an embedded index: opened, checked and created."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pksk.errors import FileError, NotConfigured, ServiceUnreachable, quote
from pksk.search.search_index import SearchIndex

FORMAT: Final = "1"
_APPLICATION_ID: Final = 0x706B7378  # "pksx"
_BUSY_SECONDS: Final = 5.0
# https://www.sqlite.org/rescode.html
_OUTAGES: Final = (
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN,
)  # fmt: skip


def open_index_file(index: SearchIndex, path: str | Path | None) -> sqlite3.Connection:
    """The connection to an index, which is created if the file is new; raises if it is another index."""
    if any(each.kind == "geo_shape" for each in index.fields.values()):
        import pksk.geometry.libraries  # noqa: F401 - says which extra is missing
    where = ":memory:" if path is None else str(path)
    with as_outage(index.name):
        connection = sqlite3.connect(
            where, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
    try:
        _check_modules(connection)
        with as_outage(index.name):
            connection.execute("PRAGMA journal_mode = WAL")
            # A change that was acknowledged survives a power cut.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            _create_or_check(connection, index, where)
            connection.execute("COMMIT")
    except sqlite3.DatabaseError as error:
        connection.close()
        raise FileError(
            "search-file",
            f"{quote(where)} is not the file of a search index ({error}).",
            fix="name another file.",
        ) from error
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def as_outage(name: str) -> Iterator[None]:
    """Raise errors of the disk and of locks as an outage, which consumers wait for."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in _OUTAGES:
            raise
        raise ServiceUnreachable(
            "search-unavailable",
            f"Search index {name!r} cannot be read or written: {error}.",
            expected="A change is kept until the index can be written.",
            fix="free space on the disk, make the file writable, or end the program that holds its lock.",
        ) from error


def text_columns(index: SearchIndex) -> tuple[str, ...]:
    """The names of the text fields, in the order of the columns of the table of words."""
    return tuple(name for name, field in index.fields.items() if field.kind == "text")


def _check_modules(connection: sqlite3.Connection) -> None:
    options = {row[0] for row in connection.execute("PRAGMA compile_options")}
    missing = [name for name in ("ENABLE_FTS5", "ENABLE_RTREE") if name not in options]
    if missing:
        raise NotConfigured(
            "search-sqlite",
            f"SQLite {sqlite3.sqlite_version} of this Python was compiled without {' and '.join(missing)}.",
            expected="An embedded index needs the full-text module FTS5 and the R*Tree module.",
            fix="use a Python whose sqlite3 has them, as those of python.org and of Linux distributions do.",
        )


def _create_or_check(connection: sqlite3.Connection, index: SearchIndex, where: str) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not tables:
        _create(connection, index)
        return
    if application != _APPLICATION_ID:
        raise sqlite3.DatabaseError("it is another database")
    stored = dict(connection.execute("SELECT name, text FROM notes"))
    expected = {"format": FORMAT, "index": index.name, "mapping": index.mapping_version}
    differing = [name for name, value in expected.items() if stored.get(name) != value]
    if differing:
        name = differing[0]
        raise FileError(
            "search-file-differs",
            f"{quote(where)} has the {name} {quote(stored.get(name))}, and this program has {quote(expected[name])}.",
            expected="A file holds one index, in the form that its declaration had when it was created.",
            fix="name a new file and fill it with Sync.backfill().",
        )


def _create(connection: sqlite3.Connection, index: SearchIndex) -> None:
    columns = ", ".join(f'"t_{name}"' for name in text_columns(index)) or '"t_"'
    for statement in (
        f"PRAGMA application_id = {_APPLICATION_ID}",
        "CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE items (id TEXT PRIMARY KEY, version INTEGER NOT NULL, digest INTEGER NOT NULL, "
        "bucket INTEGER NOT NULL, expires INTEGER, removed REAL, source TEXT NOT NULL, entity TEXT NOT NULL, "
        "key TEXT NOT NULL) WITHOUT ROWID",
        "CREATE INDEX items_by_bucket ON items (bucket) WHERE removed IS NULL",
        "CREATE INDEX items_by_removal ON items (removed) WHERE removed IS NOT NULL",
        "CREATE TABLE documents (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, item TEXT NOT NULL, "
        "part TEXT NOT NULL, body BLOB NOT NULL)",
        "CREATE INDEX documents_by_item ON documents (item)",
        "CREATE TABLE terms (field TEXT NOT NULL, value NOT NULL, document INTEGER NOT NULL, "
        "PRIMARY KEY (field, value, document)) WITHOUT ROWID",
        "CREATE INDEX terms_by_document ON terms (document, field)",
        f"CREATE VIRTUAL TABLE texts USING fts5({columns}, tokenize = 'unicode61 remove_diacritics 2', "
        "prefix = '2 3')",
        "CREATE VIRTUAL TABLE words USING fts5vocab('texts', 'row')",
        "CREATE TABLE shapes (number INTEGER PRIMARY KEY, document INTEGER NOT NULL, field TEXT NOT NULL, "
        "shape BLOB NOT NULL)",
        "CREATE INDEX shapes_by_document ON shapes (document)",
        "CREATE VIRTUAL TABLE boxes USING rtree(number, west, east, south, north)",
        "CREATE TABLE failures (item TEXT PRIMARY KEY, source TEXT NOT NULL, key TEXT NOT NULL, "
        "version INTEGER NOT NULL, reason TEXT NOT NULL, times INTEGER NOT NULL) WITHOUT ROWID",
    ):
        connection.execute(statement)
    notes = {"format": FORMAT, "index": index.name, "mapping": index.mapping_version}
    connection.executemany("INSERT INTO notes VALUES (?, ?)", notes.items())
