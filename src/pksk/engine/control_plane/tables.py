"""CreateTable, DescribeTable, ListTables and DeleteTable, and the limits of an account."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final, cast
from uuid import uuid4

from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.partitioning.split import partitions_of, split_in_record
from pksk.engine.service_errors import service_error, validation
from pksk.engine.settings import Settings
from pksk.engine.state import Change, IndexRecord, Table, TableDefinition, TableRecord, table_record
from pksk.engine.streams.find_stream import drop_trimmed_orphans, keep_orphaned_streams, orphaned_labels
from pksk.partitions import Partitions, StoredPartitions, initial_count, middle_hash, warm_count

from .billing import ACCOUNT_UNITS, ON_DEMAND, READ, TABLE_UNITS, WRITE, check_quotas
from .resources import new_policy
from .stored_backups import back_up_deleted_table
from .streams import open_new_stream
from .table_definition import read_definition
from .table_description import table_description

_WARM: Final = ("ReadUnitsPerSecond", "WriteUnitsPerSecond")


def _initial_partitions(
    settings: Settings, mode: str, entry: IndexRecord | TableDefinition
) -> StoredPartitions:
    return Partitions.even(settings.partitioning.partitions or _partition_count(mode, entry)).to_record()


def _partition_count(mode: str, entry: IndexRecord | TableDefinition) -> int:
    units, warm = entry["ProvisionedThroughput"], entry["WarmThroughput"]
    # A request can name more warm throughput than a table can ever have.
    reads, writes = (min(warm[member], TABLE_UNITS) for member in _WARM)
    return max(initial_count(mode, units[READ], units[WRITE]), warm_count(reads, writes))


def with_enough_partitions(core: Core, change: Change, record: TableRecord) -> TableRecord:
    """The record of an updated table, with partitions for new indexes and for higher throughput.

    If throughput needs more partitions, every partition splits in two, as often as it takes. Partitions never
    merge. If `Partitioning.partitions` is set, throughput changes nothing.
    """
    later = table_record.after_update(record)
    if "GlobalSecondaryIndexes" in record:
        entries: list[IndexRecord] = [
            entry
            if "partitions" in entry
            else {**entry, "partitions": _initial_partitions(core.settings, later["BillingMode"], entry)}
            for entry in record["GlobalSecondaryIndexes"]
        ]
        record = {**record, "GlobalSecondaryIndexes": entries}
    if core.settings.partitioning.partitions is not None:
        return record
    record = _split_until(core, change, record, None, _partition_count(later["BillingMode"], later))
    for entry in record.get("GlobalSecondaryIndexes", ()):
        if table_record.status_of(entry) != "DELETING":
            count = _partition_count(later["BillingMode"], table_record.after_update(entry))
            record = _split_until(core, change, record, entry["IndexName"], count)
    return record


def _split_until(
    core: Core, change: Change, record: TableRecord, index_name: str | None, count: int
) -> TableRecord:
    while len(partitions_of(record, index_name)) < count:
        before = record
        for part in partitions_of(record, index_name):
            at = middle_hash(part.low, part.high)
            if at is not None:
                record = split_in_record(core, change.writer, change.now, record, index_name, part.number, at)
        if record is before:
            break
    return record


def _require_new_name(table: Table | None) -> None:
    """Raise if the table exists."""
    if table is None:
        return
    status = table_record.status_of(table.record)
    if status in {"CREATING", "DELETING"}:
        raise table_record.resource_in_use(texts.table_busy(status, table.name))
    raise service_error("ResourceInUseException", f"Table already exists: {table.name}")


def make_table(
    change: Change,
    settings: Settings,
    name: str,
    definition: TableDefinition,
    request: Request,
    space: int | None = None,
) -> Table:
    """Store a new table, which is CREATING for as long as the settings say.

    Its rows are in a new space, or in one that is already filled.
    """
    writer, now = change.writer, change.now
    content = {
        **definition,
        "format": table_record.RECORD_FORMAT,
        "TableName": name,
        "TableId": str(uuid4()),
        "CreationDateTime": table_record.to_milliseconds(now),
        "partitions": _initial_partitions(settings, definition["BillingMode"], definition),
        "space": writer.make_space() if space is None else space,
        "phase": {"status": "CREATING", "until": table_record.done_at(now, settings.delays.create_table)},
    }
    record = cast("TableRecord", content)
    for entry in table_record.all_indexes(record):
        entry["space"] = writer.make_space()
    for index in record.get("GlobalSecondaryIndexes", ()):
        index["partitions"] = _initial_partitions(settings, record["BillingMode"], index)
    if "LocalSecondaryIndexes" in record:
        record["collections"] = writer.make_space()
    if record["BillingMode"] == ON_DEMAND:
        record["on_demand_since"] = table_record.to_milliseconds(now)
    stream = request.get("StreamSpecification")
    if stream is not None and stream["StreamEnabled"]:
        record["streams"] = open_new_stream(
            record, stream["StreamViewType"], writer, now, orphaned_labels(change.storage, name)
        )
    if "ResourcePolicy" in request:
        record["policies"] = {"": new_policy(request["ResourcePolicy"], None, now)}
    return change.create(record)


def create_table(core: Core, request: Request) -> Answer:
    """Answer a CreateTable request."""
    name = core.catalogue.name_of(request["TableName"])
    definition = read_definition(name, request)
    with core.catalogue.change() as change:
        _require_new_name(core.catalogue.find(name))
        check_quotas(name, definition, None, core.catalogue.all())
        table = make_table(change, core.settings, name, definition, request)
        return {"TableDescription": table_description(table, change.writer, core.settings, change.now)}


def describe_table(core: Core, request: Request) -> Answer:
    """Answer a DescribeTable request."""
    table = core.catalogue.table_in_any_state(request["TableName"])
    with core.storage.reading() as reader:
        return {"Table": table_description(table, reader, core.settings, core.now())}


_PAGE: Final = 100


def list_tables(core: Core, request: Request) -> Answer:
    """Answer a ListTables request."""
    names = core.catalogue.names()
    start = request.get("ExclusiveStartTableName")
    first = 0 if start is None else bisect_right(names, start)
    last = first + request.get("Limit", _PAGE)
    answer: Answer = {"TableNames": names[first:last]}
    if last < len(names):
        answer["LastEvaluatedTableName"] = names[last - 1]
    return answer


def delete_table(core: Core, request: Request) -> Answer:
    """Answer a DeleteTable request."""
    drop_trimmed_orphans(core)
    with core.catalogue.change() as change:
        table = core.catalogue.table_in_any_state(request["TableName"])
        if table_record.status_of(table.record) != "DELETING":  # a second DeleteTable is fine
            _check(table.record)
            _delete(core, change, table)
        return {"TableDescription": table_description(table, change.writer, core.settings, change.now)}


def _check(record: TableRecord) -> None:
    table_record.require_active(record)
    if table_record.busy_indexes(record):
        raise table_record.resource_in_use(
            f"{texts.IN_USE}Cannot delete table while indexes are being created, updated, or deleted."
        )
    if record["DeletionProtectionEnabled"]:
        raise validation(
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first."
        )


def _delete(core: Core, change: Change, table: Table) -> None:
    record, delay = table.record, core.settings.delays.delete_table
    count, size = change.writer.totals(table.layout.space)
    deleted: TableRecord = {
        **record,
        "ItemCount": count,
        "TableSizeBytes": size,
        "phase": {"status": "DELETING", "until": table_record.done_at(change.now, delay)},
    }
    keep_orphaned_streams(change.writer, record, change.now)
    spaces = _spaces(record)
    if "recovery" in record:
        back_up_deleted_table(core, change.writer, table, change.now)
        spaces.remove(table.layout.space)
    for space in spaces:
        change.writer.drop_space(space)
    change.save(table, deleted, in_storage=delay > 0)


def _spaces(record: TableRecord) -> list[int]:
    """Every space of a table, except those of its streams."""
    spaces = [
        record["space"],
        *(index["space"] for index in table_record.all_indexes(record) if "space" in index),
    ]
    if "ttl" in record and "space" in record["ttl"]:
        spaces.append(record["ttl"]["space"])
    return [*spaces, record["collections"]] if "collections" in record else spaces


def describe_limits(core: Core, request: Request) -> Answer:  # noqa: ARG001  they are every account's
    """Answer a DescribeLimits request."""
    return {
        "AccountMaxReadCapacityUnits": ACCOUNT_UNITS,
        "AccountMaxWriteCapacityUnits": ACCOUNT_UNITS,
        "TableMaxReadCapacityUnits": TABLE_UNITS,
        "TableMaxWriteCapacityUnits": TABLE_UNITS,
    }


_DAY_MINUTES: Final = 1440


def describe_endpoints(core: Core, request: Request) -> Answer:  # noqa: ARG001  it has no members
    """Answer a DescribeEndpoints request."""
    address = f"dynamodb.{core.settings.region}.amazonaws.com"
    return {"Endpoints": [{"Address": address, "CachePeriodInMinutes": _DAY_MINUTES}]}
