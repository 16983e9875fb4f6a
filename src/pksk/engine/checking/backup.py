"""A backup: the items that it holds, as many and as large as it says."""

from __future__ import annotations

from pksk.engine.storage import Reader
from pksk.engine.tables.record import Record, table_rows, vector_index

from .item import checked_item
from .report import Findings

__all__ = ["check_backup"]


def check_backup(findings: Findings, reader: Reader, record: Record) -> None:
    """Verify a backup by its record."""
    findings.count("backups")
    where = f"{record['TableName']}: backup {record['id']}"
    definition = {**record["definition"], "space": record["space"]}
    rows = table_rows(definition)
    vectors = [
        vector_index(definition, {"space": 0, **entry}) for entry in definition.get("VectorIndexes", ())
    ]
    count = total = 0
    for count, row in enumerate(reader.rows(rows.space, b"", None), 1):
        findings.verified(where, count)
        total += row.size
        checked_item(findings, where, rows, row, vectors)
    findings.count("items in backups", count)
    said = record["ItemCount"], record["BackupSizeBytes"]
    if said != (count, total):
        findings.problem(where, f"it says {said[0]} items of {said[1]} bytes, and has {count} of {total}.")
