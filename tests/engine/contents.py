"""Everything in an engine: the descriptions of its tables, and every stored row and note."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from pksk.engine import Engine
from pksk.engine.storage import Row, Storage

__all__ = ["Contents", "contents", "stored"]

Contents = tuple[Any, ...]


def contents(engine: Engine) -> Contents:
    """Equal before and after a call that changed nothing."""
    names = engine.call("ListTables", {})["TableNames"]
    described = [engine.call("DescribeTable", {"TableName": name}) for name in names]
    return described, *stored(engine._core.storage)


def stored(storage: Storage) -> tuple[dict[str, bytes], dict[int, list[Row]]]:
    """The notes, and the rows of every space that they name."""
    notes = storage.notes("")
    spaces = {space for data in notes.values() for space in _spaces(orjson.loads(data))}
    with storage.reading() as reader:
        return notes, {space: list(reader.rows(space, b"", None)) for space in sorted(spaces)}


def _spaces(note: Any) -> Iterator[int]:
    """The numbers of spaces in a note: that of the tokens is nothing else, a table's has them in many places."""
    if isinstance(note, int):
        yield note
    elif isinstance(note, dict):
        for name, value in note.items():
            if name in {"space", "collections"} or isinstance(value, dict | list):
                yield from _spaces(value)
    elif isinstance(note, list):
        for value in note:
            if isinstance(value, dict):
                yield from _spaces(value)
