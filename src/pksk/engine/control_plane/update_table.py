"""UpdateTable: changes a table's throughput, indexes, stream and other settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.control_plane.index_updates import check_actions, updated_indexes
from pksk.engine.control_plane.table_creation import with_enough_partitions
from pksk.engine.control_plane.table_description import table_description
from pksk.engine.control_plane.table_update import TableUpdate, check_update_request, updated_settings
from pksk.engine.control_plane.throughput import check_quotas
from pksk.engine.core import Answer, Core
from pksk.engine.state.table_record import Record, require_active, resource_in_use, status_of
from pksk.engine.streams.orphaned_streams import orphaned_labels
from pksk.engine.texts import indexes as texts

__all__ = ["update_table"]


def update_table(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an UpdateTable request."""
    check_update_request(request)
    check_actions(request)
    with core.catalogue.changing() as change:
        table = core.catalogue.described(request["TableName"])
        _check_state(table.settings, request)
        after = _updated(
            TableUpdate(
                request,
                table.settings,
                change.writer,
                core.settings,
                change.now,
                orphaned_labels(core.storage, table.name),
            )
        )
        check_quotas(after, table.settings, core.catalogue.all())
        after = with_enough_partitions(core, change, table.settings, after)
        change.save(table, after)
        # What an index was filled with has not been looked at.
        table.headroom.bytes_left = min(table.headroom.bytes_left, 0)
        return {"TableDescription": table_description(table, change.writer, core.settings, change.now)}


def _check_state(record: Record, request: Mapping[str, Any]) -> None:
    if status_of(record) == "UPDATING":
        creating = [
            entry["IndexName"]
            for member in ("GlobalSecondaryIndexes", "VectorIndexes")
            for entry in record.get(member, ())
            if status_of(entry) == "CREATING"
        ]
        for member in ("GlobalSecondaryIndexUpdates", "VectorIndexUpdates"):
            for update in request.get(member, ()):
                name = update.get("Delete", {}).get("IndexName")
                if name in creating:
                    raise resource_in_use(texts.allocating(record["TableName"], name))
    require_active(record)


def _updated(update: TableUpdate) -> Record:
    at_once, later = updated_settings(update)
    indexes = updated_indexes(update)
    phase = {"status": "UPDATING", "until": update.until, "after": later}
    return {**update.before, **at_once, **indexes, "phase": phase}
