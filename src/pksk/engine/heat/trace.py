"""Writes calls with their keys and units to a file, one line of JSON for each item or page."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from threading import Lock, local
from typing import Any, Final

import orjson

from pksk.engine.row_layout import RowLayout, read_item_key, read_partition_key
from pksk.errors import FileError, quote, quote_path

_BUFFERED_LINES: Final = 1000
# Every line begins with this.
_LINE_START: Final = b'{"ts":'
# The version of the lines, which the first one states. It is documented in docs/stored-formats.md.
TRACE_VERSION: Final = 1


class _CurrentCall(local):
    """The operation that a thread runs and the number of the call, set only while calls are recorded."""

    operation: str | None = None
    number: int | None = None


current_call: Final = _CurrentCall()
call_numbers: Final = count(1)


class CallRecorder:
    """Gets the key and the units of each item or page that calls read and write."""

    def write_line(self, operation: str, table: str, index: str | None, members: dict[str, Any]) -> None:
        """Note the key and the cost of one item or page; `operation` counts outside of a call."""
        raise NotImplementedError


class Trace(CallRecorder):
    """A file that calls are written to. A write error is raised by `close`, never by a call."""

    def __init__(self, path: str | os.PathLike[str], clock: Callable[[], float]) -> None:
        if not isinstance(path, str | os.PathLike):
            raise FileError(
                "engine-trace",
                f"{quote(path)} is not a file name.",
                expected="A trace is a file with one line of JSON for each item or page.",
                fix='write engine.trace("calls.jsonl").',
            )
        self._path = os.fsdecode(path)
        self._clock = clock
        self._lock = Lock()
        self._lines: list[bytes] = []
        self._byte_count = 0
        self._call_count = -1  # the first line is not a call
        self._failure: Exception | None = None
        try:
            self._check_unused()
            self._file = open(self._path, "wb", buffering=0)  # noqa: SIM115 - close() closes it
        except (OSError, ValueError) as error:
            raise self._problem("cannot be written", error) from error
        self._lines.append(orjson.dumps({"ts": clock(), "op": "Trace", "version": TRACE_VERSION}))

    def _check_unused(self) -> None:
        """Raise if the file exists and is not a trace, such as the file of the engine itself."""
        if not os.path.isfile(self._path):
            return
        with open(self._path, "rb") as file:
            start = file.read(len(_LINE_START))
        if start and start != _LINE_START:
            raise FileError(
                "engine-trace",
                f"{quote_path(self._path)} already exists, and is not a trace.",
                expected="Only a trace can be overwritten.",
                fix="choose another file name, or remove the file.",
            )

    def write_line(self, operation: str, table: str, index: str | None, members: dict[str, Any]) -> None:
        """Write the key and the cost of one item or page; `operation` counts outside of a call."""
        line: dict[str, Any] = {
            "ts": self._clock(),
            "op": current_call.operation or operation,
            "table": table,
        }
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
        data, position = b"\n".join(lines) + b"\n", 0
        try:
            while position < len(data):
                position += self._file.write(memoryview(data)[position:])
        except OSError as error:
            self._failure = error
            position = self._cut_partial_line(data, position)
        self._byte_count += position
        self._call_count += data.count(b"\n", 0, position)

    def _cut_partial_line(self, data: bytes, position: int) -> int:
        """Remove the partly written line from the file; returns the bytes of the whole lines."""
        whole = data.rfind(b"\n", 0, position) + 1
        with suppress(OSError):  # a pipe cannot be truncated
            self._file.truncate(self._byte_count + whole)
        return whole

    def close(self) -> None:
        """Write the remaining lines; raises the first write error since the file was opened."""
        with self._lock:
            self._flush()
            self._file.close()
        if self._failure is not None:
            calls = max(0, self._call_count)
            raise self._problem(f"has only the first {calls:,} lines of calls", self._failure)

    def _problem(self, what: str, error: Exception) -> FileError:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return FileError(
            "engine-trace",
            f"The trace {quote_path(self._path)} {what}: {reason}.",
            expected="A trace needs an existing folder, and a disk with free space.",
            fix="check the path and the disk, and record the calls again.",
        )


def key_members(rows: RowLayout, key: bytes, *, whole: bool) -> dict[str, Any]:
    """The partition key as "pk" and, with `whole`, the sort key as "sk"; several attributes are a list."""
    attributes = read_item_key(rows, key) if whole else read_partition_key(rows, key)
    members: dict[str, Any] = {}
    for member, names in (("pk", rows.partition), ("sk", rows.sort)):
        values = [attributes[each.name] for each in names if each.name in attributes]
        if values:
            members[member] = values[0] if len(values) == 1 else values
    return members
