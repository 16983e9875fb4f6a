"""CreateBackup, DescribeBackup, ListBackups and DeleteBackup."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pksk.engine.control_plane.continuous_backups import table_to_back_up
from pksk.engine.control_plane.stored_backups import (
    all_backups,
    backup_position,
    find_backup,
    remove_backup,
    take_backup,
)
from pksk.engine.control_plane.table_description import is_restoring
from pksk.engine.core import Answer, Core
from pksk.engine.service_errors import service_error, validation
from pksk.engine.settings import Settings
from pksk.engine.state.arns import read_arn, table_arn
from pksk.engine.state.table import Table
from pksk.engine.state.table_record import status_of
from pksk.engine.texts import resources
from pksk.engine.texts import resources as texts

from .stored_backups import INDEXES, Backup, stored_throughput, without_throughput

_DETAILS: Final = (
    "BackupName",
    "BackupSizeBytes",
    "BackupType",
    "BackupCreationDateTime",
    "BackupExpiryDateTime",
)


def backup_details(
    backup: Backup, settings: Settings, now: float, status: str | None = None
) -> dict[str, Any]:
    """BackupDetails."""
    details: dict[str, Any] = {member: value for member, value in backup.record.items() if member in _DETAILS}
    return {"BackupArn": backup.arn(settings), **details, "BackupStatus": status or backup.status(now)}


def backup_summary(backup: Backup, settings: Settings, now: float) -> dict[str, Any]:
    """BackupSummary: the details and which table it is of."""
    return {
        "TableName": backup.table,
        "TableId": backup.record["TableId"],
        "TableArn": table_arn(settings, backup.table),
        **backup_details(backup, settings, now),
    }


def backup_description(
    backup: Backup, settings: Settings, now: float, status: str | None = None
) -> dict[str, Any]:
    """BackupDescription, with the backup's own status unless `status` is given."""
    return {
        "BackupDetails": backup_details(backup, settings, now, status),
        "SourceTableDetails": _source(backup, settings),
        "SourceTableFeatureDetails": _features(backup),
    }


def _source(backup: Backup, settings: Settings) -> dict[str, Any]:
    record, definition = backup.record, backup.definition
    details = {
        "TableName": backup.table,
        "TableId": record["TableId"],
        "TableArn": table_arn(settings, backup.table),
        "TableSizeBytes": record["BackupSizeBytes"],
        "KeySchema": definition["KeySchema"],
        "TableCreationDateTime": record["TableCreationDateTime"],
        "ItemCount": record["ItemCount"],
        "BillingMode": definition["BillingMode"],
    }
    return {**details, **stored_throughput(definition)}


def _features(backup: Backup) -> dict[str, Any]:
    features: dict[str, Any] = {}
    for member in INDEXES:
        if member in backup.definition:
            features[member] = [
                {**without_throughput(entry), **stored_throughput(entry)}
                for entry in backup.definition[member]
            ]
    return {**features, **backup.record["features"]}


def create_backup(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a CreateBackup request."""
    with core.catalogue.change() as change:
        table = table_to_back_up(core, request["TableName"])
        _check(table)
        backup = take_backup(core, change.writer, table, request["BackupName"], change.now)
        # The response always says CREATING, however short that takes.
        return {"BackupDetails": backup_details(backup, core.settings, change.now, "CREATING")}


def _check(table: Table) -> None:
    status = status_of(table.record)
    if status == "CREATING":
        raise service_error("ContinuousBackupsUnavailableException", resources.backups_starting(table.name))
    if status == "DELETING":
        raise service_error("TableInUseException", texts.table_being_deleted(table.name))


def describe_backup(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DescribeBackup request."""
    backup = find_backup(core, request["BackupArn"])
    return {"BackupDescription": backup_description(backup, core.settings, core.now())}


_PAGE: Final = 100


def list_backups(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a ListBackups request."""
    is_listed = _wanted(core, request)
    backups = [backup for backup in all_backups(core) if is_listed(backup)]
    limit = request.get("Limit", _PAGE)
    now = core.now()
    answer: Answer = {
        "BackupSummaries": [backup_summary(each, core.settings, now) for each in backups[:limit]]
    }
    if len(backups) > limit:
        answer["LastEvaluatedBackupArn"] = backups[limit - 1].arn(core.settings)
    return answer


def _wanted(core: Core, request: Mapping[str, Any]) -> Callable[[Backup], bool]:
    kind = request.get("BackupType", "USER")
    table = core.catalogue.name_of(request["TableName"]) if "TableName" in request else None
    low = request.get("TimeRangeLowerBound", float("-inf"))
    high = request.get("TimeRangeUpperBound", float("inf"))
    start = _start(request.get("ExclusiveStartBackupArn"))

    def is_listed(backup: Backup) -> bool:
        record = backup.record
        return (
            (kind == "ALL" or record["BackupType"] == kind)
            and (table is None or backup.table == table)
            and low <= record["BackupCreationDateTime"] < high
            and (record["id"], backup.table) > start
        )

    return is_listed


def _start(arn: str | None) -> tuple[str, str]:
    """Where a page begins, even if the backup at the end of the last page was deleted."""
    if arn is None:
        return "", ""
    position = backup_position(read_arn(arn))
    if position is None:
        raise validation(texts.invalid_start(arn))
    return position


def delete_backup(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DeleteBackup request."""
    with core.catalogue.change() as change:
        backup = find_backup(core, request["BackupArn"])
        restoring = any(is_restoring(table.record, backup.record["id"]) for table in core.catalogue.all())
        if restoring or backup.status(change.now) == "CREATING":
            raise service_error("BackupInUseException", texts.BACKUP_IN_USE)
        remove_backup(change.writer, backup)
        return {"BackupDescription": backup_description(backup, core.settings, change.now, "DELETED")}
