"""A put: an item that replaces the item with the same key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.expressions.parameters import Parameters
from pksk.engine.expressions.read_expressions import read_with_check
from pksk.engine.items.item_key import put_key
from pksk.engine.request.attribute_values import check_item
from pksk.engine.service_errors import invalid_request, validation
from pksk.engine.state.table import Table
from pksk.engine.texts import items as texts
from pksk.limits import ITEM_BYTES
from pksk.schema.quotas import LSI_COUNT
from pksk.values import WireItem

from ..state.write import Condition, Write
from .item_key import check_index_keys


def fits_with_entries(table: Table, item: WireItem, size: int) -> bool:
    """Whether an item and its entries in all local indexes fit the item size limit.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items-size-
    secondary-indexes
    """
    if table.collection_space is None or size * (1 + LSI_COUNT) <= ITEM_BYTES:
        return True
    total = size
    for index in table.indexes.values():
        if index.kind == "lsi" and index.includes(item):
            total += index.entry_size(item, size)
    return total <= ITEM_BYTES


def check_return_values(request: Mapping[str, Any]) -> None:
    """Raise for ReturnValues that only UpdateItem supports."""
    if request.get("ReturnValues", "NONE") not in {"NONE", "ALL_OLD"}:
        raise invalid_request(texts.RETURN_VALUES)


class Put:
    """A put whose request is checked as far as possible without the table."""

    __slots__ = ("_condition", "_size", "item")

    def __init__(self, item: WireItem, size: int, condition: Condition | None) -> None:
        if size > ITEM_BYTES:
            raise validation(texts.ITEM_TOO_LARGE)
        self.item, self._size, self._condition = item, size, condition

    def write_to(self, table: Table) -> Write:
        """The write for a table; raises if the item does not match the table's keys."""
        key = put_key(table, self.item)
        if table.indexes:
            check_index_keys(table, self.item)
            if not fits_with_entries(table, self.item, self._size):
                raise validation(texts.ITEM_TOO_LARGE)
        made = (self.item, self._size)
        return Write(table, key, self.item, lambda _old: made, self._condition)


def read_put(request: Mapping[str, Any], parameters: Parameters) -> Put:
    """The put of a request, or of a member of one."""
    expressions, (item, size) = read_with_check(request, parameters, _check_request)
    condition = expressions.condition
    return Put(item, size, None if condition is None else condition.test)


def _check_request(request: Mapping[str, Any]) -> tuple[WireItem, int]:
    item, size = check_item(request["Item"])
    check_return_values(request)
    # DynamoDB checks the size before the expressions.
    if size > ITEM_BYTES:
        raise validation(texts.ITEM_TOO_LARGE)
    return item, size
