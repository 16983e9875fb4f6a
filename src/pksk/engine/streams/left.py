"""The streams that a deleted table leaves behind, which can be read until their changes are trimmed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING, Any, Final

import orjson

from pksk.engine.layout import as_stored
from pksk.engine.storage import Storage, StorageProblem, Writer

from .lineage import closed, is_gone
from .rows import last_number

if TYPE_CHECKING:
    from pksk.engine.core import Core

__all__ = ["drop_left", "leave_streams", "left_labels", "left_streams"]

_NOTE: Final = "stream/"
# What is kept of the table beside them.
_MEMBERS: Final = ("TableName", "TableId", "KeySchema")
# They are looked through no more often than this, as there may be many; nobody sees those that are gone.
_PAUSE_SECONDS: Final = 3600.0
# Where the next time is kept, among those of the streams' spaces, which are 0 or more.
_LEFT: Final = -1


def leave_streams(writer: Writer, record: Mapping[str, Any], now: float) -> None:
    """Keep the streams of a table that is being deleted."""
    for stream in record.get("streams", ()):
        if is_gone(stream, now):
            writer.drop_space(stream["space"])
            continue
        ended = stream if "closed" in stream else closed(stream, last_number(writer, stream), now)
        left = {**{member: record[member] for member in _MEMBERS}, "streams": [ended]}
        writer.note(_name(left), as_stored(left))


def left_streams(storage: Storage, table: str = "", label: str = "") -> Iterator[dict[str, Any]]:
    """What is left of deleted tables: records with one stream each, of all tables, of one, or one stream."""
    prefix = f"{_NOTE}{table}/{label}/" if label else f"{_NOTE}{table}/" if table else _NOTE
    return map(orjson.loads, storage.notes(prefix).values())


def left_labels(storage: Storage, table: str) -> frozenset[str]:
    """The labels of the streams that tables of this name have left."""
    return frozenset(left["streams"][0]["label"] for left in left_streams(storage, table))


def drop_left(core: Core) -> None:
    """Remove the streams of deleted tables whose changes are all trimmed, if anything can be written."""
    now = core.now()
    if now < core.tending.get(_LEFT, -inf):
        return
    core.tending[_LEFT] = now + _PAUSE_SECONDS
    gone = [left for left in left_streams(core.storage) if is_gone(left["streams"][0], now)]
    if not gone:
        return
    with suppress(StorageProblem), core.storage.writing() as writer:
        there = core.storage.notes(_NOTE)
        for left in gone:
            if _name(left) in there:  # nobody else has removed it since
                writer.note(_name(left), None)
                writer.drop_space(left["streams"][0]["space"])


def _name(left: Mapping[str, Any]) -> str:
    stream = left["streams"][0]
    return f"{_NOTE}{left['TableName']}/{stream['label']}/{stream['space']}"
