"""Records what each call consumes, cheaply enough to be always on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from threading import Lock
from typing import Final, TypeAlias

from pksk.capacity.units import read_units, write_units
from pksk.engine.row_layout import RowLayout
from pksk.engine.state import Outcome, Table, Tally, Write
from pksk.engine.state.tally import BATCH_CALLS, PendingKeys, VectorTraffic, group_by_partition
from pksk.engine.storage import Row
from pksk.partitions import Partitions

from .trace import CallRecorder, key_members

# How many items a page read and returned; empty while there is no trace.
PageCounts: TypeAlias = Mapping[str, int]
# The size of a row; twice as quick as by name.
_ROW_SIZE: Final = itemgetter(1)


class Meter:
    """Records calls in the tallies of tables, and in traces while there are any.

    A call appends a row key to a list, by the units that it costs. Thousands of keys are then counted at
    once, by loops in C: counting each call by itself would double the time of a GetItem.
    """

    __slots__ = ("lock", "traces")

    def __init__(self) -> None:
        # Held while tallies are counted or read.
        self.lock = Lock()
        self.traces: tuple[CallRecorder, ...] = ()

    def record_item_read(
        self,
        table: Table,
        key: bytes,
        row: Row | None,
        *,
        consistent: bool = False,
        transactional: bool = False,
    ) -> float:
        """A call read one item, or found none; returns the units."""
        size = 0 if row is None else row.size
        units = read_units(size, consistent=consistent, transactional=transactional)
        self._add(table, table.tally.pending_gets, key, units)
        if self.traces:
            self._trace(table, table.layout, key, {"rcu": units, "bytes": size}, "GetItem")
        return units

    def record_query(
        self, table: Table, rows: RowLayout, key: bytes, units: float, size: int, counts: PageCounts
    ) -> None:
        """A query read a page of this size, from about this row key on; `counts` are for traces."""
        self._add(table, self.tally(table, rows).pending_queries, key, units)
        if self.traces:
            self._trace(table, rows, key, {"rcu": units, "bytes": size, **counts}, "Query")

    def record_full_page(self, table: Table, rows: RowLayout, key: bytes, units: float) -> None:
        """A page of a query ended at 1 MB, without a Limit."""
        tally = self.tally(table, rows)
        with self.lock:
            tally.full_pages.count([key], units, single=False, shared=_has_shared_keys(rows))

    def record_scan(
        self,
        table: Table,
        rows: RowLayout,
        low: bytes,
        page: Sequence[Row],
        units: float,
        size: int,
        counts: PageCounts,
    ) -> None:
        """A scan read a page from `low` on; its units count for the partitions of its rows."""
        tally = self.tally(table, rows)
        partition_tally, partitions = _partition_tally(table, rows, tally)
        with self.lock:
            for traffic in (tally.scans, tally.reads):
                traffic.units += units
                traffic.calls += 1
            reads = partition_tally.reads
            reads.restart_on_split(partitions)
            first, last = (partitions.find(page[position].key if page else low) for position in (0, -1))
            if first is last or size == 0:
                reads.add_partition(first.number, units, 1)
            else:
                for part, part_rows in group_by_partition(partitions, page):
                    reads.add_partition(part.number, units * sum(map(_ROW_SIZE, part_rows)) / size, 0)
        if self.traces:
            self._trace(table, rows, None, {"rcu": units, "bytes": size, **counts}, "Scan")

    def record_write(self, write: Write, outcome: Outcome, doubled: bool = False) -> None:
        """A write or a condition check succeeded; in a transaction the table's units count twice."""
        if write.principal is not None:
            return
        table = write.table
        units = outcome.table_units * 2 if doubled else outcome.table_units
        self._add(table, table.tally.pending_writes, write.key, units)
        for entry in outcome.entries:
            self._add(table, self.tally(table, entry.layout).pending_writes, entry.key, entry.units)
        if self.traces:
            self._trace_write(write, outcome, units)

    def record_failed_write(self, write: Write, row: Row | None) -> None:
        """A condition of the write failed, or that of another write in its transaction."""
        table, size = write.table, failed_size(write, row)
        units = write_units(size)
        self._add(table, table.tally.pending_writes, write.key, units)
        if self.traces:
            self._trace(table, table.layout, write.key, {"wcu": units, "bytes": size}, "ConditionCheck")

    def record_vector_write(self, write: Write, billed: Mapping[str, float]) -> None:
        """A write changed entries of vector indexes; `billed` has the bytes by index."""
        if write.principal is not None:
            return
        with self.lock:
            for name, size in billed.items():
                traffic = _vector_traffic(write.table, name)
                traffic.writes += 1
                traffic.write_bytes += size
        if self.traces:
            for name, size in billed.items():
                self._trace(write.table, write.table.layout, write.key, {"bytes": size}, "PutItem", name)

    def record_vector_search(self, table: Table, name: str, size: float) -> None:
        """A search of a vector index, which is billed by so many bytes."""
        with self.lock:
            traffic = _vector_traffic(table, name)
            traffic.searches += 1
            traffic.search_bytes += size
        if self.traces:
            self._trace(table, table.layout, None, {"bytes": size}, "SearchVectors", name)

    def record_replay(self, table: Table, units: float) -> None:
        """A transaction was repeated with its token: its items of this table are billed as read."""
        with self.lock:
            table.tally.reads.units += units
            table.tally.reads.calls += 1
        if self.traces:
            self._trace(table, table.layout, None, {"rcu": units, "bytes": 0}, "TransactWriteItems")

    def tally(self, table: Table, rows: RowLayout) -> Tally:
        """The tally of a table's own rows, or of an index."""
        if rows.name is None:
            return table.tally
        tally = table.index_tallies.get(rows.space)
        return table.index_tallies.setdefault(rows.space, Tally()) if tally is None else tally

    def _add(self, table: Table, pending: PendingKeys, key: bytes, units: float) -> None:
        keys = pending.get(units)
        if keys is None:
            keys = pending.setdefault(units, [])
        keys.append(key)
        if len(keys) >= BATCH_CALLS:
            self.count_pending(table)

    def count_pending(self, table: Table) -> None:
        """Count the pending keys of a table and its indexes."""
        with self.lock:
            self.count_pending_locked(table)

    def count_pending_locked(self, table: Table) -> None:
        """The same, for a caller that holds the lock."""
        table.tally.count_pending(table.partitions, table.tally, shared=bool(table.layout.sort))
        deleted = set(table.index_tallies)
        for rows in list(table.indexes.values()):
            deleted.discard(rows.space)
            tally = table.index_tallies.get(rows.space)
            if tally is not None:
                partition_tally, partitions = _partition_tally(table, rows, tally)
                tally.count_pending(partitions, partition_tally, shared=True)
        for space in deleted:
            table.index_tallies.pop(space, None)

    def _trace_write(self, write: Write, outcome: Outcome, units: float) -> None:
        operation = _operation_of(write, outcome)
        size = max(outcome.new_size, 0 if outcome.old is None else outcome.old.size)
        self._trace(write.table, write.table.layout, write.key, {"wcu": units, "bytes": size}, operation)
        for entry in outcome.entries:
            cost = {"wcu": entry.units, "bytes": max(entry.before, entry.after)}
            self._trace(write.table, entry.layout, entry.key, cost, operation)

    def _trace(
        self,
        table: Table,
        rows: RowLayout,
        key: bytes | None,
        cost: Mapping[str, float],
        operation: str,
        vector_index: str | None = None,
    ) -> None:
        members = {} if key is None else key_members(rows, key, whole=operation != "Query")
        for trace in self.traces:
            trace.write_line(operation, table.name, vector_index or rows.name, {**members, **cost})


def failed_size(write: Write, row: Row | None) -> int:
    """The bytes by which a failed write is billed: those of the stored item or of the new one, if larger."""
    return max(0 if row is None else row.size, write.known_size())


def _operation_of(write: Write, outcome: Outcome) -> str:
    if write.change is None:
        return "ConditionCheck"
    if outcome.new_item is None:
        return "DeleteItem"
    return "UpdateItem" if write.reads_old else "PutItem"


def _vector_traffic(table: Table, name: str) -> VectorTraffic:
    index = table.vectors.get(name)
    # An index that was deleted meanwhile has no tally.
    return VectorTraffic() if index is None else table.tally.vectors.setdefault(index.space, VectorTraffic())


def _has_shared_keys(rows: RowLayout) -> bool:
    """Whether several rows can have the same partition key."""
    return rows.name is not None or bool(rows.sort)


def _partition_tally(table: Table, rows: RowLayout, tally: Tally) -> tuple[Tally, Partitions]:
    """The tally that counts these rows by partition, and the partitions."""
    return tally if rows.kind == "gsi" else table.tally, table.partitions_of(rows)
