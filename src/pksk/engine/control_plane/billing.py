"""Billing modes, capacity units and their quotas: valid combinations, and how often they can change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from pksk.client import ServiceError
from pksk.engine import texts
from pksk.engine.request import Request
from pksk.engine.service_errors import invalid_parameter, service_error, validation
from pksk.engine.state import Table, TableDefinition, TableRecord, table_record

ON_DEMAND: Final = "PAY_PER_REQUEST"
PROVISIONED: Final = "PROVISIONED"
READ: Final = "ReadCapacityUnits"
WRITE: Final = "WriteCapacityUnits"
_LIMITS: Final = ("MaxReadRequestUnits", "MaxWriteRequestUnits")
# What a new table on demand can take at once.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput.html
_WARM_ON_DEMAND: Final = {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 4_000}
_NO_LIMIT: Final = -1


def billing_mode(request: Request) -> str | None:
    """The billing mode of a request, by either of its names."""
    mode: str | None = request.get("BillingMode") or request.get("TableThroughputMode")
    return mode


def check_created_throughput(mode: str, throughput: Request | None) -> None:
    """Check that a new table has capacity units exactly if it is provisioned."""
    if mode == ON_DEMAND and throughput is not None:
        raise validation(texts.NEITHER_UNITS)
    if mode == PROVISIONED and throughput is None:
        raise validation(texts.UNITS_MISSING)


def check_index_throughput(mode: str, index: Request, *, created: bool) -> None:
    """Check that a new index has capacity units exactly if its table is provisioned."""
    name, throughput = index["IndexName"], index.get("ProvisionedThroughput")
    if mode == PROVISIONED and throughput is None:
        raise invalid_parameter(f"ProvisionedThroughput is not specified for index: {name}")
    if mode == ON_DEMAND and throughput is not None:
        if not created:
            raise validation(texts.index_units(name))
        raise invalid_parameter(
            f"ProvisionedThroughput should not be specified for index: {name} when BillingMode is PAY_PER_REQUEST"
        )


def new_units(throughput: Request | None) -> table_record.ProvisionedUnits:
    """Capacity units as they are stored; 0 if there are none."""
    throughput = throughput or {}
    return {READ: throughput.get(READ, 0), WRITE: throughput.get(WRITE, 0)}


def check_units_differ(
    stored: table_record.ProvisionedUnits, throughput: Request, index: str | None = None
) -> None:
    """Raise if the capacity units equal the provisioned ones."""
    current = stored[READ], stored[WRITE]
    if current == (throughput[READ], throughput[WRITE]):
        raise validation(_same_throughput(index, *current))


def _same_throughput(index: str | None, reads: int, writes: int) -> str:
    what, owner = ("table", "table") if index is None else (f"index {index}", "index")
    return (
        f"The provisioned throughput for the {what} will not change. The requested value equals the current value. "
        f"Current ReadCapacityUnits provisioned for the {owner}: {reads}. Requested ReadCapacityUnits: {reads}. "
        f"Current WriteCapacityUnits provisioned for the {owner}: {writes}. Requested WriteCapacityUnits: {writes}. "
        "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    )


def changed_units(
    stored: table_record.ProvisionedUnits, throughput: Request, now: float
) -> table_record.ProvisionedUnits:
    """Capacity units after a change, with the times of the last increase and decrease."""
    changed: table_record.ProvisionedUnits = {**stored, **new_units(throughput)}
    before = (stored[READ], stored[WRITE])
    after = (changed[READ], changed[WRITE])
    if any(new > old for old, new in zip(before, after, strict=True)):
        changed["LastIncreaseDateTime"] = now
    if any(new < old for old, new in zip(before, after, strict=True)):
        changed["LastDecreaseDateTime"] = now
        if any(after):  # a change to on demand does not count as a decrease
            changed["decrease_day"], changed["decreases"] = _day(now), _decreases_today(stored, now) + 1
    return changed


def _decreases_today(stored: table_record.ProvisionedUnits, now: float) -> int:
    """How often capacity units were lowered since midnight UTC."""
    return stored.get("decreases", 0) if stored.get("decrease_day") == _day(now) else 0


def units_description(stored: table_record.ProvisionedUnits, now: float) -> dict[str, Any]:
    """Capacity units as descriptions show them."""
    units = {name: value for name, value in stored.items() if name not in {"decrease_day", "decreases"}}
    return {**units, "NumberOfDecreasesToday": _decreases_today(stored, now)}


def _day(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).date().isoformat()


def _owner(index: str | None) -> str:
    return "table" if index is None else f"index: {index}"


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
        # Our wording, as the service's is not known.
        raise invalid_parameter(
            "MaxReadRequestUnits, MaxWriteRequestUnits, or both must be specified "
            f"for OnDemandThroughput for {_owner(index)}"
        )
    for member in _LIMITS:
        value = (requested or {}).get(member)
        if value is None:
            continue
        if mode == PROVISIONED:
            # The service has two wordings.
            end = (
                "table BillingMode is PROVISIONED."
                if before is None
                else "the table BillingMode is PROVISIONED"
            )
            raise invalid_parameter(f"{member} for OnDemandThroughput cannot be specified when {end}")
        if value == _NO_LIMIT and before is not None:
            limits.pop(member, None)
        elif value < 1:
            raise invalid_parameter(
                f"Requested {member} for OnDemandThroughput for {_owner(index)} is outside of valid range"
            )
        else:
            limits[member] = value
    return limits


def warm_throughput(
    mode: str,
    units: table_record.ProvisionedUnits,
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
            wrong = (
                "outside of valid range"
                if before is None
                else "lower than current WarmThroughput, decreasing WarmThroughput is not supported"
            )
            raise invalid_parameter(f"Requested {member} for WarmThroughput for {_owner(index)} is {wrong}")
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


def check_bounds(table: str, throughput: Request | None, index: str | None = None) -> None:
    """Raise for capacity units above any quota."""
    for member in _MEMBERS:
        if throughput is not None and throughput[member] > _HIGHEST_QUOTA:
            owner = f"table {table}" if index is None else f"index {index} for table {table}"
            raise validation(f"Given value {throughput[member]} for {member} is out of bounds for {owner}")


def check_quotas(
    name: str, after: TableDefinition, before: TableRecord | None, tables: Iterable[Table]
) -> None:
    """Raise if a table exceeds the quotas and takes more of them than before; `tables` are all tables.

    The wording is ours, as the service's is not known.
    """
    units_after, units_before = _capacity_units(after), {} if before is None else _capacity_units(before)
    others = [_capacity_units(table.record) for table in tables if table.name != name]
    for member in _MEMBERS:
        for index, units in units_after.items():
            if units[member] > max(TABLE_UNITS, units_before.get(index, {}).get(member, 0)):
                owner = "table" if index is None else f"index {index}"
                raise _limit_exceeded(
                    f"Requested {member} of {units[member]} for the {owner} exceeds "
                    f"the per-table limit of {TABLE_UNITS}"
                )
        own = _total(member, units_after)
        account = own + sum(_total(member, other) for other in others)
        if own > _total(member, units_before) and account > ACCOUNT_UNITS:
            raise _limit_exceeded(
                f"Requested {member} would bring the account to {account}, above its limit of {ACCOUNT_UNITS}"
            )


def _limit_exceeded(message: str) -> ServiceError:
    return service_error("LimitExceededException", f"{texts.EXCEEDED}{message}")


def _capacity_units(record: TableDefinition) -> dict[str | None, Mapping[str, Any]]:
    """The capacity units of a table and its global indexes after their pending changes."""
    if table_record.status_of(record) == "DELETING":
        return {}
    units: dict[str | None, Mapping[str, Any]] = {
        None: table_record.after_update(record)["ProvisionedThroughput"]
    }
    for entry in record.get("GlobalSecondaryIndexes", ()):
        if table_record.status_of(entry) != "DELETING":
            units[entry["IndexName"]] = table_record.after_update(entry)["ProvisionedThroughput"]
    return units


def _total(member: str, units: Mapping[str | None, Mapping[str, Any]]) -> int:
    return sum(each[member] for each in units.values())


def check_decrease(stored: table_record.ProvisionedUnits, throughput: Request, now: float) -> None:
    """Raise for too many decreases: four a day at any time, and then one an hour."""
    if throughput[READ] >= stored[READ] and throughput[WRITE] >= stored[WRITE]:
        return
    count, last = _decreases_today(stored, now), stored.get("LastDecreaseDateTime", 0.0)
    if count >= _FREE_DECREASES and now < last + _DECREASE_SECONDS:
        raise _limit_exceeded(
            "Provisioned throughput decreases are limited within a given UTC day. After the first 4 "
            "decreases, each subsequent decrease in the same UTC day can be performed at most once every 3600 seconds. "
            f"Number of decreases today: {count}. Last decrease at {_in_full(last)}. "
            f"Next decrease can be made at {_in_full(last + _DECREASE_SECONDS)}"
        )


# The service's words are English whatever the locale of this process.
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_NOON: Final = 12


def _in_full(moment: float) -> str:
    when = datetime.fromtimestamp(moment, UTC)
    half = "AM" if when.hour < _NOON else "PM"
    return (
        f"{_DAYS[when.weekday()]}, {_MONTHS[when.month - 1]} {when.day}, {when.year} at "
        f"{when.hour % _NOON or _NOON}:{when:%M:%S} {half} Coordinated Universal Time"
    )


def _in_short(moment: float) -> str:
    when = datetime.fromtimestamp(moment, UTC)
    return f"{_DAYS[when.weekday()][:3]} {_MONTHS[when.month - 1][:3]} {when:%d %H:%M:%S} UTC {when.year}"


def recent_switches(record: TableRecord, now: float, *, checked: bool) -> list[float]:
    """The switches to on demand in the last day; if `checked`, raises when a further one is too many."""
    recent = [moment for moment in record.get("switches", ()) if now < moment + _SWITCH_SECONDS]
    if checked and len(recent) >= _SWITCHES:
        following = _in_short(recent[-_SWITCHES] + _SWITCH_SECONDS)
        raise _limit_exceeded(
            f"Update to PayPerRequest mode are limited to {_SWITCHES} times in 1 day(s). "
            f"Last update at {_in_short(recent[-1])}. Next update can be made at {following}"
        )
    return recent
