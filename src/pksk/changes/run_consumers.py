"""Runs several consumers in one worker, where they read each shard once."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pksk.changes.changes import AsyncChanges, Changes
from pksk.changes.delivery import Delivery
from pksk.changes.rounds import Consumption, process
from pksk.changes.shards import SharedReaders
from pksk.changes.signals import stop_on_signals
from pksk.errors import InvalidValue
from pksk.model.changes import Change


def run_consumers(
    handlers: Mapping[Changes[Any], Callable[[list[Change[Any]]], None]],
    *,
    batch_size: int = 100,
    attempts: int = 3,
    follow: bool = True,
    stop: threading.Event | None = None,
) -> None:
    """Run several consumers in one worker, so that they read each shard of a stream once.

    DynamoDB allows two readers of a shard; more slow each other down. Each consumer keeps its own position, dead
    letters and leases. An outage of what one handler calls does not hold up the others; an error that stops one of them
    stops all.

    Example:
        >>> from pksk import Entity, Key, Table, connect
        >>> shop = Table("shop", stream=True)
        >>> class Order(Entity, table=shop):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> db = connect("memory:")
        >>> db.create_tables(shop)
        >>> _ = db.put(Order(id="7"))
        >>> audit, search = [], []
        >>> run_consumers({
        ...     db.changes(Order, consumer="audit"): audit.extend,
        ...     db.changes(Order, consumer="search"): search.extend,
        ... }, follow=False)
        >>> len(audit), len(search)
        (1, 1)
    """
    running = _consumptions(handlers, Delivery(batch_size, attempts), follow=follow)
    with stop_on_signals(stop or threading.Event()) as stopped:
        for first in list(handlers)[:1]:
            first.driver.run(process(running, stopped.is_set))


async def run_consumers_async(
    handlers: Mapping[AsyncChanges[Any], Callable[[list[Change[Any]]], Awaitable[None] | None]],
    *,
    batch_size: int = 100,
    attempts: int = 3,
    follow: bool = True,
    stop: threading.Event | None = None,
) -> None:
    """Run several consumers of an asynchronous store in one worker; see `run_consumers`.

    Example:
        >>> import asyncio
        >>> from pksk import Table, connect_async
        >>> shop = Table("shop", stream=True)
        >>> async def main():
        ...     async with connect_async("memory:") as db:
        ...         await db.create_tables(shop)
        ...         await run_consumers_async({db.changes(shop, consumer="audit"): print}, follow=False)
        >>> asyncio.run(main())
    """
    running = _consumptions(handlers, Delivery(batch_size, attempts), follow=follow)
    with stop_on_signals(stop or threading.Event()) as stopped:
        for first in list(handlers)[:1]:
            await first.driver.run(process(running, stopped.is_set))


def _consumptions(
    handlers: Mapping[Any, Callable[[list[Change[Any]]], object]], options: Delivery, *, follow: bool
) -> list[Consumption]:
    if len({id(each.driver) for each in handlers}) > 1:
        raise InvalidValue(
            "consumer-option",
            "run_consumers(): the consumers belong to several stores.",
            expected="One worker sends its requests with one store.",
            fix="make all of them with one db, or run each store by itself.",
        )
    names = [each.key for each in handlers]
    if len(set(names)) < len(names):
        raise InvalidValue(
            "consumer-option",
            f"run_consumers(): two consumers of one table have the name {max(names, key=names.count)[1]!r}.",
            expected="Workers of one consumer share its shards, so each handler would miss what the other one gets.",
            fix="use another name for one of them.",
        )
    readers = SharedReaders("+".join(sorted({name for _, name in names})))
    return [each.consumption(handler, options, readers, follow=follow) for each, handler in handlers.items()]
