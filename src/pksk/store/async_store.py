"""The store for programs that await: the same methods, the same requests, the same steps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from pksk.client import AsyncClient
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
from pksk.store.sending.async_driver import AsyncDriver

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

__all__ = ["AsyncStore"]


class AsyncStore:
    """As `Store`, with methods that are awaited; `connect_async` makes one, and `async with` closes it.

    A call that is cancelled leaves nothing behind: no task, no connection, no half of a transaction. Whether a write
    that was on its way has been done is not known then, as after a lost connection.

    Example:
        >>> import asyncio
        >>> from pksk import Entity, Key, Table, connect_async
        >>> shop = Table("shop")
        >>> class Order(Entity, table=shop):
        ...     customer: str
        ...     number: int
        ...     primary = Key("CUST#{customer}", "ORDER#{number:06d}")
        >>> async def main():
        ...     async with connect_async("memory:") as db:
        ...         await db.create_tables(shop)
        ...         await db.create(Order(customer="7", number=1))
        ...         return [order async for order in db.iter(Order.primary(customer="7"))]
        >>> asyncio.run(main())
        [Order(customer='7', number=1)]
    """

    def __init__(
        self,
        client: AsyncClient,
        core: Core | None = None,
        *,
        closing: Callable[[], Awaitable[None]] | None = None,
        one_process: bool = False,
    ) -> None:
        self._core = core or Core()
        self._driver = AsyncDriver(client, one_process=one_process)
        self._closing = closing

    @property
    def client(self) -> AsyncClient:
        """What requests are sent to."""
        return self._driver.client

    # Writes

    async def put(self, entity: E | Put[E], *, when: Condition | None = None) -> E:
        """Store an entity, replacing any item with the same key; returns it as stored, with its stamps."""
        stored: E = await self._driver.run(puts.put(self._core, entity, when))
        return stored

    async def create(self, entity: E | Put[E]) -> E:
        """Store a new entity; raises `AlreadyExists` if an item with its key exists."""
        stored: E = await self._driver.run(puts.create(self._core, entity))
        return stored

    async def update(self, update: Update[E], *, upsert: bool = False) -> E:
        """Change an item, with all its index keys; gives it as it is afterwards. `NotFound` where there is none."""
        stored: E = await self._driver.run(updates.update(self._core, update, upsert=upsert))
        return stored

    async def delete(self, item: E | Delete[E]) -> E | None:
        """Delete an item, given by its key or as the entity that was read; gives what was there, or None."""
        deleted: E | None = await self._driver.run(deletes.delete(self._core, item))
        return deleted

    async def move(self, item: E | Get[E], /, **changes: Any) -> E:
        """Change fields of an item, those of its primary key too, in one transaction; gives it as it is stored."""
        moved: E = await self._driver.run(moves.move(self._core, item, changes))
        return moved

    async def batch_put(self, *entities: E | Put[E]) -> list[E]:
        """Store many entities, each for itself, in as few requests as possible; gives them as they are stored."""
        stored: list[E] = await self._driver.run(batch_write.batch_put(self._core, entities))
        return stored

    async def batch_delete(self, *items: Entity | Delete[Any]) -> None:
        """Delete many items, given by their keys or as entities, each for itself, in as few requests as possible."""
        await self._driver.run(batch_write.batch_delete(self._core, items))

    @overload
    async def transaction(self, *members: Get[E], unreadable: UnreadableItems = None) -> list[E | None]: ...
    @overload
    async def transaction(
        self, *members: Put[E] | Update[E] | Delete[E] | Check[E], token: str | None = None
    ) -> list[E | None]: ...
    async def transaction(
        self, *members: Any, token: str | None = None, unreadable: UnreadableItems = None
    ) -> list[Any]:
        """Do all writes or none, or read all items at one moment; gives an entity for each put and get, else None.

        Where it fails, `TransactionFailed` has the error of each member that is to blame, by its place.
        """
        from pksk.model import transaction

        made = transaction(*members, token=token)
        return await self._driver.run(run_request(self._core, made, unreadable, verb="transaction"))

    # Reads

    async def get(self, get: Get[E], *, unreadable: UnreadableItems = None) -> E | None:
        """One entity by its whole key, or None where there is none or its time is over.

        An item that cannot be read raises `ItemUnreadable`; pass a list as `unreadable` to collect such errors instead.
        """
        found: E | None = await self._driver.run(gets.get(self._core, get, unreadable))
        return found

    async def batch_get(self, *gets: Get[E], unreadable: UnreadableItems = None) -> list[E | None]:
        """Many entities by their keys, in the order of the keys; None where an item is missing or unreadable."""
        return await self._driver.run(batch_gets.batch_get(self._core, gets, unreadable))

    @overload
    def iter(self, read: Query[M], *, unreadable: UnreadableItems = None) -> AsyncIterator[M]: ...
    @overload
    def iter(self, read: Scan[E], *, unreadable: UnreadableItems = None) -> AsyncIterator[E]: ...
    async def iter(self, read: Any, *, unreadable: UnreadableItems = None) -> AsyncIterator[Any]:
        """All results of a query or scan, one by one; pages are read as they are needed.

        An item that cannot be read raises `ItemUnreadable`; pass a list as `unreadable` to collect such errors instead.
        """
        reading = queries.ResultReader(self._core, read, unreadable=unreadable)
        while (batch := await self._driver.run(reading.batch())) is not None:
            for each in batch:
                yield each

    @overload
    async def page(
        self,
        read: Query[M],
        *,
        after: str | None = None,
        before: str | None = None,
        unreadable: UnreadableItems = None,
    ) -> Page[M]: ...
    @overload
    async def page(
        self, read: Scan[E], *, after: str | None = None, unreadable: UnreadableItems = None
    ) -> Page[E]: ...
    async def page(
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
        return await self._driver.run(
            pages.page(self._core, read, after=after, before=before, unreadable=unreadable)
        )

    async def first(self, read: Query[M], *, unreadable: UnreadableItems = None) -> M | None:
        """The first result of a query, or None; it reads no more than it needs. Unreadable items are skipped."""
        found: M | None = await self._driver.run(queries.first(self._core, read, unreadable))
        return found

    async def count(self, read: Query[Any] | Scan[Any], *, unreadable: UnreadableItems = None) -> int:
        """How many results there are; counted by DynamoDB where it can, at the same price as reading them.

        With a list for those that cannot be read, all are read, and those are left out.
        """
        return await self._driver.run(queries.count(self._core, read, unreadable))

    @overload
    async def collect(
        self, first: Query[A], second: Query[B], /, *, unreadable: UnreadableItems = None
    ) -> list[A | B]: ...
    @overload
    async def collect(
        self, first: Query[A], second: Query[B], third: Query[C], /, *, unreadable: UnreadableItems = None
    ) -> list[A | B | C]: ...
    @overload
    async def collect(
        self, first: Query[A], second: Query[A], /, *more: Query[A], unreadable: UnreadableItems = None
    ) -> list[A]: ...
    async def collect(
        self, first: Query[Any], second: Query[Any], /, *more: Query[Any], unreadable: UnreadableItems = None
    ) -> list[Any]:
        """The results of several queries as one list, of as many types: in one request where they stand together."""
        from pksk.model import collect

        return await self._driver.run(
            queries.all_results(self._core, collect(first, second, *more), unreadable)
        )

    async def scan(
        self,
        scan: Scan[E],
        *,
        segments: int = 1,
        progress: Progress | None = None,
        unreadable: UnreadableItems = None,
    ) -> AsyncIterator[E]:
        """All items of an entity, by reading the whole table, in so many segments side by side.

        `progress` is called after each batch with four numbers: items looked at, results, segments done, and how many there are.
        """
        reading = queries.scan_reader(self._core, scan, segments, unreadable=unreadable, progress=progress)
        while (batch := await self._driver.run(reading.batch())) is not None:
            for each in batch:
                yield each

    async def nearest(
        self, nearest: Nearest[M], *, unreadable: UnreadableItems = None
    ) -> list[SearchResult[M]]:
        """The entities whose vectors are nearest to another one, each with its score, the nearest first."""
        from pksk.store.requests.nearest import search_vectors

        return await self._driver.run(search_vectors(self._core, nearest, unreadable))

    # Identifiers

    async def next(self, sequence: Sequence, /, **parts: Any) -> int:
        """Draw the next number of a sequence; no other caller gets it."""
        return (await self._driver.run(sequences.take(self._core, sequence, 1, parts)))[0]

    async def take(self, sequence: Sequence, count: int, /, **parts: Any) -> range:
        """Draw a block of numbers of a sequence; no other caller gets them."""
        return await self._driver.run(sequences.take(self._core, sequence, count, parts))

    async def reconcile(self, sequence: Sequence, at_least: int, /, **parts: Any) -> int:
        """Move a sequence forward so that the next number is above this one, never back; gives the last one drawn."""
        return await self._driver.run(sequences.reconcile(self._core, sequence, at_least, parts))

    # Any request

    @overload
    async def run(self, request: Get[E], *, unreadable: UnreadableItems = None) -> E | None: ...
    @overload
    async def run(self, request: Query[M], *, unreadable: UnreadableItems = None) -> list[M]: ...
    @overload
    async def run(self, request: Scan[E], *, unreadable: UnreadableItems = None) -> list[E]: ...
    @overload
    async def run(self, request: Put[E] | Update[E]) -> E: ...
    @overload
    async def run(self, request: Delete[E]) -> E | None: ...
    @overload
    async def run(
        self, request: Batch[E] | Transaction[E], *, unreadable: UnreadableItems = None
    ) -> list[E | None]: ...
    @overload
    async def run(
        self, request: Nearest[M], *, unreadable: UnreadableItems = None
    ) -> list[SearchResult[M]]: ...
    async def run(self, request: Any, *, unreadable: UnreadableItems = None) -> Any:
        """Run any read or write: what it finds, all of it, or what it stores."""
        return await self._driver.run(run_request(self._core, request, unreadable))

    # Tables

    async def create_tables(self, *declared: Table) -> None:
        """Make tables, and wait until they can be used; refuses those that are there already."""
        await self._driver.run(tables.create_tables(self._core, declared))

    async def ensure_tables(self, *declared: Table, destructive: bool = False) -> list[str]:
        """Make tables that are missing and change those that differ, one index at a time; says what was done.

        What cannot be changed raises `TableDiffers`, before anything is. So does an index that must be deleted and made
        again, unless it may be `destructive`: then indexes, stream and TTL that are not declared go, too.
        """
        return await self._driver.run(tables.ensure_tables(self._core, declared, destructive=destructive))

    async def drop_tables(self, *names: str) -> None:
        """Delete tables with all that is in them, by their names."""
        await self._driver.run(tables.drop_tables(self._core, names))

    # Watching and closing

    def meter(self, *, everywhere: bool = False) -> AbstractContextManager[Meter]:
        """A block in which is collected what reads and writes consume; those of all threads with `everywhere`."""
        return self._core.meters.open(everywhere=everywhere)

    async def close(self) -> None:
        """Let go of connections and files."""
        self._driver.close()
        closing, self._closing = self._closing, None
        if closing is not None:
            await closing()

    async def __aenter__(self) -> AsyncStore:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
