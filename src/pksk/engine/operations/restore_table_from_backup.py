"""RestoreTableFromBackup: makes a new table from a backup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.backups.kept import find_backup
from pksk.engine.backups.restore import check_target, restore
from pksk.engine.core import Answer, Core
from pksk.engine.faults import fault
from pksk.engine.tables.description import describe
from pksk.engine.texts import backups as texts

__all__ = ["restore_table_from_backup"]


def restore_table_from_backup(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a RestoreTableFromBackup request."""
    with core.catalogue.changing() as change:
        backup = find_backup(core, request["BackupArn"])
        check_target(core, request["TargetTableName"])
        if backup.status(change.now) == "CREATING":
            raise fault("BackupInUseException", texts.BACKUP_IN_USE)
        source = {"table": backup.table, "backup": backup.record["id"]}
        table = restore(core, change, request, backup.definition, backup.record["space"], source)
        return {"TableDescription": describe(table, change.writer, core.settings, change.now)}
