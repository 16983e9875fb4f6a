"""Notes what each call consumes, cheaply enough to be always on."""

from __future__ import annotations

from operator import itemgetter
from threading import Lock
from typing import TYPE_CHECKING, Final

from pksk.capacity.units import read_units, write_units
from pksk.limits import READ_UNIT_BYTES
from pksk.partitions import Partitions

from ..state.tally import BATCH_CALLS, Tally, UncountedKeys, VectorTraffic, group_by_partition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pksk.engine.row_layout import RowLayout
    from pksk.engine.state.table import Table
    from pksk.engine.state.write import Outcome, Write
    from pksk.engine.storage import Row

__all__ = ["Meter", "failed_size"]

_CONSISTENT_UNITS: Final = 1.0
_EVENTUAL_UNITS: Final = 0.5
# Of a row: twice as quick as by its name.
_ROW_SIZE: Final = itemgetter(1)


class Meter:
    """One engine's meter; what it counts stands with each table.

    A call appends a row key to a list, by the units that it costs. Some thousands are then counted at
    once, in loops of C: that is several times cheaper than counting each.
    """

    __slots__ = ("lock",)

    def __init__(self) -> None:
        # For whoever counts, or reads what was counted.
        self.lock = Lock()

    def got(self, table: Table, key: bytes, row: Row | None, *, consistent: bool) -> None:
        """One item was read by GetItem."""
        if row is not None and row.size > READ_UNIT_BYTES:
            units = read_units(row.size, consistent=consistent)
        else:
            units = _CONSISTENT_UNITS if consistent else _EVENTUAL_UNITS
        notes = table.tally.got
        try:
            keys = notes[units]
        except KeyError:
            keys = notes.setdefault(units, [])
        keys.append(key)
        if len(keys) >= BATCH_CALLS:
            self.fold(table)

    def read(self, table: Table, key: bytes, units: float, size: int) -> None:
        """One item of this size was read otherwise: with others, or for a local index."""
        self._note(table, table.tally.got, key, units)

    def queried(self, table: Table, rows: RowLayout, key: bytes, units: float, size: int) -> None:
        """A page of a query was read, of this size and from about this row key on."""
        self._note(table, self.tally(table, rows).queried, key, units)

    def unbounded(self, table: Table, rows: RowLayout, key: bytes, units: float) -> None:
        """That page ended because it was full, and not because of a limit."""
        tally = self.tally(table, rows)
        with self.lock:
            tally.unbounded.count([key], units, single=False, shared=_has_shared_keys(rows))

    def scanned(
        self, table: Table, rows: RowLayout, low: bytes, found: Sequence[Row], units: float, size: int
    ) -> None:
        """A page of a scan was read from `low` on; its units are borne by the partitions that its rows lie on."""
        tally = self.tally(table, rows)
        bearer, partitions = _partition_tally(table, rows, tally)
        with self.lock:
            for side in (tally.scans, tally.reads):
                side.units += units
                side.calls += 1
            bearer.reads.settle(partitions)
            first, last = (partitions.find(found[place].key if found else low) for place in (0, -1))
            if first is last or size == 0:
                bearer.reads.add_partition(first.number, units, 1)
            else:
                # In proportion to what each of them gave.
                for part, its_rows in group_by_partition(partitions, found):
                    its_size = sum(map(_ROW_SIZE, its_rows))
                    bearer.reads.add_partition(part.number, units * its_size / size, 0)

    def wrote(self, write: Write, outcome: Outcome, doubled: bool = False) -> None:
        """A write was stored, or a condition checked; in a transaction the table bears it twice."""
        if write.by is not None:
            return
        table = write.table
        units = outcome.table_units * 2 if doubled else outcome.table_units
        notes = table.tally.written
        try:
            keys = notes[units]
        except KeyError:
            keys = notes.setdefault(units, [])
        keys.append(write.key)
        if len(keys) >= BATCH_CALLS:
            self.fold(table)
        for entry in outcome.entries:
            self._note(table, self.tally(table, entry.rows).written, entry.key, entry.units)

    def failed(self, write: Write, row: Row | None) -> None:
        """A write came to nothing: its condition did not hold, or that of another in its transaction."""
        self._note(write.table, write.table.tally.written, write.key, write_units(failed_size(write, row)))

    def wrote_vectors(self, write: Write, billed: Mapping[str, float]) -> None:
        """A write has changed entries of vector indexes, which are billed by so many bytes."""
        if write.by is None:
            with self.lock:
                for name, size in billed.items():
                    use = _vector_traffic(write.table, name)
                    use.writes += 1
                    use.written += size

    def searched(self, table: Table, name: str, size: float) -> None:
        """A vector index was searched, which is billed by so many bytes."""
        with self.lock:
            use = _vector_traffic(table, name)
            use.searches += 1
            use.searched += size

    def replayed(self, table: Table, units: float) -> None:
        """A transaction was answered from its token: its items of this table were read, nobody knows which."""
        with self.lock:
            table.tally.reads.units += units
            table.tally.reads.calls += 1

    def tally(self, table: Table, rows: RowLayout) -> Tally:
        """What is counted of a table's own rows, or of an index."""
        if rows.name is None:
            return table.tally
        found = table.index_tallies.get(rows.space)
        return table.index_tallies.setdefault(rows.space, Tally()) if found is None else found

    def _note(self, table: Table, notes: UncountedKeys, key: bytes, units: float) -> None:
        keys = notes.get(units)
        if keys is None:
            keys = notes.setdefault(units, [])
        keys.append(key)
        if len(keys) >= BATCH_CALLS:
            self.fold(table)

    def fold(self, table: Table) -> None:
        """Count what was noted of a table and its indexes."""
        with self.lock:
            self.fold_locked(table)

    def fold_locked(self, table: Table) -> None:
        """The same, for one who has the lock."""
        table.tally.fold(table.partitions, table.tally, shared=bool(table.rows.sort))
        known = set(table.index_tallies)
        for rows in list(table.indexes.values()):
            known.discard(rows.space)
            tally = table.index_tallies.get(rows.space)
            if tally is not None:
                bearer, partitions = _partition_tally(table, rows, tally)
                tally.fold(partitions, bearer, shared=True)
        for gone in known:
            table.index_tallies.pop(gone, None)


def failed_size(write: Write, row: Row | None) -> int:
    """What a write that came to nothing is billed by: the item that is there, or what it carries if that is larger."""
    return max(0 if row is None else row.size, write.known_size())


def _vector_traffic(table: Table, name: str) -> VectorTraffic:
    # One that was deleted meanwhile is in no space, and shown nowhere.
    index = table.vectors.get(name)
    return VectorTraffic() if index is None else table.tally.vectors.setdefault(index.space, VectorTraffic())


def _has_shared_keys(rows: RowLayout) -> bool:
    """Whether several rows can have the same partition key."""
    return rows.name is not None or bool(rows.sort)


def _partition_tally(table: Table, rows: RowLayout, tally: Tally) -> tuple[Tally, Partitions]:
    """The tally whose partitions bear what is done to these rows: of a global index, its own."""
    if rows.kind == "gsi":
        return tally, table.index_partitions.get(rows.name or "") or Partitions.even(1)
    return table.tally, table.partitions
