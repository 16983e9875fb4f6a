"""The notes of a file: what it says of its tables, backups and streams, and where they have their rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from pksk.engine.tables.record import Record, status_of

from .report import Findings

__all__ = ["Notes", "read_notes", "spaces_of"]


@dataclass(slots=True)
class Notes:
    """The notes of a file by what they are of."""

    tables: dict[str, Record] = field(default_factory=dict)
    streams: dict[str, Record] = field(default_factory=dict)
    backups: dict[str, Record] = field(default_factory=dict)
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
            elif not (kind is notes.tables and status_of(read) == "DELETING"):
                kind[name] = read
        except ValueError:
            findings.problem(f"note {name!r}", "is no JSON.")


def spaces_of(notes: Notes) -> Iterator[tuple[str, int]]:
    """Every space that notes name, and what has its rows there."""
    if notes.tokens is not None:
        yield "tokens", notes.tokens
    for name, record in (*notes.tables.items(), *notes.backups.items(), *notes.streams.items()):
        for space in _spaces(record):
            yield name, space


def _spaces(record: Mapping[str, Any]) -> Iterator[int]:
    entries = [record, record.get("ttl", {}), *record.get("streams", ())]
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes", "VectorIndexes"):
        entries += record.get(member, ())
    for entry in entries:
        if "space" in entry:
            yield entry["space"]
    if "collections" in record:
        yield record["collections"]
