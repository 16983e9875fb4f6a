"""Finds the backup that a name or an ARN stands for."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pksk.client import Client
from pksk.errors import PkskError, did_you_mean, quote

__all__ = ["backups_of", "found", "shown_time"]


def backups_of(client: Client, table: str | None = None) -> list[dict[str, Any]]:
    """All backups, or those of a table, as ListBackups summarises them."""
    request: dict[str, Any] = {"BackupType": "ALL"} | ({"TableName": table} if table else {})
    summaries: list[dict[str, Any]] = []
    while True:
        answer = client.call("ListBackups", request)
        summaries += answer["BackupSummaries"]
        if "LastEvaluatedBackupArn" not in answer:
            return summaries
        request["ExclusiveStartBackupArn"] = answer["LastEvaluatedBackupArn"]


def found(client: Client, name: str) -> Mapping[str, Any]:
    """The summary of the one backup of this name or ARN."""
    every = backups_of(client)
    fitting = [each for each in every if name in (each["BackupName"], each["BackupArn"])]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise PkskError(
            "backup-several",
            f"{len(fitting):,} backups are called {quote(name)}.",
            expected=f"Their ARNs are: {', '.join(each['BackupArn'] for each in fitting[:5])}.",
            fix="name the one that you mean by its ARN.",
        )
    names = [each["BackupName"] for each in every]
    near = did_you_mean(name, names)
    raise PkskError(
        "backup-missing",
        f"There is no backup {quote(name)}.",
        expected=f"Backups are: {', '.join(names[:20])}." if names else "There are no backups in this file.",
        fix=f"did you mean {quote(near)}?" if near else "see pksk backup list.",
    )


def shown_time(seconds: float) -> str:
    """A time of an answer, for people.

    Example:
        >>> shown_time(1767225600.0)
        '2026-01-01 00:00:00 UTC'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
