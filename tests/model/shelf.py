"""A table as a plain list, queried by the requests themselves: the model that plans are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pksk.expressions import evaluate, parse_condition, parse_key_condition
from pksk.model.plan import Plan
from pksk.schema import Table
from pksk.values import WireItem, sortable_wire


class Shelf:
    """Items, and the answer to a Query request over them."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.items: list[WireItem] = []

    def put(self, item: WireItem) -> None:
        keys = self.table.key_attributes
        self.items = [each for each in self.items if any(each[k] != item[k] for k in keys)] + [item]

    def query(self, request: dict[str, Any]) -> Iterator[WireItem]:
        index = self.table.index(request.get("IndexName"))
        names = request.get("ExpressionAttributeNames", {})
        values = request.get("ExpressionAttributeValues", {})
        wanted = parse_key_condition(request["KeyConditionExpression"], names, values)
        inside = [item for item in self.items if all(key in item for key in (*index.partition, *index.sort))]
        found = [item for item in inside if evaluate(wanted, item)]
        found.sort(
            key=lambda item: [sortable_wire(item[key]) for key in index.sort],
            reverse=request.get("ScanIndexForward") is False,
        )
        if "FilterExpression" in request:
            left = parse_condition(request["FilterExpression"], names, values)
            found = [item for item in found if evaluate(left, item)]
        yield from found

    def answer(self, plan: Plan) -> list[WireItem]:
        return [item for request in plan.requests for item in self.query(request)]
