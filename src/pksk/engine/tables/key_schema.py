"""Checks key schemas of tables and indexes against each other and against AttributeDefinitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pksk.engine.faults import validation
from pksk.engine.texts import indexes as texts
from pksk.schema.quotas import GSI_KEY_ATTRIBUTES

from .record import key_names

__all__ = ["Schema", "check_defined", "check_definitions", "check_global_key", "check_key", "check_unused"]

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
    """Check the key schema of a global index, whose keys may have several attributes each, up to `most`."""
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
    """Check that every attribute that is defined is part of some key."""
    defined = key_names(definitions)
    keys = list(dict.fromkeys(used))
    if set(defined).issubset(keys):
        return
    raise validation(texts.unused_definitions(defined, keys) if indexed else texts.UNUSED_DEFINITION)
