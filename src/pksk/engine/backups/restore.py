"""Makes a new table from the rows of a backup, or of another table as it is now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from pksk.engine.core import Core
from pksk.engine.faults import fault
from pksk.engine.storage import Writer
from pksk.engine.tables.catalogue import Change
from pksk.engine.tables.creation import make_table, to_milliseconds
from pksk.engine.tables.quotas import check_quotas
from pksk.engine.tables.record import Record, status_of
from pksk.engine.tables.table import Table
from pksk.engine.texts import backups as texts
from pksk.engine.vectors.filling import fill_index, resize_items
from pksk.values.size import item_size

from .overrides import restored_definition

__all__ = ["check_target", "restore"]


def check_target(core: Core, name: str) -> None:
    """Refuse to restore to a table that is there."""
    table = core.catalogue.find(name)
    if table is None:
        return
    if status_of(table.settings) in {"CREATING", "DELETING"}:
        raise fault("TableInUseException", texts.TARGET_IN_USE)
    raise fault("TableAlreadyExistsException", texts.target_exists(name))


def restore(
    core: Core,
    change: Change,
    request: Mapping[str, Any],
    definition: Record,
    space: int,
    source: Mapping[str, Any],
) -> Table:
    """The table that a request asks for, with the rows of a space and its indexes filled from them.

    `source` says what it is restored from: a `table`, and a `backup` where it is one.
    """
    name = request["TargetTableName"]
    restored = restored_definition(name, definition, request)
    check_quotas({"TableName": name, **restored}, None, core.catalogue.all())
    restored["restored"] = {**source, "at": to_milliseconds(change.now)}
    rows = change.writer.copy_space(space)
    table = make_table(change, core.settings, name, restored, {}, rows)
    _resize(change.writer, table, definition)
    _fill(change.writer, table)
    for index in table.vectors.values():
        fill_index(change.writer, table.rows, index)
    return table


def _resize(writer: Writer, table: Table, source: Record) -> None:
    """Bill items by the vector indexes that the restored table has, where it lacks some of its source's."""
    left_out = [entry for entry in source.get("VectorIndexes", ()) if entry["IndexName"] not in table.vectors]
    for attribute in {entry["VectorAttribute"]["AttributeName"] for entry in left_out}:
        resize_items(writer, table.rows, attribute, list(table.vectors.values()))


def _fill(writer: Writer, table: Table) -> None:
    """Write the index entries of all items, and the sizes of their collections."""
    if not table.indexes:
        return
    collection, collection_bytes = b"", 0
    for row in writer.rows(table.rows.space, b"", None):
        item: dict[str, Any] = orjson.loads(row.data)
        grown = row.size
        # Entries hold vectors as lists of numbers, which the table is not billed by.
        whole = row._replace(size=item_size(item)) if table.vectors else row
        for index in table.indexes.values():
            if index.holds(item):
                entry = index.row(item, whole)
                writer.put(index.space, *entry)
                grown += entry.size if index.kind == "lsi" else 0
        if table.collections is not None:
            partition = table.rows.partition_bytes(item)
            if partition != collection:
                _measure(writer, table.collections, collection, collection_bytes)
                collection, collection_bytes = partition, 0
            collection_bytes += grown
    if table.collections is not None:
        _measure(writer, table.collections, collection, collection_bytes)


def _measure(writer: Writer, space: int, collection: bytes, size: int) -> None:
    if size:
        writer.put(space, collection, size, b"")
