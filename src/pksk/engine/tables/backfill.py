"""Fills a new index from the items that its table has."""

from __future__ import annotations

import orjson

from pksk.engine.layout import Rows
from pksk.engine.storage import Writer

__all__ = ["backfill"]


def backfill(writer: Writer, table: Rows, index: Rows) -> None:
    """Write the index row of every item that fits the index's keys; others are left out, as on AWS."""
    for row in writer.rows(table.space, b"", None):
        item = orjson.loads(row.data)
        if index.holds(item):
            writer.put(index.space, *index.row(item, row))
