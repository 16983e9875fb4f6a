"""Descriptions of continuous backups, for tests of recovery."""

from __future__ import annotations

from typing import Any

from tests.engine.state.catalogues import NAME, Opened

__all__ = ["backup", "described", "listed", "scanned", "update"]


def update(opened: Opened, *, enabled: bool = True, **members: int) -> dict[str, Any]:
    wanted = {"PointInTimeRecoveryEnabled": enabled, **members}
    description: dict[str, Any] = opened.call(
        "UpdateContinuousBackups", {"TableName": NAME, "PointInTimeRecoverySpecification": wanted}
    )["ContinuousBackupsDescription"]
    return description


def described(opened: Opened) -> dict[str, Any]:
    description: dict[str, Any] = opened.call("DescribeContinuousBackups", {"TableName": NAME})[
        "ContinuousBackupsDescription"
    ]
    return description


def backup(opened: Opened, name: str = "first", table: str = NAME) -> str:
    """Back up a table; gives the ARN."""
    details = opened.call("CreateBackup", {"TableName": table, "BackupName": name})["BackupDetails"]
    return str(details["BackupArn"])


def listed(opened: Opened, **members: Any) -> list[str]:
    """The names of backups."""
    return [each["BackupName"] for each in opened.call("ListBackups", members)["BackupSummaries"]]


def scanned(opened: Opened, table: str = NAME, **members: Any) -> list[dict[str, Any]]:
    """All items of a table or of an index, in the order of their storage."""
    items: list[dict[str, Any]] = opened.call("Scan", {"TableName": table, **members})["Items"]
    return items
