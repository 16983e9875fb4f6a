"""From a question about entities to exact requests, in DynamoDB's own JSON."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pksk.errors import PkskError
from pksk.expressions import And, Condition, Path, render
from pksk.expressions import Projection as ProjectionTree
from pksk.keys import Filter
from pksk.model.conditions.field_conditions import on_attributes
from pksk.model.reads.ask import Ask
from pksk.model.reads.candidate import Candidate
from pksk.model.reads.key_condition import key_condition, key_values
from pksk.model.reads.key_plan import KeyPlan
from pksk.model.reads.needed import Needed, needed, with_leftover
from pksk.model.reads.partitions import Partition
from pksk.model.reads.pushdown import as_condition, may_be_lacking, or_lacking
from pksk.model.reads.strangers import mixed, near
from pksk.values.boto3_form import to_boto3

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.model.reads.query import Query

__all__ = ["Plan", "plan_query"]


@dataclass(frozen=True)
class Plan:
    """How a query is answered: its requests, one for each partition, and what the store must still do.

    `exact` says that the key conditions alone find the rows that were asked for by fields; `leftover` are filters
    that DynamoDB cannot apply, or not to all items; `hydrates`, that whole items are read from the table afterwards;
    `mixed`, that rows of other entities may be among what comes back, for the store to leave out; `groups` are the
    numbers of requests, one after the other, whose rows stand in one order and are merged by their sort key; `notes`
    say in words what else there is to know. A question about several entities that one request cannot answer has a
    plan for each in `branches`.

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
    prepared: tuple[dict[str, Any], ...] = field(repr=False)
    exact: bool
    leftover: tuple[Filter, ...] = ()
    notes: tuple[str, ...] = ()
    hydrates: bool = False
    mixed: bool = False
    groups: tuple[int, ...] = (1,)
    entities: tuple[type[Entity], ...] = ()
    keys: KeyPlan | None = field(default=None, compare=False, repr=False)
    branches: tuple[Plan, ...] = ()

    @property
    def requests(self) -> tuple[dict[str, Any], ...]:
        """The requests, ready for boto3; new ones each time, so that changing one changes nothing else."""
        return tuple(map(_fresh, self.prepared))


def _fresh(request: dict[str, Any]) -> dict[str, Any]:
    made = dict(request)
    if "ExpressionAttributeValues" in made:
        values = made["ExpressionAttributeValues"].items()
        # Text and numbers, nearly all there is, hold nothing that could be changed.
        made["ExpressionAttributeValues"] = {
            name: wire.copy() if "S" in wire or "N" in wire else to_boto3(wire) for name, wire in values
        }
    if "ExpressionAttributeNames" in made:
        made["ExpressionAttributeNames"] = dict(made["ExpressionAttributeNames"])
    if "SearchVector" in made:
        made["SearchVector"] = [dict(number) for number in made["SearchVector"]]
    return made


def plan_query(query: Query[Any]) -> Plan:
    """The plan of a query, or the error that says what would work."""
    if len(query.asks) == 1:
        ask = query.asks[0]
        return _known(query, ask) or _plan(query, *_chosen(query, ask))
    from pksk.model.reads.collection import plan_collection

    return plan_collection(query, [_chosen(query, ask) for ask in query.asks], _plan)


def _chosen(query: Query[Any], ask: Ask) -> tuple[Ask, Candidate, Needed]:
    """The cheapest key that holds what the query needs; the first one's problem where none does."""
    if len(ask.candidates) == 1:
        return ask, ask.candidates[0], needed(query, ask, ask.candidates[0].index)
    found: list[tuple[Candidate, Needed]] = []
    problems: list[PkskError] = []
    for candidate in ask.candidates:
        try:
            found.append((candidate, needed(query, ask, candidate.index)))
        except PkskError as error:
            problems.append(error)
    if not found:
        raise problems[0]
    return (ask, *min(found, key=lambda each: each[0].rank(reads_table=each[1].reads_table)))


def _plan(query: Query[Any], ask: Ask, candidate: Candidate, need: Needed, *, alone: bool = True) -> Plan:
    """The plan through one key; not `alone` where it reads several entities, and no other can be among them."""
    keys, index = candidate.keys, candidate.index
    if any(bounds.condition == "none" for _, bounds in keys.sort):
        return Plan(index.name, (), True, notes=("no row can match",), entities=(ask.entity,), keys=keys)
    pattern = _pattern(query, ask, candidate) if alone else None
    known = ask.declaration.remembered.get(pattern)
    if known is not None:
        return _filled(query, known, keys)
    conditions, leftover = _filters(query, ask, candidate)
    if leftover and need.attributes:
        need = with_leftover(need, ask, index, leftover)
    others = mixed(ask.declaration, keys, index, hydrates=need.reads_table) if alone else None
    if others and others.condition is not None:
        conditions.append(others.condition)
    whole = not conditions and not leftover and not others
    options = _options(query, need, limit=query.most if whole else None)
    ordered, groups = _in_order(keys.partitions, backwards=query.descending)
    made = Plan(
        index.name,
        tuple([_request(query, keys, each, conditions, need, options) for each in ordered]),
        keys.exact and not candidate.rest,
        tuple(leftover),
        _notes(candidate, need, groups, others.note if others else ""),
        need.hydrates,
        others is not None,
        groups,
        (ask.entity,),
        keys,
    )
    if pattern is not None and not conditions and not near(ask.declaration, keys.key):
        ask.declaration.remembered[pattern] = _unlimited(made)
    return made


