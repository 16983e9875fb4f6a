"""Checks key schemas, projections and vector indexes against each other and against AttributeDefinitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pksk.engine.service_errors import validation
from pksk.engine.texts import indexes as texts
from pksk.schema.quotas import (
    GSI_KEY_ATTRIBUTES,
    PROJECTED_IN_ALL,
    VECTOR_DIMENSIONS,
    VECTOR_FILTERS,
    VECTOR_INDEX_COUNT,
)

from ..state.table_record import key_names
from .throughput import ON_DEMAND

Schema: TypeAlias = Sequence[Mapping[str, Any]]
_PAIR: Final = 2


def check_key(schema: Schema) -> None:
    """Check the key schema of a table or a local index: a partition key, and perhaps a sort key."""
    if len(schema) > _PAIR:
        check_global_key(schema, most=1)
    if schema[0]["KeyType"] != "HASH":
        raise validation(texts.FIRST_NOT_HASH)
    if len(schema) == _PAIR:
        if schema[1]["KeyType"] != "RANGE":
            raise validation(texts.SECOND_NOT_RANGE)
        if schema[0]["AttributeName"] == schema[1]["AttributeName"]:
            raise validation(texts.SAME_KEY_NAMES)


def check_global_key(schema: Schema, most: int = GSI_KEY_ATTRIBUTES) -> None:
    """Check the key schema of a global index, whose keys can have up to `most` attributes each."""
    kinds = [element["KeyType"] for element in schema]
    names = key_names(schema)
    if kinds[0] != "HASH":
        raise validation(texts.FIRST_NOT_HASH)
    if kinds != sorted(kinds):  # HASH sorts before RANGE
        raise validation(texts.HASH_AFTER_RANGE)
    for kind in ("HASH", "RANGE"):
        if kinds.count(kind) > most:
            raise validation(texts.key_too_wide(kind))
    if len(set(names)) < len(names):
        raise validation(texts.SAME_KEY_NAME_TWICE)


def check_definitions(definitions: Schema) -> None:
    """Check that no attribute is defined twice."""
    seen = set()
    for name in key_names(definitions):
        if name in seen:
            raise validation(texts.definition_twice(name))
        seen.add(name)


def check_defined(schema: Schema, definitions: Schema, *, of_table: bool = False) -> None:
    """Check that every attribute of a key is defined."""
    defined = key_names(definitions)
    names = key_names(schema)
    if set(names).issubset(defined):
        return
    if of_table and len(defined) < len(names):
        raise validation(texts.KEY_UNDEFINED)
    raise validation(texts.index_keys_undefined(names, defined))


def check_unused(definitions: Schema, used: Iterable[str], *, indexed: bool) -> None:
    """Check that every defined attribute is part of a key."""
    defined = key_names(definitions)
    keys = list(dict.fromkeys(used))
    if set(defined).issubset(keys):
        return
    raise validation(texts.unused_definitions(defined, keys) if indexed else texts.UNUSED_DEFINITION)


_KINDS: Final = frozenset({"ALL", "KEYS_ONLY", "INCLUDE"})


def check_projection(projection: Mapping[str, Any]) -> None:
    """Check a projection: its type and its attributes."""
    kind = projection.get("ProjectionType")
    if kind not in _KINDS:
        raise validation(texts.unknown_projection(kind))
    names = projection.get("NonKeyAttributes")
    if kind == "INCLUDE":
        if not names:
            raise validation(texts.projected_missing(kind))
        if len(set(names)) < len(names):
            raise validation(texts.PROJECTED_TWICE)
    elif names is not None:
        raise validation(texts.projected_refused(kind))


def check_projected_count(indexes: Iterable[Mapping[str, Any]]) -> None:
    """Check how many attributes the projections of all indexes have together."""
    if sum(len(index["Projection"].get("NonKeyAttributes", ())) for index in indexes) > PROJECTED_IN_ALL:
        raise validation(texts.too_many_projected(PROJECTED_IN_ALL))


def check_vector_indexes(
    mode: str, indexes: Sequence[Mapping[str, Any]], defined: Iterable[str], keys: Iterable[str]
) -> None:
    """Check the vector indexes of a table against its billing mode, its definitions and each other.

    Attributes of a search schema cannot be vectors: they are compared with values.
    """
    if mode != ON_DEMAND:
        raise validation(texts.VECTOR_NEEDS_ON_DEMAND)
    if len(indexes) > VECTOR_INDEX_COUNT:
        raise validation(texts.too_many_vector(VECTOR_INDEX_COUNT))
    defined, keys = frozenset(defined), frozenset((*keys, *search_attributes(indexes)))
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


def search_attributes(indexes: Iterable[Mapping[str, Any]]) -> list[str]:
    """The attributes in the search schemas of vector indexes, which must be defined."""
    return [name for index in indexes for name in key_names(index.get("SearchSchema", ()))]
