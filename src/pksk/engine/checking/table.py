"""A table: its items, all that follows from them, its placement and its streams."""

from __future__ import annotations

from pksk.engine.storage import Reader
from pksk.engine.tables.record import Record, new_table
from pksk.engine.tables.table import Table
from pksk.engine.vectors.billing import billed_size

from .collection_sizes import CollectionSizes
from .entries import IndexEntries, entries_of
from .item import named, read_item
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
        try:
            item, size = read_item(table.rows, row)
        except ValueError as error:
            findings.problem(table.name, f"{named(table.rows, row)}: {error}")
            continue
        billed = billed_size(table.vectors.values(), item, size) if table.vectors else size
        if billed != row.size:
            told = f"its size is stored as {row.size}, and is {billed}."
            findings.problem(table.name, f"{named(table.rows, row)}: {told}")
        held = billed
        for each in entries:
            implied = each.follow(item, row._replace(size=billed))
            if isinstance(each, IndexEntries) and each.is_local:
                held += implied
        if collections is not None:
            collections.add(table.rows.partition_bytes(item), row.key, held)
    for each in entries:
        each.finish()
    if collections is not None:
        collections.finish()
