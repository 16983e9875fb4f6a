"""A put: an item that replaces the one with its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.expressions import Parameters, test
from pksk.engine.faults import validation
from pksk.engine.tables.table import Table
from pksk.engine.texts import items as texts
from pksk.engine.values import check_item
from pksk.limits import ITEM_BYTES

from .in_turn import check_return_values, read_in_turn
from .index_keys import check_index_keys
from .keys import put_key
from .size import fits_with_entries
from .write import WireItem, Write

__all__ = ["Put"]


class Put:
    """A put as a request says it, checked as far as it can be without its table."""

    __slots__ = ("_condition", "_size", "item")

    def __init__(self, request: Mapping[str, Any], parameters: Parameters) -> None:
        expressions, (self.item, self._size) = read_in_turn(request, parameters, _checked)
        self._condition = expressions.condition

    def on(self, table: Table) -> Write:
        """The write that this is in a table; refuses an item that does not fit its keys."""
        key = put_key(table, self.item)
        if table.indexes:
            check_index_keys(table, self.item)
            if not fits_with_entries(table, self.item, self._size):
                raise validation(texts.ITEM_TOO_LARGE)
        made = (self.item, self._size)
        condition = None if self._condition is None else test(self._condition)
        return Write(table, key, self.item, lambda _old: made, condition)


def _checked(request: Mapping[str, Any]) -> tuple[WireItem, int]:
    item, size = check_item(request["Item"])
    check_return_values(request)
    if size > ITEM_BYTES:
        raise validation(texts.ITEM_TOO_LARGE)
    return item, size
