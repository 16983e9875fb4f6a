"""Stored backups: taken of a table, found by ARN, and removed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, NotRequired, TypedDict, cast
from uuid import uuid4

import orjson

from pksk.dataclass import dataclass
from pksk.engine.core import Core
from pksk.engine.row_layout import stored_bytes
from pksk.engine.service_errors import service_error
from pksk.engine.settings import Settings
from pksk.engine.state import Table, TableDefinition, TableRecord, arns, table_record
from pksk.engine.storage import Writer

from .billing import READ, WRITE
from .table_description import sse_description
from .time_to_live import ttl_description


class BackupRecord(TypedDict):
    """A backup as it is stored, in JSON.

    DynamoDB's members have their own names, ours are in lower case. As in table records, there are no ARNs.
    """

    id: str
    BackupName: str
    BackupType: str
    BackupCreationDateTime: float
    BackupExpiryDateTime: NotRequired[float]
    BackupSizeBytes: int
    ItemCount: int
    TableName: str
    TableId: str
    TableCreationDateTime: float
    definition: TableDefinition
    # The members of SourceTableFeatureDetails, except the indexes.
    features: dict[str, Any]
    # When it becomes AVAILABLE, and the space with the rows of its table.
    until: float
    space: int


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup, by its record."""

    record: BackupRecord

    @classmethod
    def of(cls, data: bytes) -> Backup:
        """The backup of a note."""
        return cls(orjson.loads(data))

    @property
    def note_name(self) -> str:
        """The name of its note. Notes sort by the time of the backup."""
        return f"backup/{self.record['id']}/{self.table}"

    @property
    def table(self) -> str:
        """The name of its table."""
        return self.record["TableName"]

    @property
    def definition(self) -> TableDefinition:
        """The definition of its table."""
        return self.record["definition"]

    def arn(self, settings: Settings) -> str:
        """Its ARN."""
        return arns.backup_arn(arns.table_arn(settings, self.table), self.record["id"])

    def status(self, now: float) -> str:
        """CREATING or AVAILABLE."""
        return "AVAILABLE" if now >= self.record["until"] else "CREATING"

    def is_expired(self, now: float) -> bool:
        """Whether it is past the time for which it is kept."""
        return "BackupExpiryDateTime" in self.record and now >= self.record["BackupExpiryDateTime"]


def _new_backup_id(now: float, used: Collection[str]) -> str:
    """An unused backup id: the time in milliseconds, in 14 digits, and eight random digits."""
    milliseconds = max(0, round(now * 1000))
    while f"{milliseconds:014}" in used:
        milliseconds += 1
    return f"{milliseconds:014}-{uuid4().hex[:8]}"


INDEXES: Final = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes", "VectorIndexes")
_TABLE_MEMBERS: Final = (
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "TableClass",
    "encryption",
)
_INDEX_MEMBERS: Final = (
    "IndexName",
    "KeySchema",
    "Projection",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "VectorAttribute",
    "SearchSchema",
    "Dimensions",
    "DistanceFunction",
)


def backed_up_definition(record: TableRecord) -> TableDefinition:
    """The part of a table's record that a backup keeps: no spaces, no state, no settings that a restore resets."""
    stored: Mapping[str, Any] = record
    definition: dict[str, Any] = {member: stored[member] for member in _TABLE_MEMBERS if member in stored}
    for member in INDEXES:
        entries = [
            {name: entry[name] for name in _INDEX_MEMBERS if name in entry}
            for entry in stored.get(member, ())
            if table_record.status_of(entry) != "DELETING"
        ]
        if entries:
            definition[member] = entries
    return cast("TableDefinition", definition)


