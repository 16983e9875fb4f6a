"""Checks a table or a backup: its items, their index entries, its partitions and its streams."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, cast

from pksk.engine.state.table import Table
from pksk.engine.state.table_record import (
    RECORD_FORMAT,
    TableRecord,
    VectorIndexRecord,
    table_layout,
    vector_index,
)
from pksk.engine.storage import Reader

from .check_items import check_stored_item, implied_entries, item_name
from .check_streams import check_streams
from .report import Findings


def check_partitions(findings: Findings, record: TableRecord) -> None:
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
    if record.get("format") != RECORD_FORMAT:
        findings.problem(
            record["TableName"],
            f"its record has format {record.get('format')}, and this version of pksk reads format {RECORD_FORMAT}.",
        )
        return
    findings.count("tables")
    check_partitions(findings, record)
    table = Table.of("", record)
    _check_items(findings, reader, table)
    check_streams(findings, reader, table)


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
    rows = table_layout(definition, record["space"])
    vectors = [
        vector_index(definition, cast("VectorIndexRecord", {"space": 0, **entry}))
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
