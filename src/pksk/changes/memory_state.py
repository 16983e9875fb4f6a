"""The state of a consumer that is not stored: it begins anew each time, and has no other workers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.changes.consumer_state import ConsumerRecord, ConsumerState, Lease, WorkerItem
from pksk.dataclass import replace
from pksk.sending import Core, Steps


class MemoryState(ConsumerState):
    """Holds what `ConsumerState` stores in a table. Its methods are steps that send nothing."""

    def __init__(self, core: Core, table: str) -> None:
        super().__init__(core, "", "", table)
        self._consumer: ConsumerRecord | None = None
        self._leases: dict[str, Lease] = {}
        self._epoch = 0

    def read(self) -> Steps[ConsumerRecord | None]:
        """The consumer, or None before the first round."""
        yield from ()
        return self._consumer

    def create(self, stream: str, start: str, sources: str) -> Steps[ConsumerRecord]:
        """Begin to read a stream."""
        yield from ()
        self._consumer = ConsumerRecord(stream, "reading", 0, start, sources)
        return self._consumer

    def mark_begun(self) -> Steps[None]:
        """Note that every shard without a parent was seen."""
        yield from ()
        assert self._consumer is not None
        self._consumer = replace(self._consumer, begun=True)

    def become_stale(self, record: ConsumerRecord, reason: str) -> Steps[bool]:
        """Nothing to store: the reader gets the error."""
        yield from ()
        return True

    def leases(self, leases: str) -> Steps[dict[str, Lease]]:
        """All shards that were seen."""
        yield from ()
        return dict(self._leases)

    def add_lease(self, leases: str, lease: Lease) -> Steps[bool]:
        """Note a shard."""
        yield from ()
        self._leases[lease.shard] = lease
        return True

    def acquire(self, record: ConsumerRecord, lease: Lease, owner: str) -> Steps[Lease | None]:
        """Take a shard."""
        self._epoch += 1
        return (yield from self.save(record.leases, replace(lease, owner=owner, epoch=self._epoch)))

    def save(self, leases: str, lease: Lease) -> Steps[Lease | None]:
        """Note a position."""
        yield from ()
        self._leases[lease.shard] = saved = replace(lease, counter=lease.counter + 1)
        return saved

    def release(self, leases: str, lease: Lease) -> Steps[None]:
        """Nothing to release."""
        yield from ()

    def remove_lease(self, leases: str, lease: Lease) -> Steps[None]:
        """Forget a shard."""
        yield from ()
        del self._leases[lease.shard]

    def announce(self, owner: str, reader: str) -> Steps[None]:
        """No one to tell."""
        yield from ()

    def workers(self) -> Steps[list[WorkerItem]]:
        """Only this one."""
        yield from ()
        return []

    def forget(self, owner: str) -> Steps[None]:
        """Nothing to remove."""
        yield from ()

    def items(
        self, prefix: str, partition: Mapping[str, Any] | None = None
    ) -> Steps[list[Mapping[str, Any]]]:
        """Nothing is stored."""
        yield from ()
        return []
