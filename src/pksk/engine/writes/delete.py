"""A delete, and a condition check: both look for one item by its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.expressions import Parameters, test
from pksk.engine.tables.table import Table
from pksk.engine.values import check_item

from .in_turn import check_return_values, read_in_turn
from .keys import lookup_key
from .write import WireItem, Write

__all__ = ["Check", "Delete"]


class Delete:
    """A delete as a request says it, checked as far as it can be without its table."""

    __slots__ = ("_condition", "_key")

    def __init__(self, request: Mapping[str, Any], parameters: Parameters) -> None:
        expressions, self._key = read_in_turn(request, parameters, _checked)
        self._condition = expressions.condition

    def on(self, table: Table) -> Write:
        """The write that this is in a table; refuses a key that is not the table's."""
        key = lookup_key(table, self._key)
        condition = None if self._condition is None else test(self._condition)
        return Write(table, key, self._key, lambda _old: (None, 0), condition)


class Check(Delete):
    """A condition check: the delete that deletes nothing."""

    __slots__ = ()

    def on(self, table: Table) -> Write:
        """The write that this is in a table, which changes nothing."""
        write = super().on(table)
        write.change = None
        return write


def _checked(request: Mapping[str, Any]) -> WireItem:
    key, _ = check_item(request["Key"])
    check_return_values(request)
    return key
