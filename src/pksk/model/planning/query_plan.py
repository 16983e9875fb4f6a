"""Plans a query: its exact Query requests in DynamoDB's JSON, and what the store does afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pksk.dataclass import dataclass, field, replace
from pksk.errors import PkskError
from pksk.expressions import And, Between, Call, Compare, Condition, Path, Placeholders, Value, render
from pksk.keys import Bounds, Filter
from pksk.keys.operators import eq
from pksk.model.fields.field_conditions import check_ranges, condition_on_attributes
from pksk.model.planning.filter_conditions import (
    filter_condition,
    may_be_in_key_only,
    or_attribute_missing,
    render_expressions,
)
from pksk.model.planning.foreign_items import foreign_item_filter, neighbouring_keys
from pksk.model.planning.key_plan import KeyPlan, SortBounds
from pksk.model.planning.key_query import Candidate, KeyQuery
from pksk.model.planning.partitions import Partition
from pksk.model.planning.projection import (
    IndexProjection,
    check_filter_attributes,
    check_known_after_reading,
    check_no_key_filter,
    index_projection,
    with_filter_attributes,
)
from pksk.model.request_values import copy_request
from pksk.schema import Index
from pksk.values import to_wire
from pksk.values.wire import to_boto3

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.model.requests.query import Query


@dataclass(frozen=True)
class Plan:
    """How a query runs: one request for each partition, and what the store does afterwards.

    - `exact`: the key conditions alone find the items; None for scans and vector searches.
    - `filters_after_reading`: filters that the store applies, as DynamoDB cannot apply them to all items.
    - `reads_table`: whole items are read from the table afterwards.
    - `has_foreign_items`: items of other entities may come back, and the store skips them.
    - `group_sizes`: how many successive requests are merged by their sort key, group by group.
    - `notes`: remarks for `explain()`.
    - `branches`: one plan for each entity, if one request cannot serve all of them.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     customer: str
        ...     id: str
        ...     primary = Key("CUST#{customer}", "ORDER#{id}")
        >>> plan = Order.primary(customer="7").plan
        >>> plan.exact, plan.requests[0]["KeyConditionExpression"]
        (True, 'pk = :v0 AND begins_with(sk, :v1)')
    """

    index: str | None
    shared_requests: tuple[dict[str, Any], ...] = field(repr=False)
    exact: bool | None
    filters_after_reading: tuple[Filter, ...] = ()
    notes: tuple[str, ...] = ()
    reads_table: bool = False
    has_foreign_items: bool = False
    group_sizes: tuple[int, ...] = (1,)
    entities: tuple[type[Entity], ...] = ()
    keys: KeyPlan | None = field(default=None, compare=False, repr=False)
    branches: tuple[Plan, ...] = ()

    @property
    def requests(self) -> tuple[dict[str, Any], ...]:
        """The requests, ready for boto3; each access returns new copies."""
        return tuple(map(copy_request, self.shared_requests))


def plan_query(query: Query) -> Plan:
    """The plan of a query; raises if there is none."""
    if len(query.key_queries) == 1:
        key_query = query.key_queries[0]
        return _cached_plan(query, key_query) or _plan_key_query(query, *_choose_index(query, key_query))
    from pksk.model.planning.collection_plan import plan_collection

    return plan_collection(
        query, [_choose_index(query, key_query) for key_query in query.key_queries], _plan_key_query
    )


def plan_key_ranges(query: Query, keys: KeyPlan, fields: Iterable[str]) -> Plan:
    """The plan of a query on key conditions that were made before, by which it reads these fields as well."""
    (key_query,) = query.key_queries
    index = key_query.declaration.indexes[keys.key.name]
    projection = _index_projection(query, key_query, index)
    if projection.attributes and not projection.reads_table:
        filters = [Filter(name, eq(None)) for name in fields]
        projection = with_filter_attributes(projection, key_query, index, filters)
    if projection.reads_table and query.model is not None:
        check_known_after_reading(key_query, index, query.model, fields)
    candidate = Candidate(keys.key.name, index, keys)
    return _plan_key_query(query, key_query, candidate, projection, cacheable=False)


def with_key_range(request: Mapping[str, Any], partition: Partition, sort: SortBounds) -> dict[str, Any]:
    """A request of such a plan for another range of the same shape."""
    values = key_values(partition.attributes, sort)
    return {**request, "ExpressionAttributeValues": {**request["ExpressionAttributeValues"], **values}}


def _choose_index(query: Query, key_query: KeyQuery) -> tuple[KeyQuery, Candidate, IndexProjection]:
    """The cheapest key that holds what the query needs; raises the first key's error if none does."""
    if len(key_query.candidates) == 1:
        return (
            key_query,
            key_query.candidates[0],
            _index_projection(query, key_query, key_query.candidates[0].index),
        )
    usable: list[tuple[Candidate, IndexProjection]] = []
    problems: list[PkskError] = []
    for candidate in key_query.candidates:
        try:
            usable.append((candidate, _index_projection(query, key_query, candidate.index)))
        except PkskError as error:
            problems.append(error)
    if not usable:
        raise problems[0]
    return (key_query, *min(usable, key=lambda each: each[0].rank(sees_whole_items=each[1].sees_whole_items)))


