"""How large an item may be: with its entries in local indexes, where its table has any."""

from __future__ import annotations

from pksk.engine.tables.table import Table
from pksk.limits import ITEM_BYTES
from pksk.schema.quotas import LSI_COUNT
from pksk.values import WireItem

__all__ = ["fits_with_entries"]


def fits_with_entries(table: Table, item: WireItem, size: int) -> bool:
    """Whether an item and its entries in all local indexes are no larger than an item may be.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items-size-secondary-indexes
    """
    if table.collections is None or size * (1 + LSI_COUNT) <= ITEM_BYTES:
        return True
    total = size
    for index in table.indexes.values():
        if index.kind == "lsi" and index.holds(item):
            total += index.entry_size(item, size)
    return total <= ITEM_BYTES
