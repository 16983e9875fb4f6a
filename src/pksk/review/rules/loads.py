"""Loads of one key by several access patterns, in the words that rules share, and which of them are unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from math import ceil
from uuid import UUID

from pksk.keys.parts.part_types import field_type
from pksk.model.bill.field_shares import declared_spread, is_period_name, is_time
from pksk.model.bill.key_loads import PatternLoad, total_loads, units_text
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey, whole_fields
from pksk.model.requests.request import Request
from pksk.model.storing.attributes import Field, value_count
from pksk.partitions import Ceiling, KeyLoad
from pksk.review.rule import Design, Missing
from pksk.schema import Provisioned, Table

__all__ = [
    "ceiling_evidence",
    "divide_text",
    "dividing_field",
    "has_few_values",
    "is_one_item",
    "load_evidence",
    "loads_of",
    "missing_loads",
    "shard_field",
    "shards_for",
    "total_loads",
    "units_text",
]

# Shards share partitions at first, so twice as many as the load needs; from the published experiments.
_SPARE = 2
# Names of texts and numbers that have few values in nearly every system.
_NAMED = re.compile(
    r"(?:[a-z]+_)?(?:status|state|category|country|country_code|gender|role|priority|currency|language|kind|type|level)"
)


def load_evidence(each: PatternLoad) -> str:
    """The load of a pattern: Order.add: 5,000 calls a second, 33% to 100% of 5,000 write units on one key."""
    rate = f"{units_text(each.calls_per_second)} calls a second"
    units = f"{units_text(each.load.units)} {each.side} units"
    return f"{each.pattern.name}: {rate}, {each.load.share} of {units} on one key"


def ceiling_evidence(table: Table, ceiling: Ceiling) -> Iterator[str]:
    """The ceiling of a key, and what may keep DynamoDB from raising it.

    A table with provisioned capacity and a stream may not get a partition for a single busy item.
    """
    yield str(ceiling)
    if not ceiling.why_fixed and table.stream and isinstance(table.billing, Provisioned):
        yield "with provisioned capacity and a stream, DynamoDB may not give a busy item a partition of its own"


def loads_of(design: Design, declaration: Declaration, key: EntityKey) -> list[PatternLoad]:
    """The loads on one key, with those of entities that share it."""
    loads = design.loads_on(declaration.table, key.index)
    return [each for each in loads if each.key.source is key.source]


def missing_loads(design: Design, declaration: Declaration, key: EntityKey) -> list[Missing]:
    """The access patterns that use a key, and whose load is not known."""
    name, index = declaration.table.name, key.index
    return [
        Missing(use.pattern.name, figure)
        for use in design.uses
        if use.per_second is None
        and declaration.entity in _entities(use.pattern.entity, use.requests)
        and (not use.estimate.touched or any(each[:2] == (name, index) for each in use.estimate.touched))
        for figure in use.lacks
        if figure != use.problem  # reviews list patterns without a working example by themselves
    ]


def _entities(owner: type | None, requests: Iterable[Request]) -> set[type]:
    named: set[type] = {entity for each in requests for entity in each.entities}
    return named or ({owner} if owner else set())


def dividing_field(declaration: Declaration, key: EntityKey) -> str:
    """A field with many values, which divides the items of a key: an id or a part of the primary key if possible."""
    in_keys = [name for each in (declaration.primary, key) for name in each.fields]
    possible = [
        name
        for name in dict.fromkeys([*in_keys, *declaration.fields])
        if name not in key.partition_fields and _has_many_values(declaration.fields[name])
    ]
    primary = [name for name in possible if name in declaration.primary.fields]
    ids = [name for name in primary or possible if _is_id(declaration.fields[name])]
    return next(iter([*ids, *primary, *possible]), "")


def shard_field(declaration: Declaration, key: EntityKey) -> str:
    """The field by which write shards spread the items of one key: one that tells them apart, an id if possible.

    A field that is not in the primary key may well be the same in all of them, and so is the day of new items. A time
    of which the key holds one item per bucket would make several of that one.
    """
    unfit = {*whole_fields(key.partition), *declaration.primary.source.one_per_bucket}
    possible = [
        name
        for name in declaration.primary.fields
        if name not in unfit
        and not has_few_values(declaration.fields[name])
        and not _is_day(declaration, name)
    ]
    ids = [name for name in possible if _is_id(declaration.fields[name])]
    times = [name for name in possible if is_time(declaration.fields[name])]
    return next(iter([*ids, *times, *possible]), "")


def _is_day(declaration: Declaration, name: str) -> bool:
    """Whether a field is a date, or has the name of a day or another period."""
    return is_period_name(name) or field_type(declaration.fields[name].annotation).type is date


def has_few_values(field: Field) -> bool:
    """Whether a field has few values, by its type or by its name."""
    is_named = _NAMED.fullmatch(field.name) is not None and declared_spread(field) is None
    return value_count(field) is not None or is_named


def _has_many_values(field: Field) -> bool:
    kind = field_type(field.annotation)
    is_plain = kind.type in (str, int, UUID) or getattr(kind.type, "__name__", "") == "ULID"
    return is_plain and not (kind.optional or field.computed)


def _is_id(field: Field) -> bool:
    """Whether a field is an identifier, by its type or its name."""
    kind = field_type(field.annotation).type
    is_random = kind is UUID or getattr(kind, "__name__", "") == "ULID"
    return is_random or field.name == "id" or field.name.endswith("_id")


def shard_text(count: int, field: str) -> str:
    """So many shards by a field, as one writes them in a key."""
    return f"shard=Shard({count}, of={field!r})" if field else f"shard=Shard({count}, of=...)"


def is_one_item(key: EntityKey) -> bool:
    """Whether all load of a partition key is that of one item, which no shard divides."""
    return key.index is None and not any(part.fields for part in key.sort)


def divide_text(declaration: Declaration, key: EntityKey, count: int) -> str:
    """How to divide the writes of a busy key, by so many shards if it has more than one item."""
    if is_one_item(key):
        return "divide the item into several and add these up when reading, or write it less often."
    shard = shard_text(count, shard_field(declaration, key))
    return f"divide the key by another field, or shard it: {shard}."


def shards_for(load: KeyLoad) -> int:
    """How many write shards a load needs, with a margin."""
    return max(2, _SPARE * ceil(load.highest / load.ceiling.units))
