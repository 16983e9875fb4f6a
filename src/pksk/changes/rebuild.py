"""Reads a whole table for a consumer that has missed changes, and lets it go on with the current stream."""

from __future__ import annotations

from collections.abc import Mapping
from logging import getLogger
from math import floor
from typing import Any, Final
from uuid import uuid4

from pksk.changes.consumer_state import OLDEST, ORDINAL_BITS, ConsumerRecord, ConsumerState, Lease
from pksk.changes.dead_letters import add_dead_letter
from pksk.changes.delivery import Delivery
from pksk.changes.handler import Handler, call_handler, check_handler
from pksk.changes.shards import first_position, list_shards, stream_of
from pksk.changes.worker import Settings
from pksk.dataclass import dataclass, replace
from pksk.errors import InvalidValue, ItemUnreadable, StoreError, quote
from pksk.model.changes import Change
from pksk.model.changes.stream_changes import ChangeFilter, read_change
from pksk.schema import Table
from pksk.sending import Core, Pause, Steps, send

# The first page of a rebuild with a budget shows what an item costs; none costs less than a byte's share of a unit.
_FIRST_PAGE: Final = 10
_LEAST_UNITS: Final = 1 / 4096
_FROM_THE_START: Final[Mapping[str, Any]] = {}
_LOG = getLogger("pksk.changes")


@dataclass(frozen=True)
class Rebuilt:
    """What a rebuild has done: items delivered, items that could not be, read units, and whether it is complete.

    `version` is that of all its items: what has a smaller one afterwards is no longer in the table.
    """

    items: int
    dead_letters: int
    read_units: float
    complete: bool
    version: int


