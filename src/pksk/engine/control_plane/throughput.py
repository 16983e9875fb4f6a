"""Billing modes, capacity units and their quotas: valid combinations, and how often they can change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from pksk.engine.service_errors import service_error, validation
from pksk.engine.texts import indexes as index_texts
from pksk.engine.texts import tables as texts

from ..state.table import Table
from ..state.table_record import ProvisionedUnits, TableDefinition, TableRecord, after_update, status_of

ON_DEMAND: Final = "PAY_PER_REQUEST"
PROVISIONED: Final = "PROVISIONED"
READ: Final = "ReadCapacityUnits"
WRITE: Final = "WriteCapacityUnits"
_LIMITS: Final = ("MaxReadRequestUnits", "MaxWriteRequestUnits")
# What a new table on demand can take at once.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput.html
_WARM_ON_DEMAND: Final = {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 4_000}
_NO_LIMIT: Final = -1


def billing_mode(request: Mapping[str, Any]) -> str | None:
    """The billing mode of a request, by either of its names."""
    mode: str | None = request.get("BillingMode") or request.get("TableThroughputMode")
    return mode


def check_created_throughput(mode: str, throughput: Mapping[str, Any] | None) -> None:
    """Check that a new table has capacity units exactly if it is provisioned."""
    if mode == ON_DEMAND and throughput is not None:
        raise validation(texts.NEITHER_UNITS)
    if mode == PROVISIONED and throughput is None:
        raise validation(texts.UNITS_MISSING)


def check_index_throughput(mode: str, index: Mapping[str, Any], *, created: bool) -> None:
    """Check that a new index has capacity units exactly if its table is provisioned."""
    name, throughput = index["IndexName"], index.get("ProvisionedThroughput")
    if mode == PROVISIONED and throughput is None:
        raise validation(index_texts.index_units_missing(name))
    if mode == ON_DEMAND and throughput is not None:
        raise validation(index_texts.index_units_refused(name) if created else index_texts.index_units(name))


def new_units(throughput: Mapping[str, Any] | None) -> ProvisionedUnits:
    """Capacity units as they are stored; 0 if there are none."""
    throughput = throughput or {}
    return {READ: throughput.get(READ, 0), WRITE: throughput.get(WRITE, 0)}


def check_units_differ(
    stored: Mapping[str, Any], throughput: Mapping[str, Any], index: str | None = None
) -> None:
    """Raise if the capacity units equal the provisioned ones."""
    current = stored[READ], stored[WRITE]
    if current == (throughput[READ], throughput[WRITE]):
        raise validation(texts.same_throughput(index, current))


def changed_units(stored: ProvisionedUnits, throughput: Mapping[str, Any], now: float) -> ProvisionedUnits:
    """Capacity units after a change, with the times of the last increase and decrease."""
    changed: ProvisionedUnits = {**stored, **new_units(throughput)}
    before = (stored[READ], stored[WRITE])
    after = (changed[READ], changed[WRITE])
    if any(new > old for old, new in zip(before, after, strict=True)):
        changed["LastIncreaseDateTime"] = now
    if any(new < old for old, new in zip(before, after, strict=True)):
        changed["LastDecreaseDateTime"] = now
        if any(after):  # a change to on demand does not count as a decrease
            changed["decrease_day"], changed["decreases"] = _day(now), decreases_today(stored, now) + 1
    return changed


def decreases_today(stored: ProvisionedUnits, now: float) -> int:
    """How often capacity units were lowered since midnight UTC."""
    return stored.get("decreases", 0) if stored.get("decrease_day") == _day(now) else 0


def units_description(stored: ProvisionedUnits, now: float) -> dict[str, Any]:
    """Capacity units as descriptions show them."""
    units = {name: value for name, value in stored.items() if name not in {"decrease_day", "decreases"}}
    return {**units, "NumberOfDecreasesToday": decreases_today(stored, now)}


def _day(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).date().isoformat()


def on_demand_limits(
    mode: str,
    requested: Mapping[str, int] | None,
    *,
    index: str | None = None,
    before: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """Limits of on-demand reads and writes after a request; `before` has those of an existing table."""
    limits = dict(before or {})
    if requested is not None and not requested:
        raise validation(texts.on_demand_empty(index))
    for member in _LIMITS:
        value = (requested or {}).get(member)
        if value is None:
            continue
        if mode == PROVISIONED:
            raise validation(texts.on_demand_of_provisioned(member, created=before is None))
        if value == _NO_LIMIT and before is not None:
            limits.pop(member, None)
        elif value < 1:
            raise validation(texts.on_demand_range(member, index))
        else:
            limits[member] = value
    return limits


def warm_throughput(
    mode: str,
    units: Mapping[str, Any],
    requested: Mapping[str, int] | None = None,
    *,
    index: str | None = None,
    before: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """Warm throughput, which never decreases: the billing mode's minimum, the current one, or the requested one."""
    least = _WARM_ON_DEMAND
    if mode == PROVISIONED:
        least = {"ReadUnitsPerSecond": units[READ], "WriteUnitsPerSecond": units[WRITE]}
    warm: dict[str, int] = {}
    for member, floor in least.items():
        minimum = max(floor, (before or {}).get(member, 0))
        value = (requested or {}).get(member)
        if value is not None and value < minimum:
            raise validation(texts.warm_range(member, index, created=before is None))
        warm[member] = minimum if value is None else value
    return warm


# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
ACCOUNT_UNITS: Final = 80_000
TABLE_UNITS: Final = 40_000
_FREE_DECREASES: Final = 4
_DECREASE_SECONDS: Final = 3600
_SWITCHES: Final = 4
_SWITCH_SECONDS: Final = 24 * 3600
_MEMBERS: Final = (READ, WRITE)
# No quota can be raised above this.
_HIGHEST_QUOTA: Final = 10**12


def check_bounds(table: str, throughput: Mapping[str, Any] | None, index: str | None = None) -> None:
    """Raise for capacity units above any quota."""
    for member in _MEMBERS:
        if throughput is not None and throughput[member] > _HIGHEST_QUOTA:
            raise validation(texts.out_of_bounds(member, throughput[member], table, index))


def check_quotas(
    name: str, after: TableDefinition, before: TableRecord | None, tables: Iterable[Table]
) -> None:
    """Raise if a table exceeds the quotas and takes more of them than before; `tables` are all tables."""
    units_after, units_before = _capacity_units(after), {} if before is None else _capacity_units(before)
    others = [_capacity_units(table.record) for table in tables if table.name != name]
    for member in _MEMBERS:
        for index, units in units_after.items():
            if units[member] > max(TABLE_UNITS, units_before.get(index, {}).get(member, 0)):
                message = texts.quota(member, units[member], TABLE_UNITS, index)
                raise service_error("LimitExceededException", message)
        own = _total(member, units_after)
        account = own + sum(_total(member, other) for other in others)
        if own > _total(member, units_before) and account > ACCOUNT_UNITS:
            raise service_error("LimitExceededException", texts.account_quota(member, account, ACCOUNT_UNITS))


def _capacity_units(record: TableDefinition) -> dict[str | None, Mapping[str, Any]]:
    """The capacity units of a table and its global indexes after their pending changes."""
    if status_of(record) == "DELETING":
        return {}
    units: dict[str | None, Mapping[str, Any]] = {None: after_update(record)["ProvisionedThroughput"]}
    for entry in record.get("GlobalSecondaryIndexes", ()):
        if status_of(entry) != "DELETING":
            units[entry["IndexName"]] = after_update(entry)["ProvisionedThroughput"]
    return units


def _total(member: str, units: Mapping[str | None, Mapping[str, Any]]) -> int:
    return sum(each[member] for each in units.values())


def check_decrease(stored: ProvisionedUnits, throughput: Mapping[str, Any], now: float) -> None:
    """Raise for too many decreases: four a day at any time, and then one an hour."""
    if throughput[READ] >= stored[READ] and throughput[WRITE] >= stored[WRITE]:
        return
    count, last = decreases_today(stored, now), stored.get("LastDecreaseDateTime", 0.0)
    if count >= _FREE_DECREASES and now < last + _DECREASE_SECONDS:
        message = texts.decreased_too_often(count, last, last + _DECREASE_SECONDS)
        raise service_error("LimitExceededException", message)


def recent_switches(record: TableRecord, now: float, *, checked: bool) -> list[float]:
    """The switches to on demand in the last day; if `checked`, raises when a further one is too many."""
    recent = [moment for moment in record.get("switches", ()) if now < moment + _SWITCH_SECONDS]
    if checked and len(recent) >= _SWITCHES:
        message = texts.switched_too_often(_SWITCHES, recent[-1], recent[-_SWITCHES] + _SWITCH_SECONDS)
        raise service_error("LimitExceededException", message)
    return recent
