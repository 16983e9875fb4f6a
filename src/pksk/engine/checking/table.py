"""A table: its items, all that follows from them, its placement and its streams."""

from __future__ import annotations

from pksk.engine.storage import Reader
from pksk.engine.tables.record import Record, new_table
from pksk.engine.tables.table import Table

from .collection_sizes import CollectionSizes
from .entries import entries_of
from .item import checked_item, named
from .placement import check_placement
from .report import Findings
from .stream import check_streams

__all__ = ["check_table"]


def check_table(findings: Findings, reader: Reader, record: Record) -> None:
    """Verify a table by its record."""
    findings.count("tables")
    check_placement(findings, record)
    table = new_table("", record)
    _check_items(findings, reader, table)
    check_streams(findings, reader, table)


def _check_items(findings: Findings, reader: Reader, table: Table) -> None:
    entries = entries_of(findings, reader, table)
    space = table.collections
    collections = None if space is None else CollectionSizes(findings, reader, table, space)
    before = b""
    for number, row in enumerate(reader.rows(table.rows.space, b"", None), 1):
        findings.count("items")
        findings.verified(table.name, number)
        if row.key <= before:
            findings.problem(table.name, f"{named(table.rows, row)} is not in order.")
        before = row.key
        item, size = checked_item(findings, table.name, table.rows, row, table.vectors.values())
        if item is not None:
            sized = row._replace(size=size)
            local = sum([each.follow(item, sized) for each in entries if each.is_local])
            for each in entries:
                if not each.is_local:
                    each.follow(item, sized)
            if collections is not None:
                collections.add(table.rows.partition_bytes(item), row.key, size + local)
    for each in entries:
        each.finish()
    if collections is not None:
        collections.finish()
