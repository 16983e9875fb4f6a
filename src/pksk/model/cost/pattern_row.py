"""The row of a bill for one access pattern."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial

from pksk.capacity import Charge, Money, Tariff, gigabyte_cost, on_demand_month
from pksk.capacity.money import HOURS_PER_MONTH
from pksk.model.cost.arms import capacity_of
from pksk.model.cost.known_money import known_money
from pksk.model.cost.month_rows import PatternMonth
from pksk.model.cost.use import Use
from pksk.schema import Table

__all__ = ["pattern_row"]


def pattern_row(use: Use, tables: Sequence[Table], tariffs: dict[str, Tariff]) -> PatternMonth:
    """What a month of calls costs on demand, as far as it is known, and what is missing."""
    pattern, rate, cost = use.pattern, use.rate, use.estimate.cost
    if rate is None or cost is None:
        return PatternMonth(
            pattern.name, pattern.kind, rate, use.estimate, None, use.problem, missing=use.lacks
        )
    ours, outside = {table.name: table for table in tables}, _outside(use, tables)
    charges = [charge for charge in cost.charges if charge.table in ours]
    by_the_hour = [each for each in charges if capacity_of(ours[each.table], each.index)]
    priced = known_money(
        *(
            partial(_on_demand, tariffs[each.table], each, rate)
            for each in charges
            if each not in by_the_hour
        ),
        *_vectors(use, rate, tariffs),
    )
    searches = tuple(f"{each}, by the bytes that AWS bills" for each in use.estimate.searches)
    # A call that costs nothing has a price: none.
    free = not (charges or outside or searches or priced.missing)
    money = Money(Decimal(0), next(iter(tariffs.values())).currency) if free else None
    return PatternMonth(
        pattern.name,
        pattern.kind,
        rate,
        use.estimate,
        priced.money or money,
        provisioned=bool(by_the_hour),
        missing=(*outside, *searches, *priced.missing),
    )


def _on_demand(tariff: Tariff, charge: Charge, rate: float) -> Money:
    return on_demand_month(tariff, read=charge.read * rate, write=charge.write * rate)


def _vectors(use: Use, rate: float, tariffs: dict[str, Tariff]) -> list[Callable[[], Money]]:
    seconds = HOURS_PER_MONTH * 3600
    return [
        partial(gigabyte_cost, tariffs[each.table], "vector_write_gb", each.size_bytes * rate * seconds)
        for each in use.estimate.vectors
        if each.table in tariffs
    ]


def _outside(use: Use, tables: Sequence[Table]) -> tuple[str, ...]:
    """The tables that a pattern touches and that are not part of the bill."""
    ours = {table.name for table in tables}
    others = sorted({table for table, _, _ in use.estimate.touched} - ours)
    return tuple(f"its part in table {name!r}, which is not in this bill" for name in others)
