"""One stored item: that it is one, in the form that is stored, and stands where its key says."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import orjson

from pksk.engine.faults import ServiceError
from pksk.engine.layout import Rows
from pksk.engine.request import read_request
from pksk.engine.storage import Row
from pksk.engine.values import check_item
from pksk.engine.vectors.billing import billed_size
from pksk.engine.vectors.vector_index import VectorIndex
from pksk.values import WireItem

from .report import Findings

__all__ = ["checked_item", "named", "sized_item"]

_LONGEST_NAME: Final = 120


def checked_item(
    findings: Findings, where: str, rows: Rows, row: Row, vectors: Collection[VectorIndex]
) -> tuple[WireItem | None, int]:
    """The item of a row, and the size that it is billed by; None where it is no item, which is told."""
    try:
        item, size = _read(rows, row)
    except ValueError as error:
        findings.problem(where, f"{named(rows, row)}: {error}")
        return None, 0
    billed = billed_size(vectors, item, size) if vectors else size
    if billed != row.size:
        told = f"its size is stored as {row.size}, and is {billed}."
        findings.problem(where, f"{named(rows, row)}: {told}")
    return item, billed


def _read(rows: Rows, row: Row) -> tuple[WireItem, int]:
    """The item of a row, and its size; raises ValueError with what is wrong with it."""
    item, size = sized_item(row.data)
    for attribute in rows.keys:
        value = item.get(attribute.name)
        if value is None or not rows.takes(attribute, value):
            raise ValueError(f"its key attribute {attribute.name} is missing, or cannot be a key.")
    if rows.own_key(item) != row.key:
        raise ValueError("it stands where another key belongs.")
    return item, size


def sized_item(data: bytes) -> tuple[WireItem, int]:
    """An item from its JSON, and its size; raises ValueError where it is none, or not as items are stored."""
    try:
        raw: Any = orjson.loads(data)
        read = read_request("PutItem", {"TableName": "any", "Item": raw})["Item"]
        item, size = check_item(read)
    except ServiceError as refused:
        raise ValueError(f"it is no item: {refused.message or refused.code}") from None
    except ValueError as error:
        raise ValueError(f"it is no JSON: {error}.") from None
    if item != raw:
        raise ValueError("its values are not in the form in which they are stored.")
    return item, size


def named(rows: Rows, row: Row) -> str:
    """An item as lines about it call it: by its key where that can be read."""
    try:
        item = orjson.loads(row.data)
        text = orjson.dumps({attribute.name: item[attribute.name] for attribute in rows.keys}).decode()
    except (ValueError, LookupError, TypeError):
        text = row.key.hex()
    return f"item {text[:_LONGEST_NAME]}"
