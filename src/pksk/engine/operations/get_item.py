"""GetItem: reads one item by its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.capacity.units import read_units
from pksk.engine.consumed import consumed
from pksk.engine.core import Answer, Core
from pksk.engine.expressions import GET_ITEM
from pksk.engine.reading import returned
from pksk.engine.values import check_item
from pksk.engine.writes.in_turn import read_in_turn
from pksk.engine.writes.keys import lookup_key
from pksk.engine.writes.write import WireItem

__all__ = ["get_item"]


def get_item(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a GetItem request."""
    expressions, key = read_in_turn(request, GET_ITEM, _key)
    table = core.catalogue.table(request["TableName"])
    row = core.storage.get(table.rows.space, lookup_key(table, key))
    answer: Answer = {}
    if row is not None:
        answer["Item"] = returned(expressions.projection, row)
    wanted = request.get("ReturnConsumedCapacity")
    if wanted is not None and wanted != "NONE":
        units = read_units(0 if row is None else row.size, consistent=request.get("ConsistentRead", False))
        answer["ConsumedCapacity"] = consumed(wanted, table, units, named=request["TableName"])
    return answer


def _key(request: Mapping[str, Any]) -> WireItem:
    return check_item(request["Key"])[0]
