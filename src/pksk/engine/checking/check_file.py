"""Checks a whole file, without changing it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import partial
from typing import Any

import orjson

from pksk.dataclass import dataclass
from pksk.engine.state import tokens
from pksk.engine.storage import Reader, StorageProblem
from pksk.engine.storage.sqlite.file import InspectedFile

from .check_table import check_backup, check_orphaned_stream, check_table
from .report import FileReport, Findings, Progress


@dataclass(slots=True)
class Notes:
    """The notes of a file by kind."""

    tables: dict[str, Any] = field(default_factory=dict)
    streams: dict[str, Any] = field(default_factory=dict)
    backups: dict[str, Any] = field(default_factory=dict)
    tokens: int | None = None


def _read_notes(findings: Findings, stored: Mapping[str, bytes], notes: Notes) -> None:
    """Read all notes; unknown notes are problems."""
    kinds = {"table/": notes.tables, "stream/": notes.streams, "backup/": notes.backups}
    for name, data in stored.items():
        findings.count("notes")
        kind = kinds.get(name[: name.find("/") + 1])
        try:
            note = orjson.loads(data)
            if name == "tokens":
                notes.tokens = int(note)
            elif kind is None or not isinstance(note, dict):
                findings.problem(f"note {name!r}", "was not written by an engine.")
            elif not (kind is notes.tables and note.get("phase", {}).get("status") == "DELETING"):
                kind[name] = note
        except ValueError:
            findings.problem(f"note {name!r}", "is not JSON.")


def _spaces_of(notes: Notes) -> Iterator[tuple[str, int]]:
    """Every space that notes name, with the name of its note."""
    if notes.tokens is not None:
        yield "tokens", notes.tokens
    for name, record in (*notes.tables.items(), *notes.backups.items(), *notes.streams.items()):
        for space in _spaces_of_record(record):
            yield name, space


def _spaces_of_record(record: Mapping[str, Any]) -> Iterator[int]:
    entries = [record, record.get("ttl", {}), *record.get("streams", ())]
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes", "VectorIndexes"):
        entries += record.get(member, ())
    for entry in entries:
        if "space" in entry:
            yield entry["space"]
    if "collections" in record:
        yield record["collections"]


def _check_spaces(findings: Findings, file: InspectedFile, notes: Notes) -> None:
    """Compare the stored spaces with those that notes name."""
    listed, stored = file.listed_spaces(), file.stored_spaces()
    findings.count("spaces", len(listed))
    for space in sorted(listed ^ stored):
        missing = "table" if space in listed else "number"
        findings.problem(f"space {space}", f"has no {missing}.")
    owners: dict[int, str] = {}
    for name, space in _spaces_of(notes):
        if space in owners:
            findings.problem(f"space {space}", f"is used twice, by {owners[space]} and by {name}.")
        owners[space] = name
        if space not in listed:
            findings.problem(f"space {space}", f"is missing, and {name} uses it.")
    for space in sorted(listed - owners.keys()):
        findings.problem(f"space {space}", "is not used.")


def _check_tokens(findings: Findings, reader: Reader, space: int) -> None:
    """Check that tokens are the same by name and by time."""
    by_name = 0
    for row in reader.rows(space, tokens.BY_NAME, tokens.BY_TIME):
        by_name += 1
        name = row.key[len(tokens.BY_NAME) :]
        at = orjson.loads(row.data)["at"]
        if reader.get(space, tokens.BY_TIME + tokens.time_key(at) + name) is None:
            findings.problem("tokens", f"{name!r} is not listed by time.")
    findings.count("tokens", by_name)
    by_time = sum(1 for _ in reader.rows(space, tokens.BY_TIME, None))
    if by_time != by_name:
        findings.problem("tokens", f"{by_time} are listed by time, and {by_name} by name.")


def check_file(path: str | os.PathLike[str], progress: Progress | None = None) -> FileReport:
    """Check that items, indexes, streams, partitions, sizes and backups of a file match. It is not changed.

    Raises FileError if the file is in use, was not created by pksk, or cannot be opened. All other problems
    are in the report. `progress` is called with the name of what is being checked, and the number of rows.

    Example:
        >>> from pksk import Table
        >>> import tempfile
        >>> from pksk.engine import Engine
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with Engine.open(f"{folder}/tables.db") as engine:
        ...         created = engine.call("CreateTable", Table("orders", sk=None).create_request())
        ...         put = engine.call("PutItem", {"TableName": "orders", "Item": {"pk": {"S": "7"}}})
        ...     report = check_file(f"{folder}/tables.db")
        >>> report.is_sound, report.counts["items"]
        (True, 1)
    """
    findings = Findings(progress)
    with InspectedFile(path) as file:
        findings.show_progress("SQLite", 0)
        _attempt(findings, "SQLite", lambda: _report_damage(findings, file))
        notes = Notes()
        _attempt(findings, "notes", lambda: _read_notes(findings, file.notes(), notes))
        _attempt(findings, "spaces", lambda: _check_spaces(findings, file, notes))
        _check_notes(findings, file, notes)
    return findings.report(os.fsdecode(path))


def _check_notes(findings: Findings, file: InspectedFile, notes: Notes) -> None:
    reader = file.reader
    for records, check in (
        (notes.tables, check_table),
        (notes.streams, check_orphaned_stream),
        (notes.backups, check_backup),
    ):
        for name, record in records.items():
            _attempt(findings, name, partial(check, findings, reader, record))
    if notes.tokens is not None:
        _attempt(findings, "tokens", partial(_check_tokens, findings, reader, notes.tokens))


def _report_damage(findings: Findings, file: InspectedFile) -> None:
    for damage in file.find_damage():
        findings.problem("SQLite", damage)


def _attempt(findings: Findings, where: str, check: Callable[[], None]) -> None:
    """Run a check; if its rows or records cannot be read, that is a problem."""
    try:
        check()
    except (sqlite3.Error, StorageProblem) as error:
        findings.problem(where, f"cannot be read: {error}")
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        findings.problem(where, f"has an invalid record: {type(error).__name__}: {error}")
