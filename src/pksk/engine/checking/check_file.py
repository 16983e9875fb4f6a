"""Verifies a whole file with tables, which stays unchanged."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any

import orjson

from pksk.dataclass import dataclass
from pksk.engine.state.tokens import BY_NAME, BY_TIME, time_key
from pksk.engine.storage import Reader, StorageProblem
from pksk.engine.storage.sqlite.inspected_file import InspectedFile

from .check_streams import check_orphaned_stream
from .check_table import check_backup, check_table
from .report import FileReport, Findings, Progress

__all__ = ["Notes", "check_file", "check_spaces", "check_tokens", "read_notes", "spaces_of"]


@dataclass(slots=True)
class Notes:
    """The notes of a file by what they are of."""

    tables: dict[str, Any] = field(default_factory=dict)
    streams: dict[str, Any] = field(default_factory=dict)
    backups: dict[str, Any] = field(default_factory=dict)
    tokens: int | None = None


def read_notes(findings: Findings, stored: Mapping[str, bytes], notes: Notes) -> None:
    """Read all notes; those that are none of ours are told."""
    kinds = {"table/": notes.tables, "stream/": notes.streams, "backup/": notes.backups}
    for name, data in stored.items():
        findings.count("notes")
        kind = kinds.get(name[: name.find("/") + 1])
        try:
            read = orjson.loads(data)
            if name == "tokens":
                notes.tokens = int(read)
            elif kind is None or not isinstance(read, dict):
                findings.problem(f"note {name!r}", "is none that an engine writes.")
            elif not (kind is notes.tables and read.get("phase", {}).get("status") == "DELETING"):
                kind[name] = read
        except ValueError:
            findings.problem(f"note {name!r}", "is no JSON.")


def spaces_of(notes: Notes) -> Iterator[tuple[str, int]]:
    """Every space that notes name, and what has its rows there."""
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


def check_spaces(findings: Findings, file: InspectedFile, notes: Notes) -> None:
    """Compare the spaces that there are with those that notes name."""
    numbered, stored = file.listed_spaces(), file.stored_spaces()
    findings.count("spaces", len(numbered))
    for space in sorted(numbered ^ stored):
        lacks = "rows" if space in numbered else "number"
        findings.problem(f"space {space}", f"has no {lacks}.")
    owners: dict[int, str] = {}
    for name, space in spaces_of(notes):
        if space in owners:
            findings.problem(f"space {space}", f"is named twice, by {owners[space]} and by {name}.")
        owners[space] = name
        if space not in numbered:
            findings.problem(f"space {space}", f"is missing, and {name} has its rows there.")
    for space in sorted(numbered - owners.keys()):
        findings.problem(f"space {space}", "belongs to nothing.")


def check_tokens(findings: Findings, reader: Reader, space: int) -> None:
    """Verify that both ways lead to the same tokens."""
    named = 0
    for row in reader.rows(space, BY_NAME, BY_TIME):
        named += 1
        name = row.key[len(BY_NAME) :]
        at = orjson.loads(row.data)["at"]
        if reader.get(space, BY_TIME + time_key(at) + name) is None:
            findings.problem("tokens", f"{name!r} is not found by its time.")
    findings.count("tokens", named)
    timed = sum(1 for _ in reader.rows(space, BY_TIME, None))
    if timed != named:
        findings.problem("tokens", f"{timed} are found by their time, and {named} by their name.")


def check_file(path: str | os.PathLike[str], progress: Progress | None = None) -> FileReport:
    """Whether all in a file agrees: items, indexes, streams, placement, sizes and backups; it is only read.

    Raises FileProblem for a file that is in use, is none of ours, or cannot be opened at all. All else that is
    wrong stands in the report. `progress` is told now and then what is being verified.

    Example:
        >>> import tempfile
        >>> from pksk.engine import Engine
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with Engine.open(f"{folder}/tables.db") as engine:
        ...         created = engine.call("CreateTable", {
        ...             "TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
        ...             "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        ...             "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
        ...         put = engine.call("PutItem", {"TableName": "orders", "Item": {"pk": {"S": "7"}}})
        ...     report = check_file(f"{folder}/tables.db")
        >>> report.is_sound, report.counts["items"]
        (True, 1)
    """
    findings = Findings(progress)
    with InspectedFile(path) as file:
        findings.verified("SQLite", 0)
        _attempt(findings, "SQLite", lambda: _report_damages(findings, file))
        notes = Notes()
        _attempt(findings, "notes", lambda: read_notes(findings, file.notes(), notes))
        _attempt(findings, "spaces", lambda: check_spaces(findings, file, notes))
        _check_notes(findings, file, notes)
    return findings.report(os.fsdecode(path))


def _check_notes(findings: Findings, file: InspectedFile, notes: Notes) -> None:
    reader = file.reader
    for name, record in notes.tables.items():
        _attempt(findings, name, lambda record=record: check_table(findings, reader, record))  # type: ignore[misc]
    for name, record in notes.streams.items():
        _attempt(findings, name, lambda record=record: check_orphaned_stream(findings, reader, record))  # type: ignore[misc]
    for name, record in notes.backups.items():
        _attempt(findings, name, lambda record=record: check_backup(findings, reader, record))  # type: ignore[misc]
    if notes.tokens is not None:
        space = notes.tokens
        _attempt(findings, "tokens", lambda: check_tokens(findings, reader, space))


def _report_damages(findings: Findings, file: InspectedFile) -> None:
    for damage in file.find_damage():
        findings.problem("SQLite", damage)


def _attempt(findings: Findings, where: str, verify: Callable[[], None]) -> None:
    """Verify something; where that cannot be read, this is what is found."""
    try:
        verify()
    except (sqlite3.Error, StorageProblem) as error:
        findings.problem(where, f"cannot be read: {error}")
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        # What is stored there is nothing that an engine writes.
        findings.problem(where, f"cannot be understood: {type(error).__name__}: {error}")
