"""Creates a table: its spaces, its partitions, its id, and the time at which it can be used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast
from uuid import uuid4

from pksk.engine.control_plane.throughput import READ, TABLE_UNITS, WRITE
from pksk.engine.core import Core
from pksk.engine.service_errors import service_error
from pksk.engine.settings import Settings
from pksk.engine.state.table_record import (
    RECORD_FORMAT,
    IndexRecord,
    TableDefinition,
    TableRecord,
    after_update,
    all_indexes,
    status_of,
    to_milliseconds,
)
from pksk.engine.streams.orphaned_streams import orphaned_labels
from pksk.engine.texts import tables as texts
from pksk.partitions import Partitions, StoredPartitions, initial_count, middle_hash, warm_count

from ..partitioning.split import partitions_of, split_in_record
from ..state.catalogue import Change
from ..state.table import Table
from ..state.table_record import done_at, resource_in_use
from .resource_policies import new_policy
from .streams import open_new_stream
from .throughput import ON_DEMAND

_WARM: Final = ("ReadUnitsPerSecond", "WriteUnitsPerSecond")


def _initial_partitions(
    settings: Settings, mode: str, entry: IndexRecord | TableDefinition
) -> StoredPartitions:
    return Partitions.even(settings.partitioning.partitions or _needed_partitions(mode, entry)).to_record()


def _needed_partitions(mode: str, entry: IndexRecord | TableDefinition) -> int:
    units, warm = entry["ProvisionedThroughput"], entry["WarmThroughput"]
    # A request can ask for more warm throughput than a table can ever have.
    reads, writes = (min(warm[member], TABLE_UNITS) for member in _WARM)
    return max(initial_count(mode, units[READ], units[WRITE]), warm_count(reads, writes))


def with_enough_partitions(core: Core, change: Change, record: TableRecord) -> TableRecord:
    """The record of an updated table, with partitions for new indexes and for higher throughput.

    If throughput needs more partitions, every partition splits in two, as often as it takes. Partitions never
    merge. If `Partitioning.partitions` is set, throughput changes nothing.
    """
    later = after_update(record)
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
    record = _split_until(core, change, record, None, _needed_partitions(later["BillingMode"], later))
    for entry in record.get("GlobalSecondaryIndexes", ()):
        if status_of(entry) != "DELETING":
            needed = _needed_partitions(later["BillingMode"], after_update(entry))
            record = _split_until(core, change, record, entry["IndexName"], needed)
    return record


def _split_until(
    core: Core, change: Change, record: TableRecord, index_name: str | None, needed: int
) -> TableRecord:
    while len(partitions_of(record, index_name)) < needed:
        before = record
        for part in partitions_of(record, index_name):
            at = middle_hash(part.low, part.high)
            if at is not None:
                record = split_in_record(core, change.writer, change.now, record, index_name, part.number, at)
        if record is before:
            break
    return record


def require_new_name(table: Table | None) -> None:
    """Raise if the table exists."""
    if table is None:
        return
    status = status_of(table.record)
    if status in {"CREATING", "DELETING"}:
        raise resource_in_use(texts.table_busy(status, table.name))
    raise service_error("ResourceInUseException", texts.already_exists(table.name))


def make_table(
    change: Change,
    settings: Settings,
    name: str,
    definition: TableDefinition,
    request: Mapping[str, Any],
    space: int | None = None,
) -> Table:
    """Store a new table, which is CREATING for as long as the settings say.

    Its rows are in a new space, or in one that is already filled.
    """
    writer, now = change.writer, change.now
    content = {
        **definition,
        "format": RECORD_FORMAT,
        "TableName": name,
        "TableId": str(uuid4()),
        "CreationDateTime": to_milliseconds(now),
        "partitions": _initial_partitions(settings, definition["BillingMode"], definition),
        "space": writer.make_space() if space is None else space,
        "phase": {"status": "CREATING", "until": done_at(now, settings.delays.create_table)},
    }
    record = cast("TableRecord", content)
    for entry in all_indexes(record):
        entry["space"] = writer.make_space()
    for index in record.get("GlobalSecondaryIndexes", ()):
        index["partitions"] = _initial_partitions(settings, record["BillingMode"], index)
    if "LocalSecondaryIndexes" in record:
        record["collections"] = writer.make_space()
    if record["BillingMode"] == ON_DEMAND:
        record["on_demand_since"] = to_milliseconds(now)
    stream = request.get("StreamSpecification")
    if stream is not None and stream["StreamEnabled"]:
        record["streams"] = open_new_stream(
            record, stream["StreamViewType"], writer, now, orphaned_labels(change.storage, name)
        )
    if "ResourcePolicy" in request:
        record["policies"] = {"": new_policy(request["ResourcePolicy"], None, now)}
    return change.create(record)
