"""Checks keys of requests and items against a table and its indexes, and returns row keys."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from pksk.client import ServiceError
from pksk.engine.service_errors import EmptyKey
from pksk.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from pksk.values import Wire, WireItem
from pksk.values.order import sortable_wire
from pksk.values.size import value_size

from ..row_layout import RowLayout, terminate
from ..service_errors import validation
from ..state.table import Table
from ..texts import items as texts


def lookup_key(table: Table, key: WireItem) -> bytes:
    """The row key of a request's Key."""
    layout = table.layout
    if len(key) != len(layout.keys):
        raise validation(texts.KEY_MISMATCH)
    for attribute in layout.keys:
        value = key.get(attribute.name)
        if value is None or attribute.type not in value:
            raise validation(texts.KEY_MISMATCH)
        if not value[attribute.type]:
            raise EmptyKey(texts.empty_key(attribute.name, attribute.type))
    return _row_key(layout, key)


def put_key(table: Table, item: WireItem) -> bytes:
    """The row key of an item that is put."""
    layout = table.layout
    for attribute in layout.keys:
        value = item.get(attribute.name)
        if value is None:
            raise validation(texts.missing_key(attribute.name))
        if attribute.type not in value:
            raise validation(texts.key_type(attribute.name, attribute.type, next(iter(value))))
        if not value[attribute.type]:
            raise EmptyKey(texts.empty_key(attribute.name, attribute.type))
    return _row_key(layout, item)


def _row_key(layout: RowLayout, item: WireItem) -> bytes:
    """The row key of values whose types are checked. Their sizes are checked here."""
    partition, sort = layout.partition[0].name, layout.sort
    key = sortable_wire(item[partition])
    if len(key) > PARTITION_KEY_BYTES:
        raise validation(texts.partition_key_too_long(PARTITION_KEY_BYTES))
    row_key = layout.partition_prefix((key,))
    if sort:
        raw = sortable_wire(item[sort[0].name])
        if len(raw) > SORT_KEY_BYTES:
            raise validation(texts.sort_key_too_long(SORT_KEY_BYTES))
        row_key += terminate(raw)
    return row_key


class _InvalidIndexKey(NamedTuple):
    """A value that cannot be a key of an index."""

    index_name: str
    name: str
    type: str
    value: Wire
    longest: int


def check_index_keys(table: Table, item: WireItem, changed: Collection[str] | None = None) -> None:
    """Raise if an attribute has a value that cannot be its index key; `changed` limits the check to some attributes."""
    unfit = _first_invalid(table, item, changed)
    if unfit is not None:
        raise _index_key_error(unfit)


def check_updated_index_keys(table: Table, item: WireItem, changed: Collection[str]) -> None:
    """As `check_index_keys` for update expressions, with messages that name neither key nor index."""
    unfit = _first_invalid(table, item, changed)
    if unfit is None:
        return
    if unfit.type not in unfit.value:
        raise validation(texts.UPDATED_INDEX_KEY_TYPE)
    if not unfit.value[unfit.type]:
        raise EmptyKey(texts.updated_index_key_empty(unfit.type))
    raise validation(texts.UPDATED_INDEX_KEY_SIZE)


def _first_invalid(table: Table, item: WireItem, changed: Collection[str] | None) -> _InvalidIndexKey | None:
    """The first invalid value. DynamoDB names the index that comes first in alphabetical order."""
    first: _InvalidIndexKey | None = None
    for name, index in table.indexes.items():
        if first is not None and name > first.index_name:
            continue
        for attribute in index.keys:
            value = item.get(attribute.name)
            if value is None or (changed is not None and attribute.name not in changed):
                continue
            if not index.accepts(attribute, value):
                first = _InvalidIndexKey(
                    name, attribute.name, attribute.type, value, index.max_bytes(attribute)
                )
                break
    return first


def _index_key_error(unfit: _InvalidIndexKey) -> ServiceError:
    index, name, kind, value, longest = unfit
    if kind not in value:
        return validation(texts.index_key_type(name, kind, next(iter(value)), index))
    if not value[kind]:
        return EmptyKey(texts.empty_index_key(name, kind, index))
    return validation(texts.index_key_size(name, value_size(value), longest, index))
