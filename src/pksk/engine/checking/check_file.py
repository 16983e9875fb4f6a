"""Verifies a whole file, which stays as it is."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable

from pksk.engine.storage import StorageProblem
from pksk.engine.storage.sqlite import InspectedFile

from .backup import check_backup
from .notes import Notes, read_notes
from .report import FileReport, Findings, Progress
from .spaces import check_spaces
from .stream import check_left_stream
from .table import check_table
from .tokens import check_tokens

__all__ = ["check_file"]


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
        _attempt(findings, "SQLite", lambda: _tell_damages(findings, file))
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
        _attempt(findings, name, lambda record=record: check_left_stream(findings, reader, record))  # type: ignore[misc]
    for name, record in notes.backups.items():
        _attempt(findings, name, lambda record=record: check_backup(findings, reader, record))  # type: ignore[misc]
    if notes.tokens is not None:
        space = notes.tokens
        _attempt(findings, "tokens", lambda: check_tokens(findings, reader, space))


def _tell_damages(findings: Findings, file: InspectedFile) -> None:
    for damage in file.damages():
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
