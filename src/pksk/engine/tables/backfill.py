"""Fills a new index from the items that its table has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from pksk.engine.layout import Rows
from pksk.engine.storage import Writer
from pksk.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from pksk.values.size import value_size

__all__ = ["backfill"]


def backfill(writer: Writer, table: Rows, index: Rows) -> None:
    """Write the index row of every item that fits the index's keys; others are left out, as on AWS."""
    for row in writer.rows(table.space, b"", None):
        item = orjson.loads(row.data)
        entry = index.row(row.key, item, (row.size, row.data))
        if entry is not None and _fits(index, item):
            writer.put(index.space, entry.key, entry.size, entry.data)


def _fits(index: Rows, item: Mapping[str, Any]) -> bool:
    """Whether the values of an index's key are short enough to be one."""
    if any(value_size(item[key.name]) > PARTITION_KEY_BYTES for key in index.partition):
        return False
    return sum(value_size(item[key.name]) for key in index.sort) <= SORT_KEY_BYTES
