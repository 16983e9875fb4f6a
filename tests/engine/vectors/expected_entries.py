"""Checks that an engine's vector entries follow from its items."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import orjson

from pksk.engine.state import Table
from pksk.engine.storage import Row
from pksk.values.size import item_size, value_size

__all__ = ["billed", "check_vector_rows"]

Item = dict[str, Any]
Shown = Mapping[str, Any]


def billed(description: Shown, item: Item) -> int:
    """The size that a table is billed by for an item: vectors count 4 bytes for each of their numbers."""
    size = item_size(item)
    attributes = {index["VectorAttribute"]["AttributeName"]: index for index in _active(description)}
    for name, index in attributes.items():
        if _floats(index, item) is not None:
            size += 4 * index["Dimensions"] - value_size(item[name])
    return size


def check_vector_rows(
    table: Table, description: Shown, items: list[Item], spaces: Mapping[int, list[Row]]
) -> None:
    """Assert that the rows of vector indexes are those of the items that fit."""
    for index in _active(description):
        expected = sorted(
            (entry for item in items if (entry := _entry(description, index, item)) is not None), key=repr
        )
        rows = spaces[table.vectors[index["IndexName"]].space]
        length = 4 * index["Dimensions"]
        found = sorted(((row.data[:length], orjson.loads(row.data[length:])) for row in rows), key=repr)
        assert found == expected
        name = index["VectorAttribute"]["AttributeName"]
        sizes = [length + len(name.encode()) + item_size(rest) for _, rest in expected]
        assert (index["ItemCount"], index["IndexSizeBytes"]) == (len(expected), sum(sizes))


def _active(description: Shown) -> list[Mapping[str, Any]]:
    return [index for index in description.get("VectorIndexes", ()) if index["IndexStatus"] != "DELETING"]


def _floats(index: Mapping[str, Any], item: Item) -> bytes | None:
    numbers = item.get(index["VectorAttribute"]["AttributeName"], {}).get("L", ())
    if len(numbers) != index["Dimensions"] or not all("N" in number for number in numbers):
        return None
    try:
        return b"".join(struct.pack("<f", float(number["N"])) for number in numbers)
    except OverflowError:
        return None


def _entry(description: Shown, index: Mapping[str, Any], item: Item) -> tuple[bytes, Item] | None:
    types = {each["AttributeName"]: each["AttributeType"] for each in description["AttributeDefinitions"]}
    named = {element["AttributeName"] for element in description["KeySchema"]}
    for element in index.get("SearchSchema", ()):
        name = element["AttributeName"]
        named.add(name)
        if name not in item and element["SearchSchemaElementType"] == "INLINE_FILTER":
            continue
        if types[name] not in item.get(name, {}):
            return None
    vector = _floats(index, item)
    if vector is None:
        return None
    named.update(index["Projection"].get("NonKeyAttributes", ()))
    everything = index["Projection"]["ProjectionType"] == "ALL"
    own = index["VectorAttribute"]["AttributeName"]
    rest = {name: value for name, value in item.items() if name != own and (everything or name in named)}
    return vector, rest
