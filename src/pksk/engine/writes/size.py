"""How large an item may be: with its entries in local indexes, where its table has any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.tables.table import Table
from pksk.limits import ITEM_BYTES
from pksk.values.size import item_size

__all__ = ["fits_with_entries"]

_MOST_LOCAL_INDEXES: Final = 5


def fits_with_entries(table: Table, item: Mapping[str, Any], size: int) -> bool:
    """Whether an item and its entries in all local indexes are no larger than an item may be.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items-size-secondary-indexes
    """
    if table.collections is None or size * (1 + _MOST_LOCAL_INDEXES) <= ITEM_BYTES:
        return True
    total = size
    for index in table.indexes.values():
        if index.kind == "lsi" and index.holds(item):
            total += size if index.projected is None else item_size(index.entry(item))
    return total <= ITEM_BYTES
