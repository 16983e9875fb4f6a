"""Reads the shards of a stream beside other workers: leases, parents before children, positions after effects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from logging import getLogger
from time import monotonic
from typing import Any
from uuid import uuid4

from pksk.changes.balance import Overview, Sightings, readers_of, share_of
from pksk.changes.consumer_state import OLDEST, ORDINAL_BITS, ConsumerRecord, ConsumerState, Lease
from pksk.changes.shards import (
    MAX_PAGE_BYTES,
    MAX_RECORDS,
    Record,
    RecordsLost,
    Shard,
    ShardReader,
    SharedReaders,
    first_position,
    list_shards,
    position_after,
    seconds_of,
    stream_of,
)
from pksk.dataclass import dataclass, replace
from pksk.errors import ConsumerStale, RequestRejected, StoreError
from pksk.schema import Table
from pksk.sending import Core, Steps, Together

_LOG = getLogger("pksk.changes")
# DynamoDB allows so many readers of a shard at once.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html#Streams.Processing
_MAX_READERS = 2


@dataclass(frozen=True)
class Settings:
    """How a consumer reads; see `Store.changes`. A worker has at most `max_records` and `max_bytes` in memory."""

    consumer: str
    state: str = "pksk-changes"
    sources: str = ""
    start: str = OLDEST
    lease_seconds: float = 30.0
    poll_seconds: float = 1.0
    max_records: int = 10_000
    max_bytes: int = 16_000_000
    monotonic: Callable[[], float] = monotonic


class _Outdated(Exception):
    """The consumer was rebuilt since this worker looked at it."""


class Held:
    """A lease that this worker holds, with its reader."""

    def __init__(self, lease: Lease, reader: ShardReader, renewed_at: float) -> None:
        self.lease, self.reader, self.renewed_at = lease, reader, renewed_at
        self.ordinal = 0
        self.is_empty = False


@dataclass(frozen=True)
class Batch:
    """Records of one shard, in order; `ended` means that the shard has no more."""

    held: Held
    records: Sequence[Record]
    first_ordinal: int
    ended: bool

    def version(self, index: int) -> int:
        """The version of a record: larger than that of every record delivered before it for the same item."""
        return self.held.lease.epoch << ORDINAL_BITS | (self.first_ordinal + index)


class Worker:
    """One worker of a consumer. Its methods are steps, which a driver runs one after the other."""

    def __init__(
        self,
        core: Core,
        table: Table,
        settings: Settings,
        state: ConsumerState | None = None,
        readers: SharedReaders | None = None,
    ) -> None:
        self.core, self.table, self.settings = core, table, settings
        self.state = state or ConsumerState(core, settings.state, settings.consumer, table.name)
        self._readers = readers
        self.owner = uuid4().hex[:16]
        self.held: dict[str, Held] = {}
        self.record = ConsumerRecord("", "reading", 0)
        self._overview = Overview()
        self._leases, self._workers = (
            Sightings(settings.lease_seconds, settings.monotonic) for _ in ("leases", "workers")
        )
        self._balanced_at: float | None = None
        self._announced_at = self._due_at = settings.monotonic()
        # What a second look has to confirm: shards out of order, leases to remove, and what is wrong with the stream.
        self._orphans: set[str] = set()
        self._finished: set[str] = set()
        self._doubt = ""
        self._warned = False

    @property
    def stream(self) -> str:
        """The ARN of the stream."""
        return self.record.stream

    # One round

    def round(self) -> Steps[list[Batch]]:
        """The next records of every shard that this worker holds."""
        try:
            if self._balanced_at is None or self._is_third(self._balanced_at):
                yield from self._open()
                yield from self._balance()
            batches = yield from self._read_held()
        except _Outdated:
            self._balanced_at = None
            return []
        yield from self.renew()
        if any(batch.ended for batch in batches):
            self._balanced_at = None
        for batch in batches:
            if not batch.records:
                yield from self.acknowledge(batch, 0)
        return [batch for batch in batches if batch.records]

    def _read_held(self) -> Steps[list[Batch]]:
        """Batches of the next shards: as many at once as are read in parallel and fit into memory."""
        batches: list[Batch] = []
        unread = list(self.held)
        most = max(1, min(self.core.max_parallel, self.settings.max_bytes // MAX_PAGE_BYTES))
        while unread and not batches:
            group, unread = unread[:most], unread[most:]
            for shard in group:
                self.held[shard] = self.held.pop(shard)
            limit = min(MAX_RECORDS, max(1, self.settings.max_records // len(group)))
            read = yield Together(tuple(self._read(self.held[shard], limit) for shard in group))
            batches = [each for each in read if each is not None]
        return batches

    def look_again(self) -> None:
        """Compare leases and shards again in the next round."""
        self._balanced_at = None

    @property
    def looks_again(self) -> bool:
        """Whether the next round compares leases and shards again, as a shard has ended or a lease was lost."""
        return self._balanced_at is None

    @property
    def has_caught_up(self) -> bool:
        """Whether every shard was read to its end, by this worker or by another one that runs."""
        others = (each for each in self._overview.active if each.shard not in self.held)
        return (
            self._balanced_at is not None
            and bool(self._overview.active)
            and all(held.is_empty for held in self.held.values())
            and all(each.owner and self._leases.has_moved(each.shard) for each in others)
            and not self._overview.ready()
            and not self._orphans
            and not self._doubt
        )

    def _read(self, held: Held, limit: int = MAX_RECORDS) -> Steps[Batch | None]:
        lease = held.lease
        try:
            page = yield from held.reader.read(lease, limit)
        except RecordsLost as error:
            yield from self._check_lost(held, error)
            return None
        held.is_empty = not page.records
        if not page.records and not page.ended:
            return None
        first, held.ordinal = held.ordinal + 1, held.ordinal + len(page.records)
        return Batch(held, page.records, first, page.ended)

    # Effects

    def confirm(self, held: Held) -> Steps[bool]:
        """Whether the lease is still this worker's; renews all in good time. Call it before every effect."""
        yield from self.renew()
        return self.held.get(held.lease.shard) is held

    def renew(self) -> Steps[None]:
        """Renew the leases that are due, and say that this worker still runs."""
        if self.settings.monotonic() < self._due_at:
            return
        for held in list(self.held.values()):
            if self.is_due(held):
                yield from self._save(held, held.lease)
        if self._is_third(self._announced_at):
            yield from self._announce()
        moments = [self._announced_at, *(held.renewed_at for held in self.held.values())]
        self._due_at = min(moments) + self.settings.lease_seconds / 3

    def is_due(self, held: Held) -> bool:
        """Whether it is time to renew a lease."""
        return self._is_third(held.renewed_at)

    def _is_third(self, moment: float) -> bool:
        """Whether a third of the lease time has passed since a moment."""
        return self._age(moment) >= self.settings.lease_seconds / 3

    def _announce(self) -> Steps[None]:
        self._announced_at = self.settings.monotonic()
        reader = self.settings.consumer if self._readers is None else self._readers.name
        yield from self.state.announce(self.owner, reader)

    def acknowledge(self, batch: Batch, count: int) -> Steps[bool]:
        """Store that the first `count` records of a batch have had their effect; False if the lease is lost."""
        held = batch.held
        is_complete = count == len(batch.records)
        if (count == 0 and not (is_complete and batch.ended)) or self.held.get(held.lease.shard) is not held:
            return self.held.get(held.lease.shard) is held
        lease = _advance(held.lease, batch.records[:count], ended=is_complete and batch.ended)
        is_held = yield from self._save(held, lease)
        if is_held and lease.ended:
            del self.held[lease.shard]
            self._overview.leases[lease.shard] = lease
        return is_held

    def _save(self, held: Held, lease: Lease) -> Steps[bool]:
        began = self.settings.monotonic()
        saved = yield from self.state.save(self.record.leases, replace(lease, caught_up=held.is_empty))
        if saved is None:
            self._lose(lease.shard)
            return False
        held.lease, held.renewed_at = saved, began
        return True

    def _lose(self, shard: str) -> None:
        self.held.pop(shard, None)
        self._balanced_at = None

    def stop(self) -> Steps[None]:
        """Release all leases, so that other workers can go on at once."""
        held, self.held = list(self.held.values()), {}
        for each in held:
            yield from self.state.release(self.record.leases, each.lease)
        if self.stream:
            yield from self.state.forget(self.owner)

    # Leases

    def _open(self) -> Steps[None]:
        """Read the consumer, or create it; after a rebuild it reads another stream."""
        record = yield from self.state.read()
        if record is None:
            stream = yield from stream_of(self.core, self.table)
            record = yield from self.state.create(stream, self.settings.start, self.settings.sources)
        if record.condition != "reading":
            raise stale_error(
                self.settings, self.table, None if record.condition == "rebuilding" else record.reason
            )
        if record.sources != self.settings.sources:
            raise _other_sources(self.settings, self.table, record)
        if record.leases != self.record.leases:
            self.held.clear()
            self._orphans, self._finished, self._doubt = set(), set(), ""
        self.record = record

    def _balance(self) -> Steps[None]:
        """Compare leases with shards and workers, and take or release leases until the worker has its share."""
        now = self.settings.monotonic()
        yield from self._announce()
        self._overview = yield from self._look()
        yield from self._add_leases()
        yield from self._check_stream()
        for lease in self._overview.leases.values():
            self._leases.note(lease.shard, lease.counter)
        self._leases.keep(set(self._overview.leases))
        yield from self._take_share((yield from self._share()))
        self._balanced_at = now

    def _look(self) -> Steps[Overview]:
        leases = yield from self.state.leases(self.record.leases)
        try:
            shards = yield from list_shards(self.core, self.stream)
        except RequestRejected as error:
            if error.service_code != "ResourceNotFoundException":
                raise
            yield from self._become_stale(f"the stream {self.stream} no longer exists")
        return Overview(leases, shards)

    def _add_leases(self) -> Steps[None]:
        """Lease shards whose parent has ended, and drop what is left of shards that are gone."""
        seen = self._overview
        for shard in seen.ready():
            # A child begins with its first record, which must not have been trimmed.
            yield from self._add_lease(shard, f"={shard.start}" if shard.start else OLDEST)
        first = seen.first()
        if not self.record.begun and seen.leases:
            record = yield from self.state.read()  # another worker may have begun before this one saw the shards
            self.record = replace(self.record, begun=record is None or record.begun)
        orphans = {each.id for each in first if each.parent is not None and self.record.begun}
        for shard in first:
            if shard.id not in orphans:
                position = yield from first_position(self.core, self.stream, shard, self.record.start)
                if position is None:
                    return  # and look again soon
                yield from self._add_lease(shard, position)
        yield from self._check_lineage(orphans, {each.id for each in seen.late()})
        if not self.record.begun and seen.leases:
            yield from self.state.mark_begun()
            self.record = replace(self.record, begun=True)
        finished = {each.shard for each in seen.finished()}
        for shard_id in finished & self._finished:
            yield from self.state.remove_lease(self.record.leases, seen.leases.pop(shard_id))
        self._finished = finished

    def _add_lease(self, shard: Shard, position: str) -> Steps[None]:
        lease = Lease(shard.id, shard.parent, position)
        yield from self.state.add_lease(self.record.leases, lease)
        self._overview.leases[shard.id] = lease

    def _check_lineage(self, orphans: set[str], late: set[str]) -> Steps[None]:
        """Orphans follow shards that are gone, and late shards precede others, unless a list was incomplete."""
        still = (orphans | late) & self._orphans
        self._orphans = orphans | late
        for shard in sorted(still):
            yield from self._become_stale(
                f"shard {shard} follows shards that were gone before they were read"
                if shard in orphans
                else f"shard {shard} was listed only after those that follow it"
            )

    def _share(self) -> Steps[int]:
        """How many leases this worker should have; removes workers that have ended without a word."""
        workers = yield from self.state.workers()
        for each in workers:
            self._workers.note(each.owner, each.counter)
        self._workers.keep({each.owner for each in workers})
        self._warn_of_readers(readers_of(workers, self._workers))
        running = []
        for each in workers:
            if each.owner != self.owner and self._workers.stands_still(each.owner):
                yield from self.state.forget_dead(each)
            elif each.consumer == self.settings.consumer:
                running.append(each.owner)
        return share_of(self.owner, running, len(self._overview.active))

    def _warn_of_readers(self, readers: set[str]) -> None:
        if len(readers) <= _MAX_READERS:
            self._warned = False
        elif not self._warned:
            self._warned = True
            _LOG.warning(
                "%d programs read the stream of table %r (consumers %s), and DynamoDB allows %d readers of a shard: "
                "run several consumers in one program with pksk.changes.run_consumers",
                len(readers), self.table.name, ", ".join(sorted(readers)), _MAX_READERS,
            )  # fmt: skip

    def _take_share(self, share: int) -> Steps[None]:
        for held in sorted(self.held.values(), key=lambda each: each.lease.shard)[share:]:
            yield from self.state.release(self.record.leases, held.lease)
            del self.held[held.lease.shard]
        for lease in sorted(self._overview.active, key=self._is_new_to_this_program):
            if len(self.held) < share and self._is_free(lease):
                began = self.settings.monotonic()
                acquired = yield from self.state.acquire(self.record, lease, self.owner)
                if acquired is not None and not acquired.ended:
                    self._log_takeover(lease)
                    self.held[lease.shard] = Held(acquired, self._reader(lease.shard), began)

    def _log_takeover(self, lease: Lease) -> None:
        if lease.owner not in ("", self.owner):
            _LOG.warning(
                "consumer %r of table %r takes over shard %s: worker %s has not renewed its lease for %g s, so it has "
                "ended without releasing it, or its handler blocks",
                self.settings.consumer, self.table.name, lease.shard, lease.owner, self.settings.lease_seconds,
            )  # fmt: skip

    def _is_new_to_this_program(self, lease: Lease) -> bool:
        return self._readers is None or not self._readers.reads(self.stream, lease.shard)

    def _reader(self, shard: str) -> ShardReader:
        if self._readers is not None:
            return self._readers.reader(self.core, self.stream, shard)
        return ShardReader(self.core, self.stream, shard)

    def _is_free(self, lease: Lease) -> bool:
        if lease.shard in self.held:
            return False
        return lease.owner in ("", self.owner) or self._leases.stands_still(lease.shard)

    # Missed changes

    def _check_lost(self, held: Held, error: RecordsLost) -> Steps[None]:
        """The records after a position are gone; a lease that was lost meanwhile says nothing about it."""
        if (yield from self._save(held, held.lease)):
            since = (
                ""
                if held.lease.at is None
                else f" since {datetime.fromtimestamp(held.lease.at, UTC):%F %T} UTC"
            )
            yield from self._become_stale(f"records of shard {held.lease.shard}{since} are gone: {error}")

    def _all_caught_up(self) -> bool:
        """Whether there was nothing more to read in any shard, as far as this worker knows."""
        return all(
            self.held[each.shard].is_empty if each.shard in self.held else each.caught_up
            for each in self._overview.active
        )

    def _check_stream(self) -> Steps[None]:
        """If all shards were read to their end, the stream may have been disabled, or be another one now.

        Some servers never close the shards of such a stream. Otherwise children of ended shards are listed later.
        DescribeTable may return what was true before, so it has to say so twice.
        """
        reason = (yield from self._fault_of_stream()) if self._all_caught_up() else ""
        if reason and reason == self._doubt:
            yield from self._become_stale(reason)
        self._doubt = reason

    def _fault_of_stream(self) -> Steps[str]:
        try:
            stream = yield from stream_of(self.core, self.table)
        except StoreError as error:
            if error.code != "consumer-no-stream":
                raise
            return "the stream was disabled"
        return "" if stream == self.stream else f"the table has another stream now: {stream}"

    def _become_stale(self, reason: str) -> Steps[Any]:
        if not (yield from self.state.become_stale(self.record, reason)):
            yield from self._open()  # raises if another worker was quicker
            raise _Outdated
        _LOG.warning(
            "consumer %r of table %r has missed changes: %s", self.settings.consumer, self.table.name, reason
        )
        raise stale_error(self.settings, self.table, reason)

    def _age(self, moment: float) -> float:
        return self.settings.monotonic() - moment