def _index_projection(query: Query, key_query: KeyQuery, index: Index) -> IndexProjection:
    projection = index_projection(query, key_query, index)
    if query.condition is not None:
        check_filter_attributes(key_query, index, query.condition)
        check_no_key_filter(key_query, index, query.condition)
    return projection


def _plan_key_query(
    query: Query,
    key_query: KeyQuery,
    candidate: Candidate,
    projection: IndexProjection,
    *,
    alone: bool = True,
    cacheable: bool = True,
) -> Plan:
    """The plan on one key; `alone` is False for a range of several entities, without items of others."""
    keys, index = candidate.keys, candidate.index
    if any(bounds.condition == "none" for _, bounds in keys.sort):
        return Plan(
            index.name, (), True, notes=("no item can match",), entities=(key_query.entity,), keys=keys
        )
    shape = _cache_key(query, key_query, candidate) if alone and cacheable else None
    cached = None if shape is None else key_query.declaration.plans.get(shape)
    if cached is not None:
        return _fill_cached_plan(query, cached, keys)
    conditions, filters_after_reading = _split_filters(query, key_query, candidate)
    if filters_after_reading and projection.attributes:
        projection = with_filter_attributes(projection, key_query, index, filters_after_reading)
    others = (
        foreign_item_filter(key_query.declaration, keys, index, reads_table=projection.sees_whole_items)
        if alone
        else None
    )
    if others and others.condition is not None:
        conditions.append(others.condition)
    whole = not conditions and not filters_after_reading and not others
    options = _request_options(query, projection, limit=query.max_results if whole else None)
    ordered, groups = _ordered_partitions(keys.partitions, backwards=query.descending)
    plan = Plan(
        index.name,
        tuple([_request(query, keys, each, conditions, projection, options) for each in ordered]),
        keys.exact and not candidate.rest,
        tuple(filters_after_reading),
        _notes(candidate, projection, groups, others.note if others else ""),
        projection.reads_table,
        others is not None,
        groups,
        (key_query.entity,),
        keys,
    )
    if shape is not None and not conditions and not neighbouring_keys(key_query.declaration, keys.key):
        key_query.declaration.plans[shape] = _without_limit(plan)
    return plan


def _cache_key(query: Query, key_query: KeyQuery, candidate: Candidate) -> tuple[object, ...] | None:
    """What a plan depends on, without key values and limit; None if the plan cannot be cached."""
    keys = candidate.keys
    if query.condition is not None or keys.filters or candidate.rest or len(keys.partitions) > 1:
        return None
    sort = keys.sort
    conditions = sort[0][1].condition if len(sort) == 1 else tuple([bounds.condition for _, bounds in sort])
    return (
        keys.key.name,
        conditions,
        query.descending,
        query.consistent,
        query.whole_items,
        query.model,
        key_query.declaration.table.entity_count,
    )


