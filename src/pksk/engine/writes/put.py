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
from pksk.values import WireItem

from .index_keys import check_index_keys
from .return_values import check_return_values
from .size import fits_with_entries
from .write import Condition, Write

__all__ = ["Put", "read_put"]


class Put:
    """A put of an item that was checked, as far as it can be without its table."""

    __slots__ = ("_condition", "_size", "item")

    def __init__(self, item: WireItem, size: int, condition: Condition | None) -> None:
        if size > ITEM_BYTES:
            raise validation(texts.ITEM_TOO_LARGE)
        self.item, self._size, self._condition = item, size, condition

    def on(self, table: Table) -> Write:
        """The write that this is in a table; refuses an item that does not fit its keys."""
        key = put_key(table, self.item)
        if table.indexes:
            check_index_keys(table, self.item)
            if not fits_with_entries(table, self.item, self._size):
                raise validation(texts.ITEM_TOO_LARGE)
        made = (self.item, self._size)
        return Write(table, key, self.item, lambda _old: made, self._condition)


def read_put(request: Mapping[str, Any], parameters: Parameters) -> Put:
    """The put that a request, or a member of one, says."""
    if parameters.members.isdisjoint(request):
        return Put(*_checked(request), None)
    asked = _Asked()
    condition = read_expressions(request, parameters, asked.check).condition
    return Put(asked.item, asked.size, None if condition is None else condition.test)


class _Asked:
    """What is read of a request between its placeholders and its expressions."""

    __slots__ = ("item", "size")

    def check(self, request: Mapping[str, Any]) -> None:
        self.item, self.size = _checked(request)
        if self.size > ITEM_BYTES:
            raise validation(texts.ITEM_TOO_LARGE)


def _checked(request: Mapping[str, Any]) -> tuple[WireItem, int]:
    found = check_item(request["Item"])
    check_return_values(request)
    return found
