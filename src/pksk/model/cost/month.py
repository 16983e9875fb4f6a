"""What a design costs in a month: each access pattern, each table and index, and what is missing to say more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pksk.capacity import Money, Prices, Tariff
from pksk.errors import DesignError
from pksk.model.cost.arms import Arms
from pksk.model.cost.known_money import tariff_of
from pksk.model.cost.month_rows import ArmMonth, PatternMonth
from pksk.model.cost.overdrawn import overdrawn
from pksk.model.cost.pattern_row import pattern_row
from pksk.model.cost.stored import declared_sizes
from pksk.model.cost.use import Use, unknown_arms, uses_of
from pksk.schema import Table

__all__ = ["ArmMonth", "Month", "PatternMonth", "month"]


@dataclass(frozen=True)
class Month:
    """The monthly bill of a design, as far as what it declares says."""

    region: str
    prices: Prices
    patterns: tuple[PatternMonth, ...]
    arms: tuple[ArmMonth, ...]
    missing: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> Money:
        """Requests or capacity, and storage, of all that is known; the rest stands in `missing`."""
        parts = (money for each in self.arms for money in (each.requests, each.storage) if money)
        return sum(parts, Money(Decimal(0), self.prices.currency))

    def data(self) -> dict[str, Any]:
        """The bill as JSON can hold it."""
        return {
            "region": self.region,
            "prices": {"file": self.prices.file, "as_of": str(self.prices.as_of)},
            "patterns": [each.data() for each in self.patterns],
            "tables": [each.data() for each in self.arms],
            "total": self.total.data(),
            "missing": list(self.missing),
            "notes": list(self.notes),
            "assumptions": list(self.assumptions),
        }


def month(tables: Sequence[Table], prices: Prices | None = None, region: str = "us-east-1") -> Month:
    """What tables and their access patterns cost in a month of 730 hours.

    What is not known is not counted and stands in `missing`: rates, numbers of items, prices that the file lacks,
    and what a design does not tell, such as who reads a stream.

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
    tables = _once(tables)
    known = prices or Prices.load()
    known.region(region)
    tariffs = {table.name: tariff_of(known, region, table.table_class) for table in tables}
    uses = uses_of(tables)
    unknown, sizes = unknown_arms(tables, uses), declared_sizes((use.pattern, use.requests) for use in uses)
    rows = [pattern_row(use, tables, tariffs) for use in uses]
    found = [row for table in tables for row in Arms(table, tariffs[table.name], uses, unknown, sizes).rows()]
    arms = tuple(arm for arm, _ in found)
    missing = [
        *(f"{row.name}: {what}" for row in rows for what in row.missing),
        *(what for arm in arms for what in arm.stored.missing),
        *(what for table in tables for what in _not_told(table, tariffs[table.name], uses)),
        *(what for _, prices_ in found for what in prices_),
    ]
    assumptions = dict.fromkeys(text for arm in arms for text in arm.stored.assumptions)
    notes = (note for arm in arms for note in overdrawn(arm, tables))
    return Month(
        region, known, tuple(rows), arms, tuple(dict.fromkeys(missing)), tuple(assumptions), tuple(notes)
    )


def _once(tables: Sequence[Table]) -> list[Table]:
    """The tables, each once; two of one name are one in DynamoDB, and would be paid twice."""
    found: dict[str, Table] = {}
    for table in tables:
        if found.setdefault(table.name, table) is not table:
            raise DesignError(
                "cost-table-twice",
                f"month: two tables are named {table.name!r}.",
                expected="A name is one table of DynamoDB, and what both hold would be counted twice.",
                fix="declare the table once and share it, or give one of them another name.",
            )
    return list(found.values())


def _not_told(table: Table, tariff: Tariff, uses: Sequence[Use]) -> Iterator[str]:
    """What a table costs and no declaration tells."""
    searched = {(each.table, each.index) for use in uses for each in use.estimate.searches}
    if not table.patterns:
        yield f"{table.name}: its reads and writes, as it has no access pattern"
    for index in table.indexes:
        if index.kind == "vector":
            known = (table.name, index.name) in searched
            why = "AWS does not tell how many bytes one looks at" if known else "no access pattern makes one"
            yield f"{table.name}/{index.name}: its searches, as {why}"
    if table.stream:
        price = tariff.find("stream_reads_per_100_000")
        at = f", at {Money(price.amount, tariff.currency, price.certain)} for 100,000" if price else ""
        yield f"{table.name}: GetRecords calls on its stream, as its readers are not known{at}"
