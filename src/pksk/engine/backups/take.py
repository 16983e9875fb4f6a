"""Takes a backup of a table: its rows as they are at one moment, and its definition."""

from __future__ import annotations

from typing import Any, Final

from pksk.engine.core import Core
from pksk.engine.storage import Writer
from pksk.engine.tables.creation import to_milliseconds
from pksk.engine.tables.encryption import shown_encryption
from pksk.engine.tables.expiry import shown_expiry
from pksk.engine.tables.record import Record, open_stream
from pksk.engine.tables.states import done_at
from pksk.engine.tables.table import Table

from .backup import Backup
from .definition import backed_up_definition
from .kept import keep_backup

__all__ = ["keep_deleted_table", "take"]

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Point-in-time-recovery.html
_KEPT_SECONDS: Final = 35 * 24 * 3600
_DELETED: Final = "$DeletedTableBackup"


def take(core: Core, writer: Writer, table: Table, name: str, now: float) -> Backup:
    """Back up a table, within the block that writes: so that it has each transaction whole or not at all."""
    record = _record(core, writer, table, now) | {"BackupName": name, "BackupType": "USER"}
    record["until"] = done_at(now, core.settings.delays.create_table)
    record["space"] = writer.copy_space(table.rows.space)
    return keep_backup(core, writer, record, now)


def keep_deleted_table(core: Core, writer: Writer, table: Table, now: float) -> None:
    """Make a table that is deleted a backup of its own, whose rows are the table's."""
    record = _record(core, writer, table, now)
    record |= {"BackupName": f"{table.name}{_DELETED}", "BackupType": "SYSTEM", "space": table.rows.space}
    record |= {"until": done_at(now, 0.0), "BackupExpiryDateTime": to_milliseconds(now + _KEPT_SECONDS)}
    keep_backup(core, writer, record, now)


def _record(core: Core, writer: Writer, table: Table, now: float) -> dict[str, Any]:
    source = table.settings
    count, size = writer.totals(table.rows.space)
    return {
        "TableName": table.name,
        "TableId": source["TableId"],
        "TableCreationDateTime": source["CreationDateTime"],
        "BackupCreationDateTime": to_milliseconds(now),
        "BackupSizeBytes": size,
        "ItemCount": count,
        "definition": backed_up_definition(source),
        "features": _features(core, source, now),
    }


def _features(core: Core, record: Record, now: float) -> dict[str, Any]:
    """What SourceTableFeatureDetails shows beside the indexes."""
    features: dict[str, Any] = {}
    stream = open_stream(record)
    if stream is not None:
        features["StreamDescription"] = {"StreamEnabled": True, "StreamViewType": stream["view"]}
    expiry = shown_expiry(record, now)
    if "AttributeName" in expiry:
        features["TimeToLiveDescription"] = expiry
    return {**features, **shown_encryption(record, core.settings)}
