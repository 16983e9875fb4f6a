"""Plans a query on one key: its partitions, the sort key condition, and the filters still needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from pksk.dataclass import dataclass
from pksk.errors import BoundsError, InvalidValue, did_you_mean
from pksk.keys import Bounds, Filter, Operator, ScalarKey, Template
from pksk.keys.compiled import determine_value
from pksk.keys.operators import eq
from pksk.keys.parts.part import Part
from pksk.keys.parts.times import DatePart
from pksk.model.entity_key import EntityKey, KeyPart
from pksk.model.planning.partitions import Partition, partition_of, partitions


@dataclass(frozen=True)
class KeyPlan:
    """The partitions, sort key bounds and filters of a query on one key."""

    key: EntityKey
    partitions: tuple[Partition, ...]
    sort: SortBounds
    filters: tuple[Filter, ...]
    reasons: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """Whether the key conditions alone find the right items of this entity."""
        return not self.filters


def plan_key(key: EntityKey, values: Mapping[str, Any], where: str) -> KeyPlan:
    """The plan for a query on one key; raises if the key cannot serve it."""
    values = _plain_values(key, values)
    shape = query_shape(key, values, where)
    if shape.one_partition:
        read: tuple[Partition, ...] = (_partition(shape, values),)
    else:
        read = tuple(partitions(key, values, where))
    sort = sort_bounds(shape.sort, values)
    if shape.vague or not all(each.exact for _, each in sort):
        return KeyPlan(key, read, sort, *_leftover_filters(key, values, sort, shape.vague))
    return KeyPlan(key, read, sort, (), ())


def cached_key_plan(key: EntityKey, values: Mapping[str, Any]) -> KeyPlan | None:
    """The plan from a cached query shape, for plain values that need no filter; else None."""
    for value in values.values():
        if value.__class__ is Operator:
            return None
    shape = key.plain_query_shapes.get(tuple(values))
    if shape is None:
        return None
    read = (_partition(shape, values),)
    sort = sort_bounds(shape.sort, values)
    for _, bounds in sort:
        if bounds.filters:
            return None
    plan = object.__new__(KeyPlan)
    # Without __init__: together with the other objects of a plan, this saves a tenth of db.iter over one item.
    plan.__dict__.update(key=key, partitions=read, sort=sort, filters=(), reasons=())
    return plan


def _partition(shape: QueryShape, values: Mapping[str, Any]) -> Partition:
    attributes = {}
    for name, render in shape.partition:
        attributes[name] = render(values)
    return partition_of(attributes)


def _leftover_filters(
    key: EntityKey, values: Mapping[str, Any], sort: SortBounds, vague: Iterable[str]
) -> tuple[tuple[Filter, ...], tuple[str, ...]]:
    """The filters that the key conditions do not cover, and the reasons."""
    filters = {
        each.field: each
        for _, bounds in sort
        for each in bounds.filters
        if not _is_fixed_by_key(key, sort, each)
    }
    reasons = [bounds.reason for _, bounds in sort if bounds.reason]
    # Fields that the partition key holds only in part, and that the sort key does not determine.
    for field in vague:
        leftover = Filter(field, values[field] if isinstance(values[field], Operator) else eq(values[field]))
        if not _is_fixed_by_key(key, sort, leftover) and not _is_whole_buckets(key, leftover):
            filters.setdefault(field, leftover)
            reasons.append(f"the partition key holds only a part of {field!r}")
    return tuple(filters.values()), tuple(dict.fromkeys(reasons)) if filters else ()


def _is_fixed_by_key(key: EntityKey, sort: SortBounds, condition: Filter) -> bool:
    """Whether partition and sort key together match only the requested value of a field."""
    fixed = {attribute for attribute, bounds in sort if bounds.condition == "="}
    parts = [*key.partition, *(part for part in key.sort if part.attribute in fixed)]
    return condition.operator.name == "eq" and determine_value(_parts_of(parts, condition.field))


def _is_whole_buckets(key: EntityKey, condition: Filter) -> bool:
    """Whether a range begins and ends exactly at bucket boundaries of the partition key."""
    if condition.operator.name != "between":
        return False
    low, high = condition.operator.operands
    parts = _parts_of(key.partition, condition.field)
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


def _plain_values(key: EntityKey, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values with prefixes of dates as ranges, which all key attributes handle alike."""
    special = [
        name
        for name, value in values.items()
        if value.__class__ is Operator and value.name in ("begins", "eq")
    ]
    if not special:
        return values
    plain = dict(values)
    for name in special:
        if plain[name].name == "eq":
            (plain[name],) = plain[name].operands
            continue
        for part in _parts_of(key.parts, name):
            plain[name] = part.expand_operator(plain[name])
    return plain


BoundsFunction: TypeAlias = Callable[[Mapping[str, Any]], Bounds]

# The conditions on the sort key attributes.
SortBounds: TypeAlias = tuple[tuple[str, Bounds], ...]