def _pattern(query: Query[Any], ask: Ask, candidate: Candidate) -> tuple[Any, ...] | None:
    """All that a plan depends on but the values in its keys and its limit; None where it depends on more."""
    keys = candidate.keys
    if query.condition is not None or keys.filters or candidate.rest or len(keys.partitions) > 1:
        return None
    sort = keys.sort
    conditions = sort[0][1].condition if len(sort) == 1 else tuple([bounds.condition for _, bounds in sort])
    return (
        "plan",
        keys.key.name,
        conditions,
        query.descending,
        query.consistent,
        query.hydrated,
        query.model,
        ask.declaration.table.entity_count,
    )


def _known(query: Query[Any], ask: Ask) -> Plan | None:
    """The plan of a query like one that was planned before, by the only key that can serve it."""
    candidates = ask.candidates
    if len(candidates) > 1:
        return None
    known = ask.declaration.remembered.get(_pattern(query, ask, candidates[0]))
    return None if known is None else _filled(query, known, candidates[0].keys)


def _filled(query: Query[Any], known: Plan, keys: KeyPlan) -> Plan:
    """A plan of the same pattern, with other values in its keys and another limit."""
    values = key_values(keys.partitions[0].attributes, keys.sort)
    request = {**known.prepared[0], "ExpressionAttributeValues": values}
    size = _size(query, limit=query.most)
    if size:
        request["Limit"] = size
    made = object.__new__(Plan)
    made.__dict__.update(known.__dict__, prepared=(request,), keys=keys)
    return made


def _unlimited(plan: Plan) -> Plan:
    """The plan as it is remembered: for any limit, of which there may be many."""
    requests = tuple(
        {name: value for name, value in request.items() if name != "Limit"} for request in plan.prepared
    )
    return replace(plan, prepared=requests)


def _in_order(
    partitions: tuple[Partition, ...], *, backwards: bool
) -> tuple[tuple[Partition, ...], tuple[int, ...]]:
    """The partitions in the order in which they are read, and how many of them share one order of rows."""
    if len(partitions) == 1:
        return partitions, (1,)
    groups = [list(some) for _, some in groupby(partitions, key=lambda each: each.group)]
    if backwards:
        groups.reverse()
    return tuple(each for some in groups for each in some), tuple(map(len, groups))


def _notes(candidate: Candidate, need: Needed, groups: tuple[int, ...], others: str) -> tuple[str, ...]:
    notes = [*candidate.keys.reasons, *need.notes]
    if others:
        notes.append(others)
    if candidate.rest:
        names = ", ".join(each.field for each in candidate.rest)
        notes.append(f"{names} filtered after reading, which saves nothing")
    if sum(groups) > 1:
        merged = "; rows of shards are merged" if max(groups) > 1 else ""
        notes.append(f"{sum(groups)} partitions, one request each{merged}")
    return tuple(notes)


def _filters(query: Query[Any], ask: Ask, candidate: Candidate) -> tuple[list[Condition], list[Filter]]:
    conditions: list[Condition] = []
    leftover: list[Filter] = []
    for each in candidate.filters:
        condition = as_condition(ask.declaration, candidate.index, each)
        if condition is None:
            leftover.append(each)
        elif may_be_lacking(ask.declaration, each.field):
            conditions.append(or_lacking(ask.declaration, each.field, condition))
            leftover.append(each)
        else:
            conditions.append(condition)
    if query.condition is not None:
        conditions.append(on_attributes(ask.declaration, query.condition))
    return conditions, leftover


def _options(query: Query[Any], need: Needed, limit: int | None) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if need.select:
        options["Select"] = need.select
    if query.descending:
        options["ScanIndexForward"] = False
    if query.consistent:
        options["ConsistentRead"] = True
    size = _size(query, limit=limit)
    if size:
        options["Limit"] = size
    return options


def _size(query: Query[Any], *, limit: int | None) -> int | None:
    """How many rows a request reads at most: a page, or as many as are asked for."""
    if query.page_size is None or limit is None:
        return query.page_size or limit
    return min(query.page_size, limit)


def _request(
    query: Query[Any],
    keys: KeyPlan,
    partition: Partition,
    conditions: list[Condition],
    need: Needed,
    options: dict[str, Any],
) -> dict[str, Any]:
    made = key_condition(partition.attributes, keys.sort)
    request: dict[str, Any] = {"TableName": query.asks[0].declaration.table.name}
    if keys.key.index:
        request["IndexName"] = keys.key.index
    request["KeyConditionExpression"] = made.text
    if conditions or need.attributes:
        placeholders = made.placeholders()
        if conditions:
            joined = conditions[0] if len(conditions) == 1 else And(tuple(conditions))
            request["FilterExpression"] = render(joined, placeholders).text
        if need.attributes:
            paths = tuple(Path((name,)) for name in need.attributes)
            request["ProjectionExpression"] = render(ProjectionTree(paths), placeholders).text
        request |= placeholders.request()
    else:
        if made.names:
            request["ExpressionAttributeNames"] = made.names
        request["ExpressionAttributeValues"] = made.values
    return request | options
