"""Storage: the bytes that a table and its indexes are billed for each month.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pksk.capacity.amount import amount
from pksk.capacity.entries import billed_size, index_entry
from pksk.schema.table import Table
from pksk.values.size import item_size
from pksk.values.wire import WireItem

__all__ = ["stored_bytes", "stored_size"]

ITEM_OVERHEAD_BYTES: Final = 100
REPLICATED_OVERHEAD_BYTES: Final = 48


def stored_bytes(
    table: Table, items: Iterable[WireItem], *, replicated: bool = False
) -> dict[str | None, int]:
    """The bytes of storage of a table, by the name of each index; None is the table itself.

    Each item, and each entry of an index, counts 100 bytes beside its own; in a global table
    (``replicated``) an item counts 48 more. Vector indexes are left out: how their entries are
    stored is not published.

    Example:
        >>> from pksk.schema import GSI, Table
        >>> orders = Table("orders", indexes=[GSI("by-day", pk="day", projection="keys")])
        >>> item = {"pk": {"S": "a"}, "sk": {"S": "b"}, "note": {"S": "x" * 500}}
        >>> stored_bytes(orders, [item, item | {"sk": {"S": "c"}, "day": {"S": "2025-03-01"}}])
        {None: 1233, 'by-day': 119}
    """
    indexes = [index for index in table.indexes if index.kind != "vector"]
    totals: dict[str | None, int] = {None: 0, **{index.name: 0 for index in indexes}}
    for item in items:
        totals[None] += int(stored_size(1, billed_size(table, item), replicated=replicated))
        for index in indexes:
            entry = index_entry(index, item)
            totals[index.name] += 0 if entry is None else int(stored_size(1, item_size(entry)))
    return totals


def stored_size(items: float, item_bytes: float, *, replicated: bool = False) -> float:
    """The bytes of storage of so many items, or index entries, of a mean size.

    Example:
        >>> stored_size(1_000_000, 400)
        500000000
    """
    overhead = ITEM_OVERHEAD_BYTES + (REPLICATED_OVERHEAD_BYTES if replicated else 0)
    return amount("items", items) * (amount("item_bytes", item_bytes) + overhead)