class Rebuild:
    """Delivers every item of a table as a change, all with the version of the epoch in which the rebuild began.

    The position in the stream is recorded first: whatever changes after that is delivered again from the stream, with
    a higher version. What workers from before the rebuild still write has a lower one. If the position is trimmed
    before the rebuild ends, the consumer is stale again.
    """

    def __init__(
        self,
        core: Core,
        table: Table,
        settings: Settings,
        changes: ChangeFilter,
        handler: Handler,
        options: Delivery,
    ) -> None:
        self.core, self.table, self.changes, self.handler, self.options = (
            core,
            table,
            changes,
            handler,
            options,
        )
        self.sources = settings.sources
        self.state = ConsumerState(core, settings.state, settings.consumer, table.name)
        self.consumer, self.owner = settings.consumer, uuid4().hex[:16]
        self.lease_seconds = settings.lease_seconds
        self.record = ConsumerRecord("", "rebuilding", 0)
        self._items = self._scanned = self._dead = 0
        self._units = 0.0

    def run(self, max_read_units: float | None) -> Steps[Rebuilt]:
        """Read the table to its end, or until the units are used; then the next call goes on from there."""
        check_handler(self.handler)
        if max_read_units is not None and (
            isinstance(max_read_units, bool)
            or not isinstance(max_read_units, int | float)
            or not max_read_units > 0
        ):
            raise InvalidValue(
                "consumer-option",
                f"rebuild(): max_read_units={quote(max_read_units)} must be a number above 0, or None.",
                fix="leave it out to read the whole table in one call.",
            )
        cursor: Mapping[str, Any] | None = yield from self._begin()
        while True:
            page = yield from self._page(cursor, self._limit(max_read_units))
            self._scanned += len(page["Items"])
            for first in range(0, len(page["Items"]), self.options.batch_size):
                yield from self._deliver(page["Items"][first : first + self.options.batch_size])
            cursor = page.get("LastEvaluatedKey")
            yield from self._note(cursor)
            if cursor is None:
                return self._rebuilt(complete=True)
            if max_read_units is not None and self._units >= max_read_units:
                return self._rebuilt(complete=False)

    @property
    def version(self) -> int:
        """The version of all items: larger than that of every change before, and smaller than those to come."""
        return self.record.rebuild << ORDINAL_BITS

    def _rebuilt(self, *, complete: bool) -> Rebuilt:
        return Rebuilt(self._items, self._dead, self._units, complete, self.version)

    def _begin(self) -> Steps[Mapping[str, Any]]:
        """Where an earlier rebuild of the same stream stopped; or the start, with the position recorded."""
        stream = yield from stream_of(self.core, self.table)
        record = yield from self.state.read()
        if record is None:
            record = yield from self.state.create(stream, OLDEST, self.sources)
        self.record = record
        same = (record.condition, record.stream, record.sources) == ("rebuilding", stream, self.sources)
        if same and record.cursor is not None:
            yield from self.state.resume_rebuild(self.owner)
            return record.cursor
        self.record = yield from self.state.start_rebuild(stream, self.sources, self.owner)
        were_held = yield from self.state.remove_leases(before=self.record.rebuild)
        if were_held or record.condition == "rebuilding":
            # A worker notices that its lease is gone when it renews it.
            _LOG.info(
                "the rebuild of consumer %r waits %g s for workers to end", self.consumer, self.lease_seconds
            )
            yield Pause(self.lease_seconds)
        yield from self._record_position(stream)
        yield from self._note(_FROM_THE_START)
        return _FROM_THE_START

    def _note(self, cursor: Mapping[str, Any] | None) -> Steps[None]:
        """Store how far the rebuild has come."""
        if not (yield from self.state.continue_rebuild(self.owner, self.record.rebuild, cursor)):
            raise _taken_over(self.consumer, self.table)

    def _record_position(self, stream: str) -> Steps[None]:
        """Begin with the open shards: the scan shows what the others have."""
        for shard in (yield from list_shards(self.core, stream)).values():
            lease = Lease(shard.id, shard.parent, ended=shard.closed)
            if not shard.closed:
                position = yield from first_position(self.core, stream, shard, OLDEST)
                lease = replace(lease, position=position or OLDEST)
            yield from self.state.add_lease(self.record.leases, lease)

    def _limit(self, max_read_units: float | None) -> int | None:
        """How many items the next page may have, so that it stays within the units by what items have cost so far."""
        if max_read_units is None:
            return None
        per_item = self._units / self._scanned if self._scanned else max_read_units / _FIRST_PAGE
        return max(1, floor((max_read_units - self._units) / max(per_item, _LEAST_UNITS)))

    def _page(self, cursor: Mapping[str, Any] | None, limit: int | None) -> Steps[dict[str, Any]]:
        request: dict[str, Any] = {
            "TableName": self.table.name,
            "ConsistentRead": True,
            "ReturnConsumedCapacity": "TOTAL",
        }
        if limit is not None:
            request["Limit"] = limit
        if cursor:
            request["ExclusiveStartKey"] = cursor
        page = yield from send(self.core, "Scan", request)
        self._units += page.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0)
        return page

    def _deliver(self, items: list[dict[str, Any]]) -> Steps[None]:
        records = [self._record(item) for item in items]
        changes: list[Change[Any]] = []
        for record in records:
            try:
                change = read_change(record, self.changes, self.version)
            except ItemUnreadable as error:
                self._dead += 1
                yield from add_dead_letter(self.state, record, "rebuild", error, self.version)
                continue
            if change is not None:
                changes.append(change)
        for attempt in range(1, self.options.attempts + 1):
            try:
                if changes:
                    yield from call_handler(self.core, self.table, self.consumer, self.handler, changes)
                break
            except Exception:
                if attempt == self.options.attempts:
                    raise
                yield Pause(self.core.chance() * 2.0**attempt)
        self._items += len(changes)

    def _record(self, item: dict[str, Any]) -> dict[str, Any]:
        """The item as the stream record of a new one."""
        key = {name: item[name] for name in self.table.key_attributes}
        return {
            "eventName": "INSERT",
            "dynamodb": {"Keys": key, "NewImage": item, "SequenceNumber": _key_text(key)},
        }


def _key_text(key: Mapping[str, Any]) -> str:
    return "#".join(str(value) for wire in key.values() for value in wire.values())


def _taken_over(consumer: str, table: Table) -> StoreError:
    return StoreError(
        "consumer-rebuild-taken",
        f"Another program reads table {table.name!r} for consumer {consumer!r} by now.",
        expected="A rebuild has one program, which goes on where the other one stopped.",
        fix="let that program finish.",
    )
