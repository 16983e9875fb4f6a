"""An audit: prices every request that a store sends, from what is stored before and after it.

It asks nobody what was consumed, so that the two figures can be held to each other. It reads items past the store,
and nobody else may write meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import Lock
from typing import Any, TypeAlias

from pksk import Client, RequestFinished, RequestStarted, Table
from pksk.capacity import Cost, check_cost, get_cost, query_cost, write_cost

from .lines import lines_of

__all__ = ["Audit", "looked_at"]

Item: TypeAlias = dict[str, Any]
Place: TypeAlias = tuple[str, tuple[tuple[str, str, Any], ...]]

_PAGES = ("Query", "Scan")
_GETS = ("GetItem", "BatchGetItem", "TransactGetItems")
_TABLES = (
    "CreateTable",
    "DescribeTable",
    "UpdateTable",
    "ListTables",
    "UpdateTimeToLive",
    "DescribeTimeToLive",
)
_NOT_LOOKED_AT = ("FilterExpression", "ProjectionExpression", "Select", "ReturnConsumedCapacity")
_BATCH = 100


class Audit:
    """A hook for `connect` that adds up what requests cost while it is `on`, and keeps them as lines.

    Requests that are refused tell no units, so they are priced at none.
    """

    def __init__(self, *tables: Table, on: bool = False) -> None:
        self.client: Client
        self.tables = {table.name: table for table in tables}
        self.on = on
        self._lock = Lock()
        self.clear()

    def clear(self) -> None:
        """Forget what was sent up to now."""
        self.cost = Cost()
        self.requests = 0
        self.refused = 0
        self.sent: list[str] = []
        self.patterns: set[str] = set()

    def __call__(self, sending: RequestStarted) -> Callable[[RequestFinished], None] | None:
        """Told by the store of each request."""
        if not self.on or sending.operation in _TABLES:
            return None
        before = {place: self._item(place) for place in self._places(sending.request)}

        def finish(done: RequestFinished) -> None:
            cost = Cost() if done.error else sum(self._prices(sending, before), Cost())
            keys = {name: table.key_attributes for name, table in self.tables.items()}
            with self._lock:
                self.requests += 1
                self.refused += done.error is not None
                self.cost += cost
                self.sent += lines_of(sending.operation, sending.request, keys)
                self.patterns |= {sending.pattern} if sending.pattern else set()

        return finish

    def _prices(self, sending: RequestStarted, before: Mapping[Place, Item | None]) -> Iterator[Cost]:
        operation, request = sending.operation, sending.request
        if operation in _PAGES:
            yield self._page(operation, request)
        elif operation in _GETS:
            yield from self._gets(operation, request)
        else:
            yield from self._writes(operation, request, before)

    def _writes(
        self, operation: str, request: Mapping[str, Any], before: Mapping[Place, Item | None]
    ) -> Iterator[Cost]:
        checks = {place for name, place in self._members(request) if name == "ConditionCheck"}
        for place, item in before.items():
            table = self.tables[place[0]]
            if place in checks:
                yield check_cost(table, item)
            else:
                transactional = operation == "TransactWriteItems"
                yield write_cost(table, item, self._item(place), transactional=transactional)

    def _gets(self, operation: str, request: Mapping[str, Any]) -> Iterator[Cost]:
        for place in self._places(request):
            inner = request["RequestItems"][place[0]] if operation == "BatchGetItem" else request
            yield get_cost(
                self.tables[place[0]],
                self._item(place),
                consistent=bool(inner.get("ConsistentRead")),
                transactional=operation == "TransactGetItems",
            )

    def _page(self, operation: str, request: Mapping[str, Any]) -> Cost:
        """A page of a query or scan: of all that it looks at, whatever it filters or projects."""
        table, index = self.tables[request["TableName"]], request.get("IndexName")
        rows = self.client.call(operation, looked_at(request))["Items"]
        if index is not None:
            rows = self._whole(table, rows)
        consistent, fetch = bool(request.get("ConsistentRead")), request.get("Select") == "ALL_ATTRIBUTES"
        return query_cost(table, index, rows, consistent=consistent, fetch=fetch)

    def _whole(self, table: Table, rows: Iterable[Item]) -> list[Item]:
        """The items of the table behind the rows of an index, which may have a part of them."""
        keys = [{name: row[name] for name in table.key_attributes} for row in rows]
        found: list[Item] = []
        for start in range(0, len(keys), _BATCH):
            wanted: Any = {table.name: {"Keys": keys[start : start + _BATCH], "ConsistentRead": True}}
            while wanted:
                answer = self.client.call("BatchGetItem", {"RequestItems": wanted})
                found += answer["Responses"].get(table.name, [])
                wanted = answer.get("UnprocessedKeys")
        return found

    def _places(self, request: Mapping[str, Any]) -> list[Place]:
        return [place for _, place in self._members(request)]

    def _members(self, request: Mapping[str, Any]) -> Iterator[tuple[str, Place]]:
        """The places of all items that a request names, each with what is done to it."""
        for name, member in _inner(request):
            table = self.tables[member["TableName"]]
            whole = member.get("Key") or member["Item"]
            yield name, (table.name, tuple(_part(part, whole[part]) for part in table.key_attributes))

    def _item(self, place: Place) -> Item | None:
        table, parts = place
        key = {name: {kind: value} for name, kind, value in parts}
        answer = self.client.call("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True})
        found: Item | None = answer.get("Item")
        return found


def _part(name: str, value: Mapping[str, Any]) -> tuple[str, str, Any]:
    ((kind, inner),) = value.items()
    return name, kind, inner


def _inner(request: Mapping[str, Any]) -> Iterator[tuple[str, Item]]:
    if "TransactItems" in request:
        for each in request["TransactItems"]:
            yield from each.items()
    elif "RequestItems" in request:
        for table, some in request["RequestItems"].items():
            for each in some["Keys"] if isinstance(some, Mapping) else some:
                inner = {"Key": each} if isinstance(some, Mapping) else next(iter(each.values()))
                yield "", {"TableName": table, **inner}
    elif "Key" in request or "Item" in request:
        yield "", dict(request)


def looked_at(request: Mapping[str, Any]) -> Item:
    """A request for all rows that another one looks at; without the names and values that only its filter has."""
    kept = {name: value for name, value in request.items() if name not in _NOT_LOOKED_AT}
    text = kept.get("KeyConditionExpression", "")
    words = set(text.replace("(", " ").replace(")", " ").replace(",", " ").split())
    for member in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
        used = {name: value for name, value in kept.pop(member, {}).items() if name in words}
        kept |= {member: used} if used else {}
    return kept
