"""RestoreTableToPointInTime: makes a new table from another as it is now, since no other time is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.backups.definition import backed_up_definition
from pksk.engine.backups.restore import check_target, restore
from pksk.engine.core import Answer, Core
from pksk.engine.faults import fault, validation
from pksk.engine.tables.backups import backed_up_table
from pksk.engine.tables.creation import to_milliseconds
from pksk.engine.tables.description import describe
from pksk.engine.tables.table import Table
from pksk.engine.texts import backups as texts

__all__ = ["restore_table_to_point_in_time"]


def restore_table_to_point_in_time(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a RestoreTableToPointInTime request."""
    name = _source(request)
    with core.catalogue.changing() as change:
        table = backed_up_table(core, name)
        _check_recovery(table)
        check_target(core, request["TargetTableName"])
        _check_time(request, change.now)
        definition = backed_up_definition(table.settings)
        made = restore(core, change, request, definition, table.rows.space, {"table": table.name})
        return {"TableDescription": describe(made, change.writer, core.settings, change.now)}


def _source(request: Mapping[str, Any]) -> str:
    names = [request[member] for member in ("SourceTableName", "SourceTableArn") if member in request]
    if len(names) != 1:
        raise validation(texts.TWO_SOURCES if names else texts.NO_SOURCE)
    latest, moment = request.get("UseLatestRestorableTime", False), request.get("RestoreDateTime")
    if latest and moment is not None:
        raise validation(texts.RESTORE_TIME_TWICE)
    if not latest and moment is None:
        raise validation(texts.RESTORE_TIME_MISSING)
    return str(names[0])


def _check_recovery(table: Table) -> None:
    if not table.alive or "recovery" not in table.settings:
        message = texts.point_in_time_disabled(table.name)
        raise fault("PointInTimeRecoveryUnavailableException", message)


def _check_time(request: Mapping[str, Any], now: float) -> None:
    moment = request.get("RestoreDateTime")
    if moment is not None and to_milliseconds(moment) != to_milliseconds(now):
        raise fault("InvalidRestoreTimeException", texts.INVALID_RESTORE_TIME)
