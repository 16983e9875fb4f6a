"""The meter while calls are recorded: it notes them as ever, and tells them to the traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.capacity.units import read_units, write_units

from .meter import Meter, failed_size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pksk.engine.layout import Rows
    from pksk.engine.storage import Row
    from pksk.engine.tables.table import Table
    from pksk.engine.writes.write import Outcome, Write

    from .trace import Trace

__all__ = ["TracingMeter"]


class TracingMeter(Meter):
    """A meter that stands for another one as long as there are traces."""

    __slots__ = ("_meter", "_traces")

    def __init__(self, meter: Meter, trace: Trace) -> None:
        self.lock = meter.lock
        self._meter: Meter = meter._meter if isinstance(meter, TracingMeter) else meter
        before: tuple[Trace, ...] = meter._traces if isinstance(meter, TracingMeter) else ()
        self._traces: tuple[Trace, ...] = (*before, trace)

    def without(self, trace: Trace) -> Meter:
        """The meter that one more trace has left."""
        left = [each for each in self._traces if each is not trace]
        meter = self._meter
        for each in left:
            meter = TracingMeter(meter, each)
        return meter

    def got(self, table: Table, key: bytes, row: Row | None, *, consistent: bool) -> None:
        """As the meter has it."""
        super().got(table, key, row, consistent=consistent)
        size = 0 if row is None else row.size
        self._tell(table, table.rows, key, ("rcu", read_units(size, consistent=consistent), size), "GetItem")

    def read(self, table: Table, key: bytes, units: float, size: int) -> None:
        """As the meter has it."""
        super().read(table, key, units, size)
        self._tell(table, table.rows, key, ("rcu", units, size), "GetItem")

    def queried(self, table: Table, rows: Rows, key: bytes, units: float, size: int) -> None:
        """As the meter has it."""
        super().queried(table, rows, key, units, size)
        self._tell(table, rows, key, ("rcu", units, size), "Query")

    def scanned(
        self, table: Table, rows: Rows, low: bytes, found: Sequence[Row], units: float, size: int
    ) -> None:
        """As the meter has it."""
        super().scanned(table, rows, low, found, units, size)
        self._tell(table, rows, None, ("rcu", units, size), "Scan")

    def wrote(self, write: Write, outcome: Outcome, doubled: bool = False) -> None:
        """As the meter has it."""
        super().wrote(write, outcome, doubled)
        if write.by is not None:
            return
        table, operation = write.table, _operation(write, outcome)
        size = max(outcome.new_size, 0 if outcome.old is None else outcome.old.size)
        units = outcome.table_units * (2 if doubled else 1)
        self._tell(table, table.rows, write.key, ("wcu", units, size), operation)
        for entry in outcome.entries:
            cost = "wcu", entry.units, max(entry.before, entry.after)
            self._tell(table, entry.rows, entry.key, cost, operation)

    def failed(self, write: Write, row: Row | None) -> None:
        """As the meter has it."""
        super().failed(write, row)
        size = failed_size(write, row)
        self._tell(
            write.table, write.table.rows, write.key, ("wcu", write_units(size), size), "ConditionCheck"
        )

    def wrote_vectors(self, write: Write, billed: Mapping[str, float]) -> None:
        """As the meter has it."""
        super().wrote_vectors(write, billed)
        if write.by is None:
            for name, size in billed.items():
                for trace in self._traces:
                    trace.tell_bytes(write.table, name, write.key, size, "PutItem")

    def searched(self, table: Table, name: str, size: float) -> None:
        """As the meter has it."""
        super().searched(table, name, size)
        for trace in self._traces:
            trace.tell_bytes(table, name, None, size, "SearchVectors")

    def replayed(self, table: Table, units: float) -> None:
        """As the meter has it."""
        super().replayed(table, units)
        self._tell(table, table.rows, None, ("rcu", units, 0), "TransactWriteItems")

    def _tell(
        self, table: Table, rows: Rows, key: bytes | None, cost: tuple[str, float, int], operation: str
    ) -> None:
        for trace in self._traces:
            trace.tell(table, rows, key, cost, operation)


def _operation(write: Write, outcome: Outcome) -> str:
    if write.change is None:
        return "ConditionCheck"
    if outcome.new_item is None:
        return "DeleteItem"
    return "UpdateItem" if write.reads_old else "PutItem"
