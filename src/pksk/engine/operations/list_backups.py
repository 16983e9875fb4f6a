"""ListBackups: the backups of a table or of all, a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pksk.engine.backups.backup import Backup
from pksk.engine.backups.description import summary
from pksk.engine.backups.kept import all_backups, position
from pksk.engine.core import Answer, Core
from pksk.engine.faults import validation
from pksk.engine.texts import backups as texts

__all__ = ["list_backups"]

_PAGE: Final = 100


def list_backups(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a ListBackups request."""
    wanted = _wanted(core, request)
    found = [backup for backup in all_backups(core) if wanted(backup)]
    limit = request.get("Limit", _PAGE)
    now = core.now()
    answer: Answer = {"BackupSummaries": [summary(each, core.settings, now) for each in found[:limit]]}
    if len(found) > limit:
        answer["LastEvaluatedBackupArn"] = found[limit - 1].arn(core.settings)
    return answer


def _wanted(core: Core, request: Mapping[str, Any]) -> Callable[[Backup], bool]:
    kind = request.get("BackupType", "USER")
    table = core.catalogue.own_name(request["TableName"]) if "TableName" in request else None
    low = request.get("TimeRangeLowerBound", float("-inf"))
    high = request.get("TimeRangeUpperBound", float("inf"))
    start = _start(request.get("ExclusiveStartBackupArn"))

    def wanted(backup: Backup) -> bool:
        record = backup.record
        return (
            (kind == "ALL" or record["BackupType"] == kind)
            and (table is None or backup.table == table)
            and low <= record["BackupCreationDateTime"] < high
            and (record["id"], backup.table) > start
        )

    return wanted


def _start(arn: str | None) -> tuple[str, str]:
    """Where a page begins, also if the backup that the one before ended with is gone."""
    if arn is None:
        return "", ""
    place = position(arn)
    if place is None:
        raise validation(texts.invalid_start(arn))
    return place