@dataclass(frozen=True, slots=True)
class QueryShape:
    """How values of these fields become partition keys and sort key bounds.

    `vague` are the fields that the partition key holds only in part, and the sort key does not use.
    """

    one_partition: bool
    partition: tuple[tuple[str, Callable[[Mapping[str, Any]], Any]], ...]
    sort: tuple[tuple[str, BoundsFunction], ...]
    vague: tuple[str, ...]


def query_shape(key: EntityKey, values: Mapping[str, Any], where: str) -> QueryShape:
    """The shape of a query; raises if the key can serve no query of this shape."""
    ranged = tuple([(name, value.__class__ is Operator) for name, value in values.items()])
    shape = key.query_shapes.get(ranged)
    if shape is None:
        shape = key.query_shapes[ranged] = _new_shape(key, dict(ranged), where)
        if shape.one_partition and not shape.vague and not any(is_range for _, is_range in ranged):
            key.plain_query_shapes[tuple(values)] = shape
    return shape


def _new_shape(key: EntityKey, ranged: Mapping[str, bool], where: str) -> QueryShape:
    _check_names(key, ranged, where)
    # A missing field counts as a range here; `partitions` rejects it.
    plain = not any(ranged.get(name, True) for name in key.partition_fields)
    sort = _usable_sort_fields(key, ranged, where)
    used = {field for _, fields in sort for field in fields}
    vague = tuple(name for name in ranged if name in key.partial_fields and name not in used)
    finds = tuple((part.attribute, _bounds_function(part.writer, fields, ranged)) for part, fields in sort)
    one = plain and key.shard is None
    writes = tuple((part.attribute, part.writer.render) for part in key.partition) if one else ()
    return QueryShape(one, writes, finds, vague)


def sort_bounds(sort: tuple[tuple[str, BoundsFunction], ...], values: Mapping[str, Any]) -> SortBounds:
    """The conditions on the sort key attributes."""
    bounds = [(name, find(values)) for name, find in sort]
    return tuple([each for each in bounds if each[1].condition != "all"])


def _bounds_function(
    writer: Template | ScalarKey, fields: tuple[str, ...], ranged: Mapping[str, bool]
) -> BoundsFunction:
    """The function that makes the bounds of one attribute, for values of this shape."""
    if isinstance(writer, Template) and set(fields) <= set(writer.fields):
        ends = [index for index, part in enumerate(writer.parts) if ranged.get(part.field, True)]
        count = ends[0] if ends else len(writer.parts)
        last = writer.parts[count].field if ends and writer.parts[count].field in fields else None
        if {*(part.field for part in writer.parts[:count]), *([last] if last else ())} == set(fields):
            return _template_bounds_function(writer, count, last)
    return lambda values: writer.bounds({field: values[field] for field in fields})


def _template_bounds_function(writer: Template, count: int, last: str | None) -> BoundsFunction:
    """The function for a number of plain parts, then optionally a range."""
    if last is None and count == 0:
        constant = writer.unchecked_bounds({}, 0, None)
        return lambda _values: constant
    if last is None and count == len(writer.parts) and not writer.partial_fields[count]:
        # The whole key, with its compiled function.
        return lambda values: Bounds("=", writer.render(values))
    return lambda values: writer.unchecked_bounds(values, count, values[last] if last else None)


def _check_names(key: EntityKey, names: Iterable[str], where: str) -> None:
    for name in names:
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
    """The fields that each sort attribute can use, from the left."""
    usable: list[tuple[KeyPart, tuple[str, ...]]] = []
    open_since = ""
    for part in key.sort:
        names = [field for field in part.fields if field in ranged]
        sort_fields = [field for field in names if field not in key.partition_fields]
        if open_since and sort_fields:
            raise BoundsError(
                "bounds-gap",
                f"{where}: field {sort_fields[0]!r} is in {part.attribute!r}, "
                f"but {open_since!r} before it is not exact.",
                fix=f"give all fields of {open_since!r} plain values, or filter by {sort_fields[0]!r}.",
            )
        if open_since:
            continue
        usable.append((part, _leading_fields(part, names, ranged, key.partition_fields)))
        if len(names) < len(part.fields) or any(ranged[field] for field in names):
            open_since = part.attribute
    return usable


def _leading_fields(
    part: KeyPart, names: list[str], ranged: Mapping[str, bool], decided: tuple[str, ...]
) -> tuple[str, ...]:
    """The fields that one sort attribute can use; one that the partition key fixes may come after a gap."""
    if isinstance(part.writer, ScalarKey):
        return tuple(names)
    usable: list[str] = []
    for each in part.writer.parts:
        if each.field not in names:
            break
        usable.append(each.field)
        if ranged[each.field]:
            break
    rest = [field for field in names if field not in usable and field not in decided]
    return tuple(dict.fromkeys([*usable, *rest]))
