"""What a worker sees of leases, shards and other workers, and the share of the leases that it should have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field

from pksk.changes.consumer_state import Lease, WorkerItem
from pksk.changes.shards import Shard
from pksk.dataclass import dataclass


@dataclass
class _Sighting:
    """The counter of a lease or a worker, and since when it has not changed, by this worker's own clock."""

    counter: int
    since: float
    moved: bool = False


class Sightings:
    """Watches counters: if one does not change for the lease time, its owner is not running."""

    def __init__(self, lease_seconds: float, monotonic: Callable[[], float]) -> None:
        self._lease_seconds, self._monotonic = lease_seconds, monotonic
        self._seen: dict[str, _Sighting] = {}

    def note(self, name: str, counter: int) -> None:
        """Note the counter of something now."""
        seen = self._seen.get(name)
        if seen is None or seen.counter != counter:
            self._seen[name] = _Sighting(counter, self._monotonic(), moved=seen is not None)

    def keep(self, names: set[str]) -> None:
        """Forget all others."""
        self._seen = {name: seen for name, seen in self._seen.items() if name in names}

    def stands_still(self, name: str) -> bool:
        """Whether its counter has not changed for the lease time."""
        return self._monotonic() - self._seen[name].since >= self._lease_seconds

    def has_moved(self, name: str) -> bool:
        """Whether its counter was seen to change, so that something runs that changes it."""
        return self._seen[name].moved and not self.stands_still(name)


@dataclass
class Overview:
    """The leases and shards of the stream as a worker last saw them."""

    leases: dict[str, Lease] = field(default_factory=dict)
    shards: dict[str, Shard] = field(default_factory=dict)

    @property
    def active(self) -> list[Lease]:
        """The leases of shards that have not ended, in the order of the shards."""
        return sorted((each for each in self.leases.values() if not each.ended), key=lambda each: each.shard)

    def ready(self) -> list[Shard]:
        """Shards without a lease whose parent has ended."""
        return [each for each in self._without_lease() if self._has_ended(each.parent)]

    def first(self) -> list[Shard]:
        """Shards without a lease whose parent is not known, or was never there."""
        late = {each.id for each in self.late()}
        return [
            each
            for each in self._without_lease()
            if each.parent not in self.leases and each.parent not in self.shards and each.id not in late
        ]

    def late(self) -> list[Shard]:
        """Shards without a lease whose children have one: to read them now would be out of order."""
        parents = {each.parent for each in self.leases.values()}
        return [each for each in self._without_lease() if each.id in parents]

    def finished(self) -> Iterator[Lease]:
        """Leases that are no longer needed: their shards have ended and are gone, and so have their children.

        A list of shards may still have what another one lacked, so that a lease is kept longer than its shard.
        """
        gone = {each.shard for each in self.leases.values() if each.ended and each.shard not in self.shards}
        parents = {each.parent for each in self.leases.values()}
        needed = {each.parent for each in self.leases.values() if each.shard not in gone}
        yield from (self.leases[shard] for shard in sorted((gone & parents) - needed))

    def _without_lease(self) -> Iterator[Shard]:
        return (each for each in self.shards.values() if each.id not in self.leases)

    def _has_ended(self, shard: str | None) -> bool:
        lease = self.leases.get(shard or "")
        return lease is not None and lease.ended


def share_of(owner: str, running: Sequence[str], leases: int) -> int:
    """How many leases one of the running workers should have: as many as the others, or one more."""
    workers = sorted({*running, owner})
    each, rest = divmod(leases, len(workers))
    return each + (workers.index(owner) < rest)


def readers_of(workers: Sequence[WorkerItem], seen: Sightings) -> set[str]:
    """Those who read the same shards at the moment: consumers that run, or groups of them that share their readers."""
    return {each.reader for each in workers if seen.has_moved(each.owner)}
