"""Consumed units of a table or an index by partition and key: noted call by call, counted in batches."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Final, TypeAlias

from pksk.partitions import HASH_BYTES, Partition, Partitions, TopKeys

if TYPE_CHECKING:
    from pksk.engine.storage import Row

__all__ = [
    "BATCH_CALLS",
    "Tally",
    "Traffic",
    "UncountedKeys",
    "VectorTraffic",
    "count_by_partition",
    "group_by_partition",
]

_FIRST_BYTE: Final = itemgetter(0)
_ROW_KEY: Final = attrgetter("key")


def count_by_partition(partitions: Partitions, keys: Sequence[bytes]) -> dict[int, int]:
    """How many of these keys belong to each partition, by its number."""
    if len(partitions) == 1:
        return {next(iter(partitions)).number: len(keys)}
    numbers = [part.number for part in partitions]
    return {numbers[place - 1]: count for place, count in _positions(partitions.lows, keys).items()}


def _positions(lows: Sequence[bytes], keys: Sequence[bytes]) -> dict[int, int]:
    if any(any(low[1:]) or len(low) > HASH_BYTES for low in lows):
        return Counter(map(partial(bisect_right, lows), keys))
    # Every bound is at a first byte, as it is until a partition splits: that is half the work.
    places: Counter[int] = Counter()
    for byte, count in Counter(map(_FIRST_BYTE, keys)).items():
        places[bisect_right(lows, bytes((byte,)).ljust(HASH_BYTES, b"\x00"))] += count
    return places


def group_by_partition(
    partitions: Partitions, rows: Sequence[Row]
) -> Iterator[tuple[Partition, Sequence[Row]]]:
    """Rows in the order of their keys, cut where another partition begins."""
    start = 0
    while start < len(rows):
        part = partitions.find(rows[start].key)
        end = len(rows) if part.high is None else bisect_left(rows, part.high, start, key=_ROW_KEY)
        yield part, rows[start:end]
        start = end


# So many keys are noted before they are counted.
BATCH_CALLS: Final = 4096
_KEY_HASH: Final = itemgetter(slice(HASH_BYTES))
# Row keys of calls not counted yet, by the units of each. Appending to a list is safe under threads.
UncountedKeys: TypeAlias = dict[float, list[bytes]]


class Traffic:
    """Reads, or writes: units and calls in all, by partition, and those of the keys that take most."""

    __slots__ = ("_following", "calls", "items", "keys", "names", "partitions", "recent", "units")

    def __init__(self) -> None:
        self.units = 0.0
        self.calls = 0
        # Units and calls of each partition by its number.
        self.partitions: dict[int, tuple[float, int]] = {}
        # The same since the last split: only then can partitions be compared.
        self.recent: dict[int, float] = {}
        self._following = 0
        # By the place of a partition key, and a row key of each, for its name.
        self.keys: TopKeys[bytes] = TopKeys()
        self.names: dict[bytes, bytes] = {}
        # By row key, of calls for one item.
        self.items: TopKeys[bytes] = TopKeys()

    def count(self, keys: Sequence[bytes], units: float, *, single: bool, shared: bool) -> None:
        """Count calls of the same units each: for single items or not, and of keys that rows share or not."""
        self.units += len(keys) * units
        self.calls += len(keys)
        if single or not shared:
            self.items.add(keys, units)
        if shared:
            places = list(map(_KEY_HASH, keys))
            self.keys.add(places, units)
            self._name(places, keys)

    def count_partitions(self, partitions: Partitions, keys: Sequence[bytes], units: float) -> None:
        """Count calls by partition."""
        self.settle(partitions)
        for number, calls in count_by_partition(partitions, keys).items():
            self.add_partition(number, calls * units, calls)

    def settle(self, partitions: Partitions) -> None:
        """Begin to compare anew where partitions have split."""
        if partitions.following != self._following:
            self._following, self.recent = partitions.following, {}

    def add_partition(self, number: int, units: float, calls: int) -> None:
        """Add units and calls of one partition."""
        before, calls_before = self.partitions.get(number, (0.0, 0))
        self.partitions[number] = before + units, calls_before + calls
        self.recent[number] = self.recent.get(number, 0.0) + units

    def _name(self, places: Sequence[bytes], keys: Sequence[bytes]) -> None:
        kept = self.keys.kept
        if not kept <= self.names.keys():
            names = self.names | dict(zip(places, keys, strict=True))
            self.names = {place: names[place] for place in kept}


class VectorTraffic:
    """What was consumed of a vector index, which is billed by bytes."""

    __slots__ = ("searched", "searches", "writes", "written")

    def __init__(self) -> None:
        self.searches = self.writes = 0
        self.searched = self.written = 0.0


class Tally:
    """All that was consumed of one space of rows; its notes are anyone's to append to, the rest has a lock."""

    __slots__ = ("got", "queried", "reads", "scans", "unbounded", "vectors", "writes", "written")

    def __init__(self) -> None:
        self.got: UncountedKeys = {}
        self.queried: UncountedKeys = {}
        self.written: UncountedKeys = {}
        self.clear()

    def clear(self) -> None:
        """Begin anew; what is noted and not counted yet stays."""
        self.reads, self.writes = Traffic(), Traffic()
        self.scans = Traffic()
        self.unbounded = Traffic()
        # By the space of the index; only a table's own tally has them.
        self.vectors: dict[int, VectorTraffic] = {}

    def fold(self, partitions: Partitions, bearer: Tally, *, shared: bool) -> None:
        """Count what was noted; `bearer` has the partitions that bear it, its own or those of the table."""
        for notes, side, borne, single in (
            (self.got, self.reads, bearer.reads, True),
            (self.queried, self.reads, bearer.reads, False),
            (self.written, self.writes, bearer.writes, True),
        ):
            for units, keys in _take_uncounted(notes):
                side.count(keys, units, single=single, shared=shared)
                borne.count_partitions(partitions, keys, units)


def _take_uncounted(notes: UncountedKeys) -> Iterator[tuple[float, list[bytes]]]:
    """What was noted so far, taken out from the front while others append at the end."""
    for units, noted in list(notes.items()):
        keys = noted[: len(noted)]
        del noted[: len(keys)]
        if keys:
            yield units, keys
