"""Writes a table into a folder, in the layout of AWS's exports to S3."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Lock
from time import time
from typing import Any, Final

from pksk.client import Client
from pksk.errors import InvalidValue, quote
from pksk.values import item_size

from .export import Export, open_export
from .export_files import DATA, ROOT, DataFile, data_file_name, export_id, unfinished_export
from .manifest import Totals, write_manifests
from .progress import OnProgress, Progress, ignore_progress
from .table_definition import fetch_definition

_MAX_THREADS: Final = 8
_MAX_SEGMENTS: Final = 1_000


def export_table(
    client: Client,
    table: str,
    folder: str | os.PathLike[str],
    *,
    segments: int = 1,
    progress: OnProgress | None = None,
) -> Export:
    """Export all items of a table into `FOLDER/AWSDynamoDB/<id>`, one file for each segment.

    The folder is created if it is missing, and may hold other exports. The export appears when it is complete and on
    disk; an error leaves nothing behind. Each item is read once, with a consistent read: the export is the table at one
    moment if no other client writes meanwhile. An item that changes during the export is in it as before or after.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from pksk import Engine, Table
        >>> engine = Engine.open()
        >>> created = engine.call("CreateTable", Table("orders").create_request())
        >>> item = {"pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#1"}}
        >>> put = engine.call("PutItem", {"TableName": "orders", "Item": item})
        >>> with TemporaryDirectory() as folder:
        ...     export = export_table(engine, "orders", folder)
        ...     list(export.items())
        [{'pk': {'S': 'CUST#7'}, 'sk': {'S': 'ORDER#1'}}]
    """
    _check_segments(segments)
    described = client.call("DescribeTable", {"TableName": table})["Table"]
    definition = fetch_definition(client, described)
    folder, started = Path(folder), time()
    name = export_id(started)
    with unfinished_export(folder, name) as unfinished:
        total = _Total(described["ItemCount"], progress or ignore_progress)
        entries = _Scan(client, described["TableName"], segments, total).write_files(unfinished / DATA, name)
        totals = Totals(described, folder.resolve().name, name, started, total.items, total.size_bytes)
        write_manifests(unfinished, definition, entries, totals)
    return open_export(folder / ROOT / name)


class _Total:
    """The items and bytes that all segments have written."""

    def __init__(self, expected: int, on_progress: OnProgress) -> None:
        self.items = self.size_bytes = 0
        self._expected = expected
        self._on_progress = on_progress
        self._lock = Lock()

    def add(self, items: int, size_bytes: int) -> None:
        """Count a page."""
        with self._lock:
            self.items += items
            self.size_bytes += size_bytes
            self._on_progress(Progress("exporting", self.items, max(self.items, self._expected)))


class _Scan:
    """A parallel scan that writes one file for each segment."""

    def __init__(self, client: Client, table: str, segments: int, total: _Total) -> None:
        self._client = client
        self._segments = segments
        self._request = {"TableName": table, "ConsistentRead": True, "TotalSegments": segments}
        self._total = total
        self._stopped = Event()

    def write_files(self, folder: Path, name: str) -> list[dict[str, Any]]:
        """Write the files; returns their entries in the manifest."""
        files = [data_file_name() for _ in range(self._segments)]
        paths = [
            (segment, folder / file, f"{ROOT}/{name}/{DATA}/{file}") for segment, file in enumerate(files)
        ]
        if self._segments == 1:
            return [self._write_file(*paths[0])]
        with ThreadPoolExecutor(min(self._segments, _MAX_THREADS)) as pool:
            try:
                return list(pool.map(self._write_file, *zip(*paths, strict=True)))
            except BaseException:
                self._stopped.set()
                raise

    def _write_file(self, segment: int, path: Path, key: str) -> dict[str, Any]:
        with DataFile(path, key) as file:
            for page in self._pages(segment):
                for item in page:
                    file.add(item)
                self._total.add(len(page), sum(map(item_size, page)))
        return file.entry

    def _pages(self, segment: int) -> Iterator[list[Mapping[str, Any]]]:
        start: dict[str, Any] = {}
        while not self._stopped.is_set():
            answer = self._client.call("Scan", {**self._request, "Segment": segment, **start})
            yield answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def _check_segments(segments: int) -> None:
    if type(segments) is not int or not 1 <= segments <= _MAX_SEGMENTS:
        raise InvalidValue(
            "export-segments",
            f"{quote(segments)} is not a number of segments.",
            expected=f"A scan has 1 to {_MAX_SEGMENTS:,} segments, and writes one file for each.",
            fix="write a whole number, such as 4.",
        )
