"""An index in one SQLite file: words in FTS5, places in an R*Tree, each batch of changes in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from threading import RLock
from time import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

import orjson

from pksk.errors import InvalidValue, PkskError
from pksk.search.embedded_rows import DocumentRows, document_rows
from pksk.search.embedded_schema import as_outage, open_index_file, text_columns
from pksk.search.item_documents import Document, ItemDocuments, digest_of
from pksk.search.search_index import SearchIndex
from pksk.search.sink import LOW_BITS, BucketDigest, FailedItem, IndexedItem, ItemWrite, Outcome, verdict

if TYPE_CHECKING:
    from pksk.search.hits import Hits
    from pksk.search.search_request import Search

_MAX_REASON: Final = 2000
_ITEMS: Final = "SELECT id, version, digest, source, entity, key FROM items WHERE removed IS NULL"


class EmbeddedSink:
    """The documents of an index in a SQLite file, or in memory without a path.

    Documents, words, shapes, versions and tombstones of a batch are in one transaction, which is on disk when `apply`
    returns. Several threads can use one sink, and several processes one file.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> from pksk.search import EmbeddedSink, ItemWrite, SearchDocument, SearchIndex, Text
        >>> class Park(Entity, table=Table("reference", stream=True)):
        ...     id: str
        ...     name: str
        ...     primary = Key("PARK#{id}", "META")
        ...     search = SearchDocument({"name": Text(boost=3)})
        >>> places = SearchIndex("places", Park)
        >>> with EmbeddedSink(places) as sink:
        ...     item = places.documents_of(Park(id="1", name="Joffre Lakes"))
        ...     [sink.apply([ItemWrite(item, version)])[0].status for version in (2, 1)]
        ['applied', 'superseded']
    """

    def __init__(
        self, index: SearchIndex, path: str | Path | None = None, *, clock: Callable[[], float] = time
    ) -> None:
        self.index, self.path, self.clock = index, path, clock
        self._connection = open_index_file(index, path)
        self._lock = RLock()
        self._columns = len(text_columns(index)) or 1

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> EmbeddedSink:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one thread at a time."""
        with self._lock, as_outage(self.index.name):
            yield self._connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, as_outage(self.index.name):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    # Writes

    def apply(self, writes: Sequence[ItemWrite]) -> list[Outcome]:
        """Apply writes in their order and in one transaction."""
        prepared = [self._prepare(each) for each in writes]
        with self._writing() as connection:
            return [
                self._apply(connection, write, rows) for write, rows in zip(writes, prepared, strict=True)
            ]

    def _prepare(self, write: ItemWrite) -> list[DocumentRows] | str:
        """The rows of a write, or why it is rejected."""
        if write.error:
            return write.error
        try:
            return [document_rows(self.index.fields, each) for each in write.item.documents]
        except PkskError as error:
            return f"{type(error).__name__}: {error}"

    def _apply(
        self, connection: sqlite3.Connection, write: ItemWrite, rows: list[DocumentRows] | str
    ) -> Outcome:
        found = connection.execute("SELECT version FROM items WHERE id = ?", (write.item.id,)).fetchone()
        stored = None if found is None else int(found[0])
        status = verdict(write, stored)
        if status is not None:
            return Outcome(status, stored or 0)
        if isinstance(rows, str):
            _fail(connection, write, rows)
            return Outcome("rejected", stored or 0, rows)
        if found is not None:
            self._remove_documents(connection, write.item.id)
        elif not rows and not write.version:
            return Outcome("applied", 0)  # no write has a lower version, so no tombstone is needed
        for each in rows:
            self._add(connection, write.item.id, each)
        removed = None if rows else self.clock()
        _write_item(connection, write.item, write.version, removed)
        connection.execute(
            "DELETE FROM failures WHERE item = ? AND version <= ?", (write.item.id, write.version)
        )
        return Outcome("applied", write.version)

    def _add(self, connection: sqlite3.Connection, item: str, rows: DocumentRows) -> None:
        document = rows.document
        number = connection.execute(
            "INSERT INTO documents (id, item, part, body) VALUES (?, ?, ?, ?)",
            (document.id, item, document.part, orjson.dumps(document.body)),
        ).lastrowid
        texts = rows.texts or ("",)
        marks = ", ".join("?" * (self._columns + 1))
        columns = ", ".join(f'"t_{name}"' for name in text_columns(self.index)) or '"t_"'
        connection.execute(f"INSERT INTO texts (rowid, {columns}) VALUES ({marks})", (number, *texts))
        connection.executemany(
            "INSERT INTO terms VALUES (?, ?, ?)", [(field, value, number) for field, value in rows.terms]
        )
        for box in rows.boxes:
            shape = connection.execute(
                "INSERT INTO shapes (document, field, shape) VALUES (?, ?, ?)",
                (number, box.field, box.shape),
            ).lastrowid
            connection.execute("INSERT INTO boxes VALUES (?, ?, ?, ?, ?)", (shape, *box[1:5]))

    def _remove_documents(self, connection: sqlite3.Connection, item: str) -> None:
        numbers = connection.execute("SELECT number FROM documents WHERE item = ?", (item,)).fetchall()
        for statement in (
            "DELETE FROM boxes WHERE number IN (SELECT number FROM shapes WHERE document = ?)",
            "DELETE FROM shapes WHERE document = ?",
            "DELETE FROM terms WHERE document = ?",
            "DELETE FROM texts WHERE rowid = ?",
            "DELETE FROM documents WHERE number = ?",
        ):
            connection.executemany(statement, numbers)

    def sweep(self, table: str, version: int) -> int:
        """Remove a table's items with a lower version, but for dead letters, as of this version; returns how many."""
        with self._writing() as connection:
            items = connection.execute(
                "SELECT id FROM items WHERE source = ? AND removed IS NULL AND version < ? "
                "AND id NOT IN (SELECT item FROM failures)",
                (table, version),
            ).fetchall()
            for (item,) in items:
                self._remove_documents(connection, item)
            connection.executemany(
                "UPDATE items SET version = ?, digest = 0, expires = NULL, removed = ? WHERE id = ?",
                [(version, self.clock(), item) for (item,) in items],
            )
            return len(items)

    def purge(self, before: float) -> int:
        """Forget the versions of items that were removed before a time; returns how many."""
        with self._writing() as connection:
            return connection.execute("DELETE FROM items WHERE removed < ?", (before,)).rowcount

    # What there is

    def versions(self, ids: Sequence[str]) -> Mapping[str, int]:
        """The versions of the items that have one, removed ones included."""
        with self.reading() as connection:
            found = (
                connection.execute("SELECT id, version FROM items WHERE id = ?", (each,)).fetchone()
                for each in ids
            )
            return dict(each for each in found if each is not None)

    def highest_version(self, table: str) -> int:
        """The highest version of the items of a table, removed ones included; 0 if there are none."""
        with self.reading() as connection:
            found = connection.execute("SELECT max(version) FROM items WHERE source = ?", (table,)).fetchone()
            return int(found[0] or 0)

    def digests(self) -> Mapping[int, BucketDigest]:
        """For each bucket with items, what identifies its contents."""
        statement = (
            f"SELECT bucket, count(*), sum(digest & {LOW_BITS}), sum(digest >> 26 & {LOW_BITS}) FROM items "
            "WHERE removed IS NULL GROUP BY bucket"
        )
        with self.reading() as connection:
            return {bucket: BucketDigest(*numbers) for bucket, *numbers in connection.execute(statement)}

    def bucket(self, number: int) -> list[IndexedItem]:
        """The items of a bucket that have documents, by id."""
        statement = f"{_ITEMS} AND bucket = ? ORDER BY id"
        with self.reading() as connection:
            return _indexed(connection.execute(statement, (number,)))

    def altered(self) -> list[IndexedItem]:
        """The items whose documents, as they are stored, no longer have the digest that they were written with."""
        with self.reading() as connection:
            items = _indexed(connection.execute(f"{_ITEMS} ORDER BY id"))
            return [each for each in items if each.digest != self._stored_digest(connection, each.id)]

    def _stored_digest(self, connection: sqlite3.Connection, item: str) -> int:
        rows = connection.execute(
            "SELECT id, part, body FROM documents WHERE item = ? ORDER BY number", (item,)
        )
        documents = tuple(Document(name, part, orjson.loads(body)) for name, part, body in rows)
        (expires,) = connection.execute("SELECT expires FROM items WHERE id = ?", (item,)).fetchone()
        return digest_of(self.index.mapping_version, documents, expires)

    # Searches

    def search(self, search: Search) -> Hits:
        """The hits of a search; items that have expired are not among them."""
        from pksk.search.embedded_search import run_search

        self._check_index(search.index)
        secret = self._cursor_secret
        with self.reading() as connection:
            return run_search(connection, search, self.clock(), secret)

    def suggest(self, text: str, *, limit: int = 10) -> list[str]:
        """Values of the fields with `suggest=True` that complete what a user types."""
        from pksk.search.embedded_search import suggest

        with self.reading() as connection:
            return suggest(connection, self.index, text, limit, self.clock())

    def explain(self, search: Search) -> str:
        """The SQL of a search, its parameters, and how SQLite runs it."""
        from pksk.search.embedded_query import candidates_sql

        self._check_index(search.index)
        with self.reading() as connection:
            sql = candidates_sql(connection, search, self.clock())
            plan = connection.execute(f"EXPLAIN QUERY PLAN {sql.text}", sql.parameters).fetchall()
        steps = "\n".join(f"  {row[3]}" for row in plan)
        return f"{sql.text}\nparameters: {list(sql.parameters)}\nplan:\n{steps}"

    def _check_index(self, index: SearchIndex) -> None:
        if index.mapping_version != self.index.mapping_version:
            raise InvalidValue(
                "search-option",
                f"The search is of index {index.name!r}, and this sink has {self.index.name!r} in another form.",
                fix=f"build it with the index of the sink: {self.index.name}.search(...).",
            )

    @cached_property
    def _cursor_secret(self) -> bytes:
        secret = self.note("cursor-secret")
        if not secret:
            self.write_note("cursor-secret", token_hex(32))
            secret = self.note("cursor-secret")
        return bytes.fromhex(secret)

    # Dead letters and notes

    def dead_letters(self) -> list[FailedItem]:
        """The items whose latest version could not be indexed, by id."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT item, source, key, version, reason, times FROM failures ORDER BY item"
            )
            return [
                FailedItem(item, source, orjson.loads(key), version, reason, times)
                for item, source, key, version, reason, times in rows
            ]

    def drop(self, item: str) -> None:
        """Drop the dead letter of an item."""
        with self._writing() as connection:
            connection.execute("DELETE FROM failures WHERE item = ?", (item,))

    def note(self, name: str) -> str:
        """A text that was stored under a name; empty if none was."""
        with self.reading() as connection:
            found = connection.execute("SELECT text FROM notes WHERE name = ?", (f"note:{name}",)).fetchone()
            return "" if found is None else str(found[0])

    def write_note(self, name: str, text: str) -> None:
        """Store a text under a name."""
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (f"note:{name}", text))


def _indexed(rows: Iterable[tuple[Any, ...]]) -> list[IndexedItem]:
    return [
        IndexedItem(item, version, digest, source, entity, orjson.loads(key))
        for item, version, digest, source, entity, key in rows
    ]


def _write_item(
    connection: sqlite3.Connection, item: ItemDocuments, version: int, removed: float | None
) -> None:
    row: tuple[Any, ...] = (
        item.id, version, item.digest, item.bucket, item.expires, removed, item.table, item.entity, _key_text(item),
    )  # fmt: skip
    connection.execute("INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)


def _fail(connection: sqlite3.Connection, write: ItemWrite, reason: str) -> None:
    connection.execute(
        "INSERT INTO failures VALUES (?, ?, ?, ?, ?, 1) ON CONFLICT (item) DO UPDATE SET "
        "version = max(version, excluded.version), reason = excluded.reason, times = times + 1",
        (write.item.id, write.item.table, _key_text(write.item), write.version, reason[:_MAX_REASON]),
    )


def _key_text(item: ItemDocuments) -> str:
    return orjson.dumps(item.key).decode()
