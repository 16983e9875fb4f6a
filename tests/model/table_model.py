"""A table as a plain list, queried by the requests themselves: the model that plans are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pksk.expressions import evaluate, parse_condition, parse_key_condition
from pksk.model.entity_of_item import is_item_of
from pksk.model.planning import Plan
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
            held = [{name: item[name] for name in item if index.projects(name)} for item in found]
            found = [item for item, entry in zip(found, held, strict=True) if evaluate(left, entry)]
        yield from found

    def answer(self, plan: Plan) -> list[WireItem]:
        """What a store returns: the rows in order, of the entities in the query, whole if the plan promises it."""
        if plan.branches:
            return [item for branch in plan.branches for item in self.answer(branch)]
        requests = iter(plan.requests)
        found = [
            item
            for size in plan.group_sizes
            for item in self.merged([next(requests, None) for _ in range(size)])
        ]
        if plan.reads_table:
            found = [self.whole(item) for item in found]
        if plan.has_foreign_items or len(plan.entities) > 1:
            found = [item for item in found if any(is_item_of(each.__pksk__, item) for each in plan.entities)]
        return found

    def merged(self, requests: list[dict[str, Any] | None]) -> list[WireItem]:
        """The rows of several requests in the order of their sort key."""
        sent = [request for request in requests if request is not None]
        found = [item for request in sent for item in self.rows(request)]
        if len(sent) > 1:
            index = self.table.index(sent[0].get("IndexName"))
            backwards = sent[0].get("ScanIndexForward") is False
            found.sort(key=lambda item: [sortable_wire(item[key]) for key in index.sort], reverse=backwards)
        return found

    def rows(self, request: dict[str, Any]) -> Iterator[WireItem]:
        """What one request returns, as its index holds it."""
        index = self.table.index(request.get("IndexName"))
        everything = request.get("Select") == "ALL_ATTRIBUTES"
        for item in self.query(request):
            yield {name: value for name, value in item.items() if everything or index.projects(name)}

    def whole(self, row: WireItem) -> WireItem:
        keys = self.table.key_attributes
        return next(item for item in self.items if all(item[key] == row[key] for key in keys))


def shelf_of(table: Table, *entities: Any) -> Shelf:
    made = Shelf(table)
    for each in entities:
        made.put(type(each).__pksk__.to_item(each))
    return made
