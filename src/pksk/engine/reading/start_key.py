"""ExclusiveStartKey: its values, its fit to the key of what is read, and the row after which a page begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from pksk.engine.faults import ServiceError, validation
from pksk.engine.layout import Rows
from pksk.engine.tables.table import Table
from pksk.engine.texts import items as item_texts
from pksk.engine.texts import reads as texts
from pksk.engine.values import check_item
from pksk.values import WireItem

from .key_range import KeyRange

__all__ = ["StartKey", "check_within", "read_start_key", "start_position"]

StartKey: TypeAlias = WireItem


def read_start_key(request: Mapping[str, Any]) -> StartKey | None:
    """The starting key of a request, its values normalised; refuses those that are none."""
    given = request.get("ExclusiveStartKey")
    if given is None:
        return None
    try:
        return check_item(given)[0]
    except ServiceError as error:
        if error.code != "ValidationException" or error.message is None:
            raise
        raise validation(texts.start_key_refused(error.message)) from None


def start_position(table: Table, rows: Rows, start: StartKey) -> bytes:
    """The row key that a starting key stands for; refuses one that is not of these rows."""
    attributes = {attribute.name: attribute for attribute in (*rows.keys, *rows.base)}
    if start.keys() != attributes.keys():
        raise validation(texts.START_KEY_INVALID)
    for name, attribute in attributes.items():
        value = start[name]
        if attribute.type not in value:
            raise validation(texts.START_KEY_INVALID)
        if not value[attribute.type]:
            raise validation(texts.start_key_refused(item_texts.empty_key(name, attribute.type)))
    position = rows.own_key(start)
    return position if rows.kind == "table" else position + table.rows.own_key(start)


def check_within(found: KeyRange, position: bytes) -> None:
    """Refuse a starting key that a query cannot have come by."""
    if not position.startswith(found.partition):
        raise validation(texts.START_KEY_OUTSIDE)
    if position < found.low or (found.high is not None and position >= found.high):
        raise validation(texts.PREDICATE_MISMATCH)
