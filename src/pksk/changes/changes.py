"""The changes of a table for one consumer: read one by one, or delivered to a handler."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from math import floor
from typing import Generic, Literal, NoReturn, TypeAlias, TypeVar

from pksk.changes.consumer_state import OLDEST, ConsumerState
from pksk.changes.dead_letters import DeadLetter, drop_dead_letter, list_dead_letters, retry_dead_letter
from pksk.changes.delivery import Deliverer, Delivery, before_effect, entries
from pksk.changes.metrics import worker_metrics
from pksk.changes.rebuild import Rebuild, Rebuilt
from pksk.changes.rounds import Consumption, Rounds, process
from pksk.changes.shards import MAX_PAGE_BYTES, SharedReaders
from pksk.changes.signals import stop_on_signals
from pksk.changes.status import ConsumerStatus, read_status
from pksk.changes.worker import Batch, Settings, Worker
from pksk.dataclass import replace
from pksk.errors import InvalidValue, did_you_mean, quote
from pksk.model.changes import Change
from pksk.model.changes.stream_changes import change_filter
from pksk.model.entity import Entity
from pksk.schema import Table
from pksk.sending import Core, Steps
from pksk.sending.async_driver import AsyncDriver
from pksk.sending.driver import Driver

E = TypeVar("E", bound=Entity)
Start: TypeAlias = Literal["oldest", "newest"]
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
_MAX_NAME = 100
# The service rejects a time in its future, so the newest changes begin a little before the present of this machine.
_CLOCK_DIFFERENCE = 10.0


def settings_of(
    *,
    consumer: str,
    state: str,
    start: Start,
    lease_seconds: float,
    now: float,
    max_records: int = Settings.max_records,
    max_bytes: int = Settings.max_bytes,
) -> Settings:
    """The settings of a consumer; rejects those that cannot be meant."""
    _check_name(consumer)
    if start not in ("oldest", "newest"):
        _reject(
            f"start={quote(start)} must be 'oldest' or 'newest'",
            did_you_mean(str(start), ("oldest", "newest")),
        )
    if (
        isinstance(lease_seconds, bool)
        or not isinstance(lease_seconds, int | float)
        or not 1 <= lease_seconds <= 3600
    ):
        _reject(f"lease_seconds={quote(lease_seconds)} must be a number from 1 to 3600")
    for name, value, least in (("max_records", max_records, 1), ("max_bytes", max_bytes, MAX_PAGE_BYTES)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            _reject(f"{name}={quote(value)} must be a whole number, {least:_} or more")
    position = OLDEST if start == "oldest" else f"@{floor(now - _CLOCK_DIFFERENCE)}"
    return Settings(
        consumer,
        state,
        start=position,
        lease_seconds=lease_seconds,
        max_records=max_records,
        max_bytes=max_bytes,
    )


def _check_name(consumer: object) -> None:
    if (
        not isinstance(consumer, str)
        or not 1 <= len(consumer) <= _MAX_NAME
        or not set(consumer) <= _NAME_CHARACTERS
    ):
        _reject(f"consumer={quote(consumer)} must have 1 to {_MAX_NAME} letters, digits, '-', '_' and '.'")


def _reject(problem: str, near: str = "") -> NoReturn:
    raise InvalidValue(
        "consumer-option",
        f"changes(): {problem}.",
        fix=f"did you mean {near!r}?" if near else 'write for example db.changes(shop, consumer="audit").',
    )


class _Consumer(Generic[E]):
    """What the synchronous and the asynchronous consumer share: their settings, and steps."""

    def __init__(
        self, core: Core, sources: Sequence[Table | type[Entity]], settings: Settings, *, follow: bool
    ) -> None:
        self._core, self._follow = core, follow
        self._running: Consumption | None = None
        self._filter = change_filter(sources)
        if len(self._filter.tables) != 1:
            raise InvalidValue(
                "consumer-option",
                f"changes(): {', '.join(map(repr, self._filter.tables))} are several tables, each with its own stream.",
                fix="read each table by itself; several entities of one table can be read together.",
            )
        (self._table,) = self._filter.tables.values()
        if settings.state == self._table.name:
            raise InvalidValue(
                "consumer-option",
                f"changes(): state={quote(settings.state)} is the table that is read, so each position that is stored "
                "would be a change of it.",
                fix="name another table, or leave state out.",
            )
        names = sorted(each.name for each in self._filter.entities)
        whole = bool(self._filter.whole_tables)
        self._settings = replace(settings, sources="the whole table" if whole else ", ".join(names))

    def _worker(self) -> Worker:
        return Worker(self._core, self._table, self._settings)

    @property
    def _state(self) -> ConsumerState:
        return ConsumerState(self._core, self._settings.state, self._settings.consumer, self._table.name)

    def consumption(
        self,
        handler: Callable[..., object],
        options: Delivery,
        readers: SharedReaders | None = None,
        *,
        follow: bool,
    ) -> Consumption:
        """What a program runs for this consumer: the rounds of a worker, and the delivery to a handler."""
        worker = Worker(self._core, self._table, self._settings, readers=readers)
        self._running = Consumption(
            Rounds(worker, follow=follow), Deliverer(worker, self._filter, handler, options)
        )
        return self._running

    @property
    def key(self) -> tuple[str, str]:
        """The table and the name of the consumer, which identify it."""
        return self._table.name, self._settings.consumer

    def metrics(self) -> str:
        """What `run` has done so far, in the format of Prometheus; empty before it starts. Any thread may call it.

        It has the changes delivered, the calls that failed, the dead letters, and for each shard that this worker reads
        how far it is behind. For a dead worker, look at `status()`.
        """
        return "" if self._running is None else worker_metrics(self._running, self._core.clock())

    def _rebuild(
        self, handler: Callable[..., object], options: Delivery, max_read_units: float | None
    ) -> Steps[Rebuilt]:
        rebuild = Rebuild(self._core, self._table, self._settings, self._filter, handler, options)
        return rebuild.run(max_read_units)


class Changes(_Consumer[E]):
    """The changes of a table for one consumer; `Store.changes` makes one.

    Iterating reads them one by one, from where this consumer stopped before. A change counts as processed when the
    loop asks for the next one; `break` and errors leave the current one for the next time.

    Example:
        >>> from pksk import Entity, Key, Table, connect
        >>> shop = Table("shop", stream=True)
        >>> class Order(Entity, table=shop):
        ...     id: str
        ...     total: int = 0
        ...     primary = Key("ORDER#{id}", "META")
        >>> db = connect("memory:")
        >>> db.create_tables(shop)
        >>> for total in (5, 6):
        ...     _ = db.put(Order(id="7", total=total))
        >>> for change in db.changes(Order, consumer="audit"):
        ...     print(change.kind, change.new.total)
        insert 5
        modify 6
        >>> list(db.changes(Order, consumer="audit"))
        []
    """

    def __init__(
        self,
        core: Core,
        driver: Driver,
        sources: Sequence[Table | type[Entity]],
        settings: Settings,
        *,
        follow: bool = False,
    ) -> None:
        super().__init__(core, sources, settings, follow=follow)
        self.driver = driver

    def __iter__(self) -> Iterator[Change[E]]:
        worker = self._worker()
        rounds = Rounds(worker, follow=self._follow)
        try:
            while (batches := self.driver.run(rounds.next())) is not None:
                for batch in batches:
                    yield from self._changes(worker, batch)
        finally:
            self.driver.run(worker.stop())

    def _changes(self, worker: Worker, batch: Batch) -> Iterator[Change[E]]:
        count = 0
        try:
            for entry in entries(batch, self._filter):
                if not self.driver.run(before_effect(worker, batch, count, entry)):
                    return
                if entry.change is not None:
                    yield entry.change
                count += 1
        finally:
            self.driver.run(worker.acknowledge(batch, count))

    def run(
        self,
        handler: Callable[[list[Change[E]]], None],
        *,
        batch_size: int = 100,
        attempts: int = 3,
        batch_bytes: int = 1_000_000,
        max_dead_letters: int = 100,
        follow: bool = True,
        stop: threading.Event | None = None,
    ) -> None:
        """Call a handler with lists of changes, until SIGTERM, SIGINT or `stop`.

        Changes count as processed when the handler returns. If it raises, it is called again with the same changes, and
        then with halves of them; a single change that fails `attempts` times becomes a dead letter. An outage
        (`ConnectionError`, `TimeoutError`, `ServiceUnreachable`, `RequestThrottled`, `OutcomeUnknown`) is waited for
        without end. A list has at most `batch_size` changes and `batch_bytes` of images, and fewer while the handler is
        slow. Without `follow`, it ends when it has caught up.
        """
        options = Delivery(batch_size, attempts, max_dead_letters, batch_bytes)
        with stop_on_signals(stop or threading.Event()) as stopped:
            self.driver.run(process([self.consumption(handler, options, follow=follow)], stopped.is_set))

    def rebuild(
        self,
        handler: Callable[[list[Change[E]]], None],
        *,
        batch_size: int = 100,
        attempts: int = 3,
        max_read_units: float | None = None,
    ) -> Rebuilt:
        """Call the handler with every item of the table as a new one, then go on with the current stream.

        All items have the `version` of the result, which is larger than those of all changes before, and smaller than
        those to come. It resumes where an earlier call stopped: by an error, or because `max_read_units` were used. If
        workers still hold leases, it waits for `lease_seconds` first, until they have noticed.
        """
        return self.driver.run(self._rebuild(handler, Delivery(batch_size, attempts), max_read_units))

    def status(self) -> ConsumerStatus:
        """The condition of the consumer, and for each shard its position, its owner and how far it is behind."""
        return self.driver.run(read_status(self._state, behind=True))

    def dead_letters(self) -> list[DeadLetter]:
        """The changes that could not be processed."""
        return self.driver.run(list_dead_letters(self._state))

    def retry(self, letter: DeadLetter, handler: Callable[[list[Change[E]]], None]) -> None:
        """Read the item of a dead letter again, call the handler with its present state, and drop the letter."""
        self.driver.run(retry_dead_letter(self._state, self._table, self._filter, letter, handler))

    def drop(self, letter: DeadLetter) -> None:
        """Drop a dead letter."""
        self.driver.run(drop_dead_letter(self._state, letter))


class AsyncChanges(_Consumer[E]):
    """The changes of a table for one consumer of an asynchronous store; see `Changes`."""

    def __init__(
        self,
        core: Core,
        driver: AsyncDriver,
        sources: Sequence[Table | type[Entity]],
        settings: Settings,
        *,
        follow: bool = False,
    ) -> None:
        super().__init__(core, sources, settings, follow=follow)
        self.driver = driver

    async def __aiter__(self) -> AsyncIterator[Change[E]]:
        worker = self._worker()
        rounds = Rounds(worker, follow=self._follow)
        try:
            while (batches := await self.driver.run(rounds.next())) is not None:
                for batch in batches:
                    count = 0
                    try:
                        for entry in entries(batch, self._filter):
                            if not await self.driver.run(before_effect(worker, batch, count, entry)):
                                break
                            if entry.change is not None:
                                yield entry.change
                            count += 1
                    finally:
                        await self.driver.run(worker.acknowledge(batch, count))
        finally:
            await self.driver.run(worker.stop())

    async def run(
        self,
        handler: Callable[[list[Change[E]]], Awaitable[None] | None],
        *,
        batch_size: int = 100,
        attempts: int = 3,
        batch_bytes: int = 1_000_000,
        max_dead_letters: int = 100,
        follow: bool = True,
        stop: threading.Event | None = None,
    ) -> None:
        """Await a handler with lists of changes, until a signal, `stop`, or the end of the task; see `Changes.run`."""
        options = Delivery(batch_size, attempts, max_dead_letters, batch_bytes)
        with stop_on_signals(stop or threading.Event()) as stopped:
            await self.driver.run(
                process([self.consumption(handler, options, follow=follow)], stopped.is_set)
            )

    async def rebuild(
        self,
        handler: Callable[[list[Change[E]]], Awaitable[None] | None],
        *,
        batch_size: int = 100,
        attempts: int = 3,
        max_read_units: float | None = None,
    ) -> Rebuilt:
        """Await the handler with every item of the table; see `Changes.rebuild`."""
        return await self.driver.run(self._rebuild(handler, Delivery(batch_size, attempts), max_read_units))

    async def status(self) -> ConsumerStatus:
        """The condition of the consumer, and for each shard its position, its owner and how far it is behind."""
        return await self.driver.run(read_status(self._state, behind=True))

    async def dead_letters(self) -> list[DeadLetter]:
        """The changes that could not be processed."""
        return await self.driver.run(list_dead_letters(self._state))

    async def retry(
        self, letter: DeadLetter, handler: Callable[[list[Change[E]]], Awaitable[None] | None]
    ) -> None:
        """Read the item of a dead letter again, await the handler with its present state, and drop the letter."""
        await self.driver.run(retry_dead_letter(self._state, self._table, self._filter, letter, handler))

    async def drop(self, letter: DeadLetter) -> None:
        """Drop a dead letter."""
        await self.driver.run(drop_dead_letter(self._state, letter))
