"""CreateBackup: keeps a table as it is at this moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.backups.description import details
from pksk.engine.backups.take import take
from pksk.engine.core import Answer, Core
from pksk.engine.faults import fault
from pksk.engine.tables.backups import backed_up_table
from pksk.engine.tables.record import status_of
from pksk.engine.tables.table import Table
from pksk.engine.texts import backups as texts
from pksk.engine.texts import resources

__all__ = ["create_backup"]


def create_backup(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a CreateBackup request."""
    with core.catalogue.changing() as change:
        table = backed_up_table(core, request["TableName"])
        _check(table)
        backup = take(core, change.writer, table, request["BackupName"], change.now)
        # It is being created when this is said, however short that takes.
        return {"BackupDetails": details(backup, core.settings, change.now, "CREATING")}


def _check(table: Table) -> None:
    status = status_of(table.settings)
    if status == "CREATING":
        raise fault("ContinuousBackupsUnavailableException", resources.backups_starting(table.name))
    if status == "DELETING":
        raise fault("TableInUseException", texts.table_being_deleted(table.name))
