"""DeleteBackup: removes a backup with its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.backups.description import describe_backup_of
from pksk.engine.backups.kept import find_backup, remove_backup
from pksk.engine.core import Answer, Core
from pksk.engine.faults import fault
from pksk.engine.tables.restored import is_restoring
from pksk.engine.texts import backups as texts

__all__ = ["delete_backup"]


def delete_backup(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DeleteBackup request."""
    with core.catalogue.changing() as change:
        backup = find_backup(core, request["BackupArn"])
        restoring = any(is_restoring(table.settings, backup.record["id"]) for table in core.catalogue.all())
        if restoring or backup.status(change.now) == "CREATING":
            raise fault("BackupInUseException", texts.BACKUP_IN_USE)
        remove_backup(change.writer, backup)
        return {"BackupDescription": describe_backup_of(backup, core.settings, change.now, "DELETED")}