def _cached_plan(query: Query, key_query: KeyQuery) -> Plan | None:
    """The cached plan of a query of the same shape, if only one key can serve it."""
    candidates = key_query.candidates
    if len(candidates) > 1:
        return None
    shape = _cache_key(query, key_query, candidates[0])
    cached = None if shape is None else key_query.declaration.plans.get(shape)
    return None if cached is None else _fill_cached_plan(query, cached, candidates[0].keys)


def _fill_cached_plan(query: Query, cached: Plan, keys: KeyPlan) -> Plan:
    """A copy of a cached plan with other key values and another limit."""
    values = key_values(keys.partitions[0].attributes, keys.sort)
    request = {**cached.shared_requests[0], "ExpressionAttributeValues": values}
    size = _page_limit(query, limit=query.max_results)
    if size:
        request["Limit"] = size
    plan = object.__new__(Plan)
    plan.__dict__.update(cached.__dict__, shared_requests=(request,), keys=keys)
    return plan


def _without_limit(plan: Plan) -> Plan:
    """The plan for the cache, without its limit."""
    requests = tuple(
        {name: value for name, value in request.items() if name != "Limit"}
        for request in plan.shared_requests
    )
    return replace(plan, shared_requests=requests)


def _ordered_partitions(
    partitions: tuple[Partition, ...], *, backwards: bool
) -> tuple[tuple[Partition, ...], tuple[int, ...]]:
    """The partitions in reading order, and the sizes of the groups that are merged by sort key."""
    if len(partitions) == 1:
        return partitions, (1,)
    groups = [list(some) for _, some in groupby(partitions, key=lambda each: each.group)]
    if backwards:
        groups.reverse()
    return tuple(each for some in groups for each in some), tuple(map(len, groups))


def _notes(
    candidate: Candidate, projection: IndexProjection, groups: tuple[int, ...], others: str
) -> tuple[str, ...]:
    notes = [*candidate.keys.reasons, *projection.notes]
    if others:
        notes.append(others)
    if candidate.rest:
        names = ", ".join(each.field for each in candidate.rest)
        notes.append(f"{names} filtered after reading; items that it excludes are billed too")
    if sum(groups) > 1:
        merged = "; items of shards are merged" if max(groups) > 1 else ""
        notes.append(f"{sum(groups)} partitions, one request each{merged}")
    return tuple(notes)


def _split_filters(
    query: Query, key_query: KeyQuery, candidate: Candidate
) -> tuple[list[Condition], list[Filter]]:
    conditions: list[Condition] = []
    filters_after_reading: list[Filter] = []
    for each in candidate.filters:
        condition = filter_condition(key_query.declaration, candidate.index, each)
        if condition is None:
            filters_after_reading.append(each)
        elif may_be_in_key_only(key_query.declaration, each.field):
            conditions.append(or_attribute_missing(key_query.declaration, each.field, condition))
            filters_after_reading.append(each)
        else:
            conditions.append(condition)
    if query.condition is not None:
        conditions.append(condition_on_attributes(key_query.declaration, query.condition))
        check_ranges(key_query.declaration, conditions)
    return conditions, filters_after_reading


def _request_options(query: Query, projection: IndexProjection, limit: int | None) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if projection.select:
        options["Select"] = projection.select
    if query.descending:
        options["ScanIndexForward"] = False
    if query.consistent:
        options["ConsistentRead"] = True
    size = _page_limit(query, limit=limit)
    if size:
        options["Limit"] = size
    return options


def _page_limit(query: Query, *, limit: int | None) -> int | None:
    """The most items that a request reads: the page size or the query's limit."""
    if query.page_size is None or limit is None:
        return query.page_size or limit
    return min(query.page_size, limit)


