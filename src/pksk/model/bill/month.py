"""The monthly cost of a design: by access pattern, table and index, with the missing inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any

from pksk.capacity import Charge, Money, Prices, Tariff, gigabyte_cost, on_demand_month
from pksk.capacity.money import HOURS_PER_MONTH
from pksk.dataclass import dataclass
from pksk.errors import DesignError
from pksk.model.bill import month_rows
from pksk.model.bill.index_charges import IndexCharges, overuse_notes, provisioned_capacity
from pksk.model.bill.key_loads import PatternLoad, cannot_be_served, key_loads, load_data
from pksk.model.bill.month_rows import IndexMonth, PatternMonth, PatternUse
from pksk.schema import Table

__all__ = ["IndexMonth", "Month", "PatternMonth", "month", "pattern_row"]


@dataclass(frozen=True)
class Month:
    """The monthly bill of a design, as far as its declarations allow."""

    region: str
    prices: Prices
    patterns: tuple[PatternMonth, ...]
    indexes: tuple[IndexMonth, ...]
    missing: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    loads: tuple[PatternLoad, ...] = ()

    @property
    def total(self) -> Money:
        """The known cost of requests or capacity, and of storage; `missing` lists the rest."""
        parts = (money for each in self.indexes for money in (each.requests, each.storage) if money)
        return sum(parts, Money(Decimal(0), self.prices.currency))

    @property
    def as_of(self) -> date:
        """The day of the oldest price of the region."""
        return self.prices.region(self.region).as_of

    def data(self) -> dict[str, Any]:
        """The bill as JSON can hold it."""
        return {
            "region": self.region,
            "prices": {"file": self.prices.file, "as_of": str(self.as_of)},
            "patterns": [each.data() for each in self.patterns],
            "tables": [each.data() for each in self.indexes],
            "total": self.total.data(),
            "missing": list(self.missing),
            "notes": list(self.notes),
            "loads": [load_data(each) for each in self.loads],
            "cannot_be_served": list(cannot_be_served(self.loads)),
            "assumptions": list(self.assumptions),
        }


def month(
    tables: Sequence[Table],
    prices: Prices | None = None,
    region: str = "us-east-1",
    *,
    uses: list[PatternUse] | None = None,
) -> Month:
    """What tables and their access patterns cost in a month of 730 hours.

    Unknown costs are not counted and are listed in `missing`: rates, numbers of items, prices that the price list
    lacks, and costs outside the design, such as the readers of a stream. `uses` are those of the tables' patterns, if
    they are known already.

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
        $49.28 $49.41
    """
    tables = _unique_tables(tables)
    price_list = prices or Prices.load()
    price_list.region(region)
    tariffs = {table.name: month_rows.tariff_of(price_list, region, table.table_class) for table in tables}
    uses = month_rows.pattern_uses(tables) if uses is None else uses
    unknown, sizes = month_rows.unknown_index_uses(tables, uses), month_rows.declared_sizes(uses)
    rows = [pattern_row(use, tables, tariffs) for use in uses]
    charges = [
        row
        for table in tables
        for row in IndexCharges(table, tariffs[table.name], uses, unknown, sizes).rows()
    ]
    indexes = tuple(each for each, _ in charges)
    missing = [
        *(f"{row.name}: {what}" for row in rows for what in row.missing),
        *(what for each in indexes for what in each.stored.missing),
        *(what for table in tables for what in _unknown_costs(table, tariffs[table.name], uses)),
        *(what for _, prices_ in charges for what in prices_),
    ]
    assumptions = dict.fromkeys(text for each in indexes for text in each.stored.assumptions)
    notes = (note for each in indexes for note in overuse_notes(each, tables))
    return Month(
        region,
        price_list,
        tuple(rows),
        indexes,
        tuple(dict.fromkeys(missing)),
        tuple(assumptions),
        tuple(notes),
        tuple(key_loads(uses)),
    )


def _unique_tables(tables: Sequence[Table]) -> list[Table]:
    """The tables, each once; rejects two tables of the same name, which DynamoDB bills as one."""
    unique: dict[str, Table] = {}
    for table in tables:
        if unique.setdefault(table.name, table) is not table:
            raise DesignError(
                "cost-table-twice",
                f"month: two tables are named {table.name!r}.",
                expected="They would be one table in DynamoDB, and its items would be counted twice.",
                fix="declare the table once and share it, or give one of them another name.",
            )
    return list(unique.values())


def _unknown_costs(table: Table, tariff: Tariff, uses: Sequence[PatternUse]) -> Iterator[str]:
    """Costs of a table that no declaration determines."""
    searched = {(each.table, each.index) for use in uses for each in use.estimate.searches}
    if not table.patterns:
        yield f"{table.name}: its reads and writes, as it has no access pattern"
    for index in table.indexes:
        if index.kind == "vector":
            known = (table.name, index.name) in searched
            why = "AWS does not say how many bytes one reads" if known else "no access pattern makes one"
            yield f"{table.name}/{index.name}: its searches, as {why}"
    if table.stream:
        price = tariff.find("stream_reads_per_100_000")
        at = f", at {Money(price.amount, tariff.currency, price.certain)} for 100,000" if price else ""
        yield f"{table.name}: GetRecords calls on its stream, as its readers are not known{at}"


def pattern_row(use: PatternUse, tables: Sequence[Table], tariffs: dict[str, Tariff]) -> PatternMonth:
    """The known cost of a month of calls on demand, and the missing parts."""
    pattern, rate, cost = use.pattern, use.rate, use.estimate.cost
    declared = pattern.options.rate_text
    if rate is None or cost is None:
        return PatternMonth(
            pattern.name, pattern.kind, declared, rate, use.estimate, None, use.problem, missing=use.lacks
        )
    ours, outside = {table.name: table for table in tables}, _outside(use, tables)
    charges = [charge for charge in cost.charges if charge.table in ours]
    by_the_hour = [each for each in charges if provisioned_capacity(ours[each.table], each.index)]
    priced = month_rows.known_money(
        *(
            partial(_on_demand, tariffs[each.table], each, rate)
            for each in charges
            if each not in by_the_hour
        ),
        *_vectors(use, rate, tariffs),
    )
    searches = tuple(f"{each}, by the bytes that AWS bills" for each in use.estimate.searches)
    # A call without charges costs zero.
    free = not (charges or outside or searches or priced.missing)
    money = Money(Decimal(0), next(iter(tariffs.values())).currency) if free else None
    return PatternMonth(
        pattern.name,
        pattern.kind,
        declared,
        rate,
        use.estimate,
        priced.money or money,
        provisioned=bool(by_the_hour),
        missing=(*outside, *searches, *priced.missing),
    )


def _on_demand(tariff: Tariff, charge: Charge, rate: float) -> Money:
    return on_demand_month(tariff, read=charge.read * rate, write=charge.write * rate)


def _vectors(use: PatternUse, rate: float, tariffs: dict[str, Tariff]) -> list[Callable[[], Money]]:
    seconds = HOURS_PER_MONTH * 3600
    return [
        partial(gigabyte_cost, tariffs[each.table], "vector_write_gb", each.size_bytes * rate * seconds)
        for each in use.estimate.vectors
        if each.table in tariffs
    ]


def _outside(use: PatternUse, tables: Sequence[Table]) -> tuple[str, ...]:
    """The tables of a pattern that are not part of the bill."""
    ours = {table.name for table in tables}
    others = sorted({table for table, _, _ in use.estimate.touched} - ours)
    return tuple(f"its part in table {name!r}, which is not in this bill" for name in others)
