"""Billing modes and throughput: what goes together, and what is stored of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from pksk.engine.faults import validation
from pksk.engine.texts import indexes as index_texts
from pksk.engine.texts import tables as texts

__all__ = [
    "ON_DEMAND",
    "PROVISIONED",
    "READ",
    "WRITE",
    "billing_mode",
    "changed_units",
    "check_created_throughput",
    "check_index_throughput",
    "decreases_today",
    "limited",
    "new_units",
    "same_units",
    "shown_units",
    "warmed",
]

ON_DEMAND: Final = "PAY_PER_REQUEST"
PROVISIONED: Final = "PROVISIONED"
READ: Final = "ReadCapacityUnits"
WRITE: Final = "WriteCapacityUnits"
_LIMITS: Final = ("MaxReadRequestUnits", "MaxWriteRequestUnits")
# What a table on demand can take from its first moment.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput.html
_WARM_ON_DEMAND: Final = {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 4_000}
_NO_LIMIT: Final = -1


def billing_mode(request: Mapping[str, Any]) -> str | None:
    """The mode that a request asks for, by either of its names."""
    mode: str | None = request.get("BillingMode") or request.get("TableThroughputMode")
    return mode


def check_created_throughput(mode: str, throughput: Mapping[str, Any] | None) -> None:
    """Check that a new table has capacity units if, and only if, it is provisioned."""
    if mode == ON_DEMAND and throughput is not None:
        raise validation(texts.NEITHER_UNITS)
    if mode == PROVISIONED and throughput is None:
        raise validation(texts.UNITS_MISSING)


def check_index_throughput(mode: str, index: Mapping[str, Any], *, created: bool) -> None:
    """Check that a new index has capacity units if, and only if, its table is provisioned."""
    name, throughput = index["IndexName"], index.get("ProvisionedThroughput")
    if mode == PROVISIONED and throughput is None:
        raise validation(index_texts.index_units_missing(name))
    if mode == ON_DEMAND and throughput is not None:
        raise validation(index_texts.index_units_refused(name) if created else index_texts.index_units(name))


def new_units(throughput: Mapping[str, Any] | None) -> dict[str, Any]:
    """Capacity units as they are stored; none are zeros."""
    throughput = throughput or {}
    return {READ: throughput.get(READ, 0), WRITE: throughput.get(WRITE, 0)}


def same_units(stored: Mapping[str, Any], throughput: Mapping[str, Any], index: str | None = None) -> None:
    """Refuse capacity units that are those already provisioned."""
    current = stored[READ], stored[WRITE]
    if current == (throughput[READ], throughput[WRITE]):
        raise validation(texts.same_throughput(index, current))


def changed_units(stored: Mapping[str, Any], throughput: Mapping[str, Any], now: float) -> dict[str, Any]:
    """Capacity units after a change, with when they were last raised and lowered."""
    changed = {**stored, **new_units(throughput)}
    before = (stored[READ], stored[WRITE])
    after = (changed[READ], changed[WRITE])
    if any(new > old for old, new in zip(before, after, strict=True)):
        changed["LastIncreaseDateTime"] = now
    if any(new < old for old, new in zip(before, after, strict=True)):
        changed["LastDecreaseDateTime"] = now
        if any(after):  # going on demand is no decrease that counts
            changed["decreases"] = [_day(now), decreases_today(stored, now) + 1]
    return changed


def decreases_today(stored: Mapping[str, Any], now: float) -> int:
    """How often capacity units were lowered since midnight, UTC."""
    day, count = stored.get("decreases", ("", 0))
    return int(count) if day == _day(now) else 0


def shown_units(stored: Mapping[str, Any], now: float) -> dict[str, Any]:
    """Capacity units as descriptions show them."""
    shown = {
        name: stored[name] for name in ("LastIncreaseDateTime", "LastDecreaseDateTime") if name in stored
    }
    shown["NumberOfDecreasesToday"] = decreases_today(stored, now)
    return {**shown, READ: stored[READ], WRITE: stored[WRITE]}


def _day(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).date().isoformat()


def limited(
    mode: str,
    wanted: Mapping[str, int] | None,
    *,
    index: str | None = None,
    before: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """Limits of on-demand reads and writes after a request; `before` is what an existing table has, if it is one."""
    limits = dict(before or {})
    if wanted is not None and not wanted:
        raise validation(texts.on_demand_empty(index))
    for member in _LIMITS:
        value = (wanted or {}).get(member)
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


def warmed(
    mode: str,
    units: Mapping[str, Any],
    wanted: Mapping[str, int] | None = None,
    *,
    index: str | None = None,
    before: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """Warm throughput, which never sinks: what the mode gives at least, what there was, what is wanted."""
    least = _WARM_ON_DEMAND
    if mode == PROVISIONED:
        least = {"ReadUnitsPerSecond": units[READ], "WriteUnitsPerSecond": units[WRITE]}
    warm: dict[str, int] = {}
    for member, floor in least.items():
        held = max(floor, (before or {}).get(member, 0))
        value = (wanted or {}).get(member)
        if value is not None and value < held:
            raise validation(texts.warm_range(member, index, created=before is None))
        warm[member] = held if value is None else value
    return warm
