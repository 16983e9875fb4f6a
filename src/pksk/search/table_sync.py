"""Follows the stream of one table into a sink, and fills the sink from the table; steps, which a driver runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pksk.changes import AsyncChanges, Changes
from pksk.changes.consumer_state import ConsumerState
from pksk.changes.delivery import Delivery
from pksk.changes.rounds import process
from pksk.changes.shards import stream_of
from pksk.client import ServiceError
from pksk.dataclass import dataclass
from pksk.errors import DesignError, ItemUnreadable
from pksk.model.changes import Change
from pksk.model.changes.stream_changes import ChangeFilter, read_change
from pksk.schema import Table
from pksk.search.item_documents import ItemDocuments
from pksk.search.search_index import SearchIndex
from pksk.search.sink import EPOCH_SHIFT, FailedItem, ItemWrite, Outcome, Sink
from pksk.sending import Core, Steps, send
from pksk.values import WireItem

# Once the epochs of a consumer were lost, the next one is this much above those in the index, so that a request of a
# former worker that arrives late has a lower one.
_MARGIN: Final = 1024
_MAX_EPOCH: Final = (1 << 23) - 1


class FencingSignal(BaseException):
    """The index has a version of a later epoch than this worker's, who may have lost its lease.

    It passes through the consumer, which must neither repeat the changes nor acknowledge them; `follow` catches it.
    """

    def __init__(self, table: str, epoch: int) -> None:
        super().__init__(table, epoch)
        self.table, self.epoch = table, epoch


@dataclass
class SyncCounts:
    """What this program has written: items applied, superseded, and rejected, and how often it was fenced."""

    applied: int = 0
    superseded: int = 0
    rejected: int = 0
    fenced: int = 0

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Count these outcomes."""
        for each in outcomes:
            setattr(self, each.status, getattr(self, each.status) + 1)


@dataclass(frozen=True)
class Backfilled:
    """What a backfill has done: items read, those written, dead letters, and the read units that it took."""

    items: int
    applied: int
    rejected: int
    read_units: float


