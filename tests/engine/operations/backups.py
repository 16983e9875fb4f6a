"""What tables say of their backups, for tests of recovery."""

from __future__ import annotations

from typing import Any

from tests.engine.tables.opened import NAME, Opened

__all__ = ["described", "update"]


def update(opened: Opened, *, enabled: bool = True, **members: int) -> dict[str, Any]:
    wanted = {"PointInTimeRecoveryEnabled": enabled, **members}
    shown: dict[str, Any] = opened.call(
        "UpdateContinuousBackups", {"TableName": NAME, "PointInTimeRecoverySpecification": wanted}
    )["ContinuousBackupsDescription"]
    return shown


def described(opened: Opened) -> dict[str, Any]:
    shown: dict[str, Any] = opened.call("DescribeContinuousBackups", {"TableName": NAME})[
        "ContinuousBackupsDescription"
    ]
    return shown
