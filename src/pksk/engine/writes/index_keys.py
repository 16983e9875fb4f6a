"""Attributes that are keys of indexes: an item with one that cannot be a key is refused, not left out."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from pksk.engine.faults import ServiceError, validation
from pksk.engine.keys import EmptyKey
from pksk.engine.tables.table import Table
from pksk.engine.texts import items as texts
from pksk.values import Wire, WireItem
from pksk.values.size import value_size

__all__ = ["check_index_keys", "check_updated_index_keys"]


class _Unfit(NamedTuple):
    """A value that cannot be the key of an index that it should be."""

    index_name: str
    name: str
    type: str
    value: Wire
    longest: int


def check_index_keys(table: Table, item: WireItem, changed: Collection[str] | None = None) -> None:
    """Refuse an item with a value that cannot be the index key that it is; only of what changed, where given."""
    unfit = _unfit(table, item, changed)
    if unfit is not None:
        raise _refusal(unfit)


def check_updated_index_keys(table: Table, item: WireItem, changed: Collection[str]) -> None:
    """Refuse what an update expression has made of index keys; the words name neither key nor index."""
    unfit = _unfit(table, item, changed)
    if unfit is None:
        return
    if unfit.type not in unfit.value:
        raise validation(texts.UPDATED_INDEX_KEY_TYPE)
    if not unfit.value[unfit.type]:
        raise EmptyKey(texts.updated_index_key_empty(unfit.type))
    raise validation(texts.UPDATED_INDEX_KEY_SIZE)


def _unfit(table: Table, item: WireItem, changed: Collection[str] | None) -> _Unfit | None:
    """The value that DynamoDB names: that of the first index by the alphabet."""
    first: _Unfit | None = None
    for name, index in table.indexes.items():
        if first is not None and name > first.index_name:
            continue
        for attribute in index.keys:
            value = item.get(attribute.name)
            if value is None or (changed is not None and attribute.name not in changed):
                continue
            if not index.takes(attribute, value):
                first = _Unfit(name, attribute.name, attribute.type, value, index.longest(attribute))
                break
    return first


def _refusal(unfit: _Unfit) -> ServiceError:
    index, name, kind, value, longest = unfit
    if kind not in value:
        return validation(texts.index_key_type(name, kind, next(iter(value)), index))
    if not value[kind]:
        return EmptyKey(texts.empty_index_key(name, kind, index))
    return validation(texts.index_key_size(name, value_size(value), longest, index))