def _advance(lease: Lease, records: Sequence[Record], *, ended: bool) -> Lease:
    """The lease after these records."""
    if not records:
        return replace(lease, ended=ended)
    return replace(lease, position=position_after(lease, records), ended=ended, at=seconds_of(records[-1]))


def _other_sources(settings: Settings, table: Table, record: ConsumerRecord) -> StoreError:
    """The error for a consumer that handled the changes of other entities before."""
    return StoreError(
        "consumer-sources",
        f"Consumer {settings.consumer!r} of table {table.name!r} handles {record.sources}, and this program "
        f"{settings.sources}.",
        expected="Programs with one consumer name share its shards, so each would miss what the other one reads.",
        fix="use another consumer name; or if this program replaces the other one, call rebuild(handler) first.",
    )


def stale_error(settings: Settings, table: Table, reason: str | None) -> ConsumerStale:
    """The error for a consumer that has missed changes; without a reason, it is being rebuilt."""
    return ConsumerStale(
        "consumer-stale",
        f"Consumer {settings.consumer!r} of table {table.name!r} "
        + (
            "has not finished reading the whole table."
            if reason is None
            else f"has missed changes: {reason}."
        ),
        expected="It does not go on by itself, as its effects no longer match the table.",
        fix="read the table again with rebuild(handler), which then goes on with the current stream.",
    )
