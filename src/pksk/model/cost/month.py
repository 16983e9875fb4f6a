"""What a design costs in a month: each access pattern, each table and index, and what is missing to say more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from pksk.capacity import (
    Charge,
    Cost,
    Money,
    Prices,
    Tariff,
    gigabyte_cost,
    on_demand_month,
    provisioned_month,
    storage_month,
)
from pksk.model.cost.estimate import Estimate, estimate
from pksk.model.cost.stored import Stored, stored
from pksk.model.patterns.pattern import Pattern
from pksk.schema import GSI, Provisioned, Table

__all__ = ["ArmMonth", "Month", "PatternMonth", "month"]


@dataclass(frozen=True)
class PatternMonth:
    """One access pattern: how often it is called, what a call costs, and what a month of calls costs on demand."""

    name: str
    kind: str
    calls_per_second: float | None
    estimate: Estimate
    money: Money | None
    problem: str = ""

    def data(self) -> dict[str, Any]:
        """The row as JSON can hold it."""
        return {
            "name": self.name,
            "kind": self.kind,
            "calls_per_second": self.calls_per_second,
            "estimate": self.estimate.data(),
            "month": self.money.data() if self.money else None,
            "problem": self.problem,
        }


@dataclass(frozen=True)
class ArmMonth:
    """One table, or one index of it: what all patterns consume there, what it stores, and what both cost."""

    table: str
    index: str | None
    read_per_second: float
    write_per_second: float
    requests: Money
    stored: Stored
    storage: Money | None
    recovery: Money | None
    provisioned: Provisioned | None = None

    def data(self) -> dict[str, Any]:
        """The row as JSON can hold it."""
        return {
            "table": self.table,
            "index": self.index,
            "read_per_second": self.read_per_second,
            "write_per_second": self.write_per_second,
            "requests": self.requests.data(),
            "stored_bytes": self.stored.size,
            "storage": self.storage.data() if self.storage else None,
            "point_in_time_recovery": self.recovery.data() if self.recovery else None,
            "provisioned": vars(self.provisioned) if self.provisioned else None,
        }


@dataclass(frozen=True)
class Month:
    """The monthly bill of a design, as far as what it declares says."""

    region: str
    prices: Prices
    patterns: tuple[PatternMonth, ...]
    arms: tuple[ArmMonth, ...]
    missing: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = field(default=())

    @property
    def total(self) -> Money:
        """Requests or capacity, and storage, of all that is known; the rest stands in `missing`."""
        parts = [each.requests for each in self.arms] + [each.storage for each in self.arms if each.storage]
        return reduce(Money.__add__, parts)

    def data(self) -> dict[str, Any]:
        """The bill as JSON can hold it."""
        return {
            "region": self.region,
            "prices": {"file": self.prices.file, "as_of": str(self.prices.as_of)},
            "patterns": [each.data() for each in self.patterns],
            "tables": [each.data() for each in self.arms],
            "total": self.total.data(),
            "missing": list(self.missing),
            "assumptions": list(self.assumptions),
        }


def month(tables: Sequence[Table], prices: Prices | None = None, region: str = "us-east-1") -> Month:
    """What tables and their access patterns cost in a month of 730 hours.

    Example:
        >>> from pksk import Entity, Key, Query, Table, access
        >>> shop = Table("shop")
        >>> class Order(Entity, table=shop, items=1_000_000):
        ...     customer: str
        ...     id: str
        ...     primary = Key("CUST#{customer}", "ORDER#{id}")
        ...
        ...     @access(rate=100, items=20, item_size=500)
        ...     @classmethod
        ...     def of_customer(cls, customer: str) -> Query["Order"]:
        ...         return cls.primary(customer=customer)
        >>> bill = month([shop])
        >>> print(bill.patterns[0].money, bill.total)
        $49.28 $49.31
    """
    known = prices or Prices.load()
    tariffs = {table.name: known.region(region).tariff(table.table_class) for table in tables}
    found = [_pattern(each, tables, tariffs) for each in _patterns(tables)]
    arms = [arm for table in tables for arm in _arms(table, tariffs[table.name], [cost for _, cost in found])]
    missing = [
        *(f"{row.name}: {what}" for row, _ in found for what in _lacks(row)),
        *(what for arm in arms for what in arm.stored.missing),
    ]
    assumptions = dict.fromkeys(text for arm in arms for text in arm.stored.assumptions)
    return Month(
        region,
        known,
        tuple(row for row, _ in found),
        tuple(arms),
        tuple(dict.fromkeys(missing)),
        tuple(assumptions),
    )


def _patterns(tables: Iterable[Table]) -> list[Pattern]:
    found: dict[int, Pattern] = {id(each): each for table in tables for each in table.patterns}
    return list(found.values())


def _lacks(row: PatternMonth) -> list[str]:
    rate = [] if row.calls_per_second is not None else ["its rate (rate=)"]
    return [*rate, *([row.problem] if row.problem else row.estimate.missing)]


def _pattern(
    pattern: Pattern, tables: Sequence[Table], tariffs: dict[str, Tariff]
) -> tuple[PatternMonth, Cost]:
    """The row of a pattern, and its units in each second."""
    outcome = pattern.outcome()
    likely = estimate(outcome.requests, pattern.declared) if not outcome.problem else Estimate(None)
    rate = pattern.declared.calls_per_second(pattern.name)
    if rate is None or likely.cost is None:
        return PatternMonth(pattern.name, pattern.kind, rate, likely, None, outcome.problem), Cost()
    per_second = likely.cost * rate
    ours = {table.name for table in tables}
    moneys = [
        on_demand_month(tariffs[charge.table], read=charge.read, write=charge.write)
        for charge in per_second.charges
        if charge.table in ours and not _provisioned(tables, charge)
    ]
    money = reduce(Money.__add__, moneys) if moneys else None
    return PatternMonth(pattern.name, pattern.kind, rate, likely, money), per_second


def _provisioned(tables: Sequence[Table], charge: Charge) -> Provisioned | None:
    table = next(each for each in tables if each.name == charge.table)
    return _capacity(table, charge.index)


def _capacity(table: Table, index: str | None) -> Provisioned | None:
    """The capacity that a table or index has for itself; a local index uses that of its table."""
    found = table.index(index)
    billing = table.billing_of(found) if isinstance(found, GSI) else table.billing
    return billing if isinstance(billing, Provisioned) else None


def _arms(table: Table, tariff: Tariff, costs: Sequence[Cost]) -> list[ArmMonth]:
    total = reduce(Cost.__add__, costs, Cost())
    names = [None, *(index.name for index in table.indexes if index.kind != "vector")]
    return [_arm(table, name, tariff, total) for name in names]


def _arm(table: Table, name: str | None, tariff: Tariff, total: Cost) -> ArmMonth:
    units = total.arm(table.name, name)
    capacity = _capacity(table, name)
    kept = stored(table, name)
    if capacity is None:
        requests = on_demand_month(tariff, read=units.read, write=units.write)
    elif table.index(name).kind == "lsi":
        requests = provisioned_month(tariff)
    else:
        requests = provisioned_month(tariff, read=capacity.read, write=capacity.write)
    known = kept.size is not None
    return ArmMonth(
        table.name,
        name,
        units.read,
        units.write,
        requests,
        kept,
        storage_month(tariff, kept.size) if kept.size is not None else None,
        gigabyte_cost(tariff, "recovery_gb_month", kept.size or 0)
        if known and tariff.find("recovery_gb_month")
        else None,
        capacity,
    )
