"""A delete and a condition check: both find one item by its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.expressions.parameters import Parameters
from pksk.engine.expressions.read_expressions import read_with_check
from pksk.engine.items.item_key import lookup_key
from pksk.engine.request.attribute_values import check_item
from pksk.engine.state.table import Table
from pksk.values import WireItem

from ..state.write import Condition, Write
from .put import check_return_values


class Delete:
    """A delete whose request is checked as far as possible without the table."""

    __slots__ = ("_condition", "_key")

    def __init__(self, key: WireItem, condition: Condition | None) -> None:
        self._key, self._condition = key, condition

    def write_to(self, table: Table) -> Write:
        """The write for a table; raises if the key does not match the table's key schema."""
        key = lookup_key(table, self._key)
        return Write(table, key, self._key, lambda _old: (None, 0), self._condition)


class ConditionCheck(Delete):
    """A condition check: a delete that changes nothing."""

    __slots__ = ()

    def write_to(self, table: Table) -> Write:
        """The write for a table, without a change."""
        write = super().write_to(table)
        write.change = None
        return write


def read_delete(request: Mapping[str, Any], parameters: Parameters) -> Delete:
    """The delete of a request, or of a member of one."""
    return Delete(*_read_key_and_condition(request, parameters))


def read_condition_check(request: Mapping[str, Any], parameters: Parameters) -> ConditionCheck:
    """The condition check of a transaction member."""
    return ConditionCheck(*_read_key_and_condition(request, parameters))


def _read_key_and_condition(
    request: Mapping[str, Any], parameters: Parameters
) -> tuple[WireItem, Condition | None]:
    expressions, key = read_with_check(request, parameters, _check_request)
    condition = expressions.condition
    return key, None if condition is None else condition.test


def _check_request(request: Mapping[str, Any]) -> WireItem:
    key, _ = check_item(request["Key"])
    check_return_values(request)
    return key
