"""Imports an export, or files of DynamoDB JSON or CSV, into a table."""

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

    All files are read and checked first. Then the table is created: from the definition in the export, from the
    CreateTable request in `create`, or from the `keys` alone. A table that exists must be empty, unless `append` allows
    to add and overwrite items. A later error deletes the table again, if the import created it.

    A wrong line ends the import, unless `skip_bad` skips it.

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
    on_progress = progress or ignore_progress
    names = None if header is None else tuple(header)
    files = open_source(Path(source), form, CsvOptions(delimiter, names))
    target = _target(client, table, append=append, restart=restart)
    definition = import_definition(files, table, keys, create, target.definition if target else None)
    target = target or ImportTarget(client, definition, exists=False)
    check = ImportCheck.of(ImportPass(files, definition, "checking", on_progress), skip_bad=skip_bad)
    rows = ImportPass(files, definition, "writing", on_progress, trusted=not check.skipped)
    item_count = _write(target, rows, check, BatchWriter(client, table))
    return ImportResult(
        table,
        created=target.created,
        files=len(files.files),
        items=item_count,
        size_bytes=check.size_bytes,
        skipped=check.skipped,
        problems=tuple(check.problems),
    )


def _target(client: Client, table: str, *, append: bool, restart: bool) -> ImportTarget | None:
    description = describe_table(client, table)
    return (
        None
        if description is None
        else ImportTarget.existing(client, description, append=append, restart=restart)
    )


def _write(target: ImportTarget, rows: ImportPass, check: ImportCheck, batches: BatchWriter) -> int:
    """Write all items; an error says what is left in the table."""
    try:
        target.begin()
        for row in rows:
            if not isinstance(row, SkippedLine):
                batches.add(row[2], row[1])
        batches.flush()
        if rows.sums != check.sums:
            _reject_changed(rows.source)
        target.finish()
    except (ServiceError, PkskError) as error:
        _reject_stopped(target, error, batches.written, check.items, nothing_left=target.abandon())
    except BaseException:
        target.abandon()
        raise
    return batches.written


def _reject_changed(source: ImportSource) -> NoReturn:
    raise FileError(
        "export-checksum",
        f"{source.path} changed during the import.",
        expected="An import reads the files twice: to check them, and to write their items.",
        fix="import again when no program writes to them.",
    )


def _reject_stopped(
    target: ImportTarget, error: Exception, written: int, items: int, *, nothing_left: bool
) -> NoReturn:
    outcome = f"{written:,} of {items:,} items are in table {quote(target.name)}."
    fix = "import again with --append, which writes the same items once more."
    if nothing_left or (not target.created and not target.exists):
        outcome, fix = (
            f"Nothing is left of table {quote(target.name)}.",
            "correct the reason, and import again.",
        )
    elif target.created:
        fix = "import again with --restart, which deletes that table first."
    reason = error.problem if isinstance(error, PkskError) else f"{error}"
    raise PkskError("import-stopped", f"The import failed: {reason}", expected=outcome, fix=fix) from error


class ImportPass:
    """One pass over the files of a source, which checks each item against its table.

    `trusted` is for the second pass, after a first one without errors.
    """

    def __init__(
        self,
        source: ImportSource,
        definition: TableDefinition,
        step: Step,
        on_progress: OnProgress,
        *,
        trusted: bool = False,
    ) -> None:
        self.source = source
        self._trusted = trusted
        self._types = definition.types
        self._rules, self._vectors = KeyRules(definition), VectorRules(definition)
        self._step, self._on_progress = step, on_progress
        self._total, self._before, self._reported = source.size_bytes, 0, 0
        # The MD5 sums of the files that are read.
        self.sums: list[str] = []

    def __iter__(self) -> Iterator[tuple[int, WireItem, tuple[str, ...]] | SkippedLine]:
        """Each line's number with its item and key, or the error of a wrong line."""
        for data in self.source.files:
            lines, count = data.lines(self._advance), 0
            for number, item in self._items(data, lines):
                count += 1
                yield self._checked(number, item, lines)
            data.finish(lines, count)
            self.sums.append(lines.md5)
            self._before += data.path.stat().st_size
        self._on_progress(Progress(self._step, self._total, self._total))

    def _items(self, data: ItemFile, lines: Lines) -> Iterator[tuple[int, WireItem | FileError]]:
        if data.format == "csv":
            return read_csv(data, lines, self._types)
        return read_json(lines, trusted=self._trusted)

    def _checked(
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
        total_bytes = self._before + read_bytes
        if total_bytes - self._reported >= 1 << 16:  # not for each line
            self._reported = total_bytes
            self._on_progress(Progress(self._step, total_bytes, self._total))


@dataclass
class ImportCheck:
    """The result of a pass over all files."""

    items: int = 0
    size_bytes: int = 0
    skipped: int = 0
    problems: list[SkippedLine] = field(default_factory=list)
    sums: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, rows: ImportPass, *, skip_bad: bool) -> ImportCheck:
        """Read all files; raises the error of the first wrong line, unless `skip_bad`."""
        result = cls()
        for data in rows.source.files:
            data.verify()
        for row in rows:
            if not isinstance(row, SkippedLine):
                result.items += 1
                result.size_bytes += item_size(row[1])
            elif skip_bad:
                result.skipped += 1
                result.problems += [row] if len(result.problems) < MAX_PROBLEMS else []
            else:
                raise row.problem
        if not (result.items or result.skipped or rows.source.may_be_empty):
            _reject_empty(rows.source)
        result.sums = rows.sums
        return result


def _reject_empty(source: ImportSource) -> None:
    raise FileError(
        "file-empty",
        f"{source.path}: there is no item in it.",
        expected="A file of items has one item a line.",
        fix="check that the file was written to its end, and that it is the right one.",
    )


# The most skipped lines in a result.
MAX_PROBLEMS = 20


@dataclass(frozen=True)
class SkippedLine:
    """A line that is not an item of the table, and its error."""

    line: int
    problem: FileError


@dataclass(frozen=True)
class ImportResult:
    """A finished import: the table, whether the import created it, and the numbers of files and items.

    `items` counts the written items; of several with one key, the last one stays. `problems` has the first of the
    `skipped` lines.

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
