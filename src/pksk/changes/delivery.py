"""Delivers batches to a handler: again after an error, in halves if it persists, and then as dead letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from logging import getLogger
from typing import Any, Final

from pksk.changes.batch_size import BatchSize
from pksk.changes.dead_letters import add_dead_letter, text_of
from pksk.changes.handler import Handler, call_handler, check_handler
from pksk.changes.worker import Batch, Worker
from pksk.dataclass import dataclass, field
from pksk.errors import (
    DesignError,
    InvalidValue,
    ItemUnreadable,
    OutcomeUnknown,
    PkskError,
    RequestThrottled,
    ServiceUnreachable,
    StoreError,
    quote,
)
from pksk.model.changes import Change
from pksk.model.changes.stream_changes import ChangeFilter, read_change
from pksk.sending import Pause, Steps

# Errors of the systems that a handler calls, and not of the changes: the call is repeated until it succeeds.
OUTAGES: Final = (ConnectionError, TimeoutError, ServiceUnreachable, RequestThrottled, OutcomeUnknown)
FIRST_PAUSE: Final = 0.2
MAX_PAUSE: Final = 10.0
_LOG = getLogger("pksk.changes")


@dataclass(frozen=True)
class Delivery:
    """How changes are delivered: how many at once, and how often before the handler's error counts.

    A list has at most `batch_size` changes and `batch_bytes`, or one change that is larger. After `max_dead_letters` in
    a row, the worker stops: then the handler is broken, and not the changes.
    """

    batch_size: int = 100
    attempts: int = 3
    max_dead_letters: int = 100
    batch_bytes: int = 1_000_000

    def __post_init__(self) -> None:
        for name in ("batch_size", "attempts", "max_dead_letters", "batch_bytes"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InvalidValue(
                    "consumer-option",
                    f"run(): {name}={quote(value)} must be a whole number, 1 or more.",
                    fix=f"the default is {name}={Delivery.__dataclass_fields__[name].default:_}.",
                )


@dataclass
class Counts:
    """What a worker has done since it started."""

    delivered: int = 0
    failed_calls: int = 0
    dead_letters: int = 0
    buffered: int = field(default=0)


@dataclass(frozen=True)
class Entry:
    """One record of a batch: its change, its error, or neither if its item is of no requested entity."""

    change: Change[Any] | None
    error: PkskError | None = None


def entries(batch: Batch, changes: ChangeFilter) -> list[Entry]:
    """The records of a batch as changes, with their versions."""
    return [_entry(batch, index, record, changes) for index, record in enumerate(batch.records)]


def before_effect(worker: Worker, batch: Batch, index: int, entry: Entry) -> Steps[bool]:
    """Whether the lease is still held before the effect of an entry; one that is unreadable becomes a dead letter."""
    if index and worker.is_due(batch.held):
        held = yield from worker.acknowledge(batch, index)
    else:
        held = yield from worker.confirm(batch.held)
    if held and entry.error is not None:
        yield from _add_dead_letter(worker, batch, index, entry.error)
    return held


def _add_dead_letter(worker: Worker, batch: Batch, index: int, error: Exception) -> Steps[None]:
    shard, version = batch.held.lease.shard, batch.version(index)
    yield from add_dead_letter(worker.state, batch.records[index], shard, error, version)


def _entry(batch: Batch, index: int, record: Any, changes: ChangeFilter) -> Entry:
    try:
        return Entry(read_change(record, changes, batch.version(index)))
    except ItemUnreadable as error:
        return Entry(None, error)


class Deliverer:
    """Delivers the batches of one worker to one handler."""

    def __init__(self, worker: Worker, changes: ChangeFilter, handler: Handler, options: Delivery) -> None:
        check_handler(handler)
        self.worker, self.changes, self.handler, self.options = worker, changes, handler, options
        self.counts = Counts()
        # A call that takes long must still end before another worker takes the lease.
        self.size = BatchSize(options.batch_size, slow_seconds=worker.settings.lease_seconds / 4)
        # How long to wait before the next delivery; longer the longer an outage lasts.
        self.pause = 0.0
        self._outages = self._dead_in_a_row = 0
        # The other workers of this program, which keep their leases while this handler is busy.
        self.companions: Sequence[Worker] = ()

    def deliver(self, batch: Batch, is_stopped: Callable[[], bool] = lambda: False) -> Steps[None]:
        """Deliver a batch, until the lease is lost, an outage begins, or the worker is stopped."""
        batch_entries = entries(batch, self.changes)
        self.counts.buffered = len(batch_entries)
        first = 0
        while first < len(batch_entries) and not is_stopped():
            last = self._end(batch, batch_entries, first)
            if not (yield from self._deliver(batch, batch_entries, first, last)):
                break
            first = last
            self.counts.buffered = len(batch_entries) - first
            yield from self._renew_companions()
        self.counts.buffered = 0

    def _renew_companions(self) -> Steps[None]:
        for each in self.companions:
            try:
                yield from each.renew()
            except OUTAGES:
                continue  # its next round reports it

    def _end(self, batch: Batch, batch_entries: Sequence[Entry], first: int) -> int:
        """The end of the entries that are delivered together: one with an error is by itself."""
        size_bytes = 0
        for index in range(first, min(first + self.size.current, len(batch_entries))):
            size_bytes += int(batch.records[index]["dynamodb"].get("SizeBytes") or 0)
            if batch_entries[index].error is not None or size_bytes > self.options.batch_bytes:
                return max(index, first + 1)
        return min(first + self.size.current, len(batch_entries))

    def _deliver(self, batch: Batch, batch_entries: Sequence[Entry], first: int, last: int) -> Steps[bool]:
        """Deliver the entries from first to last and acknowledge them; False to go no further for now."""
        entry = batch_entries[first]
        if entry.error is not None:
            return (yield from self._bury(batch, first, entry.error))
        changes = [each.change for each in batch_entries[first:last] if each.change is not None]
        error = (yield from self._try(batch, changes)) if changes else None
        if error is None:
            self._dead_in_a_row = 0
            self.counts.delivered += len(changes)
            return (yield from self.worker.acknowledge(batch, last))
        if isinstance(error, _GoNoFurther):
            return False
        if len(changes) == 1:
            position = next(
                index for index in range(first, last) if batch_entries[index].change is changes[0]
            )
            return (yield from self._bury(batch, position, error)) and (
                yield from self.worker.acknowledge(batch, last)
            )
        middle = (first + last) // 2
        return (yield from self._deliver(batch, batch_entries, first, middle)) and (
            yield from self._deliver(batch, batch_entries, middle, last)
        )

    def _try(self, batch: Batch, changes: list[Change[Any]]) -> Steps[Exception | None]:
        """The error that remains after all attempts, or None."""
        for attempt in range(1, self.options.attempts + 1):
            if not (yield from self.worker.confirm(batch.held)):
                return _GoNoFurther()
            try:
                yield from self._call(changes)
            except DesignError:
                raise
            except OUTAGES as error:
                return self._begin_outage(error)
            except Exception as error:
                self.counts.failed_calls += 1
                if attempt == self.options.attempts:
                    return error
                yield Pause(self._pause_after(attempt))
            else:
                self._outages = 0
                return None
        raise AssertionError("there is at least one attempt")

    def _call(self, changes: list[Change[Any]]) -> Steps[None]:
        monotonic, lease_seconds = self.worker.settings.monotonic, self.worker.settings.lease_seconds
        began = monotonic()
        yield from call_handler(
            self.worker.core, self.worker.table, self.worker.settings.consumer, self.handler, changes
        )
        seconds = monotonic() - began
        self.size.note(len(changes), seconds)
        if seconds >= lease_seconds:
            _LOG.warning(
                "the handler of consumer %r took %.0f s for %d changes, and leases last %g s: another worker may have "
                "handled them too; use a larger lease_seconds, or a smaller batch_size",
                self.worker.settings.consumer, seconds, len(changes), lease_seconds,
            )  # fmt: skip

    def _begin_outage(self, error: Exception) -> Exception:
        """What the handler calls is down: deliver later, and leave the others of this program their time."""
        self.counts.failed_calls += 1
        self._outages += 1
        self.pause = self._pause_after(self._outages)
        self.size.halve()
        log_outage(self.worker, self._outages, error)
        return _GoNoFurther()

    def _pause_after(self, attempt: int) -> float:
        most = min(MAX_PAUSE, self.worker.settings.lease_seconds / 4)
        return self.worker.core.chance() * min(most, FIRST_PAUSE * 2.0 ** min(attempt, 20))

    def _bury(self, batch: Batch, index: int, error: Exception) -> Steps[bool]:
        """Make a record a dead letter, and acknowledge it."""
        if not (yield from self.worker.confirm(batch.held)):
            return False
        self._dead_in_a_row += 1
        if self._dead_in_a_row > self.options.max_dead_letters:
            raise StoreError(
                "consumer-handler-broken",
                f"The handler failed for {self.options.max_dead_letters} changes in a row, last with "
                f"{type(error).__name__}: {quote(text_of(error), limit=200)}.",
                expected="The fault is probably in the handler or in what it calls, rather than in the changes.",
                fix="correct it and run again: the changes that failed are dead letters, the next one is not lost.",
            ) from error
        yield from _add_dead_letter(self.worker, batch, index, error)
        self.counts.dead_letters += 1
        return (yield from self.worker.acknowledge(batch, index + 1))


class _GoNoFurther(Exception):
    """The lease was lost before an effect, or an outage began."""


def log_outage(worker: Worker, number: int, error: Exception) -> None:
    """Log that a consumer waits: the first time, and less and less often."""
    if number & (number - 1) == 0:
        _LOG.warning(
            "consumer %r of table %r waits: %s: %s",
            worker.settings.consumer, worker.table.name, type(error).__name__, error,
        )  # fmt: skip
