"""GetItem: reads one item by its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.capacity.units import read_units
from pksk.engine.core import Answer, Core
from pksk.engine.expressions import GET_ITEM, read_expressions
from pksk.engine.items.consumed_capacity import consumed_capacity, wants_capacity
from pksk.engine.items.item_key import lookup_key
from pksk.engine.items.page import returned_item
from pksk.engine.request.attribute_values import check_item
from pksk.expressions import Projection

__all__ = ["get_item"]


class _GetRequest:
    """A request, checked as far as it can be without its table."""

    __slots__ = ("key", "projection")

    def __init__(self, request: Mapping[str, Any]) -> None:
        self.projection: Projection | None = read_expressions(request, GET_ITEM, self._check).projection

    def _check(self, request: Mapping[str, Any]) -> None:
        self.key, _ = check_item(request["Key"])


def get_item(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a GetItem request."""
    asked = _GetRequest(request)
    table = core.catalogue.table(request["TableName"])
    key = lookup_key(table, asked.key)
    row = core.storage.get(table.layout.space, key)
    core.meter.record_get(table, key, row, consistent=request.get("ConsistentRead", False))
    answer: Answer = {}
    if row is not None:
        answer["Item"] = returned_item(asked.projection, row)
    if wants_capacity(request):
        units = read_units(0 if row is None else row.size, consistent=request.get("ConsistentRead", False))
        answer["ConsumedCapacity"] = consumed_capacity(request, table, units)
    return answer
