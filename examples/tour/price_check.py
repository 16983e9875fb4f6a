"""Prices every request that a store sends, from the items before and after it.

It does not use the consumed capacity, so that the two figures can be compared. It reads items directly from the
client, so there must be no concurrent writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import Lock
from typing import Any, TypeAlias

from pksk import Client, RequestFinished, RequestStarted, Table
from pksk.capacity import Cost, check_cost, get_cost, query_cost, write_cost
from pksk.partitions import new_partitions, segment
from pksk.review.measuring.request_lines import request_lines

Item: TypeAlias = dict[str, Any]
# A table, and the name, type and value of each key attribute.
ItemKey: TypeAlias = tuple[str, tuple[tuple[str, str, Any], ...]]

_PAGES = ("Query", "Scan")
_GETS = ("GetItem", "BatchGetItem", "TransactGetItems")
_UNPRICED = (
    "HandleChanges",
    "CreateTable",
    "DescribeTable",
    "UpdateTable",
    "ListTables",
    "UpdateTimeToLive",
    "DescribeTimeToLive",
)
_FILTERS = ("FilterExpression", "ProjectionExpression", "Select", "ReturnConsumedCapacity")
_BATCH = 100


class PriceCheck:
    """A hook for `connect` that prices requests while it is `enabled`, and keeps them as lines of text.

    A request that fails reports no capacity, so its price is nothing.
    """

    def __init__(self, *tables: Table, enabled: bool = False) -> None:
        self.client: Client
        self.tables = {table.name: table for table in tables}
        self.enabled = enabled
        self._lock = Lock()
        self.clear()

    def clear(self) -> None:
        """Forget all requests so far."""
        self.cost = Cost()
        self.requests = self.failures = 0
        self.lines: list[str] = []
        self.patterns: set[str] = set()

    def __call__(self, sending: RequestStarted) -> Callable[[RequestFinished], None] | None:
        """Called by the store for each request."""
        if not self.enabled or sending.operation in _UNPRICED or not self._is_ours(sending):
            return None
        before = {key: self._item(key) for key in self._keys(sending.parameters)}

        def finish(finished: RequestFinished) -> None:
            cost = Cost() if finished.error else sum(self._prices(sending, before), Cost())
            attributes = {name: table.key_attributes for name, table in self.tables.items()}
            with self._lock:
                self.cost += cost
                self.requests += 1
                self.failures += finished.error is not None
                self.lines += request_lines(sending.operation, sending.parameters, attributes)
                self.patterns |= {sending.pattern} if sending.pattern else set()

        return finish

    def _is_ours(self, sending: RequestStarted) -> bool:
        """Whether a request is to the tables of the design; consumers of changes have one of their own."""
        return bool(sending.tables) and self.tables.keys() >= set(sending.tables)

    def consumed(self, cost: Cost) -> Cost:
        """The part of a cost that the tables of the design have."""
        return Cost(charge for charge in cost.charges if charge.table in self.tables)

    def _prices(self, sending: RequestStarted, before: Mapping[ItemKey, Item | None]) -> Iterator[Cost]:
        operation, request = sending.operation, sending.parameters
        if operation in _PAGES:
            yield self._page(operation, request)
        elif operation in _GETS:
            yield from self._gets(operation, request)
        else:
            yield from self._writes(operation, request, before)

    def _writes(
        self, operation: str, request: Mapping[str, Any], before: Mapping[ItemKey, Item | None]
    ) -> Iterator[Cost]:
        checks = {key for name, key in self._members(request) if name == "ConditionCheck"}
        for key, item in before.items():
            table = self.tables[key[0]]
            if key in checks:
                yield check_cost(table, item)
            else:
                transactional = operation == "TransactWriteItems"
                yield write_cost(table, item, self._item(key), transactional=transactional)

    def _gets(self, operation: str, request: Mapping[str, Any]) -> Iterator[Cost]:
        for key in self._keys(request):
            inner = request["RequestItems"][key[0]] if operation == "BatchGetItem" else request
            yield get_cost(
                self.tables[key[0]],
                self._item(key),
                consistent=bool(inner.get("ConsistentRead")),
                transactional=operation == "TransactGetItems",
            )

    def _page(self, operation: str, request: Mapping[str, Any]) -> Cost:
        """A page of a query or scan costs all items that it reads, whatever it filters or projects."""
        table, index = self.tables[request["TableName"]], request.get("IndexName")
        answer = self.client.call(operation, unfiltered(request))
        items = answer["Items"] if index is None else self._full_items(table, answer["Items"])
        options = {
            "consistent": bool(request.get("ConsistentRead")),
            "fetch": request.get("Select") == "ALL_ATTRIBUTES",
        }
        whole = query_cost(table, index, items, **options)
        if operation == "Query":
            return whole
        scanned = segment(request.get("Segment", 0), request.get("TotalSegments", 1))
        partitions = new_partitions(table, index).count(*scanned)
        is_only_page = "ExclusiveStartKey" not in request and "LastEvaluatedKey" not in answer
        cost = query_cost(table, index, items, partitions=partitions, **options)
        # Of several pages, each reads some of the partitions; which ones depends on the service's hash.
        return Cost(cost.charges, at_most=cost != whole and not is_only_page)

    def _full_items(self, table: Table, entries: Iterable[Item]) -> list[Item]:
        """The items of the table behind index entries, which may have only some of the attributes."""
        keys = [{name: entry[name] for name in table.key_attributes} for entry in entries]
        items: list[Item] = []
        for start in range(0, len(keys), _BATCH):
            requested: Any = {table.name: {"Keys": keys[start : start + _BATCH], "ConsistentRead": True}}
            while requested:
                answer = self.client.call("BatchGetItem", {"RequestItems": requested})
                items += answer["Responses"].get(table.name, [])
                requested = answer.get("UnprocessedKeys")
        return items

    def _keys(self, request: Mapping[str, Any]) -> list[ItemKey]:
        return [key for _, key in self._members(request)]

    def _members(self, request: Mapping[str, Any]) -> Iterator[tuple[str, ItemKey]]:
        """The keys of all items that a request names, each with the operation on it."""
        for name, member in _members_of(request):
            table = self.tables[member["TableName"]]
            attributes = member.get("Key") or member["Item"]
            yield (
                name,
                (table.name, tuple(_key_part(part, attributes[part]) for part in table.key_attributes)),
            )

    def _item(self, item_key: ItemKey) -> Item | None:
        table, parts = item_key
        key = {name: {kind: value} for name, kind, value in parts}
        answer = self.client.call("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True})
        item: Item | None = answer.get("Item")
        return item


def _key_part(name: str, value: Mapping[str, Any]) -> tuple[str, str, Any]:
    ((kind, inner),) = value.items()
    return name, kind, inner


def _members_of(request: Mapping[str, Any]) -> Iterator[tuple[str, Item]]:
    if "TransactItems" in request:
        for each in request["TransactItems"]:
            yield from each.items()
    elif "RequestItems" in request:
        for table, members in request["RequestItems"].items():
            is_get = isinstance(members, Mapping)
            for each in members["Keys"] if is_get else members:
                inner = {"Key": each} if is_get else next(iter(each.values()))
                yield "", {"TableName": table, **inner}
    elif "Key" in request or "Item" in request:
        yield "", dict(request)


def unfiltered(request: Mapping[str, Any]) -> Item:
    """The same query or scan without filter and projection, and without the names and values that only these use."""
    remaining = {name: value for name, value in request.items() if name not in _FILTERS}
    text = remaining.get("KeyConditionExpression", "")
    words = set(text.replace("(", " ").replace(")", " ").replace(",", " ").split())
    for member in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
        used = {name: value for name, value in remaining.pop(member, {}).items() if name in words}
        remaining |= {member: used} if used else {}
    return remaining
