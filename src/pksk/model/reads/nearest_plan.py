"""From a search by vector to its request, in DynamoDB's own JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pksk.errors import DesignError
from pksk.expressions import And, Compare, Condition, Path, Placeholders, Value, render
from pksk.expressions import Projection as ProjectionTree
from pksk.model.given import Given
from pksk.model.reads.ask import Ask
from pksk.model.reads.needed import Needed, needed
from pksk.model.reads.plan import Plan
from pksk.model.reads.query import Query
from pksk.model.reads.search_vector import to_numbers
from pksk.model.reads.strangers import check_family, strangers_near, tags_of

if TYPE_CHECKING:
    from pksk.model.reads.nearest import Nearest
    from pksk.model.reads.searched import Searched

__all__ = ["plan_nearest"]

_ORDERS = {"cosine": "lowest", "euclidean": "lowest", "dot": "highest"}


def plan_nearest(nearest: Nearest[Any]) -> Plan:
    """The plan of a search, or the error that says what would work."""
    searched = nearest.searched
    index, declaration = searched.index, searched.declaration
    ask = Ask(nearest.entity, nearest.key, Given({}))
    query: Query[Any] = Query((ask,), hydrated=nearest.hydrated, model=nearest.model)
    need = needed(query, ask, index)
    others = _others(nearest, searched, hydrates=need.hydrates)
    equalities = searched.equalities(nearest.given) | others.equalities
    request: dict[str, Any] = {
        "TableName": declaration.table.name,
        "IndexName": index.name,
        "SearchVector": to_numbers(nearest.vector),
        "TopK": nearest.k,
        **_expressions(equalities, _projected(searched, need)),
    }
    near = f"by {index.distance}, the nearest have the {_ORDERS[index.distance]} scores; AWS may miss one of them"
    return Plan(
        index.name,
        (request,),
        exact=False,
        notes=(near, *need.notes, *others.notes),
        hydrates=need.hydrates,
        mixed=others.mixed,
        entities=nearest.entities,
    )


@dataclass(frozen=True)
class _Others:
    """Entities that may be among the nearest too: what keeps them out, or that the store must."""

    equalities: dict[str, Any]
    notes: tuple[str, ...] = ()
    mixed: bool = False


def _others(nearest: Nearest[Any], searched: Searched, *, hydrates: bool) -> _Others:
    declaration, index = searched.declaration, searched.index
    discriminator = declaration.table.discriminator
    tags = tags_of(declaration)
    if discriminator in index.partition:
        # The entity itself is the part of the index that is searched.
        return _Others({str(discriminator): {"S": _one_tag(searched, tags)}})
    found = strangers_near(declaration, searched.key, searched.partition(nearest.given))
    if not found:
        return _Others({})
    names = ", ".join(other.name for other in found)
    if discriminator in [each.name for each in index.filters] and len(tags) == 1:
        note = f"items of {names} may be near too; a filter on {discriminator!r} leaves them out"
        return _Others({str(discriminator): {"S": tags[0]}}, (note,))
    if not hydrates and (discriminator is None or not index.projects(discriminator)):
        check_family(declaration, found, index)
    note = f"items of {names} may be near too; they are left out after the search, so that fewer may remain"
    return _Others({}, (note,), mixed=True)


def _one_tag(searched: Searched, tags: list[str]) -> str:
    if len(tags) > 1:
        raise DesignError(
            "nearest-family",
            f"{searched.where}: index {searched.index.name!r} is divided by the discriminator, and items of "
            f"{searched.declaration.name} are in {len(tags)} parts of it: {', '.join(tags)}.",
            expected="A search looks into one part of an index.",
            fix="search each of the subclasses, or give the index another pk.",
        )
    return tags[0]


def _projected(searched: Searched, need: Needed) -> tuple[str, ...]:
    """The attributes that come back: where the items are read afterwards, no more than tells which they are."""
    if not need.hydrates:
        return need.attributes
    table = searched.declaration.table
    told = table.discriminator
    return (*table.key_attributes, *((told,) if told and searched.index.projects(told) else ()))


def _expressions(equalities: dict[str, Any], projected: tuple[str, ...]) -> dict[str, Any]:
    placeholders = Placeholders()
    made: dict[str, Any] = {}
    conditions: list[Condition] = [
        Compare("=", Path((name,)), Value(wire)) for name, wire in equalities.items()
    ]
    if conditions:
        joined = conditions[0] if len(conditions) == 1 else And(tuple(conditions))
        made["SearchConditionExpression"] = render(joined, placeholders).text
    if projected:
        paths = tuple(Path((name,)) for name in dict.fromkeys(projected))
        made["ProjectionExpression"] = render(ProjectionTree(paths), placeholders).text
    return made | placeholders.request()
