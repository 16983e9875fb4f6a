"""Continuous backups as tables describe them: always on, with recovery to a point in time or without."""

from __future__ import annotations

from typing import Any, Final

from pksk.engine.core import Core
from pksk.engine.faults import fault
from pksk.engine.texts import resources as texts

from .creation import to_milliseconds
from .record import Record
from .table import Table

__all__ = ["DAYS", "backed_up_table", "shown_backups"]

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PointInTimeRecoverySpecification.html
DAYS: Final = 35


def backed_up_table(core: Core, name: str) -> Table:
    """The table whose backups are asked for, which has an error of its own where it is missing."""
    table = core.catalogue.find(name)
    if table is None:
        raise fault("TableNotFoundException", texts.no_backups_table(core.catalogue.own_name(name)))
    return table


def shown_backups(record: Record, now: float) -> dict[str, Any]:
    """ContinuousBackupsDescription of a table."""
    recovery: dict[str, Any] = {"PointInTimeRecoveryStatus": "DISABLED"}
    setting = record.get("recovery")
    if setting is not None:
        recovery = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": setting["days"],
            # No history is kept: what can be restored is the present.
            "EarliestRestorableDateTime": to_milliseconds(now),
            "LatestRestorableDateTime": to_milliseconds(now),
        }
    return {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": recovery}
