"""The synchronous store: typed reads and writes on any DynamoDB."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from pydantic import BaseModel

from pksk import model
from pksk.client import Client
from pksk.expressions import Condition
from pksk.model.requests.request import Request
from pksk.schema import Table
from pksk.sending import Core, Meter
from pksk.sending.driver import Driver
from pksk.store import sequences, tables
from pksk.store.arguments import E, M, R, UnreadableItems, batch_members
from pksk.store.reads.rows import Read
from pksk.store.requests import (
    batch_get,
    batch_write,
    delete,
    geo_query,
    get,
    move,
    put,
    query,
    refresh,
    update,
)
from pksk.store.requests.nearest import search_vectors
from pksk.store.requests.page import Page
from pksk.store.requests.query import Progress
from pksk.store.requests.refresh import Refreshed, RefreshProgress
from pksk.store.requests.runners import run_request
from pksk.store.requests.transaction import run_transaction
from pksk.store.unknown_method import unknown_method

if TYPE_CHECKING:
    from pksk.cells import CellStatistics
    from pksk.changes.changes import Changes, Start
    from pksk.model import (
        Check,
        Delete,
        Entity,
        GeoQuery,
        Get,
        Nearest,
        Put,
        Query,
        Scan,
        SearchResult,
        Sequence,
        Update,
    )

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
        return self._driver.run(put.put(self._core, entity, when))

    def create(self, entity: E | Put[E]) -> E:
        """Store a new entity. Raises `AlreadyExists` if an item with its key exists."""
        return self._driver.run(put.create(self._core, entity))

    def update(self, request: Update[E], *, upsert: bool = False) -> E:
        """Update an item and its index keys. Returns the new entity; raises `NotFound` if the item does not exist."""
        return self._driver.run(update.update(self._core, request, upsert=upsert))

    @overload
    def delete(self, item: E | Delete[E], /) -> E | None: ...
    @overload
    def delete(self, entity: type[E], /, **parts: Any) -> E | None: ...
    def delete(self, item: E | Delete[E] | type[E], /, **parts: Any) -> E | None:
        """Delete an item by its key, or an entity that was read. Returns the deleted entity, or None.

        `delete(Order, id="7")` is short for `delete(Order.primary.delete(id="7"))`.
        """
        return self._driver.run(delete.delete(self._core, item, parts))

    def move(self, item: E | Get[E], /, **changes: Any) -> E:
        """Change fields of an item, also of its primary key, in one transaction. Returns the entity as stored."""
        return self._driver.run(move.move(self._core, item, changes))

    @overload
    def batch_put(self, *entities: E | Put[E]) -> list[E]: ...
    @overload
    def batch_put(self, entities: Iterable[E | Put[E]], /) -> list[E]: ...
    def batch_put(self, *entities: E | Put[E] | Iterable[E | Put[E]]) -> list[E]:
        """Store many entities in as few requests as possible, without a transaction. Returns them as stored.

        Takes the entities one by one, or one iterable of them, as the other batch methods do.
        """
        return self._driver.run(batch_write.batch_put(self._core, batch_members(entities)))

    @overload
    def batch_delete(self, *items: Entity | Delete) -> None: ...
    @overload
    def batch_delete(self, items: Iterable[Entity | Delete], /) -> None: ...
    def batch_delete(self, *items: Entity | Delete | Iterable[Entity | Delete]) -> None:
        """Delete many items, by key or entity, in as few requests as possible, without a transaction."""
        self._driver.run(batch_write.batch_delete(self._core, batch_members(items)))

    @overload
    def transaction(self, *members: Get[E], unreadable: UnreadableItems = None) -> list[E | None]: ...
    @overload
    def transaction(
        self, *members: Put[E] | Update[E] | Delete[E] | Check[E], token: str | None = None
    ) -> list[E | None]: ...
    def transaction(
        self,
        *members: Get[E] | Put[E] | Update[E] | Delete[E] | Check[E],
        token: str | None = None,
        unreadable: UnreadableItems = None,
    ) -> list[E | None]:
        """Run all writes or none, or read a snapshot of items. Returns an entity for each put and get, else None.

        If it fails, `TransactionFailed` has the errors of the members that caused it, by position.
        """
        request = model.transaction(*members, token=token)
        return self._driver.run(run_transaction(self._core, request, unreadable))

    # Changed designs

    def refresh(
        self,
        read: Read,
        *,
        formats: bool = False,
        drop: Iterable[str] | str = (),
        renamed_from: Iterable[str] | str = (),
        after: str | None = None,
        progress: RefreshProgress | None = None,
        unreadable: UnreadableItems = None,
    ) -> Refreshed:
        """Rewrite the items that a scan or query finds, as far as a changed design derives other attributes of them.

        It updates index keys and the discriminator where they differ, and creates missing guard items of unique fields.
        With `formats`, fields are converted to the format in which the entity stores them. It removes attributes that
        `drop` names. Items with a discriminator of `renamed_from` become items of the entity.
        Versions, times and unknown attributes stay. It calls `progress` after each page with the counts so far and a
        `cursor`, from which `after` resumes.
        """
        return self._driver.run(
            refresh.refresh(
                self._core,
                read,
                formats=formats,
                drop=drop,
                renamed_from=renamed_from,
                after=after,
                progress=progress,
                unreadable=unreadable,
            )
        )

    # Reads

    @overload
    def get(self, request: Get[E], /, *, unreadable: UnreadableItems = None) -> E | None: ...
    @overload
    def get(self, entity: type[E], /, *, unreadable: UnreadableItems = None, **parts: Any) -> E | None: ...
    def get(
        self, request: Get[E] | type[E], /, *, unreadable: UnreadableItems = None, **parts: Any
    ) -> E | None:
        """One entity by its full key, or None if it does not exist or has expired.

        `get(Order, id="7")` is short for `get(Order.primary.get(id="7"))`.
        An item that cannot be read raises `ItemUnreadable`; pass a list as `unreadable` to collect such errors instead.
        """
        return self._driver.run(get.get(self._core, request, unreadable, parts))

    @overload
    def batch_get(self, *gets: Get[E], unreadable: UnreadableItems = None) -> list[E | None]: ...
    @overload
    def batch_get(
        self, gets: Iterable[Get[E]], /, *, unreadable: UnreadableItems = None
    ) -> list[E | None]: ...
    def batch_get(
        self, *gets: Get[E] | Iterable[Get[E]], unreadable: UnreadableItems = None
    ) -> list[E | None]:
        """Many entities by their keys, in the order of the keys; None for an item that is missing or unreadable."""
        return self._driver.run(batch_get.batch_get(self._core, batch_members(gets), unreadable))

    @overload
    def iter(self, read: Query[M], *, unreadable: UnreadableItems = None) -> Iterator[M]: ...
    @overload
    def iter(self, read: GeoQuery[M], *, unreadable: UnreadableItems = None) -> Iterator[M]: ...
    @overload
    def iter(self, read: Scan[E], *, unreadable: UnreadableItems = None) -> Iterator[E]: ...
    def iter(self, read: Read | GeoQuery, *, unreadable: UnreadableItems = None) -> Iterator[BaseModel]:
        """All results of a query, a query by region or a scan, one by one. Reads each page when it is needed.

        An item that cannot be read raises `ItemUnreadable`; pass a list as `unreadable` to collect such errors instead.
        """
        reading = geo_query.result_reader(self._core, read, unreadable)
        while (batch := self._driver.run(reading.batch())) is not None:
            yield from batch

    @overload
    def page(
        self, read: GeoQuery[M], *, after: str | None = None, unreadable: UnreadableItems = None
    ) -> Page[M]: ...
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
        read: Read | GeoQuery,
        *,
        after: str | None = None,
        before: str | None = None,
        unreadable: UnreadableItems = None,
    ) -> Page[BaseModel]:
        """One page of a query, up to its limit: the first page, or the one after or before a cursor.

        For a scan, the results of one request; `Scan.pages` sets how many items that reads.
        """
        return self._driver.run(
            geo_query.read_page(self._core, read, after=after, before=before, unreadable=unreadable)
        )

    def first(self, read: Query[M], *, unreadable: UnreadableItems = None) -> M | None:
        """The first result of a query, or None. Reads no more than necessary and skips unreadable items."""
        return self._driver.run(query.first(self._core, read, unreadable))

    def count(self, read: Read, *, unreadable: UnreadableItems = None) -> int:
        """The number of results. DynamoDB counts them if possible, which costs as much as reading them.

        With a list for `unreadable`, it reads all items and does not count the unreadable ones.
        """
        return self._driver.run(query.count(self._core, read, unreadable))

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
        self, first: Query[M], second: Query[M], /, *more: Query[M], unreadable: UnreadableItems = None
    ) -> list[M]:
        """All results of several queries as one list; in one request if their items are adjacent."""
        return self._driver.run(
            query.all_results(self._core, model.collect(first, second, *more), unreadable)
        )

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
        reading = query.scan_reader(self._core, scan, segments, unreadable=unreadable, progress=progress)
        while (batch := self._driver.run(reading.batch())) is not None:
            yield from batch

    def nearest(self, nearest: Nearest[M], *, unreadable: UnreadableItems = None) -> list[SearchResult[M]]:
        """The entities with the nearest vectors, each with its score, nearest first."""
        return self._driver.run(search_vectors(self._core, nearest, unreadable))

    def cell_statistics(self, query: GeoQuery) -> CellStatistics:
        """The statistics by which this store would plan a query by region now: passed with it, or seen in answers.

        `query.using(db.cell_statistics(query)).explain()` shows the plan.
        """
        return geo_query.current_statistics(self._core, query)

    # Changes

    @overload
    def changes(
        self,
        entity: type[E],
        /,
        *,
        consumer: str,
        state: str = ...,
        start: Start = ...,
        follow: bool = ...,
        lease_seconds: float = ...,
        max_records: int = ...,
        max_bytes: int = ...,
    ) -> Changes[E]: ...
    @overload
    def changes(
        self,
        *sources: Table | type[Entity],
        consumer: str,
        state: str = ...,
        start: Start = ...,
        follow: bool = ...,
        lease_seconds: float = ...,
        max_records: int = ...,
        max_bytes: int = ...,
    ) -> Changes[Any]: ...
    def changes(
        self,
        *sources: Any,
        consumer: str,
        state: str = "pksk-changes",
        start: Start = "oldest",
        follow: bool = False,
        lease_seconds: float = 30.0,
        max_records: int = 10_000,
        max_bytes: int = 16_000_000,
    ) -> Changes[Any]:
        """The changes of a table, or of some of its entities, from where this consumer stopped before.

        A new consumer begins with the oldest or the newest changes. Iterating ends once it has caught up, unless it is
        to `follow`. The table `state` holds positions and leases, and is created if it is missing. A worker keeps at
        most `max_records` and `max_bytes` of the stream in memory.
        """
        from pksk.changes.changes import Changes, settings_of

        settings = settings_of(
            consumer=consumer,
            state=state,
            start=start,
            lease_seconds=lease_seconds,
            now=self._core.clock(),
            max_records=max_records,
            max_bytes=max_bytes,
        )
        return Changes(self._core, self._driver, sources, settings, follow=follow)

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

    def run(self, request: Request[R], *, unreadable: UnreadableItems = None) -> R:
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

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """Say what to write instead of a method that does not exist."""
            raise unknown_method(self, name)

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
