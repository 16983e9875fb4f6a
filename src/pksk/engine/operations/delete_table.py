"""DeleteTable: removes a table with all that is in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.faults import validation
from pksk.engine.tables.catalogue import Change
from pksk.engine.tables.description import describe
from pksk.engine.tables.record import Record, status_of
from pksk.engine.tables.states import busy_indexes, done_at, in_use, require_settled
from pksk.engine.tables.table import Table
from pksk.engine.texts import tables as texts

__all__ = ["delete_table"]


def delete_table(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DeleteTable request."""
    with core.catalogue.changing() as change:
        table = core.catalogue.described(request["TableName"])
        if status_of(table.settings) != "DELETING":  # it may be deleted twice
            _check(table.settings)
            _delete(change, table, core.settings.delays.delete_table)
        return {"TableDescription": describe(table, change.writer, core.settings, change.now)}


def _check(record: Record) -> None:
    require_settled(record)
    if any(busy_indexes(record)):
        raise in_use(texts.INDEXES_BUSY)
    if record["DeletionProtectionEnabled"]:
        raise validation(texts.PROTECTED)


def _delete(change: Change, table: Table, delay: float) -> None:
    record = table.settings
    count, size = change.writer.totals(table.rows.space)
    left = {**record, "ItemCount": count, "TableSizeBytes": size}
    left["phase"] = {"status": "DELETING", "until": done_at(change.now, delay)}
    for space in _spaces(record):
        change.writer.drop_space(space)
    change.save(table, left, noted=delay > 0)


def _spaces(record: Record) -> list[int]:
    """Every space that a table has made."""
    entries = [record, *record.get("streams", ())]
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        entries += record.get(member, ())
    spaces = [entry["space"] for entry in entries]
    return [*spaces, record["collections"]] if "collections" in record else spaces
