"""Backups of tables, and point-in-time recovery."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.service_errors import invalid_parameter, service_error
from pksk.engine.settings import Settings
from pksk.engine.state import Table, TableRecord, arns, table_record

from . import stored_backups
from .stored_backups import Backup
from .table_description import is_restoring

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_PointInTimeRecoverySpecification.html
_MOST_RECOVERY_DAYS: Final = 35


def table_to_back_up(core: Core, name: str) -> Table:
    """The table of a request about backups; a missing one has an error of its own."""
    table = core.catalogue.find(name)
    if table is None:
        raise service_error("TableNotFoundException", f"Table not found: {core.catalogue.name_of(name)}")
    return table


def _continuous_backups_description(record: TableRecord, now: float) -> Answer:
    """ContinuousBackupsDescription of a table."""
    recovery: Answer = {"PointInTimeRecoveryStatus": "DISABLED"}
    setting = record.get("recovery")
    if setting is not None:
        recovery = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": setting["days"],
            # There is no history: only the present can be restored.
            "EarliestRestorableDateTime": table_record.to_milliseconds(now),
            "LatestRestorableDateTime": table_record.to_milliseconds(now),
        }
    return {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": recovery}


def update_continuous_backups(core: Core, request: Request) -> Answer:
    """Answer an UpdateContinuousBackups request."""
    specification = request["PointInTimeRecoverySpecification"]
    with core.catalogue.change() as change:
        table = table_to_back_up(core, request["TableName"])
        if table_record.status_of(table.record) in {"CREATING", "DELETING"}:
            raise service_error("ContinuousBackupsUnavailableException", texts.backups_starting(table.name))
        record = _updated(table.record, specification)
        change.save(table, record)
        return {"ContinuousBackupsDescription": _continuous_backups_description(record, change.now)}


def _updated(record: TableRecord, specification: Request) -> TableRecord:
    updated = record.copy()
    if specification["PointInTimeRecoveryEnabled"]:
        updated["recovery"] = {"days": specification.get("RecoveryPeriodInDays", _MOST_RECOVERY_DAYS)}
    else:
        updated.pop("recovery", None)
    return updated


def describe_continuous_backups(core: Core, request: Request) -> Answer:
    """Answer a DescribeContinuousBackups request."""
    table = table_to_back_up(core, request["TableName"])
    return {"ContinuousBackupsDescription": _continuous_backups_description(table.record, core.now())}


_DETAILS: Final = (
    "BackupName",
    "BackupSizeBytes",
    "BackupType",
    "BackupCreationDateTime",
    "BackupExpiryDateTime",
)


def _backup_details(backup: Backup, settings: Settings, now: float, status: str | None = None) -> Answer:
    """BackupDetails."""
    details: Answer = {member: value for member, value in backup.record.items() if member in _DETAILS}
    return {"BackupArn": backup.arn(settings), **details, "BackupStatus": status or backup.status(now)}


def _backup_summary(backup: Backup, settings: Settings, now: float) -> Answer:
    """BackupSummary: the details and which table it is of."""
    return {
        "TableName": backup.table,
        "TableId": backup.record["TableId"],
        "TableArn": arns.table_arn(settings, backup.table),
        **_backup_details(backup, settings, now),
    }


def _backup_description(backup: Backup, settings: Settings, now: float, status: str | None = None) -> Answer:
    """BackupDescription, with the status of the backup, or with another one."""
    return {
        "BackupDetails": _backup_details(backup, settings, now, status),
        "SourceTableDetails": _source(backup, settings),
        "SourceTableFeatureDetails": _features(backup),
    }


def _source(backup: Backup, settings: Settings) -> Answer:
    record, definition = backup.record, backup.definition
    details = {
        "TableName": backup.table,
        "TableId": record["TableId"],
        "TableArn": arns.table_arn(settings, backup.table),
        "TableSizeBytes": record["BackupSizeBytes"],
        "KeySchema": definition["KeySchema"],
        "TableCreationDateTime": record["TableCreationDateTime"],
        "ItemCount": record["ItemCount"],
        "BillingMode": definition["BillingMode"],
    }
    return {**details, **stored_backups.stored_throughput(definition)}


def _features(backup: Backup) -> Answer:
    features: Answer = {}
    for member in stored_backups.INDEXES:
        if member in backup.definition:
            features[member] = [
                {**stored_backups.without_throughput(entry), **stored_backups.stored_throughput(entry)}
                for entry in backup.definition[member]
            ]
    return {**features, **backup.record["features"]}


def create_backup(core: Core, request: Request) -> Answer:
    """Answer a CreateBackup request."""
    with core.catalogue.change() as change:
        table = table_to_back_up(core, request["TableName"])
        _check(table)
        backup = stored_backups.take_backup(core, change.writer, table, request["BackupName"], change.now)
        # The response always says CREATING, however short that takes.
        return {"BackupDetails": _backup_details(backup, core.settings, change.now, "CREATING")}


def _check(table: Table) -> None:
    status = table_record.status_of(table.record)
    if status == "CREATING":
        raise service_error("ContinuousBackupsUnavailableException", texts.backups_starting(table.name))
    if status == "DELETING":
        raise service_error("TableInUseException", f"Table is being deleted: {table.name}")


def describe_backup(core: Core, request: Request) -> Answer:
    """Answer a DescribeBackup request."""
    backup = stored_backups.find_backup(core, request["BackupArn"])
    return {"BackupDescription": _backup_description(backup, core.settings, core.now())}


_PAGE: Final = 100


def list_backups(core: Core, request: Request) -> Answer:
    """Answer a ListBackups request."""
    is_listed = _list_filter(core, request)
    backups = [backup for backup in stored_backups.all_backups(core) if is_listed(backup)]
    limit = request.get("Limit", _PAGE)
    now = core.now()
    answer: Answer = {
        "BackupSummaries": [_backup_summary(each, core.settings, now) for each in backups[:limit]]
    }
    if len(backups) > limit:
        answer["LastEvaluatedBackupArn"] = backups[limit - 1].arn(core.settings)
    return answer


def _list_filter(core: Core, request: Request) -> Callable[[Backup], bool]:
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
    position = stored_backups.backup_position(arns.read_arn(arn))
    if position is None:
        raise invalid_parameter(f"Invalid ExclusiveStartBackupArn: {arn}")
    return position


def delete_backup(core: Core, request: Request) -> Answer:
    """Answer a DeleteBackup request."""
    with core.catalogue.change() as change:
        backup = stored_backups.find_backup(core, request["BackupArn"])
        restoring = any(is_restoring(table.record, backup.record["id"]) for table in core.catalogue.all())
        if restoring or backup.status(change.now) == "CREATING":
            raise service_error("BackupInUseException", texts.BACKUP_IN_USE)
        stored_backups.remove_backup(change.writer, backup)
        return {"BackupDescription": _backup_description(backup, core.settings, change.now, "DELETED")}
