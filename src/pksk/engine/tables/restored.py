"""What a table that was restored says of where it comes from."""

from __future__ import annotations

from typing import Any

from pksk.engine.settings import Settings

from .names import backup_arn, table_arn
from .record import Record, status_of

__all__ = ["is_restoring", "shown_restore"]


def shown_restore(record: Record, settings: Settings) -> dict[str, Any]:
    """RestoreSummary of a table that was restored."""
    restored = record.get("restored")
    if restored is None:
        return {}
    source = table_arn(settings, restored["table"])
    backup = {"SourceBackupArn": backup_arn(source, restored["backup"])} if "backup" in restored else {}
    return {
        "RestoreSummary": {
            **backup,
            "SourceTableArn": source,
            "RestoreDateTime": restored["at"],
            "RestoreInProgress": status_of(record) == "CREATING",
        }
    }


def is_restoring(record: Record, backup: str) -> bool:
    """Whether a table is being restored from the backup with this id."""
    return record.get("restored", {}).get("backup") == backup and status_of(record) == "CREATING"
