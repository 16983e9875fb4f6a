"""Descriptions of backups, as AWS shows them."""

from __future__ import annotations

from typing import Any, Final

from pksk.engine.settings import Settings
from pksk.engine.tables.billing import READ, WRITE
from pksk.engine.tables.names import table_arn
from pksk.engine.tables.record import Record

from .backup import Backup
from .definition import INDEXES

__all__ = ["describe_backup_of", "details", "summary"]

_DETAILS: Final = (
    "BackupName",
    "BackupSizeBytes",
    "BackupType",
    "BackupCreationDateTime",
    "BackupExpiryDateTime",
)


def details(backup: Backup, settings: Settings, now: float, status: str | None = None) -> dict[str, Any]:
    """BackupDetails."""
    shown: dict[str, Any] = {member: backup.record[member] for member in _DETAILS if member in backup.record}
    return {"BackupArn": backup.arn(settings), **shown, "BackupStatus": status or backup.status(now)}


def summary(backup: Backup, settings: Settings, now: float) -> dict[str, Any]:
    """BackupSummary: the details and which table it is of."""
    return {
        "TableName": backup.table,
        "TableId": backup.record["TableId"],
        "TableArn": table_arn(settings, backup.table),
        **details(backup, settings, now),
    }


def describe_backup_of(
    backup: Backup, settings: Settings, now: float, status: str | None = None
) -> dict[str, Any]:
    """BackupDescription; `status` where it is another than its own."""
    return {
        "BackupDetails": details(backup, settings, now, status),
        "SourceTableDetails": _source(backup, settings),
        "SourceTableFeatureDetails": _features(backup),
    }


def _source(backup: Backup, settings: Settings) -> dict[str, Any]:
    record, definition = backup.record, backup.definition
    shown = {
        "TableName": backup.table,
        "TableId": record["TableId"],
        "TableArn": table_arn(settings, backup.table),
        "TableSizeBytes": record["BackupSizeBytes"],
        "KeySchema": definition["KeySchema"],
        "TableCreationDateTime": record["TableCreationDateTime"],
        "ItemCount": record["ItemCount"],
        "BillingMode": definition["BillingMode"],
    }
    return {**shown, **_throughput(definition)}


def _features(backup: Backup) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for member in INDEXES:
        if member in backup.definition:
            shown[member] = [{**_plain(entry), **_throughput(entry)} for entry in backup.definition[member]]
    return {**shown, **backup.record["features"]}


def _plain(entry: Record) -> dict[str, Any]:
    return {member: value for member, value in entry.items() if not member.endswith("Throughput")}


def _throughput(entry: Record) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    if "ProvisionedThroughput" in entry:
        shown["ProvisionedThroughput"] = {
            member: entry["ProvisionedThroughput"][member] for member in (READ, WRITE)
        }
    if entry.get("OnDemandThroughput"):
        shown["OnDemandThroughput"] = entry["OnDemandThroughput"]
    return shown
