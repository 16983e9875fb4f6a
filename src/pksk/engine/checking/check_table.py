"""Checks a table or a backup: its items, their index entries, its partitions and its streams."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final, cast

import orjson

from pksk.dataclass import dataclass
from pksk.engine.row_layout import RowLayout
from pksk.engine.state import Shard, Stream, StreamOwner, Table, TableRecord, stream_record, table_record
from pksk.engine.storage import Reader, Row
from pksk.partitions import Partitions

from .check_items import check_stored_item, implied_entries, item_name, parse_item
from .report import Findings


@dataclass(frozen=True, slots=True)
class ShardRange:
    """The row keys of a shard's changes: from `low` up to, but not including, `high`; None is the end."""

    low: bytes
    high: bytes | None

    def includes(self, key: bytes) -> bool:
        """Whether the shard takes changes of this row key."""
        return self.low <= key and (self.high is None or key < self.high)


def _check_shards(findings: Findings, where: str, stream: Stream, partitions: Partitions | None) -> None:
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


def _shard_ranges(stream: Stream, partitions: Partitions) -> dict[int, ShardRange]:
    """The key range of each shard by its number, if it follows from its partition or its children."""
    ranges: dict[int, ShardRange] = {}
    children: dict[str, list[ShardRange]] = {}
    for shard in reversed(stream["shards"]):  # children come after their parents
        part = partitions.get(shard["partition"])
        if part is not None:
            key_range = ShardRange(part.low, part.high)
        else:
            halves = sorted(children.get(shard["id"], ()), key=lambda half: half.low)
            if len(halves) < 2:  # after a split, the range of a child may be unknown
                continue
            key_range = ShardRange(halves[0].low, halves[-1].high)
        ranges[shard["number"]] = key_range
        if shard["parent"] is not None:
            children.setdefault(shard["parent"], []).append(key_range)
    return ranges


def _shard_name(shard: Shard) -> str:
    return f"shard {shard['number']}"


_EVENTS: Final = {b"INSERT": (False, True), b"MODIFY": (True, True), b"REMOVE": (True, False)}


def _check_streams(findings: Findings, reader: Reader, table: Table) -> None:
    """Check all streams of a table."""
    for stream in table.record.get("streams", ()):
        where = f"{table.name}: stream {stream['label']}"
        is_open = "closed" not in stream
        _check_shards(findings, where, stream, table.partitions if is_open else None)
        covers = _shard_ranges(stream, table.partitions) if is_open else {}
        _check_changes(findings, reader, where, stream, table.layout, covers)


def check_orphaned_stream(findings: Findings, reader: Reader, record: StreamOwner) -> None:
    """Check the stream of a deleted table."""
    (stream,) = record["streams"]
    where = f"{record['TableName']}, deleted: stream {stream['label']}"
    _check_shards(findings, where, stream, None)
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
    trimmed = {number: stream_record.trimmed_until(reader, space, number) for number in shards}
    for count, row in enumerate(reader.rows(space, stream_record.shard_key(1), None), 1):
        findings.count("changes")
        findings.show_progress(where, count)
        number = int.from_bytes(row.key[: stream_record.SHARD_BYTES])
        change = stream_record.sequence_number(row)
        shard = shards.get(number)
        if shard is None or len(row.key) != stream_record.SHARD_BYTES + stream_record.SEQUENCE_NUMBER_BYTES:
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


def _check_partitions(findings: Findings, record: TableRecord) -> None:
    """Check the partitions in a record."""
    name = record["TableName"]
    _check_ranges(findings, f"{name}: partitions", record)
    for entry in record.get("GlobalSecondaryIndexes", ()):
        _check_ranges(findings, f"{name}: partitions of index {entry['IndexName']}", entry)


def _check_ranges(findings: Findings, where: str, entry: Mapping[str, Any]) -> None:
    parts, next_number = entry["partitions"]["parts"], entry["partitions"]["next"]
    findings.count("partitions", len(parts))
    lows = [bytes.fromhex(low) for _, low, _ in parts]
    numbers = [number for number, _, _ in parts]
    if not lows or lows[0] != b"":
        findings.problem(where, "no partition has the lowest keys.")
    for (number, low), (after, high) in pairwise(zip(numbers, lows, strict=True)):
        if low >= high:
            findings.problem(where, f"partition {after} does not begin after partition {number}.")
    if len(set(numbers)) < len(numbers) or any(number >= next_number for number in numbers):
        findings.problem(where, "a number is used twice, or would be by the next split.")
    for number, _, parent in parts:
        if parent is not None and parent >= number:
            findings.problem(where, f"partition {number} is older than its parent {parent}.")


