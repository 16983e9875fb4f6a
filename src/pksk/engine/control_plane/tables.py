"""CreateTable, DescribeTable, ListTables and DeleteTable, and the limits of an account."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.control_plane.stored_backups import back_up_deleted_table
from pksk.engine.control_plane.table_creation import make_table, require_new_name
from pksk.engine.control_plane.table_definition import read_definition
from pksk.engine.control_plane.table_description import table_description
from pksk.engine.control_plane.throughput import ACCOUNT_UNITS, TABLE_UNITS, check_quotas
from pksk.engine.core import Answer, Core
from pksk.engine.service_errors import validation
from pksk.engine.state.catalogue import Change
from pksk.engine.state.table import Table
from pksk.engine.state.table_record import (
    TableRecord,
    all_indexes,
    busy_indexes,
    done_at,
    require_active,
    resource_in_use,
    status_of,
)
from pksk.engine.streams.orphaned_streams import drop_trimmed_orphans, keep_orphaned_streams
from pksk.engine.texts import tables as texts


def create_table(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a CreateTable request."""
    name = core.catalogue.name_of(request["TableName"])
    definition = read_definition(name, request)
    with core.catalogue.change() as change:
        require_new_name(core.catalogue.find(name))
        check_quotas(name, definition, None, core.catalogue.all())
        table = make_table(change, core.settings, name, definition, request)
        return {"TableDescription": table_description(table, change.writer, core.settings, change.now)}


def describe_table(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DescribeTable request."""
    table = core.catalogue.table_in_any_state(request["TableName"])
    with core.storage.reading() as reader:
        return {"Table": table_description(table, reader, core.settings, core.now())}


_PAGE: Final = 100


def list_tables(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a ListTables request."""
    names = core.catalogue.names()
    start = request.get("ExclusiveStartTableName")
    first = 0 if start is None else bisect_right(names, start)
    last = first + request.get("Limit", _PAGE)
    answer: Answer = {"TableNames": names[first:last]}
    if last < len(names):
        answer["LastEvaluatedTableName"] = names[last - 1]
    return answer


def delete_table(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DeleteTable request."""
    drop_trimmed_orphans(core)
    with core.catalogue.change() as change:
        table = core.catalogue.table_in_any_state(request["TableName"])
        if status_of(table.record) != "DELETING":  # a second DeleteTable is fine
            _check(table.record)
            _delete(core, change, table)
        return {"TableDescription": table_description(table, change.writer, core.settings, change.now)}


def _check(record: TableRecord) -> None:
    require_active(record)
    if busy_indexes(record):
        raise resource_in_use(texts.INDEXES_BUSY)
    if record["DeletionProtectionEnabled"]:
        raise validation(texts.PROTECTED)


def _delete(core: Core, change: Change, table: Table) -> None:
    record, delay = table.record, core.settings.delays.delete_table
    count, size = change.writer.totals(table.layout.space)
    deleted: TableRecord = {
        **record,
        "ItemCount": count,
        "TableSizeBytes": size,
        "phase": {"status": "DELETING", "until": done_at(change.now, delay)},
    }
    keep_orphaned_streams(change.writer, record, change.now)
    spaces = _spaces(record)
    if "recovery" in record:
        back_up_deleted_table(core, change.writer, table, change.now)
        spaces.remove(table.layout.space)
    for space in spaces:
        change.writer.drop_space(space)
    change.save(table, deleted, noted=delay > 0)


def _spaces(record: TableRecord) -> list[int]:
    """Every space of a table, except those of its streams."""
    spaces = [record["space"], *(index["space"] for index in all_indexes(record) if "space" in index)]
    if "ttl" in record and "space" in record["ttl"]:
        spaces.append(record["ttl"]["space"])
    return [*spaces, record["collections"]] if "collections" in record else spaces


def describe_limits(core: Core, request: Mapping[str, Any]) -> Answer:  # noqa: ARG001  they are every account's
    """Answer a DescribeLimits request."""
    return {
        "AccountMaxReadCapacityUnits": ACCOUNT_UNITS,
        "AccountMaxWriteCapacityUnits": ACCOUNT_UNITS,
        "TableMaxReadCapacityUnits": TABLE_UNITS,
        "TableMaxWriteCapacityUnits": TABLE_UNITS,
    }


_DAY_MINUTES: Final = 1440


def describe_endpoints(core: Core, request: Mapping[str, Any]) -> Answer:  # noqa: ARG001  it asks nothing
    """Answer a DescribeEndpoints request."""
    address = f"dynamodb.{core.settings.region}.amazonaws.com"
    return {"Endpoints": [{"Address": address, "CachePeriodInMinutes": _DAY_MINUTES}]}
