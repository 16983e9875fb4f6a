"""Reads tables without the store, and checks that every key follows from the fields."""

from __future__ import annotations

from typing import Any

from pksk import Put, Table
from pksk.model.entity_of_item import is_item_of
from tests.store.doors import Door

__all__ = ["assert_keys_right", "items_of", "stored"]


def items_of(door: Door, table: Table) -> list[dict[str, Any]]:
    """All items of a table."""
    found: list[dict[str, Any]] = []
    start: dict[str, Any] = {}
    while True:
        answer = door.call("Scan", {"TableName": table.name, "ConsistentRead": True, **start})
        found += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return found
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def stored(door: Door, table: Table, *keys: str) -> dict[str, Any]:
    """The item under a key of texts; empty where there is none."""
    key = {name: {"S": text} for name, text in zip(table.key_attributes, keys, strict=True)}
    item: dict[str, Any] = door.call(
        "GetItem", {"TableName": table.name, "Key": key, "ConsistentRead": True}
    ).get("Item", {})
    return item


def assert_keys_right(door: Door, table: Table) -> None:
    """Every key attribute of every item is what its fields make of it, in every index."""
    names = {name for index in (table.primary, *table.indexes) for name in (*index.partition, *index.sort)}
    for item in items_of(door, table):
        owner = next((each for each in table.entities if is_item_of(each, item)), None)
        if owner is None:
            continue  # a guard of a unique value
        derived = Put(owner.from_item(item)).item

        assert {name: item.get(name) for name in names} == {name: derived.get(name) for name in names}
