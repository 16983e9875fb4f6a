"""What parts of a design cost in a month, as evidence for findings."""

from __future__ import annotations

from functools import cache, reduce

from pksk.capacity import Money, Prices, on_demand_month
from pksk.errors import FileError
from pksk.model.bill.month_rows import tariff_of
from pksk.review.rule import Design
from pksk.schema import Table

_REGION = "us-east-1"


@cache
def _prices() -> Prices:
    return Prices.load()


def on_demand_text(table: Table, *, read: float = 0, write: float = 0) -> str:
    """The cost of so many units a second on demand, in words; empty if a price is not known."""
    try:
        money = on_demand_month(tariff_of(_prices(), _REGION, table.table_class), read=read, write=write)
    except FileError:
        return ""
    return f"{money} a month on demand in {_REGION}"


def month_of(design: Design, table: Table, index: str | None) -> str:
    """The known cost of a table or an index in a month; empty if nothing is known."""
    for row in design.bill.indexes:
        if (row.table, row.index) == (table.name, index):
            parts = [money for money in (row.requests, row.storage) if money is not None]
            total = reduce(Money.__add__, parts) if parts else None
            return str(total) if total is not None and total.amount else ""
    return ""
