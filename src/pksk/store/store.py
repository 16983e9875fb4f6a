"""The store: typed reads and writes on any DynamoDB, for programs that wait."""

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

__all__ = ["Store"]


class Store:
    """Runs reads and writes of a design on one DynamoDB: embedded, AWS, or a server that speaks its API.

    `connect` makes one. It may be used by many threads at a time. What a method is given is a value that was built
    before; nothing about where it runs is in it.

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
        """What requests are sent to."""
        return self._driver.client

    # Writes

    def put(self, entity: E | Put[E], *, when: Condition | None = None) -> E:
        """Store an entity, replacing any item with the same key; returns it as stored, with its stamps."""
        stored: E = self._driver.run(puts.put(self._core, entity, when))
        return stored

    def create(self, entity: E | Put[E]) -> E:
        """Store a new entity; raises `AlreadyExists` if an item with its key exists."""
        stored: E = self._driver.run(puts.create(self._core, entity))
        return stored

    def update(self, update: Update[E], *, upsert: bool = False) -> E:
        """Change an item, with all its index keys; gives it as it is afterwards. `NotFound` where there is none."""
        stored: E = self._driver.run(updates.update(self._core, update, upsert=upsert))
        return stored

    def delete(self, item: E | Delete[E]) -> E | None:
        """Delete an item, given by its key or as the entity that was read; gives what was there, or None."""
        deleted: E | None = self._driver.run(deletes.delete(self._core, item))
        return deleted

    def move(self, item: E | Get[E], /, **changes: Any) -> E:
        """Change fields of an item, those of its primary key too, in one transaction; gives it as it is stored."""
        moved: E = self._driver.run(moves.move(self._core, item, changes))
        return moved

    def batch_put(self, *entities: E | Put[E]) -> list[E]:
        """Store many entities, each for itself, in as few requests as possible; gives them as they are stored."""
        stored: list[E] = self._driver.run(batch_write.batch_put(self._core, entities))
        return stored

    def batch_delete(self, *items: Entity | Delete[Any]) -> None:
        """Delete many items, given by their keys or as entities, each for itself, in as few requests as possible."""
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
        """Do all writes or none, or read all items at one moment; gives an entity for each put and get, else None.

        Where it fails, `TransactionFailed` has the error of each member that is to blame, by its place.
        """
        from pksk.model import transaction

        made = transaction(*members, token=token)
        return self._driver.run(run_request(self._core, made, unreadable, verb="transaction"))

    # Reads

    def get(self, get: Get[E], *, unreadable: UnreadableItems = None) -> E | None:
        """One entity by its whole key, or None where there is none or its time is over.

        An item that cannot be read raises `ItemUnreadable`; pass a list as `unreadable` to collect such errors instead.
        """
        found: E | None = self._driver.run(gets.get(self._core, get, unreadable))
        return found

    def batch_get(self, *gets: Get[E], unreadable: UnreadableItems = None) -> list[E | None]:
        """Many entities by their keys, in the order of the keys; None where an item is missing or unreadable."""
        return self._driver.run(batch_gets.batch_get(self._core, gets, unreadable))

    @overload
    def iter(self, read: Query[M], *, unreadable: UnreadableItems = None) -> Iterator[M]: ...
    @overload
    def iter(self, read: Scan[E], *, unreadable: UnreadableItems = None) -> Iterator[E]: ...
    def iter(self, read: Any, *, unreadable: UnreadableItems = None) -> Iterator[Any]:
        """All results of a query or scan, one by one; pages are read as they are needed.

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
        """Some results of a query, as many as it is limited to: the first, those behind a cursor, or before one.

        Of a scan, the results of one request; `Scan.pages` says how many items that looks at.
        """
        return self._driver.run(
            pages.page(self._core, read, after=after, before=before, unreadable=unreadable)
        )

    def first(self, read: Query[M], *, unreadable: UnreadableItems = None) -> M | None:
        """The first result of a query, or None; it reads no more than it needs. Unreadable items are skipped."""
        found: M | None = self._driver.run(queries.first(self._core, read, unreadable))
        return found

    def count(self, read: Query[Any] | Scan[Any], *, unreadable: UnreadableItems = None) -> int:
        """How many results there are; counted by DynamoDB where it can, at the same price as reading them.

        With a list for those that cannot be read, all are read, and those are left out.
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
        """The results of several queries as one list, of as many types: in one request where they stand together."""
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
        """All items of an entity, by reading the whole table, in so many segments side by side.

        `progress` is called after each batch with four numbers: items looked at, results, segments done, and how many there are.
        """
        reading = queries.scan_reader(self._core, scan, segments, unreadable=unreadable, progress=progress)
        while (batch := self._driver.run(reading.batch())) is not None:
            yield from batch

    def nearest(self, nearest: Nearest[M], *, unreadable: UnreadableItems = None) -> list[SearchResult[M]]:
        """The entities whose vectors are nearest to another one, each with its score, the nearest first."""
        from pksk.store.requests.nearest import search_vectors

        return self._driver.run(search_vectors(self._core, nearest, unreadable))

    # Identifiers

    def next(self, sequence: Sequence, /, **parts: Any) -> int:
        """Draw the next number of a sequence; no other caller gets it."""
        return self._driver.run(sequences.take(self._core, sequence, 1, parts))[0]

    def take(self, sequence: Sequence, count: int, /, **parts: Any) -> range:
        """Draw a block of numbers of a sequence; no other caller gets them."""
        return self._driver.run(sequences.take(self._core, sequence, count, parts))

    def reconcile(self, sequence: Sequence, at_least: int, /, **parts: Any) -> int:
        """Move a sequence forward so that the next number is above this one, never back; gives the last one drawn."""
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
        """Run any read or write: what it finds, all of it, or what it stores."""
        return self._driver.run(run_request(self._core, request, unreadable))

    # Tables

    def create_tables(self, *declared: Table) -> None:
        """Make tables, and wait until they can be used; refuses those that are there already."""
        self._driver.run(tables.create_tables(self._core, declared))

    def ensure_tables(self, *declared: Table, destructive: bool = False) -> list[str]:
        """Make tables that are missing and change those that differ, one index at a time; says what was done.

        What cannot be changed raises `TableDiffers`, before anything is. So does an index that must be deleted and made
        again, unless it may be `destructive`: then indexes, stream and TTL that are not declared go, too.
        """
        return self._driver.run(tables.ensure_tables(self._core, declared, destructive=destructive))

    def drop_tables(self, *names: str) -> None:
        """Delete tables with all that is in them, by their names."""
        self._driver.run(tables.drop_tables(self._core, names))

    # Watching and closing

    def meter(self, *, everywhere: bool = False) -> AbstractContextManager[Meter]:
        """A block in which is collected what reads and writes consume; those of all threads with `everywhere`."""
        return self._core.meters.open(everywhere=everywhere)

    def close(self) -> None:
        """Let go of threads, connections and files; what is under way ends first."""
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
