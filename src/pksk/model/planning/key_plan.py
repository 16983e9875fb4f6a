"""Plans a query on one key: its partitions, the sort key condition, and what is left to a filter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from pksk.dataclass import dataclass
from pksk.errors import BoundsError, InvalidValue, did_you_mean
from pksk.keys import Bounds, Filter, Operator, ScalarKey, Template
from pksk.keys.match import determine_value
from pksk.keys.operators import eq
from pksk.keys.parts.part import Part
from pksk.keys.parts.times import DatePart
from pksk.model.entity_key import EntityKey, KeyPart
from pksk.model.planning.partitions import Partition, partition_of, partitions

__all__ = ["KeyPlan", "QueryShape", "SortBounds", "cached_key_plan", "plan_key", "query_shape", "sort_bounds"]


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
    given = _plain_values(key, given)
    shape = query_shape(key, given, where)
    if shape.one_partition:
        found: tuple[Partition, ...] = (_partition(shape, given),)
    else:
        found = tuple(partitions(key, given, where))
    sort = sort_bounds(shape.sort, given)
    if shape.vague or not all(each.exact for _, each in sort):
        return KeyPlan(key, found, sort, *_leftover_filters(key, given, sort, shape.vague))
    return KeyPlan(key, found, sort, (), ())


def cached_key_plan(key: EntityKey, given: Mapping[str, Any]) -> KeyPlan | None:
    """The same the quick way, for plain values in a shape that was asked for before and needs no filter; else None.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     customer: str
        ...     id: str
        ...     primary = Key("CUST#{customer}", "ORDER#{id}")
        >>> key, given = Order.__pksk__.primary, {"customer": "7"}
        >>> cached_key_plan(key, given) is None, plan_key(key, given, "here") == cached_key_plan(key, given)
        (True, True)
    """
    for value in given.values():
        if value.__class__ is Operator:
            return None
    shape: QueryShape | None = key.plain_query_shapes.get(tuple(given))
    if shape is None:
        return None
    found = (_partition(shape, given),)
    sort = sort_bounds(shape.sort, given)
    for _, bounds in sort:
        if bounds.filters:
            return None
    made = object.__new__(KeyPlan)
    # Past __init__: with the other objects of a plan, a tenth of db.iter over one row.
    made.__dict__.update(key=key, partitions=found, sort=sort, filters=(), reasons=())
    return made


def _partition(shape: QueryShape, given: Mapping[str, Any]) -> Partition:
    attributes = {}
    for name, render in shape.partition:
        attributes[name] = render(given)
    return partition_of(attributes)


def _leftover_filters(
    key: EntityKey, given: Mapping[str, Any], sort: SortBounds, vague: Iterable[str]
) -> tuple[tuple[Filter, ...], tuple[str, ...]]:
    """What the key conditions leave over, and why."""
    filters = {
        each.field: each
        for _, bounds in sort
        for each in bounds.filters
        if not _is_fixed_by_key(key, sort, each)
    }
    reasons = [bounds.reason for _, bounds in sort if bounds.reason]
    # What the partition key holds only in part, and the sort key does not settle.
    for field in vague:
        left = Filter(field, given[field] if isinstance(given[field], Operator) else eq(given[field]))
        if not _is_fixed_by_key(key, sort, left) and not _is_whole_buckets(key, left):
            filters.setdefault(field, left)
            reasons.append(f"the partition key holds only a piece of {field!r}")
    return tuple(filters.values()), tuple(dict.fromkeys(reasons)) if filters else ()


def _is_fixed_by_key(key: EntityKey, sort: SortBounds, left: Filter) -> bool:
    """Whether the parts of a field, in partition and sort key together, leave only the value asked for."""
    fixed = {attribute for attribute, bounds in sort if bounds.condition == "="}
    parts = [*key.partition, *(part for part in key.sort if part.attribute in fixed)]
    return left.operator.name == "eq" and determine_value(_parts_of(parts, left.field))


def _is_whole_buckets(key: EntityKey, left: Filter) -> bool:
    """Whether a span begins and ends where buckets of the partition key do."""
    if left.operator.name != "between":
        return False
    low, high = left.operator.operands
    parts = _parts_of(key.partition, left.field)
    return all(
        isinstance(part, DatePart) and part.starts_span(low) and part.ends_span(high) for part in parts
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


def _plain_values(key: EntityKey, given: Mapping[str, Any]) -> Mapping[str, Any]:
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
            plain[name] = part.expand_operator(plain[name])
    return plain


BoundsFunction: TypeAlias = Callable[[Mapping[str, Any]], Bounds]

# The condition on each sort key attribute, as far as there are any.
SortBounds: TypeAlias = tuple[tuple[str, Bounds], ...]


@dataclass(frozen=True, slots=True)
class QueryShape:
    """Whether plain values name one partition, and how they write it; how to bound each sort attribute; what is vague.

    `vague` are the fields that the partition key holds only in part, and the sort key does not use.
    """

    one_partition: bool
    partition: tuple[tuple[str, Callable[[Mapping[str, Any]], Any]], ...]
    sort: tuple[tuple[str, BoundsFunction], ...]
    vague: tuple[str, ...]


def query_shape(key: EntityKey, given: Mapping[str, Any], where: str) -> QueryShape:
    """The shape of a question, refused where no values could make it one that the key answers."""
    asked = tuple([(name, value.__class__ is Operator) for name, value in given.items()])
    found = key.query_shapes.get(asked)
    if found is None:
        found = key.query_shapes[asked] = _new_shape(key, dict(asked), where)
        if found.one_partition and not found.vague and not any(ranged for _, ranged in asked):
            key.plain_query_shapes[tuple(given)] = found
    made: QueryShape = found
    return made


def _new_shape(key: EntityKey, ranged: Mapping[str, bool], where: str) -> QueryShape:
    _check_names(key, ranged, where)
    # What is not given is as good as a range here: it is refused where the partitions are worked out.
    plain = not any(ranged.get(name, True) for name in key.partition_fields)
    sort = _usable_sort_fields(key, ranged, where)
    used = {field for _, fields in sort for field in fields}
    vague = tuple(name for name in ranged if name in key.partial_fields and name not in used)
    finds = tuple((part.attribute, _bounds_function(part.writer, fields, ranged)) for part, fields in sort)
    one = plain and key.shard is None
    writes = tuple((part.attribute, part.writer.render) for part in key.partition) if one else ()
    return QueryShape(one, writes, finds, vague)


def sort_bounds(sort: tuple[tuple[str, BoundsFunction], ...], given: Mapping[str, Any]) -> SortBounds:
    """The condition on each sort key attribute, as far as there are any."""
    bounds = [(name, find(given)) for name, find in sort]
    return tuple([each for each in bounds if each[1].condition != "all"])


def _bounds_function(
    writer: Template | ScalarKey, fields: tuple[str, ...], ranged: Mapping[str, bool]
) -> BoundsFunction:
    """The function that bounds one attribute, from values in this shape."""
    if isinstance(writer, Template) and set(fields) <= set(writer.fields):
        ends = [index for index, part in enumerate(writer.parts) if ranged.get(part.field, True)]
        count = ends[0] if ends else len(writer.parts)
        last = writer.parts[count].field if ends and writer.parts[count].field in fields else None
        if {*(part.field for part in writer.parts[:count]), *([last] if last else ())} == set(fields):
            return _template_bounds_function(writer, count, last)
    return lambda given: writer.bounds({field: given[field] for field in fields})


def _template_bounds_function(writer: Template, count: int, last: str | None) -> BoundsFunction:
    """The function for so many plain parts and then a range, if there is one."""
    if last is None and count == len(writer.parts) and not writer.partial_fields[count]:
        # The whole key, by the function that is compiled for it.
        return lambda given: Bounds("=", writer.render(given))
    return lambda given: writer.unchecked_bounds(given, count, given[last] if last else None)


def _check_names(key: EntityKey, asked: Mapping[str, bool], where: str) -> None:
    for name in asked:
        if name not in key.fields:
            near = did_you_mean(name, key.fields)
            raise InvalidValue(
                "key-unknown-part",
                f"{where}: field {name!r} is not a part of this key.",
                expected=f"Its parts are: {', '.join(key.fields) or 'none'}.",
                fix=f"did you mean {near!r}?" if near else "filter by it, or use where().",
            )


def _usable_sort_fields(
    key: EntityKey, ranged: Mapping[str, bool], where: str
) -> list[tuple[KeyPart, tuple[str, ...]]]:
    """The fields that each sort attribute can use, from the left, as far as the question reaches."""
    found: list[tuple[KeyPart, tuple[str, ...]]] = []
    open_since = ""
    for part in key.sort:
        asked = [field for field in part.fields if field in ranged]
        fresh = [field for field in asked if field not in key.partition_fields]
        if open_since and fresh:
            raise BoundsError(
                "bounds-gap",
                f"{where}: field {fresh[0]!r} stands in {part.attribute!r}, behind {open_since!r}, which is not fixed.",
                fix=f"give all of {open_since!r} plain values, or leave {fresh[0]!r} out and filter by it.",
            )
        if open_since:
            continue
        found.append((part, _leading_fields(part, asked, ranged, key.partition_fields)))
        if len(asked) < len(part.fields) or any(ranged[field] for field in asked):
            open_since = part.attribute
    return found


def _leading_fields(
    part: KeyPart, asked: list[str], ranged: Mapping[str, bool], decided: tuple[str, ...]
) -> tuple[str, ...]:
    """What of the question a sort attribute can use: a field that the partition decides may stand behind a gap."""
    if isinstance(part.writer, ScalarKey):
        return tuple(asked)
    usable: list[str] = []
    for each in part.writer.parts:
        if each.field not in asked:
            break
        usable.append(each.field)
        if ranged[each.field]:
            break
    rest = [field for field in asked if field not in usable and field not in decided]
    return tuple(dict.fromkeys([*usable, *rest]))
