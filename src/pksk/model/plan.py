"""From a question about an entity to exact requests, in DynamoDB's own JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pksk.errors import DesignError
from pksk.expressions import And, Compare, Condition, Path, Placeholders, Value, render
from pksk.expressions import Between as BetweenNode
from pksk.expressions import Call as CallNode
from pksk.keys import Bounds, Filter
from pksk.model.key_plan import KeyPlan
from pksk.model.pushdown import as_condition
from pksk.model.renamed import renamed
from pksk.model.strangers import stranger_condition
from pksk.values import to_wire

if TYPE_CHECKING:
    from pksk.model.query import Query
    from pksk.schema import Index

__all__ = ["Plan", "plan_query"]


@dataclass(frozen=True)
class Plan:
    """How a query is answered: its requests, one for each partition, and what the store must still do.

    `exact` says that the key conditions alone find the rows of the entity; `leftover` are filters that
    DynamoDB cannot apply; `notes` say in words what else there is to know.

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
    keys: KeyPlan | None = field(default=None, compare=False, repr=False)


def plan_query(query: Query[Any]) -> Plan:
    """The plan of a query, or the error that says what would work."""
    declaration = query.entity.__pksk__
    key = declaration.key(query.key)
    where = f"{declaration.name}.{query.key}"
    keys = query.keys
    index = declaration.table.index(key.index)
    _check_consistent(query, index, where)
    lacking = _check_projection(query, index, where)
    conditions, leftover = _filters(query, keys, index)
    notes = [*keys.reasons]
    if lacking:
        notes.append(f"{', '.join(lacking)} are read from the table, one more read for each row")
    stranger, note = stranger_condition(declaration, keys)
    if stranger is not None:
        conditions.append(stranger)
    notes += [note] if note else []
    if len(keys.partitions) > 1:
        notes.append(f"{len(keys.partitions)} partitions, one request each")
    if any(bounds.condition == "none" for _, bounds in keys.sort):
        return Plan(key.index, (), exact=True, notes=("no row can match",), keys=keys)
    requests = tuple(_request(query, keys, partition, conditions) for partition in keys.partitions)
    return Plan(key.index, requests, keys.exact, tuple(leftover), tuple(notes), keys)


def _check_consistent(query: Query[Any], index: Index, where: str) -> None:
    if query.consistent and index.kind == "gsi":
        raise DesignError(
            "plan-consistent-index",
            f"{where}: a consistent read of index {index.name!r}, which is a global one and always lags.",
            fix="leave out .consistently(), or use a key of the table itself.",
        )


def _check_projection(query: Query[Any], index: Index, where: str) -> list[str]:
    """The fields that the index does not hold, if the author knows it."""
    declaration = query.entity.__pksk__
    lacking = [
        name
        for name, each in declaration.fields.items()
        if not each.computed and not index.projects(each.attribute)
    ]
    if lacking and index.kind != "lsi" and not query.hydrated:
        raise DesignError(
            "plan-not-projected",
            f"{where}: index {index.name!r} does not project {', '.join(map(repr, lacking))} of {declaration.name}.",
            fix="add .hydrate() to read the whole items from the table, or project the attributes.",
        )
    return lacking


def _filters(query: Query[Any], keys: KeyPlan, index: Index) -> tuple[list[Condition], list[Filter]]:
    declaration = query.entity.__pksk__
    conditions: list[Condition] = []
    leftover: list[Filter] = []
    for each in keys.filters:
        condition = as_condition(declaration, index, each)
        if condition is None:
            leftover.append(each)
        else:
            conditions.append(condition)
    if query.condition is not None:
        conditions.append(renamed(query.condition, declaration.attribute))
    return conditions, leftover


def _request(
    query: Query[Any], keys: KeyPlan, partition: Mapping[str, Any], conditions: list[Condition]
) -> dict[str, Any]:
    declaration = query.entity.__pksk__
    placeholders = Placeholders()
    request: dict[str, Any] = {"TableName": declaration.table.name}
    if keys.key.index:
        request["IndexName"] = keys.key.index
    wanted: list[Condition] = [
        Compare("=", Path((name,)), Value(to_wire(v))) for name, v in partition.items()
    ]
    wanted += [_CONDITIONS[bounds.condition](name, bounds) for name, bounds in keys.sort]
    request["KeyConditionExpression"] = render(_all(wanted), placeholders).text
    if conditions:
        request["FilterExpression"] = render(_all(conditions), placeholders).text
    request |= placeholders.request()
    if query.descending:
        request["ScanIndexForward"] = False
    if query.consistent:
        request["ConsistentRead"] = True
    if query.page_size:
        request["Limit"] = query.page_size
    return request


def _all(conditions: list[Condition]) -> Condition:
    return conditions[0] if len(conditions) == 1 else And(tuple(conditions))


def _compare(operator: str, end: str) -> Callable[[str, Bounds], Condition]:
    return lambda name, bounds: Compare(operator, Path((name,)), Value(to_wire(getattr(bounds, end))))


_CONDITIONS: dict[str, Callable[[str, Bounds], Condition]] = {
    "=": _compare("=", "lower"),
    ">=": _compare(">=", "lower"),
    ">": _compare(">", "lower"),
    "<=": _compare("<=", "upper"),
    "<": _compare("<", "upper"),
    "BETWEEN": lambda name, bounds: BetweenNode(
        Path((name,)), Value(to_wire(bounds.lower)), Value(to_wire(bounds.upper))
    ),
    "begins_with": lambda name, bounds: CallNode(
        "begins_with", (Path((name,)), Value(to_wire(bounds.lower)))
    ),
}
