"""What was consumed of a table's own rows or of an index: noted call by call, counted many at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Final, TypeAlias

from pksk.partitions import PLACE_BYTES, Partitions, TopKeys

from .spread import spread

__all__ = ["NOTES", "Notes", "Side", "Tally", "VectorUse"]

# So many keys are noted before they are counted.
NOTES: Final = 4096
_PLACE: Final = itemgetter(slice(PLACE_BYTES))
# Row keys of calls not counted yet, by the units of each. Appending to a list is safe under threads.
Notes: TypeAlias = dict[float, list[bytes]]


class Side:
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
            places = list(map(_PLACE, keys))
            self.keys.add(places, units)
            self._name(places, keys)

    def count_partitions(self, partitions: Partitions, keys: Sequence[bytes], units: float) -> None:
        """Count calls by partition."""
        self.settle(partitions)
        for number, calls in spread(partitions, keys).items():
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


class VectorUse:
    """What was consumed of a vector index, which is billed by bytes."""

    __slots__ = ("searched", "searches", "writes", "written")

    def __init__(self) -> None:
        self.searches = self.writes = 0
        self.searched = self.written = 0.0


class Tally:
    """All that was consumed of one space of rows; its notes are anyone's to append to, the rest has a lock."""

    __slots__ = ("got", "queried", "reads", "scans", "unbounded", "vectors", "writes", "written")

    def __init__(self) -> None:
        self.got: Notes = {}
        self.queried: Notes = {}
        self.written: Notes = {}
        self.clear()

    def clear(self) -> None:
        """Begin anew; what is noted and not counted yet stays."""
        self.reads, self.writes = Side(), Side()
        self.scans = Side()
        self.unbounded = Side()
        # By the space of the index; only a table's own tally has them.
        self.vectors: dict[int, VectorUse] = {}

    def fold(self, partitions: Partitions, bearer: Tally, *, shared: bool) -> None:
        """Count what was noted; `bearer` has the partitions that bear it, its own or those of the table."""
        for notes, side, borne, single in (
            (self.got, self.reads, bearer.reads, True),
            (self.queried, self.reads, bearer.reads, False),
            (self.written, self.writes, bearer.writes, True),
        ):
            for units, keys in _taken(notes):
                side.count(keys, units, single=single, shared=shared)
                borne.count_partitions(partitions, keys, units)


def _taken(notes: Notes) -> Iterator[tuple[float, list[bytes]]]:
    """What was noted so far, taken out from the front while others append at the end."""
    for units, noted in list(notes.items()):
        keys = noted[: len(noted)]
        del noted[: len(keys)]
        if keys:
            yield units, keys
