"""The streams of deleted tables, which are readable until their changes are trimmed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from math import inf
from typing import Final

import orjson

from pksk.engine.core import Core
from pksk.engine.row_layout import stored_bytes
from pksk.engine.state.change_records import last_number
from pksk.engine.state.shards import is_past_retention, with_shards_closed
from pksk.engine.state.table_record import StreamOwner
from pksk.engine.storage import Storage, StorageProblem, Writer

_NOTE_PREFIX: Final = "stream/"
# There may be many, and trimmed ones are invisible, so they are rarely removed.
_PAUSE_SECONDS: Final = 3600.0
# A key beside the spaces of streams in `Core.maintenance_due`.
_ORPHANS: Final = -1


def keep_orphaned_streams(writer: Writer, record: StreamOwner, now: float) -> None:
    """Store the streams of a table that is being deleted."""
    for stream in record.get("streams", ()):
        if is_past_retention(stream, now):
            writer.drop_space(stream["space"])
            continue
        closed = (
            stream if "closed" in stream else with_shards_closed(stream, last_number(writer, stream), now)
        )
        owner: StreamOwner = {
            "TableName": record["TableName"],
            "TableId": record["TableId"],
            "KeySchema": record["KeySchema"],
            "streams": [closed],
        }
        writer.note(_note_name(owner), stored_bytes(owner))


def orphaned_streams(storage: Storage, table: str = "", label: str = "") -> Iterator[StreamOwner]:
    """Records of deleted tables with one stream each: all, those of a table, or one with a label."""
    prefix = "".join(f"{part}/" for part in (table, label) if part)
    return map(orjson.loads, storage.notes(_NOTE_PREFIX + prefix).values())


def orphaned_labels(storage: Storage, table: str) -> frozenset[str]:
    """The labels of the streams of deleted tables with this name."""
    return frozenset(owner["streams"][0]["label"] for owner in orphaned_streams(storage, table))


def drop_trimmed_orphans(core: Core) -> None:
    """Remove the streams of deleted tables whose changes are all trimmed, if the storage is writable."""
    now = core.now()
    if now < core.maintenance_due.get(_ORPHANS, -inf):
        return
    core.maintenance_due[_ORPHANS] = now + _PAUSE_SECONDS
    trimmed = [
        owner for owner in orphaned_streams(core.storage) if is_past_retention(owner["streams"][0], now)
    ]
    if not trimmed:
        return
    with suppress(StorageProblem), core.storage.writing() as writer:
        stored = core.storage.notes(_NOTE_PREFIX)
        for owner in trimmed:
            if _note_name(owner) in stored:  # another thread may have removed it
                writer.note(_note_name(owner), None)
                writer.drop_space(owner["streams"][0]["space"])


def _note_name(owner: StreamOwner) -> str:
    stream = owner["streams"][0]
    return f"{_NOTE_PREFIX}{owner['TableName']}/{stream['label']}/{stream['space']}"
