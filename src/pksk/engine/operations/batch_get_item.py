"""BatchGetItem: reads up to 100 items of several tables by their keys."""

from __future__ import annotations

from typing import Any

import orjson

from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.expressions.parameters import GET_ITEM
from pksk.engine.expressions.read_expressions import read_expressions
from pksk.engine.items.consumed_capacity import CapacityByTable
from pksk.engine.items.keys import lookup_key
from pksk.engine.items.page import returned_item
from pksk.engine.request import check_item
from pksk.engine.service_errors import invalid_request, validation
from pksk.engine.storage import Reader
from pksk.limits import BATCH_BYTES, BATCH_GET_ITEMS


class _TableKeys:
    """The keys for one table, under the name or ARN that the request uses."""

    __slots__ = ("_keys", "consistent", "expressions", "name", "request", "rows", "table")

    def __init__(self, name: str, request: Request) -> None:
        self.name, self.request = name, request
        self.expressions = read_expressions(request, GET_ITEM)
        self._keys = [check_item(key)[0] for key in request["Keys"]]
        self.consistent = request.get("ConsistentRead", False)
        if len({orjson.dumps(key, option=orjson.OPT_SORT_KEYS) for key in self._keys}) < len(self._keys):
            raise validation(texts.DUPLICATES)

    def find(self, core: Core) -> None:
        """Look up the table and check the keys."""
        self.table = core.catalogue.table(self.name)
        self.rows = [lookup_key(self.table, key) for key in self._keys]


def _check_once(tables: list[_TableKeys]) -> None:
    """Raise for a key that is requested twice, by a table's name and by its ARN."""
    items = [(keys.table.layout.space, key) for keys in tables for key in keys.rows]
    if len(set(items)) < len(items):
        raise validation(texts.DUPLICATES)


def batch_get_item(core: Core, request: Request) -> Answer:
    """Answer a BatchGetItem request."""
    tables = _read(request["RequestItems"])
    for keys in tables:
        keys.find(core)
    _check_once(tables)
    answer: Answer = {"Responses": {}, "UnprocessedKeys": {}}
    capacity = CapacityByTable()
    bytes_left = BATCH_BYTES
    with core.storage.reading() as reader:
        for keys in tables:
            items, units, bytes_left, unprocessed = _read_items(core, reader, keys, bytes_left)
            answer["Responses"][keys.name] = items
            if unprocessed:
                answer["UnprocessedKeys"][keys.name] = {**keys.request, "Keys": unprocessed}
            capacity.add(keys.name, keys.table, units)
    return answer | capacity.response_members(request)


def _read(tables: Request) -> list[_TableKeys]:
    parameters = {parameter for keys in tables.values() for parameter in keys}
    if "ProjectionExpression" in parameters and "AttributesToGet" in parameters:
        raise invalid_request(texts.mixed_parameters(["AttributesToGet"], ["ProjectionExpression"]))
    if sum(len(keys["Keys"]) for keys in tables.values()) > BATCH_GET_ITEMS:
        raise validation("Too many items requested for the BatchGetItem call")
    return [_TableKeys(name, keys) for name, keys in tables.items()]


def _read_items(
    core: Core, reader: Reader, keys: _TableKeys, bytes_left: int
) -> tuple[list[Any], float, int, list[Any]]:
    """The items of one table, their units, the bytes that are left, and the unprocessed keys."""
    items: list[Any] = []
    units = 0.0
    space, projection = keys.table.layout.space, keys.expressions.projection
    for position, key in enumerate(keys.rows):
        row = reader.get(space, key)
        size = 0 if row is None else row.size
        if size > bytes_left:
            return items, units, 0, keys.request["Keys"][position:]
        bytes_left -= size
        units += core.meter.record_item_read(keys.table, key, row, consistent=keys.consistent)
        if row is not None:
            items.append(returned_item(projection, row))
    return items, units, bytes_left, []
