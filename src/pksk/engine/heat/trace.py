"""Records calls with their keys and units to a file, one line of JSON for each item or page."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from threading import Lock, local
from typing import TYPE_CHECKING, Any, Final

import orjson

from pksk.capacity.units import read_units, write_units
from pksk.errors import FileError, quote, quote_path

from ..row_layout import read_item_key, read_partition_key
from .meter import Meter, failed_size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pksk.engine.row_layout import RowLayout
    from pksk.engine.state.table import Table
    from pksk.engine.state.write import Outcome, Write
    from pksk.engine.storage import Row

__all__ = ["Trace", "TracingMeter", "current_call"]

_BUFFERED_LINES: Final = 1000
# Every line, and so every trace.
_LINE_START: Final = b'{"ts":'


class _CurrentCall(local):
    """The operation that a thread is about, set only while calls are recorded."""

    operation: str | None = None


current_call: Final = _CurrentCall()


class Trace:
    """A file that calls are recorded to; what goes wrong with it is told when it is closed, not to the calls."""

    def __init__(self, path: str | os.PathLike[str], clock: Callable[[], float]) -> None:
        if not isinstance(path, str | os.PathLike):
            raise FileError(
                "engine-trace",
                f"{quote(path)} is not the name of a file.",
                expected="Calls are recorded to a file, one line of JSON for each.",
                fix='write engine.trace("calls.jsonl").',
            )
        self._path = os.fsdecode(path)
        self._clock = clock
        self._lock = Lock()
        self._lines: list[bytes] = []
        # Lines, and bytes of these.
        self._written = self._bytes = 0
        self._failure: Exception | None = None
        try:
            self._check_unused()
            self._file = open(self._path, "wb", buffering=0)  # noqa: SIM115 - close() closes it
        except (OSError, ValueError) as error:
            raise self._problem("cannot be written", error) from error

    def _check_unused(self) -> None:
        """Refuse to write over what is no trace, such as the file that the engine itself is on."""
        if not os.path.isfile(self._path):
            return
        with open(self._path, "rb") as found:
            start = found.read(len(_LINE_START))
        if start and start != _LINE_START:
            raise FileError(
                "engine-trace",
                f"{quote_path(self._path)} is there already, and is no trace.",
                expected="Only a trace is written over.",
                fix="name another file, or remove that one.",
            )

    def tell(
        self, table: Table, rows: RowLayout, key: bytes | None, cost: tuple[str, float, int], op: str
    ) -> None:
        """Record what one item, or one page, cost: units by their name, and bytes."""
        unit, units, size = cost
        named = {} if key is None else _key_members(rows, key, whole=op != "Query")
        self._add(table, rows.name, {**named, unit: units, "bytes": size}, op)

    def tell_bytes(self, table: Table, index: str, key: bytes | None, size: float, op: str) -> None:
        """Record a search of a vector index, or a write to it by the item with a key: they cost bytes."""
        named = {} if key is None else _key_members(table.rows, key, whole=True)
        self._add(table, index, {**named, "bytes": size}, op)

    def _add(self, table: Table, index: str | None, members: dict[str, Any], op: str) -> None:
        line: dict[str, Any] = {"ts": self._clock(), "op": current_call.operation or op, "table": table.name}
        if index is not None:
            line["index"] = index
        data = orjson.dumps(line | members)
        with self._lock:
            self._lines.append(data)
            if len(self._lines) >= _BUFFERED_LINES:
                self._flush()

    def _flush(self) -> None:
        lines, self._lines = self._lines, []
        if self._failure is not None or self._file.closed or not lines:
            return
        data, sent = b"\n".join(lines) + b"\n", 0
        try:
            while sent < len(data):
                sent += self._file.write(memoryview(data)[sent:])
        except OSError as error:
            self._failure = error
            sent = self._whole(data, sent)
        self._bytes += sent
        self._written += data.count(b"\n", 0, sent)

    def _whole(self, data: bytes, sent: int) -> int:
        """Take back the line that was written in part; gives what is left of the bytes that were sent."""
        whole = data.rfind(b"\n", 0, sent) + 1
        with suppress(OSError):  # what is no file, such as a pipe, cannot be cut
            self._file.truncate(self._bytes + whole)
        return whole

    def close(self) -> None:
        """Write what is left; raises what went wrong since the file was opened."""
        with self._lock:
            self._flush()
            self._file.close()
        if self._failure is not None:
            raise self._problem(f"could be written for {self._written:,} lines only", self._failure)

    def _problem(self, what: str, error: Exception) -> FileError:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return FileError(
            "engine-trace",
            f"The trace {quote_path(self._path)} {what}: {reason}.",
            expected="It is a file in a folder that is there, on a disk with room.",
            fix="check the path and the disk, and record again.",
        )


def _key_members(rows: RowLayout, key: bytes, *, whole: bool) -> dict[str, Any]:
    """The partition key and, for an item, the sort key; several attributes are a list of them."""
    found = read_item_key(rows, key) if whole else read_partition_key(rows, key)
    named: dict[str, Any] = {}
    for member, attributes in (("pk", rows.partition), ("sk", rows.sort)):
        values = [found[each.name] for each in attributes if each.name in found]
        if values:
            named[member] = values[0] if len(values) == 1 else values
    return named


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

    def queried(self, table: Table, rows: RowLayout, key: bytes, units: float, size: int) -> None:
        """As the meter has it."""
        super().queried(table, rows, key, units, size)
        self._tell(table, rows, key, ("rcu", units, size), "Query")

    def scanned(
        self, table: Table, rows: RowLayout, low: bytes, found: Sequence[Row], units: float, size: int
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
        self, table: Table, rows: RowLayout, key: bytes | None, cost: tuple[str, float, int], operation: str
    ) -> None:
        for trace in self._traces:
            trace.tell(table, rows, key, cost, operation)


def _operation(write: Write, outcome: Outcome) -> str:
    if write.change is None:
        return "ConditionCheck"
    if outcome.new_item is None:
        return "DeleteItem"
    return "UpdateItem" if write.reads_old else "PutItem"