def _request(
    query: Query,
    keys: KeyPlan,
    partition: Partition,
    conditions: list[Condition],
    projection: IndexProjection,
    options: dict[str, Any],
) -> dict[str, Any]:
    condition = key_condition(partition.attributes, keys.sort)
    request: dict[str, Any] = {"TableName": query.key_queries[0].declaration.table.name}
    if keys.key.index:
        request["IndexName"] = keys.key.index
    request["KeyConditionExpression"] = condition.text
    if conditions or projection.attributes:
        request |= render_expressions(conditions, projection.attributes, condition.placeholders())
    else:
        if condition.names:
            request["ExpressionAttributeNames"] = condition.names
        request["ExpressionAttributeValues"] = condition.values
    return request | options


# More than any key condition needs: four partition attributes, and four sort attributes, the last with a range.
_PLACEHOLDERS = tuple(f":v{number}" for number in range(16))

# Attribute and comparison of each condition, in order.
ConditionShape = tuple[tuple[str, str], ...]


class KeyCondition:
    """The text of a key condition, and the placeholders that it uses."""

    __slots__ = ("names", "text", "values")

    def __init__(self, text: str, names: Mapping[str, str], values: dict[str, dict[str, Any]]) -> None:
        self.text, self.names, self.values = text, names, values

    def placeholders(self) -> Placeholders:
        """Placeholders for the other expressions of the request, after those of the key condition."""
        return Placeholders(self.names, self.values)


def key_condition(partition: Mapping[str, Any], sort: Iterable[tuple[str, Bounds]]) -> KeyCondition:
    """The condition on one partition and on sort key attributes.

    Example:
        >>> made = key_condition({"pk": "ORDER#7"}, [("sk", Bounds("begins_with", "LINE#"))])
        >>> made.text, made.values
        ('pk = :v0 AND begins_with(sk, :v1)', {':v0': {'S': 'ORDER#7'}, ':v1': {'S': 'LINE#'}})
    """
    bounded = list(sort)
    shape = [(name, "=") for name in partition] + [(name, bounds.condition) for name, bounds in bounded]
    text, names = _condition_text(tuple(shape))
    return KeyCondition(text, names, key_values(partition, bounded))


def key_values(partition: Mapping[str, Any], sort: Iterable[tuple[str, Bounds]]) -> dict[str, dict[str, Any]]:
    """The values of a key condition by placeholder."""
    operands = list(partition.values())
    for _, bounds in sort:
        operands += _bound_operands(bounds)
    values = {}
    for name, each in zip(_PLACEHOLDERS, operands, strict=False):
        values[name] = {"S": each} if type(each) is str else to_boto3(to_wire(each))
    return values


def _bound_operands(bounds: Bounds) -> tuple[Any, ...]:
    if bounds.condition == "BETWEEN":
        return bounds.lower, bounds.upper
    return (bounds.upper,) if bounds.condition in ("<", "<=") else (bounds.lower,)


@lru_cache(maxsize=4096)
def _condition_text(shape: ConditionShape) -> tuple[str, dict[str, str]]:
    """The text of a condition of this shape, with values from :v0 on."""
    # Different values, so that each gets its own placeholder.
    numbers = iter(range(2 * len(shape)))
    conditions = [_condition(name, comparison, numbers) for name, comparison in shape]
    rendered = render(conditions[0] if len(conditions) == 1 else And(tuple(conditions)))
    return rendered.text, rendered.names


def _condition(name: str, comparison: str, numbers: Iterable[int]) -> Condition:
    path = Path((name,))
    values = (Value({"N": str(number)}) for number in numbers)
    if comparison == "BETWEEN":
        return Between(path, next(values), next(values))
    if comparison == "begins_with":
        return Call("begins_with", (path, next(values)))
    return Compare(comparison, path, next(values))
