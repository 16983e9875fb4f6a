"""UpdateContinuousBackups: switches recovery to a point in time on or off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.faults import fault
from pksk.engine.tables.backups import DAYS, backed_up_table, shown_backups
from pksk.engine.tables.record import Record, status_of
from pksk.engine.texts import resources as texts

__all__ = ["update_continuous_backups"]


def update_continuous_backups(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an UpdateContinuousBackups request."""
    wanted = request["PointInTimeRecoverySpecification"]
    with core.catalogue.changing() as change:
        table = backed_up_table(core, request["TableName"])
        if status_of(table.settings) in {"CREATING", "DELETING"}:
            raise fault("ContinuousBackupsUnavailableException", texts.backups_starting(table.name))
        record = _updated(table.settings, wanted)
        change.save(table, record)
        return {"ContinuousBackupsDescription": shown_backups(record, change.now)}


def _updated(record: Record, wanted: Mapping[str, Any]) -> Record:
    others = {key: value for key, value in record.items() if key != "recovery"}
    if not wanted["PointInTimeRecoveryEnabled"]:
        return others
    return {**others, "recovery": {"days": wanted.get("RecoveryPeriodInDays", DAYS)}}
