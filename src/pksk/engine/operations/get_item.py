"""GetItem: reads one item by its key."""

from __future__ import annotations

from pksk.engine.core import Answer, Core, Request
from pksk.engine.expressions.parameters import GET_ITEM
from pksk.engine.expressions.read_expressions import read_with_check
from pksk.engine.items.consumed_capacity import consumed_capacity, wants_capacity
from pksk.engine.items.keys import lookup_key, read_key
from pksk.engine.items.page import returned_item


def get_item(core: Core, request: Request) -> Answer:
    """Answer a GetItem request."""
    expressions, (key_item, _) = read_with_check(request, GET_ITEM, read_key)
    table = core.catalogue.table(request["TableName"])
    key, consistent = lookup_key(table, key_item), request.get("ConsistentRead", False)
    row = core.storage.get(table.layout.space, key)
    units = core.meter.record_item_read(table, key, row, consistent=consistent)
    answer: Answer = {}
    if row is not None:
        answer["Item"] = returned_item(expressions.projection, row)
    if wants_capacity(request):
        answer["ConsumedCapacity"] = consumed_capacity(request, table, units)
    return answer
