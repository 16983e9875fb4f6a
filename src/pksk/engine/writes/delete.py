"""A delete, and a condition check: both look for one item by its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.expressions import Parameters, read_expressions
from pksk.engine.keys import lookup_key
from pksk.engine.tables.table import Table
from pksk.engine.values import check_item

from .return_values import check_return_values
from .write import Write

__all__ = ["Check", "Delete"]


class Delete:
    """A delete as a request says it, checked as far as it can be without its table."""

    __slots__ = ("_condition", "_key")

    def __init__(self, request: Mapping[str, Any], parameters: Parameters) -> None:
        self._condition = read_expressions(request, parameters, self._check).condition

    def _check(self, request: Mapping[str, Any]) -> None:
        self._key, _ = check_item(request["Key"])
        check_return_values(request)

    def on(self, table: Table) -> Write:
        """The write that this is in a table; refuses a key that is not the table's."""
        key = lookup_key(table, self._key)
        condition = None if self._condition is None else self._condition.test
        return Write(table, key, self._key, lambda _old: (None, 0), condition)


class Check(Delete):
    """A condition check: the delete that deletes nothing."""

    __slots__ = ()

    def on(self, table: Table) -> Write:
        """The write that this is in a table, which changes nothing."""
        write = super().on(table)
        write.change = None
        return write
