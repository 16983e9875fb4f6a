"""Streams: every change stands in a shard that covers its key, within the numbers of that shard, in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

from pksk.engine.layout import Rows
from pksk.engine.storage import Reader, Row
from pksk.engine.streams.lineage import SHARD_BYTES, Shard, Stream, shard_key
from pksk.engine.streams.rows import NUMBER_BYTES, number_of, trimmed_until
from pksk.engine.tables.record import Record
from pksk.engine.tables.table import Table

from .item import sized_item
from .report import Findings
from .shards import Covered, check_shards, covered

__all__ = ["check_left_stream", "check_streams"]

_EVENTS: Final = {b"INSERT": (False, True), b"MODIFY": (True, True), b"REMOVE": (True, False)}


def check_streams(findings: Findings, reader: Reader, table: Table) -> None:
    """Verify all streams of a table."""
    for stream in table.settings.get("streams", ()):
        where = f"{table.name}: stream {stream['label']}"
        is_open = "closed" not in stream
        check_shards(findings, where, stream, table.partitions if is_open else None)
        covers = covered(stream, table.partitions) if is_open else {}
        _check_changes(findings, reader, where, stream, table.rows, covers)


def check_left_stream(findings: Findings, reader: Reader, record: Record) -> None:
    """Verify the stream that a deleted table has left."""
    (stream,) = record["streams"]
    where = f"{record['TableName']}, deleted: stream {stream['label']}"
    check_shards(findings, where, stream, None)
    _check_changes(findings, reader, where, stream, None, {})


def _check_changes(
    findings: Findings,
    reader: Reader,
    where: str,
    stream: Stream,
    rows: Rows | None,
    covers: Mapping[int, Covered],
) -> None:
    space = stream["space"]
    shards: dict[int, Shard] = {shard["number"]: shard for shard in stream["shards"]}
    trimmed = {number: trimmed_until(reader, space, number) for number in shards}
    for count, row in enumerate(reader.rows(space, shard_key(1), None), 1):
        findings.count("changes")
        findings.verified(where, count)
        number = int.from_bytes(row.key[:SHARD_BYTES])
        change = number_of(row)
        shard = shards.get(number)
        if shard is None or len(row.key) != SHARD_BYTES + NUMBER_BYTES:
            findings.problem(where, f"change {change} is in no shard.")
            continue
        low, high = max(shard["start"], trimmed[number] + 1), shard.get("end")
        if change < low or (high is not None and change > high):
            findings.problem(where, f"change {change} is not within the numbers of shard {number}.")
        try:
            key = _changed_key(row, stream["view"], rows)
        except ValueError as error:
            findings.problem(where, f"change {change}: {error}")
            continue
        if key is not None and number in covers and not covers[number].has(key):
            findings.problem(where, f"change {change} is in shard {number}, which does not cover its key.")


def _changed_key(row: Row, view: str, rows: Rows | None) -> bytes | None:
    """The row key of the item that a change is of; raises ValueError with what is wrong with it."""
    parts = row.data.split(b" ", 3)
    if len(parts) < 4 or not parts[0].isdigit() or parts[1] not in _EVENTS:
        raise ValueError("it is no change record.")
    change: Any = orjson.loads(b"{%b}" % parts[3])
    old, new = _EVENTS[parts[1]]
    images = {"Keys"}
    images |= {"OldImage"} if old and "OLD_" in view else set()
    images |= {"NewImage"} if new and "NEW_" in view else set()
    if change.keys() != images:
        raise ValueError(f"it has {', '.join(sorted(change))}, and should have {', '.join(sorted(images))}.")
    for image in images - {"Keys"}:
        sized_item(orjson.dumps(change[image]))
    if rows is None:
        return None
    keys = change["Keys"]
    if keys.keys() != {attribute.name for attribute in rows.keys}:
        raise ValueError("its keys are not those of the table.")
    return rows.own_key(keys)
