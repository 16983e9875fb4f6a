"""Fills a table from an export, or from files of DynamoDB JSON or CSV."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, NoReturn

from pksk.client import Client, ServiceError
from pksk.dataclass import dataclass
from pksk.errors import FileError, PkskError, quote
from pksk.values import WireItem, item_size

from .csv_rows import read_csv
from .import_source import CsvOptions, ImportSource, import_definition, open_source
from .import_target import BatchWriter, ImportTarget, describe_table
from .item_checks import KeyRules, VectorRules
from .item_file import ItemFile, Lines
from .json_lines import read_json
from .progress import OnProgress, Progress, Step, ignore_progress
from .table_definition import TableDefinition

__all__ = ["MOST_PROBLEMS", "ImportCheck", "ImportPass", "ImportResult", "SkippedLine", "import_table"]


def import_table(  # noqa: PLR0913 - each is an option of an import
    client: Client,
    source: str | os.PathLike[str],
    table: str,
    *,
    keys: Mapping[str, str] | None = None,
    create: Mapping[str, Any] | None = None,
    form: str | None = None,
    delimiter: str | None = None,
    header: Sequence[str] | None = None,
    append: bool = False,
    restart: bool = False,
    skip_bad: bool = False,
    progress: OnProgress | None = None,
) -> ImportResult:
    r"""Import the items of an export, of a folder of files, or of one file.

    All files are read and checked first. Only then is the table made: as the export tells, as the
    CreateTable request in `create` says, or with the `keys` alone. A table that is there must be empty,
    unless `append` says that items may be added and written over. What goes wrong later deletes
    the table again, if it was made here.

    A line that is wrong ends the import, unless `skip_bad` says to go on without it.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from pksk import Engine
        >>> engine = Engine.open()
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder) / "orders.csv"
        ...     written = file.write_text("id,day,total\n7,2026-03-01,12.50\n")
        ...     imported = import_table(engine, file, "orders", keys={"id": "N"})
        >>> imported.items, engine.call("Scan", {"TableName": "orders"})["Items"]
        (1, [{'id': {'N': '7'}, 'day': {'S': '2026-03-01'}, 'total': {'S': '12.50'}}])
    """
    tell = progress or ignore_progress
    names = None if header is None else tuple(header)
    opened = open_source(Path(source), form, CsvOptions(delimiter, names))
    target = _target(client, table, append=append, restart=restart)
    told = import_definition(opened, table, keys, create, target.definition if target else None)
    target = target or ImportTarget(client, told, exists=False)
    check = ImportCheck.of(ImportPass(opened, told, "checking", tell), skip_bad=skip_bad)
    reading = ImportPass(opened, told, "writing", tell, again=not check.skipped)
    written = _fill(target, reading, check, BatchWriter(client, table))
    return ImportResult(
        table,
        created=target.made,
        files=len(opened.files),
        items=written,
        size_bytes=check.size_bytes,
        skipped=check.skipped,
        problems=tuple(check.problems),
    )


def _target(client: Client, table: str, *, append: bool, restart: bool) -> ImportTarget | None:
    found = describe_table(client, table)
    return None if found is None else ImportTarget.existing(client, found, append=append, restart=restart)


def _fill(target: ImportTarget, reading: ImportPass, check: ImportCheck, batches: BatchWriter) -> int:
    """Write all items; what breaks it off says what is left of it."""
    try:
        target.begin()
        for row in reading:
            if not isinstance(row, SkippedLine):
                batches.add(row[2], row[1])
        batches.flush()
        if reading.sums != check.sums:
            _refuse_changed(reading.source)
        target.finish()
    except (ServiceError, PkskError) as error:
        _refuse_stopped(target, error, batches.written, check.items, nothing_left=target.abandon())
    except BaseException:
        target.abandon()
        raise
    return batches.written


def _refuse_changed(source: ImportSource) -> NoReturn:
    raise FileError(
        "export-checksum",
        f"{source.path} was changed while it was read.",
        expected="Files stay as they are during an import: they are checked first, and then read again.",
        fix="import again when nobody writes to them.",
    )


def _refuse_stopped(
    target: ImportTarget, error: Exception, written: int, items: int, *, nothing_left: bool
) -> NoReturn:
    left = f"{written:,} of {items:,} items are in table {quote(target.name)}."
    fix = "import again with --append, which writes the same items once more."
    if nothing_left or (not target.made and not target.exists):
        left, fix = f"Nothing is left of table {quote(target.name)}.", "import again when the reason is gone."
    elif target.made:
        fix = "import again with --restart, which deletes that table first."
    reason = error.problem if isinstance(error, PkskError) else f"{error}"
    raise PkskError(
        "import-stopped", f"The import was broken off: {reason}", expected=left, fix=fix
    ) from error


class ImportPass:
    """One pass over the files of a source, for the items that a table can hold.

    `again` is for the second pass over files that have nothing wrong in them.
    """

    def __init__(
        self,
        source: ImportSource,
        definition: TableDefinition,
        step: Step,
        tell: OnProgress,
        *,
        again: bool = False,
    ) -> None:
        self.source = source
        self._types = definition.types
        self._rules, self._vectors = KeyRules(definition), VectorRules(definition)
        self._step, self._tell, self._again = step, tell, again
        self._total, self._before, self._told = source.size_bytes, 0, 0
        # The MD5 sum of each file that was read to its end.
        self.sums: list[str] = []

    def __iter__(self) -> Iterator[tuple[int, WireItem, tuple[str, ...]] | SkippedLine]:
        """Each item with its line and key, or what is wrong with the line."""
        for data in self.source.files:
            lines, count = data.lines(self._advance), 0
            for number, item in self._rows(data, lines):
                count += 1
                yield self._fitting(number, item, lines)
            data.finish(lines, count)
            self.sums.append(lines.md5)
            self._before += data.path.stat().st_size
        self._tell(Progress(self._step, self._total, self._total))

    def _rows(self, data: ItemFile, lines: Lines) -> Iterator[tuple[int, WireItem | FileError]]:
        if data.format == "csv":
            return read_csv(data, lines, self._types)
        return read_json(lines, again=self._again)

    def _fitting(
        self, number: int, item: WireItem | FileError, lines: Lines
    ) -> tuple[int, WireItem, tuple[str, ...]] | SkippedLine:
        if isinstance(item, FileError):
            return SkippedLine(number, item)
        try:
            where = f"{lines.label}, line {number}"
            self._vectors.check(item, where)
            return number, item, self._rules.key(item, where)
        except FileError as problem:
            return SkippedLine(number, problem)

    def _advance(self, read_bytes: int) -> None:
        done = self._before + read_bytes
        if done - self._told >= 1 << 16:  # not with each line
            self._told = done
            self._tell(Progress(self._step, done, self._total))


@dataclass
class ImportCheck:
    """What a pass over all files has found."""

    items: int = 0
    size_bytes: int = 0
    skipped: int = 0
    problems: list[SkippedLine] = field(default_factory=list)
    sums: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, reading: ImportPass, *, skip_bad: bool) -> ImportCheck:
        """Read all files; the first line that is wrong ends it, unless those are to be skipped."""
        found = cls()
        for data in reading.source.files:
            data.verify()
        for row in reading:
            if not isinstance(row, SkippedLine):
                found.items += 1
                found.size_bytes += item_size(row[1])
            elif skip_bad:
                found.skipped += 1
                found.problems += [row] if len(found.problems) < MOST_PROBLEMS else []
            else:
                raise row.problem
        if not (found.items or found.skipped or reading.source.may_be_empty):
            _refuse_empty(reading.source)
        found.sums = reading.sums
        return found


def _refuse_empty(source: ImportSource) -> None:
    raise FileError(
        "file-empty",
        f"{source.path}: there is no item in it.",
        expected="A file of items has one item a line.",
        fix="check that the file was written to its end, and that it is the right one.",
    )


# So many skipped lines are told of one by one; more tell nothing new.
MOST_PROBLEMS = 20


@dataclass(frozen=True)
class SkippedLine:
    """A line that is no item of the table, and why."""

    line: int
    problem: FileError


@dataclass(frozen=True)
class ImportResult:
    """A finished import: the table, whether it was made for it, and what was read and written.

    `items` were written; where several of them share a key, the last one is in the table. `skipped`
    lines were not, and `problems` has the first of these.

    Example:
        >>> ImportResult("orders", created=True, files=1, items=120, size_bytes=40_000).skipped
        0
    """

    table: str
    created: bool
    files: int
    items: int
    size_bytes: int
    skipped: int = 0
    problems: tuple[SkippedLine, ...] = ()
