"""Deletes expired items, in the background while the engine is open, and on request."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from contextlib import nullcontext
from itertools import islice
from math import floor
from threading import Event, Lock, RLock, Thread, current_thread
from typing import Final
from weakref import ReferenceType, WeakSet, ref

import orjson

from .clock import Clock
from .control_plane.time_to_live import expiry_attribute, is_expiring
from .core import LOG, Core, as_service_errors
from .items.derived_rows import SECOND_BYTES, second_key
from .items.perform import note_committed_writes, perform
from .state import Expiry, Outcome, Table, Write
from .storage import SpaceMissing, StorageClosed, Writer

# The principal of these deletes in change records.
TTL_SERVICE: Final = "dynamodb.amazonaws.com"
# Other writes can run between two batches.
_BATCH: Final = 25
# Items that expired more than five years ago stay, as on AWS.
_OLDEST_SECONDS: Final = 5 * 365 * 24 * 3600


def sweep(core: Core) -> int:
    """Delete all expired items of all tables; returns their number."""
    return sum(_sweep_table(core, table) for table in core.catalogue.all())


def _sweep_table(core: Core, table: Table) -> int:
    count, begin, expiry = 0, b"", table.expiry
    if expiry is None:
        return 0
    try:
        while keys := _expired_keys(core, table, expiry, begin):
            count += _delete_expired(core, table, expiry, keys)
            begin = keys[-1] + b"\0"
    except SpaceMissing:  # the table was deleted meanwhile, or its TTL was disabled
        return count
    return count


def _expired_keys(core: Core, table: Table, expiry: Expiry, begin: bytes) -> list[bytes]:
    """The keys of the next rows that have expired, from `begin` on."""
    now = core.now()
    if not is_expiring(table.record, now):
        return []
    due = now - core.settings.delays.expiry
    low = max(begin, second_key(floor(now) - _OLDEST_SECONDS))
    with core.storage.reading() as reader:
        return [row.key for row in islice(reader.rows(expiry.space, low, second_key(floor(due) + 1)), _BATCH)]


def _delete_expired(core: Core, table: Table, expiry: Expiry, keys: Collection[bytes]) -> int:
    """Delete the items that are still expired and that no transaction holds."""
    space = table.layout.space
    items = [(space, key[SECOND_BYTES:]) for key in keys]
    with core.conflicts.hold_for_writes(items) if core.settings.conflicts else nullcontext(()) as conflicting:
        free = [key for key, item in zip(keys, items, strict=True) if item not in conflicting]
        with core.storage.writing() as writer:
            outcomes = [
                (write, _perform(core, writer, write)) for write in _writes(writer, table, expiry, free)
            ]
    note_committed_writes(core, outcomes)
    return len(outcomes)


def _writes(writer: Writer, table: Table, expiry: Expiry, keys: Iterable[bytes]) -> Iterable[Write]:
    for key in keys:
        if writer.get(expiry.space, key) is None:
            continue  # it was written again and does not expire yet
        item_key = key[SECOND_BYTES:]
        row = writer.get(table.layout.space, item_key)
        if row is not None:
            item = orjson.loads(row.data)
            key_item = {attribute.name: item[attribute.name] for attribute in table.layout.keys}
            yield Write(table, item_key, key_item, lambda _old: (None, 0), principal=TTL_SERVICE)


def _perform(core: Core, writer: Writer, write: Write) -> Outcome:
    outcome = perform(core, writer, write)
    # TTL deletes consume no throughput: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
    outcome.table_units = 0.0
    outcome.index_units.clear()
    return outcome


# How often the sweeper looks at the clock. Moving a `Clock` wakes it at once.
_ROUND_SECONDS: Final = 0.5
# After a failure, each pause is twice as long as the one before, up to this factor.
_MOST_ROUNDS: Final = 128
_FORK_SECONDS: Final = 1.0
_JOIN_SECONDS: Final = 5.0


class Sweeper:
    """The thread that deletes expired items of one engine. It does not keep the engine alive."""

    def __init__(self, core: Core) -> None:
        self._core = ref(core)
        self._wake = Event()
        self._thread: Thread | None = None
        self._deleted = 0
        self._starting = Lock()
        # Held while sweeping, so that a fork never finds the storage in between.
        self.busy = RLock()
        if isinstance(core.settings.clock, Clock):
            core.settings.clock.watch(self._wake)
        _SWEEPERS.add(self)

    def start(self) -> None:
        """Sweep in the background from now on; if the thread already runs, it sweeps at once."""
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(
                    target=_run, args=(ref(self), self._core, self._wake), name="pksk-expiry", daemon=True
                )
                self._thread.start()
        self._wake.set()

    def sweep(self, core: Core) -> None:
        """Delete all items that have expired by now."""
        with self.busy:
            self._deleted += sweep(core)

    def expire(self, core: Core) -> int:
        """Sweep; returns how many items were deleted since the last call."""
        with self.busy:
            self.sweep(core)
            deleted, self._deleted = self._deleted, 0
        return deleted

    def close(self) -> None:
        """Wait for the thread, which ends once the engine is closed."""
        self._wake.set()
        if self._thread is not None and self._thread is not current_thread():
            self._thread.join(_JOIN_SECONDS)


def _run(sweeper_ref: ReferenceType[Sweeper], core_ref: ReferenceType[Core], wake: Event) -> None:
    failures = 0
    while True:
        wake.wait(_ROUND_SECONDS * min(2**failures, _MOST_ROUNDS))
        wake.clear()
        sweeper, core = sweeper_ref(), core_ref()
        if sweeper is None or core is None or core.closed:
            return
        try:
            sweeper.sweep(core)
            failures = 0
        except StorageClosed:
            return
        except Exception:
            LOG.exception("Expired items could not be deleted")
            failures += 1
        del sweeper, core  # do not keep them while waiting


_SWEEPERS: Final[WeakSet[Sweeper]] = WeakSet()
_held_sweepers: list[Sweeper] = []


def _before_fork() -> None:
    # Only for a moment: the forking thread may be inside a block that a sweeper waits for.
    _held_sweepers.extend(
        sweeper for sweeper in list(_SWEEPERS) if sweeper.busy.acquire(timeout=_FORK_SECONDS)
    )


def _after_fork() -> None:
    while _held_sweepers:
        _held_sweepers.pop().busy.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


def begin_expiry(core: Core) -> None:
    """Start the engine's sweeper if a table has TTL."""
    core.sweeper = Sweeper(core)
    expiring = any(expiry_attribute(table.record) is not None for table in core.catalogue.all())
    if expiring:
        core.sweeper.start()


def expire(core: Core) -> int:
    """Delete the items that have expired by now; raises `ServiceError` as a call does."""
    with as_service_errors(core):
        return 0 if core.sweeper is None else core.sweeper.expire(core)