class TableSync:
    """One table of an index: the handler of its changes, and the scans that fill the index."""

    def __init__(
        self,
        changes: Changes[Any] | AsyncChanges[Any],
        table: Table,
        index: SearchIndex,
        sink: Sink,
        counts: SyncCounts,
    ) -> None:
        if table.stream != "NEW_AND_OLD_IMAGES":
            raise DesignError(
                "search-stream",
                f"Index {index.name!r}: the stream of table {table.name!r} has the view {table.stream!r}.",
                expected="A sync needs the new image of an item, and the old one if another entity has replaced it.",
                fix=f"declare Table({table.name!r}, stream=True), and call db.ensure_tables(...).",
            )
        self.changes, self.table, self.index, self.sink, self.counts = changes, table, index, sink, counts
        # The parts of the consumer that its scans share.
        self.core: Core = changes._core
        self.filter: ChangeFilter = changes._filter
        self.settings = changes._settings
        self.state: ConsumerState = changes._state

    # The handler

    def handle(self, changes: Sequence[Change[Any]]) -> None:
        """Write the items of changes at their versions; raises a signal if one has a version of a later epoch."""
        outcomes = self.apply([self.write_of(each) for each in changes])
        fenced = [each.version >> EPOCH_SHIFT for each in outcomes if each.status == "fenced"]
        if fenced:
            raise FencingSignal(self.table.name, max(fenced))

    def apply(self, writes: Sequence[ItemWrite]) -> list[Outcome]:
        """Apply writes, and count what became of them."""
        outcomes = self.sink.apply(writes) if writes else []
        self.counts.add(outcomes)
        return outcomes

    def write_of(self, change: Change[Any]) -> ItemWrite:
        """The item of a change as it is afterwards; its documents may be computed by code that fails."""
        if change.new is None:
            return ItemWrite(self.removed(change.key, change.entity.__name__), change.version)
        try:
            return ItemWrite(self.index.documents_of(change.new), change.version)
        except DesignError:
            raise
        except Exception as error:
            removed = self.removed(change.key, change.entity.__name__)
            return ItemWrite(removed, change.version, error=f"{type(error).__name__}: {error}")

    def removed(self, key: WireItem, entity: str = "") -> ItemDocuments:
        """The item with this key, without documents."""
        return self.index.removed(self.table, key, entity)

    # Epochs

    def prepare(self) -> Steps[None]:
        """Let the next epoch be above those in the index, which it is not if the state of the consumer was lost."""
        highest = self.sink.highest_version(self.table.name) >> EPOCH_SHIFT
        record = yield from self.state.read()
        if record is None and highest:
            stream = yield from stream_of(self.core, self.table)
            record = yield from self.state.create(stream, self.settings.start, self.settings.sources)
        if record is not None and record.epoch < highest:
            yield from self.raise_epoch(min(highest + _MARGIN, _MAX_EPOCH - _MARGIN))

    def raise_epoch(self, epoch: int) -> Steps[None]:
        """Let the next epoch be above this one, unless it is anyway."""
        request = self.state.request(
            "consumer", "SET epoch = :e", {":e": {"N": str(epoch)}}, condition="epoch < :e"
        )
        try:
            yield from send(self.core, "UpdateItem", request)
        except ServiceError as error:
            if error.code != "ConditionalCheckFailedException":
                raise

    def next_version(self) -> Steps[int]:
        """A version above those of all changes that were written, and below those of leases taken later."""
        yield from self.prepare()
        epoch = yield from self.state.draw_epoch()
        while epoch is None:
            stream = yield from stream_of(self.core, self.table)
            yield from self.state.create(stream, self.settings.start, self.settings.sources)
            epoch = yield from self.state.draw_epoch()
        return epoch << EPOCH_SHIFT

    # A rebuild after missed changes

    def write_rebuilt(self, changes: Sequence[Change[Any]]) -> None:
        """Write the items that a rebuild has read, unless a repair has written them since."""
        self.apply([self.write_of(each) for each in changes])

    def end_rebuild(self, version: int) -> None:
        """Remove what the rebuild of this version has not found in the table."""
        self.sink.sweep(self.table.name, version)

    # Scans

    def backfill(self) -> Steps[Backfilled]:
        """Write every item that the index does not have yet, beside the live stream.

        The consumer has begun before the first item is read, so that whatever changes later comes through the stream,
        with a higher version.
        """
        record = yield from self.state.read()
        if record is None or not record.begun or record.condition != "reading":
            yield from follow([self], lambda: False, keep_running=False)
        statuses: Counter[str] = Counter()

        def write(scanned: list[ItemWrite]) -> None:
            statuses.update(each.status for each in self.apply(scanned))

        units = yield from self.scan(write)
        return Backfilled(statuses.total(), statuses["applied"], statuses["rejected"], units)

    def scan(self, take: Callable[[list[ItemWrite]], None]) -> Steps[float]:
        """Read every item of the table as it is to be shown, at version 0, page by page; returns the read units."""
        units = 0.0
        start = None
        while True:
            page = yield from self._page(start)
            units += float(page.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0))
            take(list(self.scanned(page["Items"])))
            start = page.get("LastEvaluatedKey")
            if start is None:
                return units

    def _page(self, start: Mapping[str, Any] | None) -> Steps[dict[str, Any]]:
        request: dict[str, Any] = {
            "TableName": self.table.name,
            "ConsistentRead": True,
            "ReturnConsumedCapacity": "TOTAL",
        }
        if start is not None:
            request["ExclusiveStartKey"] = start
        return (yield from send(self.core, "Scan", request))

    def scanned(self, items: Iterable[WireItem]) -> Iterator[ItemWrite]:
        """The items of the index's entities among stored items; one that is unreadable has an error."""
        for item in items:
            key = {name: item[name] for name in self.table.key_attributes}
            write = self._read(key, item)
            if write is not None:
                yield write

    def _read(self, key: WireItem, item: WireItem | None) -> ItemWrite | None:
        if item is None:
            return ItemWrite(self.removed(key))
        try:
            change = read_change(
                {"eventName": "INSERT", "dynamodb": {"Keys": key, "NewImage": item}}, self.filter
            )
        except ItemUnreadable as error:
            return ItemWrite(self.removed(key), error=f"{type(error).__name__}: {error}")
        return None if change is None else self.write_of(change)

    def read_item(self, key: WireItem) -> Steps[ItemWrite]:
        """An item as it is now, or as removed if there is none of the index's entities."""
        request = {"TableName": self.table.name, "Key": key, "ConsistentRead": True}
        item = (yield from send(self.core, "GetItem", request)).get("Item")
        return self._read(key, item) or ItemWrite(self.removed(key))

    def retry(self, letter: FailedItem) -> Steps[Outcome]:
        """Read the item of a dead letter again, write it at the version of the letter, and drop the letter."""
        write = yield from self.read_item(letter.key)
        (outcome,) = self.apply([ItemWrite(write.item, letter.version, write.error)])
        if outcome.status != "rejected":
            self.sink.drop(letter.id)
        return outcome


def follow(
    tables: Sequence[TableSync],
    is_stopped: Callable[[], bool],
    *,
    keep_running: bool = True,
    options: Delivery | None = None,
) -> Steps[None]:
    """Apply the changes of tables until stopped, or until all are applied.

    After a fencing signal, the worker has given up its leases. If another one has them, the new epochs are its own. If
    not, as after a repair, this worker takes them again with an epoch above the one that it saw, and goes on from the
    position that was stored.
    """
    while not is_stopped():
        for each in tables:
            yield from each.prepare()
        consumptions = [
            each.changes.consumption(each.handle, options or Delivery(), follow=keep_running)
            for each in tables
        ]
        try:
            yield from process(consumptions, is_stopped)
            return
        except FencingSignal as signal:
            for each in tables:
                if each.table.name == signal.table:
                    yield from each.raise_epoch(signal.epoch)