def stored_throughput(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The throughput that a table or an index has, without the times of changes."""
    throughput: dict[str, Any] = {}
    if units := entry.get("ProvisionedThroughput"):
        throughput["ProvisionedThroughput"] = {READ: units[READ], WRITE: units[WRITE]}
    if limits := entry.get("OnDemandThroughput"):
        throughput["OnDemandThroughput"] = limits
    return throughput


def without_throughput(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An index without its throughput members."""
    return {member: value for member, value in entry.items() if not member.endswith("Throughput")}


_NOTE: Final = "backup/"


def all_backups(core: Core) -> list[Backup]:
    """All backups, oldest first."""
    now = core.now()
    backups = map(Backup.of, core.storage.notes(_NOTE).values())
    return [backup for backup in backups if not backup.is_expired(now)]


def find_backup(core: Core, arn: str) -> Backup:
    """The backup with an ARN; raises if it does not exist, or belongs to another account."""
    resource = arns.read_arn(arn)
    position = backup_position(resource)
    if resource is not None and position is not None:
        arns.require_own_account(core.settings, resource, arn)
        if resource.region == core.settings.region:
            name = _NOTE + "/".join(position)
            note = core.storage.notes(name).get(name)
            if note is not None and not (backup := Backup.of(note)).is_expired(core.now()):
                return backup
    raise service_error("BackupNotFoundException", f"Backup not found: {arn}")


def backup_position(resource: arns.Resource | None) -> tuple[str, str] | None:
    """The sort position of a backup, oldest first; None for another resource."""
    if resource is None:
        return None
    kind, _, number = resource.within.partition("/")
    return (number, resource.table) if kind == "backup" else None


def remove_backup(writer: Writer, backup: Backup) -> None:
    """Remove a backup with its rows."""
    writer.drop_space(backup.record["space"])
    writer.note(backup.note_name, None)


# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Point-in-time-recovery.html
_KEPT_SECONDS: Final = 35 * 24 * 3600
_DELETED: Final = "$DeletedTableBackup"


def take_backup(core: Core, writer: Writer, table: Table, name: str, now: float) -> Backup:
    """Back up a table inside the writing block, so that each transaction is in it whole or not at all."""
    record = _new_record(core, writer, table, now, name)
    record["until"] = table_record.done_at(now, core.settings.delays.create_table)
    record["space"] = writer.copy_space(table.layout.space)
    return _store(writer, record)


def back_up_deleted_table(core: Core, writer: Writer, table: Table, now: float) -> None:
    """Make a deleted table's rows a system backup."""
    record = _new_record(core, writer, table, now, f"{table.name}{_DELETED}")
    record["BackupType"] = "SYSTEM"
    record["BackupExpiryDateTime"] = table_record.to_milliseconds(now + _KEPT_SECONDS)
    _store(writer, record)


def _store(writer: Writer, record: BackupRecord) -> Backup:
    backup = Backup(record)
    writer.note(backup.note_name, stored_bytes(record))
    return backup


def _new_record(core: Core, writer: Writer, table: Table, now: float, name: str) -> BackupRecord:
    """The record of an available user backup that takes over the table's rows, after removing expired backups."""
    others = list(map(Backup.of, core.storage.notes(_NOTE).values()))
    for old in others:
        if old.is_expired(now):
            remove_backup(writer, old)
    source = table.record
    count, size = writer.totals(table.layout.space)
    return {
        "id": _new_backup_id(now, {other.record["id"].partition("-")[0] for other in others}),
        "BackupName": name,
        "BackupType": "USER",
        "BackupCreationDateTime": table_record.to_milliseconds(now),
        "BackupSizeBytes": size,
        "ItemCount": count,
        "TableName": table.name,
        "TableId": source["TableId"],
        "TableCreationDateTime": source["CreationDateTime"],
        "definition": backed_up_definition(source),
        "features": _features(core, source, now),
        "until": table_record.done_at(now, 0.0),
        "space": table.layout.space,
    }


def _features(core: Core, record: TableRecord, now: float) -> dict[str, Any]:
    """The members of SourceTableFeatureDetails, except the indexes."""
    features: dict[str, Any] = {}
    stream = table_record.open_stream(record)
    if stream is not None:
        features["StreamDescription"] = {"StreamEnabled": True, "StreamViewType": stream["view"]}
    expiry = ttl_description(record, now)
    if "AttributeName" in expiry:
        features["TimeToLiveDescription"] = expiry
    return {**features, **sse_description(record, core.settings)}
