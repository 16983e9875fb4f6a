"""Fills a table from an export, or from files of DynamoDB JSON or CSV."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from pksk.client import Client, ServiceError
from pksk.errors import FileProblem, PkskError, quote

from .batches import Batches
from .check import Check, Reading
from .imported import Imported, Skipped
from .known import known_definition
from .progress import Tell, silently
from .source import CsvOptions, Source, open_source
from .target import Target, described

__all__ = ["import_table"]


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
    progress: Tell | None = None,
) -> Imported:
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
    tell = progress or silently
    names = None if header is None else tuple(header)
    opened = open_source(Path(source), form, CsvOptions(delimiter, names))
    target = _target(client, table, append=append, restart=restart)
    told = known_definition(opened, table, keys, create, target.definition if target else None)
    target = target or Target(client, told, exists=False)
    check = Check.of(Reading(opened, told, "checking", tell), skip_bad=skip_bad)
    reading = Reading(opened, told, "writing", tell, again=not check.skipped)
    written = _fill(target, reading, check, Batches(client, table))
    return Imported(
        table,
        created=target.made,
        files=len(opened.files),
        items=written,
        size_bytes=check.size_bytes,
        skipped=check.skipped,
        problems=tuple(check.problems),
    )


def _target(client: Client, table: str, *, append: bool, restart: bool) -> Target | None:
    found = described(client, table)
    return None if found is None else Target.existing(client, found, append=append, restart=restart)


def _fill(target: Target, reading: Reading, check: Check, batches: Batches) -> int:
    """Write all items; what breaks it off says what is left of it."""
    try:
        target.begin()
        for row in reading:
            if not isinstance(row, Skipped):
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


def _refuse_changed(source: Source) -> NoReturn:
    raise FileProblem(
        "export-checksum",
        f"{source.path} was changed while it was read.",
        expected="Files stay as they are during an import: they are checked first, and then read again.",
        fix="import again when nobody writes to them.",
    )


def _refuse_stopped(
    target: Target, error: Exception, written: int, items: int, *, nothing_left: bool
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
