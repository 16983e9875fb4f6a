"""Checks that an engine's indexes, counters, collections and change records agree with its items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from pksk.engine import Engine
from pksk.engine.state import Table
from pksk.engine.storage import Row
from pksk.values.size import item_size

from .contents import stored
from .vectors.expected_entries import billed, check_vector_rows

__all__ = ["check_agreement", "scanned"]

Item = dict[str, Any]


def check_agreement(engine: Engine) -> None:
    """Assert that everything follows from the items, table by table."""
    for name in engine.call("ListTables", {})["TableNames"]:
        shown = engine.call("DescribeTable", {"TableName": name})["Table"]
        items = scanned(engine, name)
        assert _measured(shown, "TableSizeBytes") == (len(items), sum(billed(shown, item) for item in items))
        for index in _indexes(shown):
            expected = [entry for item in items if (entry := _entry(shown, index, item)) is not None]
            assert _sorted(scanned(engine, name, IndexName=index["IndexName"])) == _sorted(expected)
            assert _measured(index, "IndexSizeBytes") == _totals(expected)
        _check_stored(engine, engine._core.catalogue.table(name), shown, items)


def scanned(engine: Engine, table: str, **members: Any) -> list[Item]:
    """All items of a table or an index."""
    request = {"TableName": table, **members}
    items: list[Item] = []
    while True:
        page = engine.call("Scan", request)
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return items
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _indexes(shown: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        for index in shown.get(member, ()):
            if index.get("IndexStatus", "ACTIVE") == "ACTIVE":
                yield index


def _entry(shown: Mapping[str, Any], index: Mapping[str, Any], item: Item) -> Item | None:
    types = {each["AttributeName"]: each["AttributeType"] for each in shown["AttributeDefinitions"]}
    keys = [element["AttributeName"] for element in index["KeySchema"]]
    if not all(item.get(name, {}).get(types[name]) for name in keys):
        return None
    projection = index["Projection"]
    if projection["ProjectionType"] == "ALL":
        return item
    kept = {*keys, *projection.get("NonKeyAttributes", ())}
    kept.update(element["AttributeName"] for element in shown["KeySchema"])
    return {name: value for name, value in item.items() if name in kept}


def _check_stored(engine: Engine, table: Table, shown: Mapping[str, Any], items: list[Item]) -> None:
    _, spaces = stored(engine._core.storage)
    check_vector_rows(table, shown, items, spaces)
    if table.collection_space is not None:
        assert sorted(row.size for row in spaces[table.collection_space]) == _collections(shown, items)
    if table.change_space is not None and "NEW_" in str(table.stream_view):
        assert _sorted(_replayed(table, spaces[table.change_space])) == _sorted(items)


def _collections(shown: Mapping[str, Any], items: list[Item]) -> list[int]:
    """The sizes of all item collections: items with their entries in local indexes."""
    sizes: dict[str, int] = {}
    for item in items:
        entries = [_entry(shown, index, item) for index in shown["LocalSecondaryIndexes"]]
        partition = repr(item[shown["KeySchema"][0]["AttributeName"]])
        size = billed(shown, item) + sum(item_size(entry) for entry in entries if entry is not None)
        sizes[partition] = sizes.get(partition, 0) + size
    return sorted(sizes.values())


def _replayed(table: Table, rows: list[Row]) -> list[Item]:
    """The items that a stream leaves, which was there from the beginning and shows new images."""
    items: dict[str, Item] = {}
    for row in sorted(rows, key=lambda row: row.key[4:]):
        _, event, _, images = row.data.split(b" ", 3)
        change = orjson.loads(b"{%b}" % images)
        key = repr([change["Keys"][attribute.name] for attribute in table.layout.keys])
        old = items.pop(key, None)
        assert (old is None) == (event == b"INSERT")
        if table.stream_view == "NEW_AND_OLD_IMAGES":
            assert old == change.get("OldImage")
        if event != b"REMOVE":
            items[key] = change["NewImage"]
    return list(items.values())


def _measured(shown: Mapping[str, Any], size: str) -> tuple[int, int]:
    return shown["ItemCount"], shown[size]


def _totals(items: list[Item]) -> tuple[int, int]:
    return len(items), sum(map(item_size, items))


def _sorted(items: list[Item]) -> list[bytes]:
    return sorted(orjson.dumps(item, option=orjson.OPT_SORT_KEYS) for item in items)
