"""UpdateContinuousBackups and DescribeContinuousBackups: point-in-time recovery."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.core import Answer, Core
from pksk.engine.service_errors import service_error
from pksk.engine.state.table_record import status_of
from pksk.engine.texts import resources as texts

from ..state.table import Table
from ..state.table_record import TableRecord, to_milliseconds

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PointInTimeRecoverySpecification.html
MOST_RECOVERY_DAYS: Final = 35


def table_to_back_up(core: Core, name: str) -> Table:
    """The table of a request about backups; a missing one has an error of its own."""
    table = core.catalogue.find(name)
    if table is None:
        raise service_error("TableNotFoundException", texts.no_backups_table(core.catalogue.name_of(name)))
    return table


def continuous_backups_description(record: TableRecord, now: float) -> dict[str, Any]:
    """ContinuousBackupsDescription of a table."""
    recovery: dict[str, Any] = {"PointInTimeRecoveryStatus": "DISABLED"}
    setting = record.get("recovery")
    if setting is not None:
        recovery = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": setting["days"],
            # There is no history: only the present can be restored.
            "EarliestRestorableDateTime": to_milliseconds(now),
            "LatestRestorableDateTime": to_milliseconds(now),
        }
    return {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": recovery}


def update_continuous_backups(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer an UpdateContinuousBackups request."""
    specification = request["PointInTimeRecoverySpecification"]
    with core.catalogue.change() as change:
        table = table_to_back_up(core, request["TableName"])
        if status_of(table.record) in {"CREATING", "DELETING"}:
            raise service_error("ContinuousBackupsUnavailableException", texts.backups_starting(table.name))
        record = _updated(table.record, specification)
        change.save(table, record)
        return {"ContinuousBackupsDescription": continuous_backups_description(record, change.now)}


def _updated(record: TableRecord, specification: Mapping[str, Any]) -> TableRecord:
    updated = record.copy()
    if specification["PointInTimeRecoveryEnabled"]:
        updated["recovery"] = {"days": specification.get("RecoveryPeriodInDays", MOST_RECOVERY_DAYS)}
    else:
        updated.pop("recovery", None)
    return updated


def describe_continuous_backups(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DescribeContinuousBackups request."""
    table = table_to_back_up(core, request["TableName"])
    return {"ContinuousBackupsDescription": continuous_backups_description(table.record, core.now())}
