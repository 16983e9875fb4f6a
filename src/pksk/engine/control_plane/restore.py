"""RestoreTableFromBackup and RestoreTableToPointInTime: a new table from the rows of a backup or of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import orjson

from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.service_errors import invalid_parameter, service_error
from pksk.engine.state import Change, Table, TableDefinition, table_record
from pksk.engine.storage import Writer
from pksk.engine.vectors.vector_index import fill_index, resize_items
from pksk.values import item_size

from .backups import table_to_back_up
from .billing import ON_DEMAND, PROVISIONED, READ, check_quotas
from .stored_backups import backed_up_definition, find_backup, stored_throughput, without_throughput
from .table_definition import read_definition, search_attributes
from .table_description import table_description
from .tables import make_table

_LOCAL: Final = "LocalSecondaryIndexes"
_GLOBAL: Final = "GlobalSecondaryIndexes"
_VECTOR: Final = "VectorIndexes"
_OVERRIDES: Final = {
    _LOCAL: "LocalSecondaryIndexOverride",
    _GLOBAL: "GlobalSecondaryIndexOverride",
    _VECTOR: "VectorIndexOverride",
}
# What an index takes from its source unless it is overridden.
_CAPACITY: Final = ("ProvisionedThroughput", "OnDemandThroughput")


def _restored_definition(name: str, source: TableDefinition, request: Request) -> TableDefinition:
    """The definition of the restored table, with the same checks as for a new one."""
    mode = request.get("BillingModeOverride", source["BillingMode"])
    stored: Mapping[str, Any] = source
    request_members: dict[str, Any] = {
        "KeySchema": source["KeySchema"],
        "BillingMode": mode,
        **_capacity(mode, source, request, "Override"),
    }
    for member, override in _OVERRIDES.items():
        entries = _indexes(mode, stored.get(member, []), request.get(override))
        if entries:
            request_members[member] = entries
    request_members["AttributeDefinitions"] = _used_definitions(source, request_members)
    if "TableClass" in source:
        request_members["TableClass"] = source["TableClass"]
    if "SSESpecificationOverride" in request:
        request_members["SSESpecification"] = request["SSESpecificationOverride"]
    definition = read_definition(name, request_members)
    if "SSESpecificationOverride" not in request and "encryption" in source:
        definition["encryption"] = source["encryption"]
    return definition


def _capacity(mode: str, source: Mapping[str, Any], request: Request, suffix: str = "") -> dict[str, Any]:
    """Capacity of a table or an index: from the request, or from the source if it has the same billing mode."""
    capacity = {member: request[member + suffix] for member in _CAPACITY if member + suffix in request}
    stored = stored_throughput(source)
    if mode == PROVISIONED and stored.get("ProvisionedThroughput", {}).get(READ):
        capacity.setdefault("ProvisionedThroughput", stored["ProvisionedThroughput"])
    if mode == ON_DEMAND and "OnDemandThroughput" in stored:
        capacity.setdefault("OnDemandThroughput", stored["OnDemandThroughput"])
    return capacity


def _indexes(
    mode: str, source: Iterable[Mapping[str, Any]], override: Iterable[Mapping[str, Any]] | None
) -> list[dict[str, Any]]:
    """The source's indexes, or those of them that the request names."""
    by_name = {entry["IndexName"]: entry for entry in source}
    if override is None:
        return [{**without_throughput(entry), **_capacity(mode, entry, {})} for entry in by_name.values()]
    entries = []
    for requested in override:
        entry = by_name.get(requested["IndexName"])
        if entry is None or _index_identity(entry) != _index_identity(requested):
            raise invalid_parameter(
                f"The index {requested['IndexName']} does not match an index of the source table"
            )
        entries.append({**requested, **_capacity(mode, entry, requested)})
    return entries


