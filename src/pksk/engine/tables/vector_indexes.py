"""Vector indexes as tables declare them: checked against their table and each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pksk.engine.faults import validation
from pksk.engine.texts import indexes as texts
from pksk.schema.quotas import VECTOR_DIMENSIONS, VECTOR_FILTERS, VECTOR_INDEX_COUNT

from .billing import ON_DEMAND
from .projection import check_projection
from .record import key_names

__all__ = ["check_vector_indexes", "search_names"]


def check_vector_indexes(
    mode: str, indexes: Sequence[Mapping[str, Any]], defined: Iterable[str], keys: Iterable[str]
) -> None:
    """Check all vector indexes of a table against its mode, its definitions and each other.

    What searches ask to equal a value is no list, and so no vector.
    """
    if mode != ON_DEMAND:
        raise validation(texts.VECTOR_NEEDS_ON_DEMAND)
    if len(indexes) > VECTOR_INDEX_COUNT:
        raise validation(texts.too_many_vector(VECTOR_INDEX_COUNT))
    defined, keys = frozenset(defined), frozenset((*keys, *search_names(indexes)))
    dimensions: dict[str, int] = {}
    for index in indexes:
        check_projection(index["Projection"])
        _check_search_schema(index, defined)
        attribute = index["VectorAttribute"]["AttributeName"]
        if attribute in keys:
            raise validation(texts.vector_is_key(attribute))
        if index["Dimensions"] > VECTOR_DIMENSIONS[1]:
            raise validation(texts.dimensions_range(index["IndexName"], VECTOR_DIMENSIONS[1]))
        if dimensions.setdefault(attribute, index["Dimensions"]) != index["Dimensions"]:
            raise validation(texts.dimensions_differ(attribute))


def _check_search_schema(index: Mapping[str, Any], defined: frozenset[str]) -> None:
    schema = index.get("SearchSchema", ())
    names = key_names(schema)
    kinds = [element["SearchSchemaElementType"] for element in schema]
    if not defined.issuperset(names):
        raise validation(texts.SEARCH_UNDEFINED)
    if kinds.count("HASH") > 1 or len(set(names)) < len(names):
        raise validation(texts.search_twice(index["IndexName"]))
    if kinds.count("INLINE_FILTER") > VECTOR_FILTERS:
        raise validation(texts.search_filters(index["IndexName"], VECTOR_FILTERS))


def search_names(indexes: Iterable[Mapping[str, Any]]) -> list[str]:
    """The attributes that searches of vector indexes name, which must be defined."""
    return [name for index in indexes for name in key_names(index.get("SearchSchema", ()))]
