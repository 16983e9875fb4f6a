"""Keys in requests and items, held against a table's schema; as bytes once they are right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pksk.engine.faults import ServiceError, validation
from pksk.engine.layout import KeyAttribute, Rows, terminated
from pksk.engine.tables.table import Table
from pksk.engine.texts import items as texts
from pksk.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from pksk.values.order import sortable_wire
from pksk.values.size import value_size

__all__ = ["EmptyKey", "check_index_keys", "lookup_key", "put_key"]

WireItem = Mapping[str, Mapping[str, Any]]


class EmptyKey(ServiceError):
    """A key of the table with an empty text or binary, which transactions refuse before all else."""

    def __init__(self, attribute: KeyAttribute) -> None:
        super().__init__("ValidationException", texts.empty_key(attribute.name, attribute.type))


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
            raise EmptyKey(attribute)
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
            raise EmptyKey(attribute)
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


def check_index_keys(table: Table, item: WireItem, changed: Iterable[str] | None = None) -> None:
    """Refuse an item whose attributes cannot be the index keys that they are; only the changed, where given."""
    for index in table.indexes.values():
        for attribute in index.keys:
            value = item.get(attribute.name)
            if value is None or (changed is not None and attribute.name not in changed):
                continue
            _check_index_key(index, attribute, value)


def _check_index_key(index: Rows, attribute: KeyAttribute, value: Mapping[str, Any]) -> None:
    name, kind = attribute.name, attribute.type
    index_name = index.name or ""
    if kind not in value:
        raise validation(texts.index_key_type(name, kind, next(iter(value)), index_name))
    if not value[kind]:
        raise validation(texts.empty_index_key(name, kind, index_name))
    size = value_size(value)
    if size > SORT_KEY_BYTES and attribute in index.sort:
        raise validation(texts.sort_key_too_long(SORT_KEY_BYTES))
    if size > PARTITION_KEY_BYTES:
        raise validation(texts.partition_key_too_long(PARTITION_KEY_BYTES))
