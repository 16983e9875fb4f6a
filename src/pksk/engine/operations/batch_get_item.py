"""BatchGetItem: reads up to 100 items of several tables by their keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from pksk.capacity.units import read_units
from pksk.engine.core import Answer, Core
from pksk.engine.expressions.parameters import GET_ITEM, Expressions
from pksk.engine.expressions.read_expressions import read_expressions
from pksk.engine.items.consumed_capacity import CapacityByTable
from pksk.engine.items.item_key import lookup_key
from pksk.engine.items.page import returned_item
from pksk.engine.request.attribute_values import check_item
from pksk.engine.service_errors import invalid_request, validation
from pksk.engine.state.table import Table
from pksk.engine.storage import Reader
from pksk.engine.texts import items as texts
from pksk.engine.texts.parameters import mixed_parameters
from pksk.limits import BATCH_BYTES, BATCH_GET_ITEMS

__all__ = ["batch_get_item"]


class _TableKeys:
    """The keys for one table, under the name or ARN that the request uses."""

    __slots__ = ("_keys", "consistent", "expressions", "name", "request", "rows", "table")

    def __init__(self, name: str, request: Mapping[str, Any]) -> None:
        self.name, self.request = name, request
        self.expressions: Expressions = read_expressions(request, GET_ITEM)
        self._keys = [check_item(key)[0] for key in request["Keys"]]
        self.consistent = request.get("ConsistentRead", False)
        if len({orjson.dumps(key, option=orjson.OPT_SORT_KEYS) for key in self._keys}) < len(self._keys):
            raise validation(texts.DUPLICATES)

    def find(self, core: Core) -> None:
        """Look up the table and check the keys."""
        self.table: Table = core.catalogue.table(self.name)
        self.rows = [lookup_key(self.table, key) for key in self._keys]


def _check_once(asked: list[_TableKeys]) -> None:
    """Raise for a key that is requested twice, by a table's name and by its ARN."""
    items = [(one.table.layout.space, key) for one in asked for key in one.rows]
    if len(set(items)) < len(items):
        raise validation(texts.DUPLICATES)


def batch_get_item(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a BatchGetItem request."""
    asked = _read(request["RequestItems"])
    for one in asked:
        one.find(core)
    _check_once(asked)
    answer: Answer = {"Responses": {}, "UnprocessedKeys": {}}
    spending = CapacityByTable()
    room = BATCH_BYTES
    with core.storage.reading() as reader:
        for one in asked:
            items, units, room, left = _read_items(core, reader, one, room)
            answer["Responses"][one.name] = items
            if left:
                answer["UnprocessedKeys"][one.name] = {**one.request, "Keys": left}
            spending.add(one.name, one.table, units)
    return answer | spending.response_members(request)


def _read(tables: Mapping[str, Any]) -> list[_TableKeys]:
    given = {parameter for one in tables.values() for parameter in one}
    if "ProjectionExpression" in given and "AttributesToGet" in given:
        raise invalid_request(mixed_parameters(["AttributesToGet"], ["ProjectionExpression"]))
    if sum(len(one["Keys"]) for one in tables.values()) > BATCH_GET_ITEMS:
        raise validation(texts.TOO_MANY_KEYS)
    return [_TableKeys(name, one) for name, one in tables.items()]


def _read_items(
    core: Core, reader: Reader, one: _TableKeys, room: int
) -> tuple[list[Any], float, int, list[Any]]:
    """The items of one table, their units, the bytes that are left, and the unprocessed keys."""
    items: list[Any] = []
    units = 0.0
    space, projection = one.table.layout.space, one.expressions.projection
    for place, key in enumerate(one.rows):
        row = reader.get(space, key)
        size = 0 if row is None else row.size
        if size > room:
            return items, units, 0, one.request["Keys"][place:]
        room -= size
        each = read_units(size, consistent=one.consistent)
        core.meter.record_item_read(one.table, key, each, size)
        units += each
        if row is not None:
            items.append(returned_item(projection, row))
    return items, units, room, []
