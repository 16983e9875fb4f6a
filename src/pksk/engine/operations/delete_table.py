"""DeleteTable: removes a table with all that is in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.backups.take import keep_deleted_table
from pksk.engine.core import Answer, Core
from pksk.engine.faults import validation
from pksk.engine.streams.left import drop_left, leave_streams
from pksk.engine.tables.catalogue import Change
from pksk.engine.tables.description import describe
from pksk.engine.tables.record import Record, status_of
from pksk.engine.tables.states import busy_indexes, done_at, in_use, require_settled
from pksk.engine.tables.table import Table
from pksk.engine.texts import tables as texts

__all__ = ["delete_table"]


def delete_table(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DeleteTable request."""
    drop_left(core)
    with core.catalogue.changing() as change:
        table = core.catalogue.described(request["TableName"])
        if status_of(table.settings) != "DELETING":  # it may be deleted twice
            _check(table.settings)
            _delete(core, change, table)
        return {"TableDescription": describe(table, change.writer, core.settings, change.now)}


def _check(record: Record) -> None:
    require_settled(record)
    if any(busy_indexes(record)):
        raise in_use(texts.INDEXES_BUSY)
    if record["DeletionProtectionEnabled"]:
        raise validation(texts.PROTECTED)


def _delete(core: Core, change: Change, table: Table) -> None:
    record, delay = table.settings, core.settings.delays.delete_table
    count, size = change.writer.totals(table.rows.space)
    left = {**record, "ItemCount": count, "TableSizeBytes": size}
    left["phase"] = {"status": "DELETING", "until": done_at(change.now, delay)}
    leave_streams(change.writer, record, change.now)
    spaces = _spaces(record)
    if "recovery" in record:
        keep_deleted_table(core, change.writer, table, change.now)
        spaces.remove(table.rows.space)
    for space in spaces:
        change.writer.drop_space(space)
    change.save(table, left, noted=delay > 0)


def _spaces(record: Record) -> list[int]:
    """Every space that a table has made, but those of its streams."""
    entries = [record]
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes", "VectorIndexes"):
        entries += record.get(member, ())
    if "space" in record.get("ttl", {}):
        entries.append(record["ttl"])
    spaces = [entry["space"] for entry in entries if "space" in entry]
    return [*spaces, record["collections"]] if "collections" in record else spaces
