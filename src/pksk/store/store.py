"""The synchronous store: typed reads and writes on any DynamoDB."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from pksk.client import Client
from pksk.store import sequences, tables
from pksk.store.core import Core
from pksk.store.meter import Meter
from pksk.store.reads.unreadable_items import UnreadableItems
from pksk.store.requests import batch_get as batch_gets
from pksk.store.requests import batch_write
from pksk.store.requests import delete as deletes
from pksk.store.requests import get as gets
from pksk.store.requests import move as moves
from pksk.store.requests import page as pages
from pksk.store.requests import put as puts
from pksk.store.requests import query as queries
from pksk.store.requests import update as updates
from pksk.store.requests.page import Page
from pksk.store.requests.query import Progress
from pksk.store.requests.runners import run_request
from pksk.store.sending.driver import Driver

if TYPE_CHECKING:
    from pydantic import BaseModel

    from pksk.expressions import Condition
    from pksk.model import (
        Batch,
        Check,
        Delete,
        Entity,
        Get,
        Nearest,
        Put,
        Query,
        Scan,
        SearchResult,
        Sequence,
        Transaction,
        Update,
    )
    from pksk.schema import Table

    E = TypeVar("E", bound=Entity)
    M = TypeVar("M", bound=BaseModel)
    A = TypeVar("A", bound=BaseModel)
    B = TypeVar("B", bound=BaseModel)
    C = TypeVar("C", bound=BaseModel)


class Store:
    """Runs reads and writes on one DynamoDB: embedded, AWS, or another server with its API.

    `connect` makes one. Many threads can use it at the same time. Its methods take requests, which are plain values
    and know no connection.

    Example:
        >>> from pksk import Entity, Key, Table, connect
        >>> shop = Table("shop")
        >>> class Order(Entity, table=shop):
        ...     customer: str
        ...     number: int
        ...     total: int = 0
        ...     primary = Key("CUST#{customer}", "ORDER#{number:06d}")
        >>> with connect("memory:") as db:
        ...     db.create_tables(shop)
        ...     order = db.create(Order(customer="7", number=1))
        ...     order = db.update(Order.primary.update(customer="7", number=1).add(total=5))
        ...     print(order, list(db.iter(Order.primary(customer="7"))) == [order])
        customer='7' number=1 total=5 True
    """

    def __init__(
        self,
        client: Client,
        core: Core | None = None,
        *,
        workers: int = 1,
        closing: Callable[[], None] | None = None,
        one_process: bool = False,
    ) -> None:
        self._core = core or Core()
        self._driver = Driver(client, workers=workers, one_process=one_process)
        self._closing = closing

    @property
    def client(self) -> Client:
        """The connection."""
        return self._driver.client

    # Writes

    def put(self, entity: E | Put[E], *, when: Condition | None = None) -> E:
        """Store an entity, or replace the item with its key. Returns it with the fields that the store sets."""
        stored: E = self._driver.run(puts.put(self._core, entity, when))
        return stored

    def create(self, entity: E | Put[E]) -> E:
        """Store a new entity. Raises `AlreadyExists` if an item with its key exists."""
        stored: E = self._driver.run(puts.create(self._core, entity))
        return stored

    def update(self, update: Update[E], *, upsert: bool = False) -> E:
        """Update an item and its index keys. Returns the new entity; raises `NotFound` if the item does not exist."""
        stored: E = self._driver.run(updates.update(self._core, update, upsert=upsert))
        return stored

    def delete(self, item: E | Delete[E]) -> E | None:
        """Delete an item by its key, or an entity that was read. Returns the deleted entity, or None."""
        deleted: E | None = self._driver.run(deletes.delete(self._core, item))
        return deleted

    def move(self, item: E | Get[E], /, **changes: Any) -> E:
        """Change fields of an item, also of its primary key, in one transaction. Returns the entity as stored."""
        moved: E = self._driver.run(moves.move(self._core, item, changes))
        return moved

    def batch_put(self, *entities: E | Put[E]) -> list[E]:
        """Store many entities in as few requests as possible, without a transaction. Returns them as stored."""
        stored: list[E] = self._driver.run(batch_write.batch_put(self._core, entities))
        return stored

    def batch_delete(self, *items: Entity | Delete[Any]) -> None:
        """Delete many items, by key or entity, in as few requests as possible, without a transaction."""
        self._driver.run(batch_write.batch_delete(self._core, items))

    @overload
    def transaction(self, *members: Get[E], unreadable: UnreadableItems = None) -> list[E | None]: ...
    @overload
    def transaction(
        self, *members: Put[E] | Update[E] | Delete[E] | Check[E], token: str | None = None
    ) -> list[E | None]: ...
    def transaction(
        self, *members: Any, token: str | None = None, unreadable: UnreadableItems = None
    ) -> list[Any]:
        """Run all writes or none, or read a snapshot of items. Returns an entity for each put and get, else None.

        If it fails, `TransactionFailed` has the errors of the members that caused it, by position.
        """
        from pksk.model import transaction

        made = transaction(*members, token=token)
        return self._driver.run(run_request(self._core, made, unreadable, verb="transaction"))

    # Reads

    def get(self, get: Get[E], *, unreadable: UnreadableItems = None) -> E | None:
        """One entity by its full key, or None if it does not exist or has expired.

        An item that cannot be read raises `ItemUnreadable`; pass a list as `unreadable` to collect such errors instead.
        """
        found: E | None = self._driver.run(gets.get(self._core, get, unreadable))
        return found

    def batch_get(self, *gets: Get[E], unreadable: UnreadableItems = None) -> list[E | None]:
        """Many entities by their keys, in the order of the keys; None for an item that is missing or unreadable."""
        return self._driver.run(batch_gets.batch_get(self._core, gets, unreadable))

    @overload
    def iter(self, read: Query[M], *, unreadable: UnreadableItems = None) -> Iterator[M]: ...
    @overload
    def iter(self, read: Scan[E], *, unreadable: UnreadableItems = None) -> Iterator[E]: ...
    def iter(self, read: Any, *, unreadable: UnreadableItems = None) -> Iterator[Any]:
        """All results of a query or scan, one by one. Reads each page when it is needed.

        An item that cannot be read raises `ItemUnreadable`; pass a list as `unreadable` to collect such errors instead.
        """
        reading = queries.ResultReader(self._core, read, unreadable=unreadable)
        while (batch := self._driver.run(reading.batch())) is not None:
            yield from batch

    @overload
    def page(
        self,
        read: Query[M],
        *,
        after: str | None = None,
        before: str | None = None,
        unreadable: UnreadableItems = None,
    ) -> Page[M]: ...
    @overload
    def page(
        self, read: Scan[E], *, after: str | None = None, unreadable: UnreadableItems = None
    ) -> Page[E]: ...
    def page(
        self,
        read: Any,
        *,
        after: str | None = None,
        before: str | None = None,
        unreadable: UnreadableItems = None,
    ) -> Page[Any]:
        """One page of a query, up to its limit: the first page, or the one after or before a cursor.

        For a scan, the results of one request; `Scan.pages` sets how many items that reads.
        """
        return self._driver.run(
            pages.page(self._core, read, after=after, before=before, unreadable=unreadable)
        )

    def first(self, read: Query[M], *, unreadable: UnreadableItems = None) -> M | None:
        """The first result of a query, or None. Reads no more than necessary and skips unreadable items."""
        found: M | None = self._driver.run(queries.first(self._core, read, unreadable))
        return found

    def count(self, read: Query[Any] | Scan[Any], *, unreadable: UnreadableItems = None) -> int:
        """The number of results. DynamoDB counts them if possible, which costs as much as reading them.

        With a list for `unreadable`, it reads all items and does not count the unreadable ones.
        """
        return self._driver.run(queries.count(self._core, read, unreadable))

    @overload
    def collect(
        self, first: Query[A], second: Query[B], /, *, unreadable: UnreadableItems = None
    ) -> list[A | B]: ...
    @overload
    def collect(
        self, first: Query[A], second: Query[B], third: Query[C], /, *, unreadable: UnreadableItems = None
    ) -> list[A | B | C]: ...
    @overload
    def collect(
        self, first: Query[A], second: Query[A], /, *more: Query[A], unreadable: UnreadableItems = None
    ) -> list[A]: ...
    def collect(
        self, first: Query[Any], second: Query[Any], /, *more: Query[Any], unreadable: UnreadableItems = None
    ) -> list[Any]:
        """All results of several queries as one list; in one request if their items are adjacent."""
        from pksk.model import collect

        return self._driver.run(queries.all_results(self._core, collect(first, second, *more), unreadable))

    def scan(
        self,
        scan: Scan[E],
        *,
        segments: int = 1,
        progress: Progress | None = None,
        unreadable: UnreadableItems = None,
    ) -> Iterator[E]:
        """All items of an entity, by a parallel scan of the table with this number of segments.

        It calls `progress` after each batch with four numbers: items read, results, finished segments, all segments.
        """
        reading = queries.scan_reader(self._core, scan, segments, unreadable=unreadable, progress=progress)
        while (batch := self._driver.run(reading.batch())) is not None:
            yield from batch

    def nearest(self, nearest: Nearest[M], *, unreadable: UnreadableItems = None) -> list[SearchResult[M]]:
        """The entities with the nearest vectors, each with its score, nearest first."""
        from pksk.store.requests.nearest import search_vectors

        return self._driver.run(search_vectors(self._core, nearest, unreadable))

    # Identifiers

    def next(self, sequence: Sequence, /, **parts: Any) -> int:
        """The next number of a sequence; no other caller gets it."""
        return self._driver.run(sequences.take(self._core, sequence, 1, parts))[0]

    def take(self, sequence: Sequence, count: int, /, **parts: Any) -> range:
        """The next block of numbers of a sequence; no other caller gets them."""
        return self._driver.run(sequences.take(self._core, sequence, count, parts))

    def reconcile(self, sequence: Sequence, at_least: int, /, **parts: Any) -> int:
        """Move a sequence forward, never back, so that its next number is above this one. Returns its last number."""
        return self._driver.run(sequences.reconcile(self._core, sequence, at_least, parts))

    # Any request

    @overload
    def run(self, request: Get[E], *, unreadable: UnreadableItems = None) -> E | None: ...
    @overload
    def run(self, request: Query[M], *, unreadable: UnreadableItems = None) -> list[M]: ...
    @overload
    def run(self, request: Scan[E], *, unreadable: UnreadableItems = None) -> list[E]: ...
    @overload
    def run(self, request: Put[E] | Update[E]) -> E: ...
    @overload
    def run(self, request: Delete[E]) -> E | None: ...
    @overload
    def run(
        self, request: Batch[E] | Transaction[E], *, unreadable: UnreadableItems = None
    ) -> list[E | None]: ...
    @overload
    def run(self, request: Nearest[M], *, unreadable: UnreadableItems = None) -> list[SearchResult[M]]: ...
    def run(self, request: Any, *, unreadable: UnreadableItems = None) -> Any:
        """Run any read or write. Returns all results of a read, or what a write returns."""
        return self._driver.run(run_request(self._core, request, unreadable))

    # Tables

    def create_tables(self, *declared: Table) -> None:
        """Create tables and wait until they are active. Raises if one of them exists."""
        self._driver.run(tables.create_tables(self._core, declared))

    def ensure_tables(self, *declared: Table, destructive: bool = False) -> list[str]:
        """Create missing tables and update those that differ, one index at a time. Returns what was done.

        Raises `TableDiffers` before any change if a difference cannot be changed, or if an index must be deleted and
        created again. With `destructive`, it does that, and removes indexes, stream and TTL that are not declared.
        """
        return self._driver.run(tables.ensure_tables(self._core, declared, destructive=destructive))

    def drop_tables(self, *names: str) -> None:
        """Delete tables and all their items, by name."""
        self._driver.run(tables.drop_tables(self._core, names))

    # Watching and closing

    def meter(self, *, everywhere: bool = False) -> AbstractContextManager[Meter]:
        """A `with` block that measures the consumed capacity; with `everywhere`, that of all threads."""
        return self._core.meters.open(everywhere=everywhere)

    def close(self) -> None:
        """Close threads, connections and files, after running calls have ended."""
        self._driver.close()
        closing, self._closing = self._closing, None
        if closing is not None:
            closing()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