class CollectionSizes:
    """Adds up the items of each partition key, in order, and compares with the stored sizes."""

    def __init__(self, findings: Findings, reader: Reader, table: Table, space: int) -> None:
        self._findings, self._reader, self._table, self._space = findings, reader, table, space
        self._where = f"{table.name}: item collections"
        self._key = b""
        self._size = self._matched = 0

    def add(self, key: bytes, row_key: bytes, size: int) -> None:
        """Add an item of a collection, with the bytes of the item and its entries in local indexes."""
        if key != self._key:
            self._compare()
            self._key, self._size = key, 0
        self._size += size
        find = self._table.partitions.find
        if find(key) is not find(row_key):
            self._findings.problem(
                self._where, f"{key.hex()} is on two partitions, but local indexes keep it on one."
            )

    def finish(self) -> None:
        """Compare the last collection, and check that there are no others."""
        self._compare()
        rows, _ = self._reader.totals(self._space)
        if rows != self._matched:
            self._findings.problem(
                self._where, f"{rows} have a stored size, but only {self._matched} have items."
            )

    def _compare(self) -> None:
        if not self._key:
            return
        self._findings.count("item collections")
        row = self._reader.get(self._space, self._key)
        stored = 0 if row is None else row.size
        self._matched += row is not None
        if stored != self._size:
            self._findings.problem(
                self._where,
                f"the stored size of {self._key.hex()} is {stored}, and the actual size is {self._size}.",
            )


def check_table(findings: Findings, reader: Reader, record: TableRecord) -> None:
    """Check a table."""
    if record.get("format") != table_record.RECORD_FORMAT:
        findings.problem(
            record["TableName"],
            f"its record has format {record.get('format')}, and this pksk reads format {table_record.RECORD_FORMAT}.",
        )
        return
    findings.count("tables")
    _check_partitions(findings, record)
    table = Table.of("", record)
    _check_items(findings, reader, table)
    _check_streams(findings, reader, table)


def _check_items(findings: Findings, reader: Reader, table: Table) -> None:
    entries = implied_entries(findings, reader, table)
    space = table.collection_space
    collections = None if space is None else CollectionSizes(findings, reader, table, space)
    before = b""
    for number, row in enumerate(reader.rows(table.layout.space, b"", None), 1):
        findings.count("items")
        findings.show_progress(table.name, number)
        if row.key <= before:
            findings.problem(table.name, f"{item_name(table.layout, row)} is not in order.")
        before = row.key
        item, size = check_stored_item(findings, table.name, table.layout, row, table.vectors.values())
        if item is not None:
            sized = row._replace(size=size)
            local = sum([each.check(item, sized) for each in entries if each.is_local])
            for each in entries:
                if not each.is_local:
                    each.check(item, sized)
            if collections is not None:
                collections.add(table.layout.partition_key_bytes(item), row.key, size + local)
    for each in entries:
        each.finish()
    if collections is not None:
        collections.finish()


def check_backup(findings: Findings, reader: Reader, record: Mapping[str, Any]) -> None:
    """Check a backup."""
    findings.count("backups")
    where = f"{record['TableName']}: backup {record['id']}"
    definition = record["definition"]
    rows = table_record.table_layout(definition, record["space"])
    vectors = [
        table_record.vector_index(definition, cast("table_record.VectorIndexRecord", {"space": 0, **entry}))
        for entry in definition.get("VectorIndexes", ())
    ]
    count = total = 0
    for count, row in enumerate(reader.rows(rows.space, b"", None), 1):
        findings.show_progress(where, count)
        total += row.size
        check_stored_item(findings, where, rows, row, vectors)
    findings.count("items in backups", count)
    recorded = record["ItemCount"], record["BackupSizeBytes"]
    if recorded != (count, total):
        findings.problem(
            where,
            f"its record has {recorded[0]} items of {recorded[1]} bytes, but there are {count} of {total}.",
        )
