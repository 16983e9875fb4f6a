"""UpdateTable: changes a table's throughput, indexes, stream and other settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.placement.initial import with_enough_partitions
from pksk.engine.streams.left import left_labels
from pksk.engine.tables.description import describe
from pksk.engine.tables.index_updates import check_actions, updated_indexes
from pksk.engine.tables.quotas import check_quotas
from pksk.engine.tables.record import Record, status_of
from pksk.engine.tables.states import in_use, require_settled
from pksk.engine.tables.update import Update, check_request, table_settings
from pksk.engine.texts import indexes as texts

__all__ = ["update_table"]


def update_table(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an UpdateTable request."""
    check_request(request)
    check_actions(request)
    with core.catalogue.changing() as change:
        table = core.catalogue.described(request["TableName"])
        _check_state(table.settings, request)
        after = _updated(
            Update(
                request,
                table.settings,
                change.writer,
                core.settings,
                change.now,
                left_labels(core.storage, table.name),
            )
        )
        check_quotas(after, table.settings, core.catalogue.all())
        after = with_enough_partitions(core, change, table.settings, after)
        change.save(table, after)
        # What an index was filled with has not been looked at.
        table.room.left = min(table.room.left, 0)
        return {"TableDescription": describe(table, change.writer, core.settings, change.now)}


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
                    raise in_use(texts.allocating(record["TableName"], name))
    require_settled(record)


def _updated(update: Update) -> Record:
    at_once, later = table_settings(update)
    indexes = updated_indexes(update)
    phase = {"status": "UPDATING", "until": update.until, "after": later}
    return {**update.before, **at_once, **indexes, "phase": phase}
