"""Items that vector indexes cannot hold as they should: refused, not left out."""

from __future__ import annotations

from collections.abc import Mapping

from pksk.engine.faults import validation
from pksk.engine.keys import EmptyKey
from pksk.engine.layout import KeyAttribute
from pksk.engine.texts import items as item_texts
from pksk.engine.texts import vectors as texts
from pksk.limits import PARTITION_KEY_BYTES
from pksk.values import Wire, WireItem
from pksk.values.size import value_size

from .floats import packed
from .vector_index import VectorIndex

__all__ = ["check_vectors"]


def check_vectors(indexes: Mapping[str, VectorIndex], item: WireItem, before: WireItem | None = None) -> None:
    """Refuse an item with a value that an index cannot take; only of what is not as `before`, if that is given.

    Of several indexes, the first by the alphabet is named.
    """
    unchanged = before or {}
    for _, index in sorted(indexes.items()):
        value = item.get(index.attribute)
        if value is not None and value != unchanged.get(index.attribute):
            _check_vector(index, value)
        for attribute in index.searched:
            value = item.get(attribute.name)
            if value is not None and value != unchanged.get(attribute.name):
                _check_searched(index, attribute, value)


def _check_vector(index: VectorIndex, value: Wire) -> None:
    name = index.attribute
    if "L" not in value:
        raise validation(texts.wrong_type(name, "L", next(iter(value)), index.name))
    numbers = value["L"]
    if len(numbers) != index.dimensions:
        raise validation(texts.wrong_size(name, index.dimensions, len(numbers), index.name))
    for place, number in enumerate(numbers):
        if "N" not in number:
            raise validation(texts.wrong_type(f"{name}[{place}]", "N", next(iter(number)), index.name))
    if packed(numbers) is None:
        raise validation(texts.out_of_range(name, index.name))


def _check_searched(index: VectorIndex, attribute: KeyAttribute, value: Wire) -> None:
    name, kind = attribute.name, attribute.type
    if kind not in value:
        raise validation(item_texts.index_key_type(name, kind, next(iter(value)), index.name))
    if attribute is not index.hash:
        return
    if not value[kind]:
        raise EmptyKey(item_texts.empty_index_key(name, kind, index.name))
    size = value_size(value)
    if size > PARTITION_KEY_BYTES:
        raise validation(item_texts.index_key_size(name, size, PARTITION_KEY_BYTES, index.name))