def _index_identity(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The part of an index that must equal the source's; the order of projected attributes does not matter."""
    shape = without_throughput(entry)
    projection = shape["Projection"]
    shape["Projection"] = (
        projection.get("ProjectionType"),
        frozenset(projection.get("NonKeyAttributes", ())),
    )
    return shape


def _used_definitions(
    source: TableDefinition, table: Mapping[str, Any]
) -> list[table_record.AttributeDefinition]:
    """The definitions of the attributes that the table and its indexes use."""
    entries = (table, *table.get(_LOCAL, ()), *table.get(_GLOBAL, ()))
    used = {name for entry in entries for name in table_record.key_names(entry["KeySchema"])}
    used.update(search_attributes(table.get(_VECTOR, ())))
    return [each for each in source["AttributeDefinitions"] if each["AttributeName"] in used]


def _check_target(core: Core, name: str) -> None:
    """Raise if the target table exists."""
    table = core.catalogue.find(name)
    if table is None:
        return
    if table_record.status_of(table.record) in {"CREATING", "DELETING"}:
        raise service_error(
            "TableInUseException",
            "A target table with the specified name is either being created or deleted.",
        )
    raise service_error("TableAlreadyExistsException", f"Table already exists: {name}")


def _restore_table(
    core: Core,
    change: Change,
    request: Request,
    definition: TableDefinition,
    space: int,
    source: table_record.RestoreSource,
) -> Table:
    """Restore a table: copy the rows of a space and fill the indexes.

    `source` is the table, and the backup if there is one, that the rows come from.
    """
    name = request["TargetTableName"]
    restored = _restored_definition(name, definition, request)
    check_quotas(name, restored, None, core.catalogue.all())
    restored["restored"] = {**source, "at": table_record.to_milliseconds(change.now)}
    copied_space = change.writer.copy_space(space)
    table = make_table(change, core.settings, name, restored, {}, copied_space)
    _resize_items(change.writer, table, definition)
    _fill_indexes(change.writer, table)
    for index in table.vectors.values():
        fill_index(change.writer, table.layout, index)
    return table


def _resize_items(writer: Writer, table: Table, source: TableDefinition) -> None:
    """Update the billed sizes of items if the restored table lacks some vector indexes of its source."""
    left_out = [entry for entry in source.get("VectorIndexes", ()) if entry["IndexName"] not in table.vectors]
    for attribute in {entry["VectorAttribute"]["AttributeName"] for entry in left_out}:
        resize_items(writer, table.layout, attribute, list(table.vectors.values()))


def _fill_indexes(writer: Writer, table: Table) -> None:
    """Write the index entries of all items, and the sizes of their collections."""
    if not table.indexes:
        return
    collection, collection_bytes = b"", 0
    for row in writer.rows(table.layout.space, b"", None):
        item: dict[str, Any] = orjson.loads(row.data)
        grown = row.size
        # Entries store vectors as lists of numbers, which is not how the table is billed.
        whole = row._replace(size=item_size(item)) if table.vectors else row
        for index in table.indexes.values():
            if index.includes(item):
                entry = index.row(item, whole)
                writer.put(index.space, *entry)
                grown += entry.size if index.kind == "lsi" else 0
        if table.collection_space is not None:
            partition = table.layout.partition_key_bytes(item)
            if partition != collection:
                _store_collection_size(writer, table.collection_space, collection, collection_bytes)
                collection, collection_bytes = partition, 0
            collection_bytes += grown
    if table.collection_space is not None:
        _store_collection_size(writer, table.collection_space, collection, collection_bytes)


def _store_collection_size(writer: Writer, space: int, collection: bytes, size: int) -> None:
    if size:
        writer.put(space, collection, size, b"")


def restore_table_from_backup(core: Core, request: Request) -> Answer:
    """Answer a RestoreTableFromBackup request."""
    with core.catalogue.change() as change:
        backup = find_backup(core, request["BackupArn"])
        _check_target(core, request["TargetTableName"])
        if backup.status(change.now) == "CREATING":
            raise service_error("BackupInUseException", texts.BACKUP_IN_USE)
        source: table_record.RestoreSource = {"table": backup.table, "backup": backup.record["id"]}
        table = _restore_table(core, change, request, backup.definition, backup.record["space"], source)
        return {"TableDescription": table_description(table, change.writer, core.settings, change.now)}


def restore_table_to_point_in_time(core: Core, request: Request) -> Answer:
    """Answer a RestoreTableToPointInTime request."""
    name = _source(request)
    with core.catalogue.change() as change:
        table = table_to_back_up(core, name)
        _check_recovery(table)
        _check_target(core, request["TargetTableName"])
        _check_time(request, change.now)
        definition = backed_up_definition(table.record)
        copy = _restore_table(core, change, request, definition, table.layout.space, {"table": table.name})
        return {"TableDescription": table_description(copy, change.writer, core.settings, change.now)}


def _source(request: Request) -> str:
    names = [request[member] for member in ("SourceTableName", "SourceTableArn") if member in request]
    if len(names) != 1:
        raise invalid_parameter(
            "Only one of SourceTableName or SourceTableArn can be specified"
            if names
            else f"{texts.INVALID}One of SourceTableName or SourceTableArn must be specified"
        )
    latest, moment = request.get("UseLatestRestorableTime", False), request.get("RestoreDateTime")
    if latest and moment is not None:
        raise invalid_parameter("RestoreDateTime cannot be specified when UseLatestRestorableTime is true")
    if not latest and moment is None:
        raise invalid_parameter(
            "Either RestoreDateTime must be specified or UseLatestRestorableTime must be true"
        )
    return str(names[0])


def _check_recovery(table: Table) -> None:
    if not table.exists or "recovery" not in table.record:
        message = f"Point in time recovery is not enabled for table '{table.name}'"
        raise service_error("PointInTimeRecoveryUnavailableException", message)


def _check_time(request: Request, now: float) -> None:
    moment = request.get("RestoreDateTime")
    if moment is not None and table_record.to_milliseconds(moment) != table_record.to_milliseconds(now):
        raise service_error(
            "InvalidRestoreTimeException",
            (
                "An invalid restore time was specified. "
                "RestoreDateTime must be between EarliestRestorableDateTime and LatestRestorableDateTime."
            ),
        )
