"""Records calls with their keys and units to a file, one line of JSON for each item or page."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from threading import Lock, local
from typing import TYPE_CHECKING, Any, Final

import orjson

from pksk.errors import FileProblem, quote, quote_path

from .row_keys import item_key, partition_key

if TYPE_CHECKING:
    from pksk.engine.layout import Rows
    from pksk.engine.tables.table import Table

__all__ = ["Trace", "under_way"]

_LINES: Final = 1000
# Every line, and so every trace.
_BEGINS: Final = b'{"ts":'


class _UnderWay(local):
    """The operation that a thread is about, set only while calls are recorded."""

    operation: str | None = None


under_way: Final = _UnderWay()


class Trace:
    """A file that calls are recorded to; what goes wrong with it is told when it is closed, not to the calls."""

    def __init__(self, path: str | os.PathLike[str], clock: Callable[[], float]) -> None:
        if not isinstance(path, str | os.PathLike):
            raise FileProblem(
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
            start = found.read(len(_BEGINS))
        if start and start != _BEGINS:
            raise FileProblem(
                "engine-trace",
                f"{quote_path(self._path)} is there already, and is no trace.",
                expected="Only a trace is written over.",
                fix="name another file, or remove that one.",
            )

    def tell(
        self, table: Table, rows: Rows, key: bytes | None, cost: tuple[str, float, int], op: str
    ) -> None:
        """Record what one item, or one page, cost: units by their name, and bytes."""
        unit, units, size = cost
        named = {} if key is None else _named(rows, key, whole=op != "Query")
        self._add(table, rows.name, {**named, unit: units, "bytes": size}, op)

    def tell_bytes(self, table: Table, index: str, key: bytes | None, size: float, op: str) -> None:
        """Record a search of a vector index, or a write to it by the item with a key: they cost bytes."""
        named = {} if key is None else _named(table.rows, key, whole=True)
        self._add(table, index, {**named, "bytes": size}, op)

    def _add(self, table: Table, index: str | None, members: dict[str, Any], op: str) -> None:
        line: dict[str, Any] = {"ts": self._clock(), "op": under_way.operation or op, "table": table.name}
        if index is not None:
            line["index"] = index
        data = orjson.dumps(line | members)
        with self._lock:
            self._lines.append(data)
            if len(self._lines) >= _LINES:
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

    def _problem(self, what: str, error: Exception) -> FileProblem:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return FileProblem(
            "engine-trace",
            f"The trace {quote_path(self._path)} {what}: {reason}.",
            expected="It is a file in a folder that is there, on a disk with room.",
            fix="check the path and the disk, and record again.",
        )


def _named(rows: Rows, key: bytes, *, whole: bool) -> dict[str, Any]:
    """The partition key and, for an item, the sort key; several attributes are a list of them."""
    found = item_key(rows, key) if whole else partition_key(rows, key)
    named: dict[str, Any] = {}
    for member, attributes in (("pk", rows.partition), ("sk", rows.sort)):
        values = [found[each.name] for each in attributes if each.name in found]
        if values:
            named[member] = values[0] if len(values) == 1 else values
    return named
