"""UpdateTable: changes a table's throughput, indexes, stream and other settings."""

from __future__ import annotations

from typing import Final

from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.service_errors import invalid_parameter, validation
from pksk.engine.state import TableRecord, table_record
from pksk.engine.streams.find_stream import orphaned_labels

from . import billing
from .index_updates import TableUpdate, check_actions, updated_indexes
from .streams import check_stream_update, close_stream, open_new_stream
from .table_definition import read_encryption
from .table_description import table_description
from .tables import with_enough_partitions

_GLOBAL: Final = (
    "ReplicaUpdates",
    "MultiRegionConsistency",
    "GlobalTableWitnessUpdates",
    "GlobalTableSettingsReplicationMode",
    "DisassociationProtectionEnabled",
)
# Changes that need a request of their own, and the error for each.
_ONLY_CHANGE: Final = {
    "DeletionProtectionEnabled": texts.only_operation("DeletionProtection"),
    "SSESpecification": texts.only_operation("Server-Side Encryption"),
    "TableClass": texts.only_operation("TableClass"),
    "WarmThroughput": f"{texts.INVALID}WarmThroughput must be the only operation in the request",
}
_CHANGES: Final = (
    "BillingMode",
    "TableThroughputMode",
    "ProvisionedThroughput",
    "GlobalSecondaryIndexUpdates",
    "StreamSpecification",
    "SSESpecification",
    "TableClass",
    "DeletionProtectionEnabled",
    "OnDemandThroughput",
    "WarmThroughput",
    "VectorIndexUpdates",
    *_GLOBAL,
)


def update_table(core: Core, request: Request) -> Answer:
    """Answer an UpdateTable request."""
    _check_request(request)
    check_actions(request)
    with core.catalogue.change() as change:
        table = core.catalogue.table_in_any_state(request["TableName"])
        _check_state(table.record, request)
        update = TableUpdate(request, table.record, change.writer, core.settings, change.now)
        after = _updated_record(update, core, table.name)
        billing.check_quotas(table.name, after, table.record, core.catalogue.all())
        change.save(table, with_enough_partitions(core, change, after))
        # The rows of a new index have not been measured.
        table.headroom.bytes_left = min(table.headroom.bytes_left, 0)
        return {"TableDescription": table_description(table, change.writer, core.settings, change.now)}


def _check_state(record: TableRecord, request: Request) -> None:
    if table_record.status_of(record) == "UPDATING":
        creating = {
            entry["IndexName"]
            for entry in table_record.changing_indexes(record)
            if table_record.status_of(entry) == "CREATING"
        }
        for member in ("GlobalSecondaryIndexUpdates", "VectorIndexUpdates"):
            for update in request.get(member, ()):
                name = update.get("Delete", {}).get("IndexName")
                if name in creating:
                    raise table_record.resource_in_use(
                        f"{texts.IN_USE}Index creation is in resource allocation phase.  "
                        f"Table: {record['TableName']} Index: {name}"
                    )
    table_record.require_active(record)


def _check_request(request: Request) -> None:
    """Raise if a request changes nothing, or combines changes that need requests of their own."""
    changes = [member for member in _CHANGES if request.get(member) not in (None, [])]
    if not changes:
        raise validation(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
            "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, "
            "MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or "
            "TableClass is required"
        )
    if any(member in changes for member in _GLOBAL):
        raise validation(texts.GLOBAL_TABLES)
    for member, text in _ONLY_CHANGE.items():
        if member in changes and len(changes) > 1:
            raise validation(text)
    if "StreamSpecification" in changes and (
        "ProvisionedThroughput" in changes or billing.billing_mode(request)
    ):
        raise invalid_parameter("You cannot modify stream status while updating table IOPS")


def _updated_record(update: TableUpdate, core: Core, name: str) -> TableRecord:
    """The record after the request: some members change at once, others when the update is done."""
    request = update.request
    _check_throughput(update)
    later = _pending_throughput(update)
    if "TableClass" in request:
        later["TableClass"] = request["TableClass"]
        later["class_since"] = table_record.to_milliseconds(update.now)
    if "SSESpecification" in request:
        later["encryption"] = read_encryption(request["SSESpecification"])
    record = update.before.copy()
    if update.is_switch:
        # Described at once, while the rest is still UPDATING.
        record["BillingMode"] = later.pop("BillingMode")
        record["ProvisionedThroughput"] = later.pop("ProvisionedThroughput")
    if "DeletionProtectionEnabled" in request:
        record["DeletionProtectionEnabled"] = request["DeletionProtectionEnabled"]
    stream = request.get("StreamSpecification")
    if stream is not None:
        check_stream_update(record, stream)
        record["streams"] = (
            open_new_stream(
                record,
                stream["StreamViewType"],
                update.writer,
                update.now,
                orphaned_labels(core.storage, name),
            )
            if stream["StreamEnabled"]
            else close_stream(record, update.writer, update.now)
        )
    record = updated_indexes(update, record)
    return {**record, "phase": {"status": "UPDATING", "until": update.done_at, "after": later}}


def _check_throughput(update: TableUpdate) -> None:
    throughput = update.request.get("ProvisionedThroughput")
    if update.mode == billing.ON_DEMAND:
        if throughput is not None:
            raise validation(texts.NEITHER_UNITS)
    elif throughput is None:
        if billing.billing_mode(update.request) is not None:
            raise validation(texts.UNITS_MISSING)
    else:
        billing.check_bounds(update.before["TableName"], throughput)
        if update.before["BillingMode"] == billing.PROVISIONED:
            billing.check_units_differ(update.before["ProvisionedThroughput"], throughput)
            if update.rate_limited:
                billing.check_decrease(update.before["ProvisionedThroughput"], throughput, update.now)


def _pending_throughput(update: TableUpdate) -> table_record.PendingChanges:
    request, before, mode = update.request, update.before, update.mode
    now = table_record.to_milliseconds(update.now)
    later: table_record.PendingChanges = {}
    units = before["ProvisionedThroughput"]
    switched = update.is_switch
    if switched or "ProvisionedThroughput" in request:
        units = billing.changed_units(units, request.get("ProvisionedThroughput", {}), now)
        later["BillingMode"], later["ProvisionedThroughput"] = mode, units
    if switched and mode == billing.ON_DEMAND:
        later["on_demand_since"] = now
        later["switches"] = [*billing.recent_switches(before, now, checked=update.rate_limited), now]
    limits = {} if switched else before["OnDemandThroughput"]
    limits = billing.on_demand_limits(mode, request.get("OnDemandThroughput"), before=limits)
    warm = billing.warm_throughput(
        mode, units, request.get("WarmThroughput"), before=before["WarmThroughput"]
    )
    if limits != before["OnDemandThroughput"]:
        later["OnDemandThroughput"] = limits
    if warm != before["WarmThroughput"]:
        later["WarmThroughput"] = warm
    return later
