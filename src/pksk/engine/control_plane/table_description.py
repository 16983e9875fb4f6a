"""Descriptions of tables and indexes, with the members that AWS shows in each state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pksk.engine.core import Answer
from pksk.engine.settings import Settings
from pksk.engine.state import IndexRecord, Table, TableRecord, VectorIndexRecord, arns, table_record
from pksk.engine.storage import Reader, SpaceMissing

from .billing import ON_DEMAND, units_description


def _restore_summary(record: TableRecord, settings: Settings) -> Answer:
    """RestoreSummary of a restored table."""
    restored = record.get("restored")
    if restored is None:
        return {}
    source = arns.table_arn(settings, restored["table"])
    backup = {"SourceBackupArn": arns.backup_arn(source, restored["backup"])} if "backup" in restored else {}
    return {
        "RestoreSummary": {
            **backup,
            "SourceTableArn": source,
            "RestoreDateTime": restored["at"],
            "RestoreInProgress": table_record.status_of(record) == "CREATING",
        }
    }


def is_restoring(record: TableRecord, backup: str) -> bool:
    """Whether a table is being restored from the backup with this id."""
    source = record.get("restored")
    return (
        source is not None and source.get("backup") == backup and table_record.status_of(record) == "CREATING"
    )


_KEYED: Final = ("IndexName", "KeySchema", "Projection")
_VECTOR: Final = (
    "IndexName",
    "SearchSchema",
    "Projection",
    "VectorAttribute",
    "Dimensions",
    "DistanceFunction",
)


def table_description(table: Table, reader: Reader, settings: Settings, now: float) -> Answer:
    """TableDescription of a table. One that is DELETING shows only its name, size and billing."""
    record = table.record
    if table_record.status_of(record) == "DELETING":
        return _deleting_description(table, now)
    count, size = _totals(reader, table.layout.space)
    description: Answer = {
        "AttributeDefinitions": record["AttributeDefinitions"],
        "TableName": table.name,
        "KeySchema": record["KeySchema"],
        "TableStatus": table_record.status_of(record),
        "CreationDateTime": record["CreationDateTime"],
        "ProvisionedThroughput": units_description(record["ProvisionedThroughput"], now),
        "TableSizeBytes": size,
        "ItemCount": count,
        "TableArn": table.arn,
        "TableId": record["TableId"],
        **_billing_summary(record),
        **_indexes(table, reader, now),
        **_stream(table),
        **sse_description(record, settings),
        **_restore_summary(record, settings),
    }
    return {
        **description,
        **_table_class(record),
        "DeletionProtectionEnabled": record["DeletionProtectionEnabled"],
        **_limits(record),
        **_warm(record, record),
    }


def _deleting_description(table: Table, now: float) -> Answer:
    record = table.record
    return {
        "TableName": table.name,
        "TableStatus": "DELETING",
        "ProvisionedThroughput": units_description(record["ProvisionedThroughput"], now),
        "TableSizeBytes": record["TableSizeBytes"],
        "ItemCount": record["ItemCount"],
        "TableArn": table.arn,
        "TableId": record["TableId"],
        **_billing_summary(record),
        **_table_class(record),
        "DeletionProtectionEnabled": record["DeletionProtectionEnabled"],
    }


def _billing_summary(record: TableRecord) -> Answer:
    """The billing mode, under both of its names; missing if the table was never on demand."""
    if record["BillingMode"] != ON_DEMAND and "on_demand_since" not in record:
        return {}
    since = {}
    if "on_demand_since" in record and table_record.status_of(record) != "CREATING":
        since = {"LastUpdateToPayPerRequestDateTime": record["on_demand_since"]}
    return {
        "BillingModeSummary": {"BillingMode": record["BillingMode"], **since},
        "TableThroughputModeSummary": {"TableThroughputMode": record["BillingMode"], **since},
    }


def _table_class(record: TableRecord) -> Answer:
    if "TableClass" not in record:
        return {}
    updated = {"LastUpdateDateTime": record["class_since"]} if "class_since" in record else {}
    return {"TableClassSummary": {"TableClass": record["TableClass"], **updated}}


def _limits(entry: TableRecord | IndexRecord) -> Answer:
    limits = entry["OnDemandThroughput"]
    return {"OnDemandThroughput": limits} if limits else {}


def _warm(record: TableRecord, entry: TableRecord | IndexRecord) -> Answer:
    status = _index_status(record, entry)
    if status == "UPDATING" and "WarmThroughput" not in entry["phase"].get("after", {}):
        status = "ACTIVE"
    return {"WarmThroughput": {**entry["WarmThroughput"], "Status": status}}


def _stream(table: Table) -> Answer:
    """The open stream, and the label and ARN of the latest one."""
    record = table.record
    members: Answer = {}
    stream = table_record.open_stream(record)
    if stream is not None:
        members["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": stream["view"]}
    if record.get("streams"):
        label = record["streams"][-1]["label"]
        members.update(LatestStreamLabel=label, LatestStreamArn=arns.stream_arn(table.arn, label))
    return members


def _indexes(table: Table, reader: Reader, now: float) -> Answer:
    record = table.record
    described: dict[str, list[tuple[Mapping[str, Any], Answer]]] = {
        "LocalSecondaryIndexes": [
            (entry, _members(entry, _KEYED)) for entry in record.get("LocalSecondaryIndexes", ())
        ],
        "GlobalSecondaryIndexes": [
            (entry, _global(record, entry, now)) for entry in record.get("GlobalSecondaryIndexes", ())
        ],
        "VectorIndexes": [
            (entry, {**_members(entry, _VECTOR), **_index_state(record, entry, now)})
            for entry in record.get("VectorIndexes", ())
        ],
    }
    return {
        member: [
            {**members, **_size(reader, entry), "IndexArn": arns.index_arn(table.arn, entry["IndexName"])}
            for entry, members in indexes
        ]
        for member, indexes in described.items()
        if indexes
    }


def _members(entry: Mapping[str, Any], members: Iterable[str]) -> Answer:
    return {member: entry[member] for member in members if member in entry}


def _size(reader: Reader, entry: Mapping[str, Any]) -> dict[str, int]:
    count, size = _totals(reader, entry["space"]) if "space" in entry else (0, 0)
    return {"IndexSizeBytes": size, "ItemCount": count}


def _totals(reader: Reader, space: int) -> tuple[int, int]:
    try:
        return reader.totals(space)
    except SpaceMissing:  # dropped since the lookup, or created since this view was taken
        return 0, 0


def _index_status(record: TableRecord, entry: TableRecord | IndexRecord | VectorIndexRecord) -> str:
    """An index has the state of its table while that is CREATING, and its own state later."""
    return "CREATING" if table_record.status_of(record) == "CREATING" else table_record.status_of(entry)


def _index_state(record: TableRecord, entry: IndexRecord | VectorIndexRecord, now: float) -> Answer:
    state: Answer = {"IndexStatus": _index_status(record, entry)}
    if table_record.status_of(entry) == "CREATING":
        # The backfill begins once the table is active again.
        state["Backfilling"] = (
            table_record.status_of(record) == "ACTIVE" and now >= entry["phase"]["allocated"]
        )
    return state


def _global(record: TableRecord, entry: IndexRecord, now: float) -> Answer:
    is_deleting = table_record.status_of(entry) == "DELETING"
    description = {
        **_members(entry, ("IndexName",) if is_deleting else _KEYED),
        **_index_state(record, entry, now),
        "ProvisionedThroughput": units_description(entry["ProvisionedThroughput"], now),
    }
    return description if is_deleting else {**description, **_limits(entry), **_warm(record, entry)}


def sse_description(record: TableRecord, settings: Settings) -> Answer:
    """SSEDescription of a table that has a KMS key, or is changing to or from one."""
    key, status = record.get("encryption"), "ENABLED"
    after = record["phase"].get("after", {}) if "phase" in record else {}
    if "encryption" in after:
        key, status = after["encryption"] or key, "UPDATING"
    if key is None:
        return {}
    arn = key if key.startswith("arn:") else f"arn:aws:kms:{settings.region}:{settings.account}:key/{key}"
    return {"SSEDescription": {"Status": status, "SSEType": "KMS", "KMSMasterKeyArn": arn}}
