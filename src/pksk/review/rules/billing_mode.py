"""The rule about tables that would cost less with another kind of billing or another table class."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.capacity import Money, Prices, Tariff
from pksk.capacity.money import on_demand_month, provisioned_month, storage_month
from pksk.errors import FileError
from pksk.model.bill.month_rows import IndexMonth, tariff_of
from pksk.review.rule import Design, Finding, rule
from pksk.review.source_lines import table_subject
from pksk.schema import Table

# Estimates are not exact, and a change takes work.
_FACTOR = 1.5
_LEAST_SAVED = 20
_REGION = "us-east-1"
_OTHER_CLASS = {"standard": "infrequent-access", "infrequent-access": "standard"}


@rule("billing-mode", "all rates, sizes and numbers of items")
def billing_mode(design: Design) -> Iterator[Finding]:
    """A table that would cost much less on demand, or in another table class.

    ## What it does

    Compares what each table and its indexes cost in a month with what the same requests and bytes would cost on demand
    instead of provisioned, and in the other table class. It reports savings of a third or more, and of $20 a month or
    more. Tables with a missing figure are not compared.

    ## Why is this bad?

    Provisioned capacity costs the same whether it is used or not: below about 30% of use, on demand is cheaper.
    Standard-infrequent-access storage costs 40% of standard storage, and its requests 25% more, so it pays if storage
    is most of the bill.

    ## Example

        archive = Table("archive")  # 2 TB, and 5 requests a second

    ## Use instead

        archive = Table("archive", table_class="infrequent-access")

    Both can be changed at any time, at most a few times a month. Rates that are peaks, as those for ceilings should be,
    make on demand look more expensive than it is.
    """
    prices = Prices.load()
    for table in design.tables:
        rows = [row for row in design.bill.indexes if row.table == table.name]
        if rows and all(_is_known(row) for row in rows):
            try:
                yield from _check(table, rows, prices)
            except FileError:  # a price that the price list lacks
                continue


def _is_known(row: IndexMonth) -> bool:
    """Whether its requests and its bytes are known; a vector index is billed by other rules."""
    return not row.at_least and row.written_per_second is None and row.stored.size is not None


def _check(table: Table, rows: list[IndexMonth], prices: Prices) -> Iterator[Finding]:
    now = _cost(rows, tariff_of(prices, _REGION, table.table_class), on_demand=False)
    other = _OTHER_CLASS[table.table_class]
    choices = {
        f'another table class: table_class="{other}"': _cost(
            rows, tariff_of(prices, _REGION, other), on_demand=False
        )
    }
    if any(row.provisioned for row in rows):
        tariff = tariff_of(prices, _REGION, table.table_class)
        choices["on-demand billing: billing=OnDemand()"] = _cost(rows, tariff, on_demand=True)
    name, cheapest = min(choices.items(), key=lambda each: each[1].amount)
    if float(now.amount) > _FACTOR * float(cheapest.amount) and now.amount - cheapest.amount >= _LEAST_SAVED:
        yield Finding(
            billing_mode.code,
            "info",
            table_subject(table),
            f"it costs {now} a month, and {cheapest} with {name.partition(':')[0]}.",
            (f"the declared rates, sizes and numbers of items, with the prices of {_REGION}",),
            f"use{name.partition(':')[2]}, if the declared rates are what the table sees on average.",
            certain=False,
        )


def _cost(rows: list[IndexMonth], tariff: Tariff, *, on_demand: bool) -> Money:
    """The cost of requests or capacity, and of storage."""
    parts: list[Money] = []
    for row in rows:
        assert row.stored.size is not None
        parts.append(storage_month(tariff, row.stored.size))
        if row.used is None:  # the requests of a local index are those of its table
            continue
        if row.provisioned is None or on_demand:
            parts.append(on_demand_month(tariff, read=row.used.read, write=row.used.write))
        else:
            parts.append(provisioned_month(tariff, read=row.provisioned.read, write=row.provisioned.write))
    return sum(parts[1:], parts[0])
