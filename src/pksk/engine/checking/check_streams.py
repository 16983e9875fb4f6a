"""Checks streams: their shards, and that every change is in the shard of its key."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

import orjson

from pksk.dataclass import dataclass
from pksk.engine.row_layout import RowLayout
from pksk.engine.state.change_records import SEQUENCE_NUMBER_BYTES, sequence_number, trimmed_until
from pksk.engine.state.shards import SHARD_BYTES, Shard, Stream, shard_key
from pksk.engine.state.table import Table
from pksk.engine.state.table_record import StreamOwner
from pksk.engine.storage import Reader, Row
from pksk.partitions import Partitions

from .check_items import parse_item
from .report import Findings


@dataclass(frozen=True, slots=True)
class ShardRange:
    """The row keys of a shard's changes: from `low` up to, but not including, `high`; None is the end."""

    low: bytes
    high: bytes | None

    def includes(self, key: bytes) -> bool:
        """Whether the shard takes changes of this row key."""
        return self.low <= key and (self.high is None or key < self.high)


def check_shards(findings: Findings, where: str, stream: Stream, partitions: Partitions | None) -> None:
    """Check the shards of a stream; `partitions` are those of its table, if the stream is open."""
    shards: list[Shard] = stream["shards"]
    findings.count("shards", len(shards))
    for one, other in pairwise(shards):
        if one["number"] >= other["number"] or one["id"] >= other["id"]:
            findings.problem(where, f"{_shard_name(other)} does not follow {_shard_name(one)}.")
    by_id = {shard["id"]: shard for shard in shards}
    parents = {shard["parent"] for shard in shards}
    for shard in shards:
        parent = by_id.get(shard["parent"] or "")
        if parent is not None and shard["start"] <= parent.get("end", shard["start"]):
            findings.problem(
                where, f"{_shard_name(shard)} begins before its parent {_shard_name(parent)} ends."
            )
        if shard.get("end", shard["start"]) < shard["start"]:
            findings.problem(where, f"{_shard_name(shard)} ends before it begins.")
        if partitions is not None and "end" in shard and shard["id"] not in parents:
            findings.problem(where, f"{_shard_name(shard)} is closed and has no child.")
    _check_open_shards(findings, where, shards, partitions)


def _check_open_shards(
    findings: Findings, where: str, shards: list[Shard], partitions: Partitions | None
) -> None:
    actual = sorted(shard["partition"] for shard in shards if "end" not in shard)
    expected = [] if partitions is None else sorted(part.number for part in partitions)
    if actual != expected:
        findings.problem(
            where, f"partitions {expected} must have one open shard each, but partitions {actual} have one."
        )


def shard_ranges(stream: Stream, partitions: Partitions) -> dict[int, ShardRange]:
    """The key range of each shard by its number, if it follows from its partition or its children."""
    found: dict[int, ShardRange] = {}
    children: dict[str, list[ShardRange]] = {}
    for shard in reversed(stream["shards"]):  # children come after their parents
        part = partitions.get(shard["partition"])
        if part is not None:
            own = ShardRange(part.low, part.high)
        else:
            halves = sorted(children.get(shard["id"], ()), key=lambda half: half.low)
            if len(halves) < 2:  # after a split, the range of a child may be unknown
                continue
            own = ShardRange(halves[0].low, halves[-1].high)
        found[shard["number"]] = own
        if shard["parent"] is not None:
            children.setdefault(shard["parent"], []).append(own)
    return found


def _shard_name(shard: Shard) -> str:
    return f"shard {shard['number']}"


_EVENTS: Final = {b"INSERT": (False, True), b"MODIFY": (True, True), b"REMOVE": (True, False)}


def check_streams(findings: Findings, reader: Reader, table: Table) -> None:
    """Check all streams of a table."""
    for stream in table.record.get("streams", ()):
        where = f"{table.name}: stream {stream['label']}"
        is_open = "closed" not in stream
        check_shards(findings, where, stream, table.partitions if is_open else None)
        covers = shard_ranges(stream, table.partitions) if is_open else {}
        _check_changes(findings, reader, where, stream, table.layout, covers)


def check_orphaned_stream(findings: Findings, reader: Reader, record: StreamOwner) -> None:
    """Check the stream of a deleted table."""
    (stream,) = record["streams"]
    where = f"{record['TableName']}, deleted: stream {stream['label']}"
    check_shards(findings, where, stream, None)
    _check_changes(findings, reader, where, stream, None, {})


def _check_changes(
    findings: Findings,
    reader: Reader,
    where: str,
    stream: Stream,
    rows: RowLayout | None,
    covers: Mapping[int, ShardRange],
) -> None:
    space = stream["space"]
    shards: dict[int, Shard] = {shard["number"]: shard for shard in stream["shards"]}
    trimmed = {number: trimmed_until(reader, space, number) for number in shards}
    for count, row in enumerate(reader.rows(space, shard_key(1), None), 1):
        findings.count("changes")
        findings.show_progress(where, count)
        number = int.from_bytes(row.key[:SHARD_BYTES])
        change = sequence_number(row)
        shard = shards.get(number)
        if shard is None or len(row.key) != SHARD_BYTES + SEQUENCE_NUMBER_BYTES:
            findings.problem(where, f"change {change} has no shard.")
            continue
        low, high = max(shard["start"], trimmed[number] + 1), shard.get("end")
        if change < low or (high is not None and change > high):
            findings.problem(where, f"change {change} is outside of the sequence numbers of shard {number}.")
        try:
            key = _key_of_change(row, stream["view"], rows)
        except ValueError as error:
            findings.problem(where, f"change {change}: {error}")
            continue
        if key is not None and number in covers and not covers[number].includes(key):
            findings.problem(
                where, f"change {change} is in shard {number}, which is not the shard of its key."
            )


def _key_of_change(row: Row, view: str, rows: RowLayout | None) -> bytes | None:
    """The row key of a change's item; raises ValueError with the problem."""
    parts = row.data.split(b" ", 3)
    if len(parts) < 4 or not parts[0].isdigit() or parts[1] not in _EVENTS:
        raise ValueError("it is not a change record.")
    change: Any = orjson.loads(b"{%b}" % parts[3])
    old, new = _EVENTS[parts[1]]
    images = {"Keys"}
    images |= {"OldImage"} if old and "OLD_" in view else set()
    images |= {"NewImage"} if new and "NEW_" in view else set()
    if change.keys() != images:
        raise ValueError(f"it has {', '.join(sorted(change))} instead of {', '.join(sorted(images))}.")
    for image in images - {"Keys"}:
        parse_item(orjson.dumps(change[image]))
    if rows is None:
        return None
    keys = change["Keys"]
    if keys.keys() != {attribute.name for attribute in rows.keys}:
        raise ValueError("its key attributes are not those of the table.")
    return rows.key_of(keys)
