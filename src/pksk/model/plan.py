"""From a question about entities to exact requests, in DynamoDB's own JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pksk.errors import PkskError
from pksk.expressions import And, Condition, Path, render
from pksk.expressions import Projection as ProjectionTree
from pksk.keys import Filter
from pksk.model.ask import Ask
from pksk.model.candidate import Candidate
from pksk.model.key_condition import key_condition
from pksk.model.key_plan import KeyPlan
from pksk.model.needed import Needed, needed
from pksk.model.pushdown import as_condition
from pksk.model.renamed import renamed
from pksk.model.strangers import mixed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pksk.model.entity import Entity
    from pksk.model.query import Query

__all__ = ["Plan", "plan_query"]


@dataclass(frozen=True)
class Plan:
    """How a query is answered: its requests, one for each partition, and what the store must still do.

    `exact` says that the key conditions alone find the rows of the entity; `leftover` are filters that
    DynamoDB cannot apply; `hydrates`, that whole items are read from the table afterwards; `mixed`, that rows
    of other entities are among what comes back, for the store to leave out; `notes` say in words what else
    there is to know. A question about several entities that one request cannot answer has a plan for each
    in `branches`.

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
    requests: tuple[dict[str, Any], ...]
    exact: bool
    leftover: tuple[Filter, ...] = ()
    notes: tuple[str, ...] = ()
    hydrates: bool = False
    mixed: bool = False
    entities: tuple[type[Entity], ...] = ()
    keys: KeyPlan | None = field(default=None, compare=False, repr=False)
    branches: tuple[Plan, ...] = ()


def plan_query(query: Query[Any]) -> Plan:
    """The plan of a query, or the error that says what would work."""
    if len(query.asks) == 1:
        return _plan(query, *_chosen(query, query.asks[0]))
    from pksk.model.collection import plan_collection

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
    keys, declaration = candidate.keys, ask.declaration
    index = candidate.index.name
    if any(bounds.condition == "none" for _, bounds in keys.sort):
        return Plan(index, (), exact=True, notes=("no row can match",), entities=(ask.entity,), keys=keys)
    conditions, leftover = _filters(query, ask, candidate)
    others = mixed(declaration, keys, candidate.index) if alone else None
    if others and others.condition is not None:
        conditions.append(others.condition)
    notes = [*keys.reasons, *need.notes, *([others.note] if others else [])]
    if candidate.rest:
        names = ", ".join(each.field for each in candidate.rest)
        notes.append(f"{names} filtered after reading, which saves nothing")
    if len(keys.partitions) > 1:
        notes.append(f"{len(keys.partitions)} partitions, one request each")
    whole = not conditions and not leftover and not need.hydrates and not others
    options = _options(query, need, limit=query.most if whole else None)
    requests = tuple(_request(query, keys, each, conditions, need, options) for each in keys.partitions)
    return Plan(
        index,
        requests,
        keys.exact and not candidate.rest,
        tuple(leftover),
        tuple(notes),
        need.hydrates,
        bool(others and others.condition is None),
        (ask.entity,),
        keys,
    )


def _filters(query: Query[Any], ask: Ask, candidate: Candidate) -> tuple[list[Condition], list[Filter]]:
    conditions: list[Condition] = []
    leftover: list[Filter] = []
    for each in candidate.filters:
        condition = as_condition(ask.declaration, candidate.index, each)
        if condition is None:
            leftover.append(each)
        else:
            conditions.append(condition)
    if query.condition is not None:
        conditions.append(renamed(query.condition, ask.declaration.attribute))
    return conditions, leftover


def _options(query: Query[Any], need: Needed, limit: int | None) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if need.select:
        options["Select"] = need.select
    if query.descending:
        options["ScanIndexForward"] = False
    if query.consistent:
        options["ConsistentRead"] = True
    size = min((number for number in (query.page_size, limit) if number), default=None)
    if size:
        options["Limit"] = size
    return options


def _request(
    query: Query[Any],
    keys: KeyPlan,
    partition: Mapping[str, Any],
    conditions: list[Condition],
    need: Needed,
    options: dict[str, Any],
) -> dict[str, Any]:
    made = key_condition(partition, keys.sort)
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
            request["ExpressionAttributeNames"] = dict(made.names)
        request["ExpressionAttributeValues"] = made.values
    return request | options
