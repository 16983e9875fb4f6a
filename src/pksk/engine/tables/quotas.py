"""How many capacity units tables, indexes and the account may have, and how often they may be changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pksk.engine.faults import fault, validation
from pksk.engine.texts import capacity as texts

from .billing import READ, WRITE, decreases_today
from .record import Record, status_of
from .table import Table

__all__ = [
    "ACCOUNT_UNITS",
    "TABLE_UNITS",
    "check_bounds",
    "check_decrease",
    "check_quotas",
    "recent_switches",
]

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
ACCOUNT_UNITS: Final = 80_000
TABLE_UNITS: Final = 40_000
_FREE_DECREASES: Final = 4
_DECREASE_SECONDS: Final = 3600
_SWITCHES: Final = 4
_SWITCH_SECONDS: Final = 24 * 3600
_MEMBERS: Final = (READ, WRITE)
# No quota can be raised to more.
_CONCEIVABLE: Final = 10**12


def check_bounds(table: str, throughput: Mapping[str, Any] | None, index: str | None = None) -> None:
    """Refuse capacity units that are beyond any quota."""
    for member in _MEMBERS:
        if throughput is not None and throughput[member] > _CONCEIVABLE:
            raise validation(texts.out_of_bounds(member, throughput[member], table, index))


def check_quotas(after: Record, before: Record | None, tables: Iterable[Table]) -> None:
    """Refuse a table that takes more of the quotas than it had; `tables` are all that there are."""
    wanted, had = _units(after), {} if before is None else _units(before)
    others = [_units(table.settings) for table in tables if table.name != after["TableName"]]
    for member in _MEMBERS:
        for index, units in wanted.items():
            if units[member] > max(TABLE_UNITS, had.get(index, {}).get(member, 0)):
                message = texts.quota(member, units[member], TABLE_UNITS, index)
                raise fault("LimitExceededException", message)
        own = _sum(member, wanted)
        account = own + sum(_sum(member, other) for other in others)
        if own > _sum(member, had) and account > ACCOUNT_UNITS:
            raise fault("LimitExceededException", texts.account_quota(member, account, ACCOUNT_UNITS))


def _units(record: Record) -> dict[str | None, Mapping[str, int]]:
    """The capacity units that a table and its global indexes will have once their changes are done."""
    if status_of(record) == "DELETING":
        return {}
    entries = [record, *record.get("GlobalSecondaryIndexes", ())]
    return {
        entry.get("IndexName"): {**entry, **entry.get("phase", {}).get("after", {})}["ProvisionedThroughput"]
        for entry in entries
        if status_of(entry) != "DELETING"
    }


def _sum(member: str, units: Mapping[str | None, Mapping[str, int]]) -> int:
    return sum(each[member] for each in units.values())


def check_decrease(stored: Mapping[str, Any], throughput: Mapping[str, Any], now: float) -> None:
    """Refuse one more decrease than a day allows: four at any time, and from then on one an hour."""
    if all(throughput[member] >= stored[member] for member in _MEMBERS):
        return
    count, last = decreases_today(stored, now), stored.get("LastDecreaseDateTime", 0.0)
    if count >= _FREE_DECREASES and now < last + _DECREASE_SECONDS:
        message = texts.decreased_too_often(count, last, last + _DECREASE_SECONDS)
        raise fault("LimitExceededException", message)


def recent_switches(record: Record, now: float, *, checked: bool) -> list[float]:
    """When a table went on demand in the last day; one time more is refused if that is `checked`."""
    recent = [moment for moment in record.get("switches", ()) if now < moment + _SWITCH_SECONDS]
    if checked and len(recent) >= _SWITCHES:
        message = texts.switched_too_often(_SWITCHES, recent[-1], recent[-_SWITCHES] + _SWITCH_SECONDS)
        raise fault("LimitExceededException", message)
    return recent
