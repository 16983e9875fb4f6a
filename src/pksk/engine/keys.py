"""Keys in requests and items, held against a table's schema; as bytes once they are right."""

from __future__ import annotations

from pksk.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from pksk.values import WireItem
from pksk.values.order import sortable_wire

from .faults import ServiceError, validation
from .layout import Rows, terminated
from .tables.table import Table
from .texts import items as texts

__all__ = ["EmptyKey", "lookup_key", "put_key"]


class EmptyKey(ServiceError):
    """A key of the table or of an index with an empty text or binary: transactions refuse it before all else."""

    def __init__(self, message: str) -> None:
        super().__init__("ValidationException", message)


def lookup_key(table: Table, key: WireItem) -> bytes:
    """The row key that a request's Key stands for."""
    rows = table.rows
    if len(key) != len(rows.keys):
        raise validation(texts.KEY_MISMATCH)
    for attribute in rows.keys:
        value = key.get(attribute.name)
        if value is None or attribute.type not in value:
            raise validation(texts.KEY_MISMATCH)
        if not value[attribute.type]:
            raise EmptyKey(texts.empty_key(attribute.name, attribute.type))
    return _row_key(rows, key)


def put_key(table: Table, item: WireItem) -> bytes:
    """The row key of an item that is put."""
    rows = table.rows
    for attribute in rows.keys:
        value = item.get(attribute.name)
        if value is None:
            raise validation(texts.missing_key(attribute.name))
        if attribute.type not in value:
            raise validation(texts.key_type(attribute.name, attribute.type, next(iter(value))))
        if not value[attribute.type]:
            raise EmptyKey(texts.empty_key(attribute.name, attribute.type))
    return _row_key(rows, item)


def _row_key(rows: Rows, item: WireItem) -> bytes:
    """The row key, from values that were checked for type; its sizes are checked on the way."""
    partition, sort = rows.partition[0].name, rows.sort
    key = sortable_wire(item[partition])
    if len(key) > PARTITION_KEY_BYTES:
        raise validation(texts.partition_key_too_long(PARTITION_KEY_BYTES))
    found = rows.placed(((rows.partition[0].type, key),))
    if sort:
        raw = sortable_wire(item[sort[0].name])
        if len(raw) > SORT_KEY_BYTES:
            raise validation(texts.sort_key_too_long(SORT_KEY_BYTES))
        found += terminated(raw)
    return found
