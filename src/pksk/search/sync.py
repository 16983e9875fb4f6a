"""Keeps an index in step with its tables: follows their streams, fills, verifies and repairs it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from pksk.changes import AsyncChanges, Changes, ConsumerStatus, DeadLetter, Rebuilt
from pksk.changes.dead_letters import drop_dead_letter, list_dead_letters
from pksk.changes.delivery import Delivery
from pksk.changes.signals import stop_on_signals
from pksk.changes.status import read_status
from pksk.errors import InvalidValue, quote
from pksk.search.search_index import SearchIndex
from pksk.search.sink import FailedItem, Outcome, Sink
from pksk.search.table_sync import Backfilled, SyncCounts, TableSync, follow
from pksk.search.verification import Repaired, Verified, repair, verify
from pksk.sending import Steps

if TYPE_CHECKING:
    from pksk.store import AsyncStore, Store

R = TypeVar("R")


class _Sync:
    """What the synchronous and the asynchronous sync share: the parts for each table, and steps."""

    def __init__(
        self,
        db: Any,
        index: SearchIndex,
        sink: Sink,
        *,
        consumer: str = "",
        state: str = "pksk-changes",
        lease_seconds: float = 30.0,
    ) -> None:
        self.index, self.sink, self.counts = index, sink, SyncCounts()
        self.consumer = consumer or f"search-{index.name}"
        self.tables: dict[str, TableSync] = {}
        for name, table in index.tables.items():
            entities = [each for each in index.entities if each.__pksk__.table is table]
            changes: Changes[Any] | AsyncChanges[Any] = db.changes(
                *entities, consumer=self.consumer, state=state, lease_seconds=lease_seconds
            )
            self.tables[name] = TableSync(changes, table, index, sink, self.counts)

    def _follow(self, stopped: threading.Event, *, keep_running: bool, batch_size: int) -> Steps[None]:
        options = Delivery(batch_size=batch_size)
        return follow(list(self.tables.values()), stopped.is_set, keep_running=keep_running, options=options)

    def _backfill(self) -> Steps[Backfilled]:
        total = Backfilled(0, 0, 0, 0.0)
        for each in self.tables.values():
            one = yield from each.backfill()
            total = Backfilled(
                total.items + one.items,
                total.applied + one.applied,
                total.rejected + one.rejected,
                total.read_units + one.read_units,
            )
        return total

    def _status(self) -> Steps[list[ConsumerStatus]]:
        statuses = []
        for each in self.tables.values():
            statuses.append((yield from read_status(each.state, behind=True)))
        return statuses

    def _dead_letters(self) -> Steps[list[FailedItem]]:
        """The dead letters of the sink, and the changes of items that do not fit their entity and never reached it."""
        letters = {each.id: each for each in self.sink.dead_letters()}
        for table in self.tables.values():
            for one in (yield from _unreadable(table)):
                if one.id not in letters or letters[one.id].version < one.version:
                    letters[one.id] = one
        return sorted(letters.values(), key=lambda each: each.id)

    def _retry(self, letter: FailedItem) -> Steps[Outcome]:
        outcome = yield from self._table(letter).retry(letter)
        if outcome.status != "rejected":
            yield from _drop(self._table(letter), letter)
        return outcome

    def _drop_letter(self, letter: FailedItem) -> Steps[None]:
        self.sink.drop(letter.id)
        yield from _drop(self._table(letter), letter)

    def _table(self, letter: FailedItem) -> TableSync:
        if letter.table not in self.tables:
            raise InvalidValue(
                "search-dead-letter",
                f"The dead letter {quote(letter.id)} is of table {quote(letter.table)}.",
                expected=f"Tables of index {self.index.name!r} are: {', '.join(self.tables)}.",
                fix="pass one of sync.dead_letters().",
            )
        return self.tables[letter.table]

    def metrics(self) -> str:
        """What this program has written and how far it is behind, for Prometheus. Any thread may call it."""
        return "\n".join([*self._metric_lines(), *(each.changes.metrics() for each in self.tables.values())])

    def _metric_lines(self) -> Iterator[str]:
        yield "# HELP pksk_search_items_total Items written to a search index, by what became of them."
        yield "# TYPE pksk_search_items_total counter"
        for status in ("applied", "superseded", "rejected", "fenced"):
            value = getattr(self.counts, status)
            yield f'pksk_search_items_total{{index="{self.index.name}",outcome="{status}"}} {value}'


class Sync(_Sync):
    """Keeps an index in step with its tables through their streams.

    Its versions make late, repeated and reordered writes harmless: once all changes are applied, the index equals the
    tables. It is one consumer of changes, `search-` and the name of the index unless named otherwise; several programs
    with the same one share the work.

    Example:
        >>> from pksk import Entity, Key, Table, connect
        >>> from pksk.search import EmbeddedSink, SearchDocument, SearchIndex, Sync, Text
        >>> reference = Table("reference", stream=True)
        >>> class Park(Entity, table=reference):
        ...     id: str
        ...     name: str
        ...     primary = Key("PARK#{id}", "META")
        ...     search = SearchDocument({"name": Text(boost=3)})
        >>> db = connect("memory:")
        >>> db.create_tables(reference)
        >>> _ = db.put(Park(id="1", name="Joffre Lakes"))
        >>> places = SearchIndex("places", Park)
        >>> sync = Sync(db, places, EmbeddedSink(places))
        >>> sync.run(follow=False)
        >>> sync.counts.applied, sync.verify().differences
        (1, ())
    """

    def __init__(
        self,
        db: Store,
        index: SearchIndex,
        sink: Sink,
        *,
        consumer: str = "",
        state: str = "pksk-changes",
        lease_seconds: float = 30.0,
    ) -> None:
        super().__init__(db, index, sink, consumer=consumer, state=state, lease_seconds=lease_seconds)

    def _run(self, steps: Steps[R]) -> R:
        for each in self.tables.values():
            driver: Any = each.changes.driver
            result: R = driver.run(steps)
            return result
        raise AssertionError("an index has a table")

    def run(self, *, follow: bool = True, batch_size: int = 100, stop: threading.Event | None = None) -> None:
        """Apply changes until SIGTERM, SIGINT or `stop`; without `follow`, until all are applied."""
        with stop_on_signals(stop or threading.Event()) as stopped:
            self._run(self._follow(stopped, keep_running=follow, batch_size=batch_size))

    def backfill(self) -> Backfilled:
        """Write every item that the index does not have, beside the live stream; fills a new index."""
        return self._run(self._backfill())

    def rebuild(self, *, max_read_units: float | None = None) -> list[Rebuilt]:
        """Make the index anew from the tables, after changes were missed, and go on with the current streams.

        Within `max_read_units`, the next call goes on. What is no longer in a table is removed at its end.
        """
        results = []
        for table in self.tables.values():
            self._run(table.prepare())
            changes: Any = table.changes
            result: Rebuilt = changes.rebuild(table.write_rebuilt, max_read_units=max_read_units)
            if result.complete:
                table.end_rebuild(result.version)
            results.append(result)
        return results

    def verify(self, *, deep: bool = False, settle_seconds: float = 5.0) -> Verified:
        """Compare index and tables by digests of buckets, and list the items that differ.

        A difference may be a change that is on its way, so each is looked at again for up to `settle_seconds`.
        With `deep`, it also computes the digest of every document in the index, and finds those edited by hand.
        """
        return self._run(verify(self.sink, list(self.tables.values()), settle_seconds, deep=deep))

    def repair(self, verified: Verified) -> Repaired:
        """Write the items that differ as they are in the tables now."""
        return self._run(repair(self.tables, verified.differences))

    def status(self) -> list[ConsumerStatus]:
        """For each table, the condition of the consumer and how far it is behind."""
        return self._run(self._status())

    def dead_letters(self) -> list[FailedItem]:
        """The items that could not be indexed, by id."""
        return self._run(self._dead_letters())

    def retry(self, letter: FailedItem) -> Outcome:
        """Read the item of a dead letter again and write it; the letter is dropped unless it fails again."""
        return self._run(self._retry(letter))

    def drop(self, letter: FailedItem) -> None:
        """Drop a dead letter."""
        self._run(self._drop_letter(letter))


class AsyncSync(_Sync):
    """The sync of an asynchronous store; see `Sync`. Its sink is called in the event loop."""

    def __init__(
        self,
        db: AsyncStore,
        index: SearchIndex,
        sink: Sink,
        *,
        consumer: str = "",
        state: str = "pksk-changes",
        lease_seconds: float = 30.0,
    ) -> None:
        super().__init__(db, index, sink, consumer=consumer, state=state, lease_seconds=lease_seconds)

    async def _run(self, steps: Steps[R]) -> R:
        for each in self.tables.values():
            driver: Any = each.changes.driver
            result: R = await driver.run(steps)
            return result
        raise AssertionError("an index has a table")

    async def run(
        self, *, follow: bool = True, batch_size: int = 100, stop: threading.Event | None = None
    ) -> None:
        """Apply changes until a signal, `stop` or the end of the task; without `follow`, until all are applied."""
        with stop_on_signals(stop or threading.Event()) as stopped:
            await self._run(self._follow(stopped, keep_running=follow, batch_size=batch_size))

    async def backfill(self) -> Backfilled:
        """Write every item that the index does not have; see `Sync.backfill`."""
        return await self._run(self._backfill())

    async def rebuild(self, *, max_read_units: float | None = None) -> list[Rebuilt]:
        """Make the index anew from the tables; see `Sync.rebuild`."""
        results = []
        for table in self.tables.values():
            await self._run(table.prepare())
            changes: Any = table.changes
            result: Rebuilt = await changes.rebuild(table.write_rebuilt, max_read_units=max_read_units)
            if result.complete:
                table.end_rebuild(result.version)
            results.append(result)
        return results

    async def verify(self, *, deep: bool = False, settle_seconds: float = 5.0) -> Verified:
        """Compare index and tables; see `Sync.verify`."""
        return await self._run(verify(self.sink, list(self.tables.values()), settle_seconds, deep=deep))

    async def repair(self, verified: Verified) -> Repaired:
        """Write the items that differ as they are in the tables now."""
        return await self._run(repair(self.tables, verified.differences))

    async def status(self) -> list[ConsumerStatus]:
        """For each table, the condition of the consumer and how far it is behind."""
        return await self._run(self._status())

    async def dead_letters(self) -> list[FailedItem]:
        """The items that could not be indexed, by id."""
        return await self._run(self._dead_letters())

    async def retry(self, letter: FailedItem) -> Outcome:
        """Read the item of a dead letter again and write it; the letter is dropped unless it fails again."""
        return await self._run(self._retry(letter))

    async def drop(self, letter: FailedItem) -> None:
        """Drop a dead letter."""
        await self._run(self._drop_letter(letter))


def _consumer_letters(table: TableSync) -> Steps[list[DeadLetter]]:
    record = yield from table.state.read()
    return [] if record is None else (yield from list_dead_letters(table.state))


def _unreadable(table: TableSync) -> Steps[list[FailedItem]]:
    letters = yield from _consumer_letters(table)
    return [
        FailedItem(
            table.removed(each.key).id, table.table.name, each.key, each.version, each.reason, each.count
        )
        for each in letters
    ]


def _drop(table: TableSync, letter: FailedItem) -> Steps[None]:
    for each in (yield from _consumer_letters(table)):
        if each.key == letter.key and each.version <= letter.version:
            yield from drop_dead_letter(table.state, each)
