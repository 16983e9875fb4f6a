"""Prices the very requests that a store sends, from what is stored before and after each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pksk import Done, Engine, Sending
from pksk.capacity import Cost, check_cost, get_cost, query_cost, write_cost
from pksk.schema import Table
from tests.store.cost.world import Item, without_filter

__all__ = ["Sent"]


class Sent:
    """A hook that adds up what requests cost; those that are refused tell no units, and are counted."""

    def __init__(self, *tables: Table) -> None:
        self.engine: Engine
        self.tables = {table.name: table for table in tables}
        self.cost = Cost()
        self.requests = 0
        self.refused = 0

    def __call__(self, sending: Sending) -> Callable[[Done], None]:
        before = {place: self._item(*place) for place in self._places(sending.request)}

        def finish(done: Done) -> None:
            self.requests += 1
            self.refused += done.error is not None
            if done.error is None:
                self.cost = sum(self._prices(sending, before), self.cost)

        return finish

    def _prices(self, sending: Sending, before: Mapping[Any, Item | None]) -> Iterator[Cost]:
        operation, request = sending.operation, sending.request
        if operation in ("Query", "Scan"):
            yield self._page(operation, request)
        elif operation in ("GetItem", "BatchGetItem", "TransactGetItems"):
            yield from self._gets(operation, request)
        else:
            transactional = operation == "TransactWriteItems"
            checks = {place for name, place in self._members(request) if name == "ConditionCheck"}
            for place, item in before.items():
                table = self.tables[place[0]]
                after = self._item(*place)
                if place in checks:
                    yield check_cost(table, item)
                else:
                    yield write_cost(table, item, after, transactional=transactional)

    def _gets(self, operation: str, request: Mapping[str, Any]) -> Iterator[Cost]:
        options = {"consistent": bool(request.get("ConsistentRead"))}
        for name, key in self._places(request):
            if operation == "BatchGetItem":
                options = {"consistent": bool(request["RequestItems"][name].get("ConsistentRead"))}
            if operation == "TransactGetItems":
                options = {"transactional": True}
            yield get_cost(self.tables[name], self._item(name, key), **options)

    def _page(self, operation: str, request: Mapping[str, Any]) -> Cost:
        table = self.tables[request["TableName"]]
        kept = without_filter(request) | ({"Limit": request["Limit"]} if "Limit" in request else {})
        rows = self.engine.call(operation, kept)["Items"]
        keys = [_text({name: row[name] for name in table.key_attributes}) for row in rows]
        items = [item for key in keys if (item := self._item(table.name, key)) is not None]
        consistent, fetch = bool(request.get("ConsistentRead")), request.get("Select") == "ALL_ATTRIBUTES"
        return query_cost(table, request.get("IndexName"), items, consistent=consistent, fetch=fetch)

    def _places(self, request: Mapping[str, Any]) -> list[tuple[str, str]]:
        return [place for _, place in self._members(request)]

    def _members(self, request: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
        """The tables and keys of all items that a request names, each with what is done to it."""
        if "TransactItems" in request:
            members = [next(iter(each.items())) for each in request["TransactItems"]]
        elif "RequestItems" in request:
            members = list(_of_batch(request["RequestItems"]))
        else:
            members = [("", request)] if "Key" in request or "Item" in request else []
        for name, member in members:
            table = self.tables[member["TableName"]]
            whole = member.get("Key") or member["Item"]
            yield name, (table.name, _text({part: whole[part] for part in table.key_attributes}))

    def _item(self, table: str, key: str) -> Item | None:
        found: Item | None = self.engine.call(
            "GetItem", {"TableName": table, "Key": dict(_KEYS[key]), "ConsistentRead": True}
        ).get("Item")
        return found


def _of_batch(tables: Mapping[str, Any]) -> Iterator[tuple[str, Item]]:
    for name, some in tables.items():
        for each in some["Keys"] if isinstance(some, Mapping) else some:
            inner = {"Key": each} if isinstance(some, Mapping) else next(iter(each.values()))
            yield "", {"TableName": name, **inner}


# Keys by their texts, since a key itself is no key of a dict.
_KEYS: dict[str, Item] = {}


def _text(key: Item) -> str:
    text = repr(sorted(key.items()))
    _KEYS[text] = key
    return text
