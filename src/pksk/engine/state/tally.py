"""Counts the units that calls consume of a table or an index, by partition and by key."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from typing import Final, TypeAlias

from pksk.engine.storage import Row
from pksk.partitions import HASH_BYTES, Partition, Partitions, TopKeys

_ROW_KEY: Final = attrgetter("key")


def _count_by_partition(partitions: Partitions, keys: Sequence[bytes]) -> dict[int, int]:
    """How many of these keys belong to each partition, by its number."""
    numbers = [part.number for part in partitions]
    positions = Counter(map(partial(bisect_right, partitions.lows), keys))
    return {numbers[position - 1]: count for position, count in positions.items()}


def group_by_partition(
    partitions: Partitions, rows: Sequence[Row]
) -> Iterator[tuple[Partition, Sequence[Row]]]:
    """Rows in key order, cut where another partition begins."""
    start = 0
    while start < len(rows):
        part = partitions.find(rows[start].key)
        end = len(rows) if part.high is None else bisect_left(rows, part.high, start, key=_ROW_KEY)
        yield part, rows[start:end]
        start = end


# So many calls are counted at once.
BATCH_CALLS: Final = 4096
_KEY_HASH: Final = itemgetter(slice(HASH_BYTES))
# Row keys of calls that are not counted yet, by the units of each call. Threads may append to the lists.
PendingKeys: TypeAlias = dict[float, list[bytes]]


class Traffic:
    """Reads or writes: units and calls in total, by partition, and of the busiest keys."""

    __slots__ = ("_next_number", "calls", "items", "keys", "partitions", "recent", "sample_keys", "units")

    def __init__(self) -> None:
        self.units = 0.0
        self.calls = 0
        # Units and calls of each partition by its number.
        self.partitions: dict[int, tuple[float, int]] = {}
        # Units since the last split: partitions can only be compared for the same period.
        self.recent: dict[int, float] = {}
        self._next_number = 0
        # By the hash of a partition key. A row key of each hash shows the partition key in clear.
        self.keys: TopKeys[bytes] = TopKeys()
        self.sample_keys: dict[bytes, bytes] = {}
        # By row key: calls for one item.
        self.items: TopKeys[bytes] = TopKeys()

    def count(self, keys: Sequence[bytes], units: float, *, single: bool, shared: bool) -> None:
        """Count calls of equal units: `single` for calls of one item, `shared` if rows share partition keys."""
        self.units += len(keys) * units
        self.calls += len(keys)
        if single or not shared:
            self.items.add(keys, units)
        if shared:
            hashes = list(map(_KEY_HASH, keys))
            self.keys.add(hashes, units)
            self._keep_samples(hashes, keys)

    def count_partitions(self, partitions: Partitions, keys: Sequence[bytes], units: float) -> None:
        """Count calls by partition."""
        self.restart_on_split(partitions)
        for number, calls in _count_by_partition(partitions, keys).items():
            self.add_partition(number, calls * units, calls)

    def restart_on_split(self, partitions: Partitions) -> None:
        """Start `recent` again if a partition has split."""
        if partitions.next_number != self._next_number:
            self._next_number, self.recent = partitions.next_number, {}

    def add_partition(self, number: int, units: float, calls: int) -> None:
        """Add units and calls of one partition."""
        units_before, calls_before = self.partitions.get(number, (0.0, 0))
        self.partitions[number] = units_before + units, calls_before + calls
        self.recent[number] = self.recent.get(number, 0.0) + units

    def partition_units(self, number: int) -> float:
        """The units of one partition."""
        return self.partitions.get(number, (0.0, 0))[0]

    def _keep_samples(self, hashes: Sequence[bytes], keys: Sequence[bytes]) -> None:
        counted = self.keys.counted
        if not counted <= self.sample_keys.keys():
            samples = self.sample_keys | dict(zip(hashes, keys, strict=True))
            self.sample_keys = {key_hash: samples[key_hash] for key_hash in counted}


class VectorTraffic:
    """Searches of a vector index, writes to it, and the bytes that each are billed by."""

    __slots__ = ("search_bytes", "searches", "write_bytes", "writes")

    def __init__(self) -> None:
        self.searches = self.writes = 0
        self.search_bytes = self.write_bytes = 0.0


class Tally:
    """What calls consume of one space of rows. Pending keys need no lock; everything else does."""

    __slots__ = (
        "full_pages",
        "pending_gets",
        "pending_queries",
        "pending_writes",
        "reads",
        "scans",
        "vectors",
        "writes",
    )

    def __init__(self) -> None:
        self.pending_gets: PendingKeys = {}
        self.pending_queries: PendingKeys = {}
        self.pending_writes: PendingKeys = {}
        self.clear()

    def clear(self) -> None:
        """Start from zero; pending keys stay."""
        self.reads, self.writes = Traffic(), Traffic()
        self.scans = Traffic()
        # Pages of queries that reached 1 MB without a Limit.
        self.full_pages = Traffic()
        # By the space of the vector index; only in the tally of a table.
        self.vectors: dict[int, VectorTraffic] = {}

    def count_pending(self, partitions: Partitions, partition_tally: Tally, *, shared: bool) -> None:
        """Count the pending keys; `partition_tally` counts by partition: this one or that of the table."""
        for pending, traffic, partition_traffic, single in (
            (self.pending_gets, self.reads, partition_tally.reads, True),
            (self.pending_queries, self.reads, partition_tally.reads, False),
            (self.pending_writes, self.writes, partition_tally.writes, True),
        ):
            for units, keys in _take_pending(pending):
                traffic.count(keys, units, single=single, shared=shared)
                partition_traffic.count_partitions(partitions, keys, units)


def _take_pending(pending: PendingKeys) -> Iterator[tuple[float, list[bytes]]]:
    """Remove keys from the front of each list, while other threads append at the end."""
    for units, appended in list(pending.items()):
        keys = appended[: len(appended)]
        del appended[: len(keys)]
        if keys:
            yield units, keys
