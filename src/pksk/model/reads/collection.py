"""Several entities in one question: one request where they stand together, else one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, overload

from pksk.errors import DesignError, quote
from pksk.expressions import describe
from pksk.keys import Bounds
from pksk.keys.bounds import raised
from pksk.keys.edges import Edge, condition
from pksk.model.conditions.field_conditions import on_attributes
from pksk.model.reads.ask import Ask
from pksk.model.reads.candidate import Candidate
from pksk.model.reads.needed import Needed
from pksk.model.reads.plan import Plan
from pksk.model.reads.query import Query
from pksk.model.reads.strangers import strangers_among

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["collect", "plan_collection"]

A = TypeVar("A", bound="BaseModel")
B = TypeVar("B", bound="BaseModel")
C = TypeVar("C", bound="BaseModel")
D = TypeVar("D", bound="BaseModel")

Chosen = tuple[Ask, Candidate, Needed]
Planner = Callable[..., Plan]


@overload
def collect(first: Query[A], second: Query[B], /) -> Query[A | B]: ...
@overload
def collect(first: Query[A], second: Query[B], third: Query[C], /) -> Query[A | B | C]: ...
@overload
def collect(
    first: Query[A], second: Query[B], third: Query[C], fourth: Query[D], /
) -> Query[A | B | C | D]: ...
@overload
def collect(first: Query[A], second: Query[A], /, *more: Query[A]) -> Query[A]: ...
def collect(first: Query[Any], second: Query[Any], /, *more: Query[Any]) -> Query[Any]:
    """The rows of several queries as one, of as many types: an order with its lines, a post with its records.

    Where they stand side by side in one partition, one request reads them all, in the order of the sort key.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> shop = Table("shop")
        >>> class Order(Entity, table=shop):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> class Line(Entity, table=shop):
        ...     id: str
        ...     n: int
        ...     primary = Key("ORDER#{id}", "LINE#{n:03d}")
        >>> both = collect(Order.primary(id="7"), Line.primary(id="7"))
        >>> [request["ExpressionAttributeValues"] for request in both.plan.requests]
        [{':v0': {'S': 'ORDER#7'}, ':v1': {'S': 'LINE#'}, ':v2': {'S': 'META'}}]
    """
    queries: list[Query[Any]] = [first, second, *more]
    for query in queries:
        if not isinstance(query, Query):
            _refuse(f"{quote(query)} is no query.", "collect what E.primary(...) and the like give.")
    plain = replace(first, asks=())
    for query in queries:
        if replace(query, asks=()) != plain:
            _refuse(
                "its queries differ in filter, order, limit or model.",
                "collect first, then add what is common.",
            )
    asks = tuple(ask for query in queries for ask in query.asks)
    for one in asks:
        for other in asks:
            if one.entity is not other.entity and other.declaration.is_kind_of(one.declaration):
                _refuse(
                    f"{one.entity.__name__} includes {other.entity.__name__}, its subclass.",
                    f"ask for {one.entity.__name__} alone.",
                )
    tables = {id(ask.declaration.table): ask.declaration.table.name for ask in asks}
    if len(tables) > 1:
        names = ", ".join(sorted(tables.values()))
        _refuse(f"its queries are of several tables: {names}.", "run one query for each.")
    return replace(plain, asks=asks)


def _refuse(problem: str, fix: str) -> NoReturn:
    raise DesignError("collect-differs", f"collect: {problem}", fix=fix)


def plan_collection(query: Query[Any], chosen: Sequence[Chosen], plan: Planner) -> Plan:
    """One plan for neighbours in a partition, or a plan with a branch for each."""
    together = _merged(query, chosen)
    if together is not None:
        ask, candidate, need = together
        made = plan(query, ask, candidate, need, alone=False)
        names = " and ".join(each.entity.__name__ for each, _, _ in chosen)
        notes = (*made.notes, f"{names} stand side by side: one request")
        return replace(made, entities=query.entities, notes=notes)
    branches = tuple(plan(query, *each) for each in chosen)
    return Plan(
        branches[0].index,
        tuple(request for branch in branches for request in branch.prepared),
        all(branch.exact for branch in branches),
        tuple(dict.fromkeys(left for branch in branches for left in branch.leftover)),
        notes=tuple(dict.fromkeys(note for branch in branches for note in branch.notes)),
        hydrates=any(branch.hydrates for branch in branches),
        mixed=any(branch.mixed for branch in branches),
        groups=tuple(group for branch in branches for group in branch.groups),
        entities=query.entities,
        branches=branches,
    )


def _merged(query: Query[Any], chosen: Sequence[Chosen]) -> Chosen | None:
    """All of them as one, if they stand in one partition with nothing else between."""
    ask, first, need = chosen[0]
    plans = [candidate.keys for _, candidate, _ in chosen]
    if any(
        candidate.index.name != first.index.name
        or candidate.filters
        or candidate.keys.partitions != first.keys.partitions
        or each.given.keys() & _sort_fields(candidate)
        or others != need
        for each, candidate, others in chosen
    ):
        return None
    if query.condition is not None and len(_conditions(query)) > 1:
        return None
    ends = [_ends(keys.sort[0][1] if keys.sort else Bounds("all")) for keys in plans]
    if len(first.keys.partitions) != 1 or len(first.keys.key.sort) > 1 or None in ends:
        return None
    hull = _hull([each for each in ends if each is not None])
    sort = (
        ((first.keys.key.sort[0].attribute, hull),) if first.keys.key.sort and hull.condition != "all" else ()
    )
    keys = replace(first.keys, sort=sort)
    asked = tuple(each.declaration for each, _, _ in chosen)
    mixed = strangers_among(asked, keys, ask.declaration.table)
    return None if mixed else (ask, replace(first, keys=keys), need)


def _sort_fields(candidate: Candidate) -> set[str]:
    """The fields of the sort key: one that is given narrows the rows of its entity."""
    return {field for part in candidate.keys.key.sort for field in part.fields}


def _conditions(query: Query[Any]) -> set[str]:
    """The filter, as each of the entities stores what it is about."""
    assert query.condition is not None
    return {describe(on_attributes(ask.declaration, query.condition)) for ask in query.asks}


def _ends(bounds: Bounds) -> tuple[str, str | None] | None:
    """The first text within bounds, and the last or the one behind it; None where they are not of text."""
    if bounds.condition == "all":
        return "", None
    if not isinstance(bounds.lower or bounds.upper, str):
        return None
    if bounds.condition == "begins_with":
        return bounds.lower, raised(bounds.lower)
    return bounds.lower or "", bounds.lower if bounds.condition == "=" else bounds.upper


def _hull(ends: Sequence[tuple[str, str | None]]) -> Bounds:
    lower = min(low for low, _ in ends)
    uppers = [high for _, high in ends if high is not None]
    upper = max(uppers) if len(uppers) == len(ends) else None
    if not lower and upper is None:
        return Bounds("all")
    return condition(Edge(lower), Edge(upper))
