"""Fills a new index from the items that its table has."""

from __future__ import annotations

import orjson

from pksk.engine.layout import Rows
from pksk.engine.storage import Writer
from pksk.values.size import item_size

__all__ = ["backfill"]


def backfill(writer: Writer, table: Rows, index: Rows, *, with_vectors: bool = False) -> None:
    """Write the index row of every item that fits the index's keys; others are left out, as on AWS.

    Items with vectors are billed as less than what an entry of them is.
    """
    for row in writer.rows(table.space, b"", None):
        item = orjson.loads(row.data)
        if index.holds(item):
            if with_vectors:
                row = row._replace(size=item_size(item))  # noqa: PLW2901
            writer.put(index.space, *index.row(item, row))
