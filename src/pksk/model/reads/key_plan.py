"""Plans a question on one key: its partitions, the condition on the sort key, and what is left to a filter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pksk.keys import Filter, Operator, Template
from pksk.keys.matching import determines
from pksk.keys.operators import eq
from pksk.keys.parts.part import Part
from pksk.keys.parts.times import DatePart
from pksk.model.entity_key import EntityKey, KeyPart
from pksk.model.reads.partitions import Partition, partition_of, partitions
from pksk.model.reads.shape import Shape, SortBounds, bounded, shape_of

__all__ = ["KeyPlan", "known_key_plan", "plan_key"]


@dataclass(frozen=True)
class KeyPlan:
    """Where the answer stands: in these partitions, within these bounds, behind these filters."""

    key: EntityKey
    partitions: tuple[Partition, ...]
    sort: SortBounds
    filters: tuple[Filter, ...]
    reasons: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """Whether the key conditions alone answer the question, for rows of this entity."""
        return not self.filters


def plan_key(key: EntityKey, given: Mapping[str, Any], where: str) -> KeyPlan:
    """The plan for a question on one key, or the error that says why there is none."""
    given = _plain(key, given)
    shape = shape_of(key, given, where)
    if shape.one_partition:
        found: tuple[Partition, ...] = (_partition(shape, given),)
    else:
        found = tuple(partitions(key, given, where))
    sort = bounded(shape.sort, given)
    if shape.vague or not all(each.exact for _, each in sort):
        return KeyPlan(key, found, sort, *_filters(key, given, sort, shape.vague))
    return KeyPlan(key, found, sort, (), ())


def known_key_plan(key: EntityKey, given: Mapping[str, Any]) -> KeyPlan | None:
    """The same the quick way, for plain values in a shape that was asked for before and needs no filter; else None.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     customer: str
        ...     id: str
        ...     primary = Key("CUST#{customer}", "ORDER#{id}")
        >>> key, given = Order.__pksk__.primary, {"customer": "7"}
        >>> known_key_plan(key, given) is None, plan_key(key, given, "here") == known_key_plan(key, given)
        (True, True)
    """
    for value in given.values():
        if value.__class__ is Operator:
            return None
    shape: Shape | None = key.plain_shapes.get(tuple(given))
    if shape is None:
        return None
    found = (_partition(shape, given),)
    sort = shape.fixed
    if sort is None:
        sort = bounded(shape.sort, given)
        for _, bounds in sort:
            if bounds.filters:
                return None
    made = object.__new__(KeyPlan)
    # Past the guard of a frozen dataclass, all at once.
    made.__dict__.update(key=key, partitions=found, sort=sort, filters=(), reasons=())
    return made


def _partition(shape: Shape, given: Mapping[str, Any]) -> Partition:
    attributes = {}
    for name, render in shape.partition:
        attributes[name] = render(given)
    return partition_of(attributes)


def _filters(
    key: EntityKey, given: Mapping[str, Any], sort: SortBounds, vague: Iterable[str]
) -> tuple[tuple[Filter, ...], tuple[str, ...]]:
    """What the key conditions leave over, and why."""
    filters = {
        each.field: each for _, bounds in sort for each in bounds.filters if not _settled(key, sort, each)
    }
    reasons = [bounds.reason for _, bounds in sort if bounds.reason]
    # What the partition key holds only in pieces, and the sort key does not settle.
    for field in vague:
        left = Filter(field, given[field] if isinstance(given[field], Operator) else eq(given[field]))
        if not _settled(key, sort, left) and not _whole_buckets(key, left):
            filters.setdefault(field, left)
            reasons.append(f"the partition key holds only a piece of {field!r}")
    return tuple(filters.values()), tuple(dict.fromkeys(reasons)) if filters else ()


def _settled(key: EntityKey, sort: SortBounds, left: Filter) -> bool:
    """Whether the pieces of a field, in partition and sort key together, leave only the value asked for."""
    fixed = {attribute for attribute, bounds in sort if bounds.condition == "="}
    parts = [*key.partition, *(part for part in key.sort if part.attribute in fixed)]
    return left.operator.name == "eq" and determines(_parts_of(parts, left.field))


def _whole_buckets(key: EntityKey, left: Filter) -> bool:
    """Whether a span begins and ends where buckets of the partition key do."""
    if left.operator.name != "between":
        return False
    low, high = left.operator.operands
    parts = _parts_of(key.partition, left.field)
    return all(
        isinstance(part, DatePart) and part.begins_span(low) and part.ends_span(high) for part in parts
    )


def _parts_of(parts: Iterable[KeyPart], field: str) -> list[Part]:
    """The placeholders of a field in the templates of some key attributes."""
    writers = [part.writer for part in parts]
    return [
        each
        for writer in writers
        if isinstance(writer, Template)
        for each in writer.parts
        if each.field == field
    ]


def _plain(key: EntityKey, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The question with beginnings of dates as spans, which every key attribute understands alike."""
    special = [
        name
        for name, value in given.items()
        if value.__class__ is Operator and value.name in ("begins", "eq")
    ]
    if not special:
        return given
    plain = dict(given)
    for name in special:
        if plain[name].name == "eq":
            (plain[name],) = plain[name].operands
            continue
        for part in _parts_of(key.parts, name):
            plain[name] = part.spread(plain[name])
    return plain
