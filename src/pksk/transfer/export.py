"""Reads an export."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import FileError, quote_path
from pksk.values import WireItem

from .export_files import DATA, FILES, FULL, JSON, ROOT, STARTED, SUMMARY, UNFINISHED
from .item_file import ItemFile, reject_format
from .json_lines import items_in
from .manifest import read_definition, read_manifest, reject_manifest
from .table_definition import TableDefinition


@dataclass(frozen=True)
class Export:
    """A complete export of one table.

    `summary` is AWS's summary manifest, `files` are the files of items, and `table` is the definition of the table,
    which is None in exports of AWS.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from pksk import Engine, Table
        >>> from pksk.transfer import export_table
        >>> engine = Engine.open()
        >>> created = engine.call("CreateTable", Table("orders").create_request())
        >>> with TemporaryDirectory() as folder:
        ...     export = export_table(engine, "orders", folder)
        ...     export.summary["itemCount"], export.table.keys, list(export.items())
        (0, {'pk': 'S', 'sk': 'S'}, [])
    """

    folder: Path
    summary: dict[str, Any]
    files: tuple[ItemFile, ...]
    table: TableDefinition | None

    @property
    def name(self) -> str:
        """The id of the export."""
        return self.folder.name

    @property
    def item_count(self) -> int:
        """The number of items."""
        return int(self.summary["itemCount"])

    def items(self) -> Iterator[WireItem]:
        """Read the items one by one, in DynamoDB's JSON.

        A file that does not match its manifest raises an error with its name and line, at its end at the latest.
        """
        for data in self.files:
            yield from items_in(data)


def open_export(folder: str | os.PathLike[str]) -> Export:
    """Open the export in a folder: its own folder, or the one that holds `AWSDynamoDB`.

    This reads and checks the manifests, but not the items.

    Example:
        >>> open_export("no-such-folder")
        Traceback (most recent call last):
        pksk.errors.FileError: 'no-such-folder': there is no export in it.
        An export is a folder with 'manifest-summary.json' in it.
        Fix: write the folder of the export, or FOLDER/AWSDynamoDB/<id>.  (pksk explain export-missing)
    """
    location = _locate(Path(folder))
    summary = _summary(location)
    files = tuple(_files(location))
    total = sum(data.items or 0 for data in files)
    if total != summary["itemCount"]:
        reason = f"it counts {summary['itemCount']:,} items, and its files {total:,}"
        reject_manifest(location / f"{SUMMARY}.json", reason)
    return Export(location, summary, files, read_definition(location))


def _locate(folder: Path) -> Path:
    if folder.name == f"{SUMMARY}.json":
        folder = folder.parent
    if (folder / f"{SUMMARY}.json").exists():
        return folder
    root = folder if folder.name == ROOT else folder / ROOT
    inside = sorted(each for each in root.iterdir() if each.is_dir()) if root.is_dir() else []
    complete = [each for each in inside if (each / f"{SUMMARY}.json").exists()]
    if len(complete) > 1:
        _reject_several(folder, complete)
    if complete:
        return complete[0]
    incomplete = [each for each in (folder, *inside) if _is_incomplete(each)]
    if incomplete:
        _reject_unfinished(incomplete[0])
    raise FileError(
        "export-missing",
        f"{quote_path(str(folder))}: there is no export in it.",
        expected=f"An export is a folder with '{SUMMARY}.json' in it.",
        fix=f"write the folder of the export, or FOLDER/{ROOT}/<id>.",
    )


def _is_incomplete(folder: Path) -> bool:
    return folder.name.endswith(UNFINISHED) or (folder / STARTED).exists() or (folder / DATA).is_dir()


def _reject_several(folder: Path, complete: list[Path]) -> NoReturn:
    names = ", ".join(each.name for each in complete[-5:])
    raise FileError(
        "export-several",
        f"{quote_path(str(folder))} has {len(complete):,} exports in it.",
        expected=f"The newest are: {names}.",
        fix=f"write one of them, such as {complete[-1]}.",
    )


def _reject_unfinished(folder: Path) -> NoReturn:
    raise FileError(
        "export-unfinished",
        f"{quote_path(str(folder))} is not finished: it has no '{SUMMARY}.json'.",
        expected="An export writes the summary last, after all items.",
        fix="export the table again, or download the whole export; you can delete an unfinished one.",
    )


def _summary(folder: Path) -> dict[str, Any]:
    path = folder / f"{SUMMARY}.json"
    try:
        document = json.loads(read_manifest(folder, SUMMARY))
    except (ValueError, RecursionError):
        reject_manifest(path, "it is not JSON")
    if not isinstance(document, dict) or not _is_count(document.get("itemCount")):
        reject_manifest(path, "it has no 'itemCount'")
    form, kind = document.get("outputFormat"), document.get("exportType") or FULL
    if form != JSON or kind != FULL:
        reject_format(path, str(form if form != JSON else kind))
    return document


def _files(folder: Path) -> Iterator[ItemFile]:
    path = folder / f"{FILES}.json"
    seen: set[Path] = set()
    for number, line in enumerate(read_manifest(folder, FILES).split("\n"), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            count, digest, key = entry["itemCount"], entry["md5Checksum"], entry["dataFileS3Key"]
            file = folder / DATA / key.rpartition("/")[2]
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            reject_manifest(path, f"line {number} is not the entry of a file")
        if not _is_count(count) or not isinstance(digest, str):
            reject_manifest(path, f"line {number} has no count of items, or no checksum")
        if file in seen:
            reject_manifest(path, f"line {number} repeats a file")
        if not file.is_file():
            reject_manifest(file, f"there is no such file, but {FILES}.json has it")
        seen.add(file)
        yield ItemFile(file, "dynamodb-json", items=count, md5=digest)


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0
