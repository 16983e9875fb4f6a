"""What UpdateTable may ask for in one request, and what becomes of a table's own settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pksk.engine.service_errors import validation
from pksk.engine.settings import Settings
from pksk.engine.storage import Writer
from pksk.engine.texts import tables as texts

from ..state.table_record import Record, done_at, to_milliseconds
from .encryption import read_encryption
from .streams import check_stream_update, close_stream, open_new_stream
from .throughput import (
    ON_DEMAND,
    PROVISIONED,
    billing_mode,
    changed_units,
    check_bounds,
    check_decrease,
    check_units_differ,
    on_demand_limits,
    recent_switches,
    warm_throughput,
)

__all__ = ["TableUpdate", "check_update_request", "updated_settings"]

_GLOBAL: Final = (
    "ReplicaUpdates",
    "MultiRegionConsistency",
    "GlobalTableWitnessUpdates",
    "GlobalTableSettingsReplicationMode",
    "DisassociationProtectionEnabled",
)
# What stands alone in a request, and the service's name for it.
_ONLY_CHANGE: Final = {
    "DeletionProtectionEnabled": texts.only_operation("DeletionProtection"),
    "SSESpecification": texts.only_operation("Server-Side Encryption"),
    "TableClass": texts.only_operation("TableClass"),
    "WarmThroughput": texts.WARM_ALONE,
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


@dataclass(frozen=True, slots=True)
class TableUpdate:
    """One UpdateTable request, and the table that it finds."""

    request: Mapping[str, Any]
    before: Record
    writer: Writer
    settings: Settings
    now: float
    # Labels of streams that earlier tables of this name have left.
    left: frozenset[str] = frozenset()

    @property
    def mode(self) -> str:
        """The billing mode that the table will have."""
        return billing_mode(self.request) or self.before["BillingMode"]

    @property
    def paced(self) -> bool:
        """Whether throughput may change only as often as on AWS; not where changes take no time."""
        return self.settings.delays.update_table > 0

    @property
    def until(self) -> float:
        """When the table will have it."""
        return done_at(self.now, self.settings.delays.update_table)


def check_update_request(request: Mapping[str, Any]) -> None:
    """Refuse a request that asks for nothing, or for what one request may not combine."""
    asked = [member for member in _CHANGES if request.get(member) not in (None, [])]
    if not asked:
        raise validation(texts.NOTHING_TO_UPDATE)
    if any(member in asked for member in _GLOBAL):
        raise validation(texts.GLOBAL_TABLES)
    for member, text in _ONLY_CHANGE.items():
        if member in asked and len(asked) > 1:
            raise validation(text)
    if "StreamSpecification" in asked and ("ProvisionedThroughput" in asked or billing_mode(request)):
        raise validation(texts.STREAM_AND_THROUGHPUT)


def updated_settings(update: TableUpdate) -> tuple[Record, Record]:
    """What changes in the table's own record: at once, and once the update is done."""
    request, before = update.request, update.before
    _check_throughput(update)
    later = _throughput(update)
    if "TableClass" in request:
        later.update(TableClass=request["TableClass"], class_since=to_milliseconds(update.now))
    if "SSESpecification" in request:
        later["encryption"] = read_encryption(request["SSESpecification"])
    at_once: Record = {}
    if "DeletionProtectionEnabled" in request:
        at_once["DeletionProtectionEnabled"] = request["DeletionProtectionEnabled"]
    stream = request.get("StreamSpecification")
    if stream is not None:
        check_stream_update(before, stream)
        at_once["streams"] = (
            open_new_stream(before, stream["StreamViewType"], update.writer, update.now, update.left)
            if stream["StreamEnabled"]
            else close_stream(before, update.writer, update.now)
        )
    return at_once, later


def _check_throughput(update: TableUpdate) -> None:
    throughput = update.request.get("ProvisionedThroughput")
    if update.mode == ON_DEMAND:
        if throughput is not None:
            raise validation(texts.NEITHER_UNITS)
    elif throughput is None:
        if billing_mode(update.request) is not None:
            raise validation(texts.UNITS_MISSING)
    else:
        check_bounds(update.before["TableName"], throughput)
        if update.before["BillingMode"] == PROVISIONED:
            check_units_differ(update.before["ProvisionedThroughput"], throughput)
            if update.paced:
                check_decrease(update.before["ProvisionedThroughput"], throughput, update.now)


def _throughput(update: TableUpdate) -> Record:
    request, before, mode = update.request, update.before, update.mode
    now = to_milliseconds(update.now)
    later: Record = {}
    units = before["ProvisionedThroughput"]
    switched = mode != before["BillingMode"]
    if switched or "ProvisionedThroughput" in request:
        units = changed_units(units, request.get("ProvisionedThroughput", {}), now)
        later.update(BillingMode=mode, ProvisionedThroughput=units)
    if switched and mode == ON_DEMAND:
        later["on_demand_since"] = now
        later["switches"] = [*recent_switches(before, now, checked=update.paced), now]
    limits = {} if switched else before["OnDemandThroughput"]
    limits = on_demand_limits(mode, request.get("OnDemandThroughput"), before=limits)
    warm = warm_throughput(mode, units, request.get("WarmThroughput"), before=before["WarmThroughput"])
    if limits != before["OnDemandThroughput"]:
        later["OnDemandThroughput"] = limits
    if warm != before["WarmThroughput"]:
        later["WarmThroughput"] = warm
    return later
