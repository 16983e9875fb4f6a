"""Plans a query over several entities: one request where their items are adjacent, else one for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pksk.expressions import describe
from pksk.keys import Bounds
from pksk.keys.bounds import Edge, bounds_between, prefix_upper_bound
from pksk.model.fields.field_conditions import condition_on_attributes
from pksk.model.planning.foreign_items import foreign_entities_among
from pksk.model.planning.key_query import Candidate, KeyQuery
from pksk.model.planning.projection import IndexProjection
from pksk.model.planning.query_plan import Plan

if TYPE_CHECKING:
    from pksk.model.requests.query import Query

Choice = tuple[KeyQuery, Candidate, IndexProjection]
Planner = Callable[..., Plan]


def plan_collection(query: Query, choices: Sequence[Choice], plan: Planner) -> Plan:
    """One plan if the items of all entities are adjacent, else a plan with a branch for each."""
    together = _merge_adjacent(query, choices)
    if together is not None:
        key_query, candidate, projection = together
        merged = plan(query, key_query, candidate, projection, alone=False)
        names = " and ".join(each.entity.__name__ for each, _, _ in choices)
        notes = (*merged.notes, f"{names} are adjacent: one request")
        return replace(merged, entities=query.entities, notes=notes)
    branches = tuple(plan(query, *each) for each in choices)
    return Plan(
        branches[0].index,
        tuple(request for branch in branches for request in branch.shared_requests),
        all(branch.exact for branch in branches),
        tuple(dict.fromkeys(left for branch in branches for left in branch.filters_after_reading)),
        notes=tuple(dict.fromkeys(note for branch in branches for note in branch.notes)),
        reads_table=any(branch.reads_table for branch in branches),
        has_foreign_items=any(branch.has_foreign_items for branch in branches),
        group_sizes=tuple(group for branch in branches for group in branch.group_sizes),
        entities=query.entities,
        branches=branches,
    )


def _merge_adjacent(query: Query, choices: Sequence[Choice]) -> Choice | None:
    """One key range for all entities, if they are in one partition with no other items between them."""
    key_query, first, projection = choices[0]
    plans = [candidate.keys for _, candidate, _ in choices]
    if any(
        candidate.index.name != first.index.name
        or candidate.filters
        or candidate.keys.partitions != first.keys.partitions
        or each.values.keys() & _sort_fields(candidate)
        or others != projection
        for each, candidate, others in choices
    ):
        return None
    if query.condition is not None and len(_conditions(query)) > 1:
        return None
    ends = [_range_ends(keys.sort[0][1] if keys.sort else Bounds("all")) for keys in plans]
    if len(first.keys.partitions) != 1 or len(first.keys.key.sort) > 1 or None in ends:
        return None
    hull = _enclosing_range([each for each in ends if each is not None])
    sort = (
        ((first.keys.key.sort[0].attribute, hull),) if first.keys.key.sort and hull.condition != "all" else ()
    )
    keys = replace(first.keys, sort=sort)
    requested = tuple(each.declaration for each, _, _ in choices)
    has_foreign_items = foreign_entities_among(requested, keys, key_query.declaration.table)
    return None if has_foreign_items else (key_query, replace(first, keys=keys), projection)


def _sort_fields(candidate: Candidate) -> set[str]:
    """The fields of the sort key; a value for one of them narrows the items of its entity."""
    return {field for part in candidate.keys.key.sort for field in part.fields}


def _conditions(query: Query) -> set[str]:
    """The filter in the attribute names of each entity, as texts."""
    assert query.condition is not None
    return {
        describe(condition_on_attributes(key_query.declaration, query.condition))
        for key_query in query.key_queries
    }


def _range_ends(bounds: Bounds) -> tuple[str, str | None] | None:
    """The lower and the upper end of bounds on text, the upper one possibly exclusive; None for other types."""
    if bounds.condition == "all":
        return "", None
    if not isinstance(bounds.lower or bounds.upper, str):
        return None
    if bounds.condition == "begins_with":
        return bounds.lower, prefix_upper_bound(bounds.lower)
    return bounds.lower or "", bounds.lower if bounds.condition == "=" else bounds.upper


def _enclosing_range(ends: Sequence[tuple[str, str | None]]) -> Bounds:
    lower = min(low for low, _ in ends)
    uppers = [high for _, high in ends if high is not None]
    upper = max(uppers) if len(uppers) == len(ends) else None
    if not lower and upper is None:
        return Bounds("all")
    return bounds_between(Edge(lower), Edge(upper))
