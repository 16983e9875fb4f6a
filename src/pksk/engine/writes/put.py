"""A put: an item that replaces the one with its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.expressions import Parameters, read_expressions
from pksk.engine.faults import validation
from pksk.engine.keys import put_key
from pksk.engine.tables.table import Table
from pksk.engine.texts import items as texts
from pksk.engine.values import check_item
from pksk.limits import ITEM_BYTES

from .index_keys import check_index_keys
from .return_values import check_return_values
from .size import fits_with_entries
from .write import Write

__all__ = ["Put"]


class Put:
    """A put as a request says it, checked as far as it can be without its table."""

    __slots__ = ("_condition", "_size", "item")

    def __init__(self, request: Mapping[str, Any], parameters: Parameters) -> None:
        self._condition = read_expressions(request, parameters, self._check).condition

    def _check(self, request: Mapping[str, Any]) -> None:
        self.item, self._size = check_item(request["Item"])
        check_return_values(request)
        if self._size > ITEM_BYTES:
            raise validation(texts.ITEM_TOO_LARGE)

    def on(self, table: Table) -> Write:
        """The write that this is in a table; refuses an item that does not fit its keys."""
        key = put_key(table, self.item)
        if table.indexes:
            check_index_keys(table, self.item)
            if not fits_with_entries(table, self.item, self._size):
                raise validation(texts.ITEM_TOO_LARGE)
        made = (self.item, self._size)
        condition = None if self._condition is None else self._condition.test
        return Write(table, key, self.item, lambda _old: made, condition)
