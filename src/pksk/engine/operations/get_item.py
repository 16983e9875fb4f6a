"""GetItem: reads one item by its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.capacity.units import read_units
from pksk.engine.core import Answer, Core
from pksk.engine.expressions.parameters import GET_ITEM
from pksk.engine.expressions.read_expressions import read_with_check
from pksk.engine.items.consumed_capacity import consumed_capacity, wants_capacity
from pksk.engine.items.item_key import lookup_key
from pksk.engine.items.page import returned_item
from pksk.engine.request.attribute_values import check_item
from pksk.values import WireItem


def get_item(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a GetItem request."""
    expressions, (key_item, _) = read_with_check(request, GET_ITEM, _check_key)
    table = core.catalogue.table(request["TableName"])
    key, consistent = lookup_key(table, key_item), request.get("ConsistentRead", False)
    row = core.storage.get(table.layout.space, key)
    size = 0 if row is None else row.size
    units = read_units(size, consistent=consistent)
    core.meter.record_item_read(table, key, units, size)
    answer: Answer = {}
    if row is not None:
        answer["Item"] = returned_item(expressions.projection, row)
    if wants_capacity(request):
        answer["ConsumedCapacity"] = consumed_capacity(request, table, units)
    return answer


def _check_key(request: Mapping[str, Any]) -> tuple[WireItem, int]:
    return check_item(request["Key"])
