"""The streams of deleted tables, which can be read until their changes are trimmed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING, Final

import orjson

from pksk.engine.row_layout import stored_bytes
from pksk.engine.storage import Storage, StorageProblem, Writer

from ..state.change_records import last_number
from ..state.shards import is_past_retention, with_shards_closed
from ..state.table_record import StreamOwner

if TYPE_CHECKING:
    from pksk.engine.core import Core

__all__ = ["drop_trimmed_orphans", "keep_orphaned_streams", "orphaned_labels", "orphaned_streams"]

_NOTE_PREFIX: Final = "stream/"
# They are looked through no more often than this, as there may be many; nobody sees those that are gone.
_PAUSE_SECONDS: Final = 3600.0
# Where the next time is kept, among those of the streams' spaces, which are 0 or more.
_ORPHANS: Final = -1


def keep_orphaned_streams(writer: Writer, record: StreamOwner, now: float) -> None:
    """Keep the streams of a table that is being deleted."""
    for stream in record.get("streams", ()):
        if is_past_retention(stream, now):
            writer.drop_space(stream["space"])
            continue
        ended = stream if "closed" in stream else with_shards_closed(stream, last_number(writer, stream), now)
        left: StreamOwner = {
            "TableName": record["TableName"],
            "TableId": record["TableId"],
            "KeySchema": record["KeySchema"],
            "streams": [ended],
        }
        writer.note(_note_name(left), stored_bytes(left))


def orphaned_streams(storage: Storage, table: str = "", label: str = "") -> Iterator[StreamOwner]:
    """What is left of deleted tables: records with one stream each, of all tables, of one, or one stream."""
    prefix = (
        f"{_NOTE_PREFIX}{table}/{label}/" if label else f"{_NOTE_PREFIX}{table}/" if table else _NOTE_PREFIX
    )
    return map(orjson.loads, storage.notes(prefix).values())


def orphaned_labels(storage: Storage, table: str) -> frozenset[str]:
    """The labels of the streams that tables of this name have left."""
    return frozenset(left["streams"][0]["label"] for left in orphaned_streams(storage, table))


def drop_trimmed_orphans(core: Core) -> None:
    """Remove the streams of deleted tables whose changes are all trimmed, if anything can be written."""
    now = core.now()
    if now < core.maintenance_due.get(_ORPHANS, -inf):
        return
    core.maintenance_due[_ORPHANS] = now + _PAUSE_SECONDS
    gone = [left for left in orphaned_streams(core.storage) if is_past_retention(left["streams"][0], now)]
    if not gone:
        return
    with suppress(StorageProblem), core.storage.writing() as writer:
        there = core.storage.notes(_NOTE_PREFIX)
        for left in gone:
            if _note_name(left) in there:  # nobody else has removed it since
                writer.note(_note_name(left), None)
                writer.drop_space(left["streams"][0]["space"])


def _note_name(left: StreamOwner) -> str:
    stream = left["streams"][0]
    return f"{_NOTE_PREFIX}{left['TableName']}/{stream['label']}/{stream['space']}"
