"""Explanations: a request in words, as text and as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pksk.errors import PkskError
from pksk.model.cost import Estimate, estimate
from pksk.model.markers import Reference, Unique
from pksk.model.patterns.declared import Declared
from pksk.model.sent import SHOWN, Sent
from pksk.model.writes.conditions import of_kind

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

__all__ = ["Explanation", "Sent", "explained"]

_OPERATIONS = {
    "query": "Query",
    "scan": "Scan",
    "nearest": "SearchVectors",
    "get": "GetItem",
    "put": "PutItem",
    "update": "UpdateItem",
    "delete": "DeleteItem",
    "check": "ConditionCheck",
}


@dataclass(frozen=True)
class Explanation:
    """What a request does and costs, before it runs.

    `limit` is how many results are taken of those that are read, where DynamoDB cannot stop by itself.
    """

    title: str
    sent: tuple[Sent, ...]
    estimate: Estimate
    exact: bool | None = None
    leftover: tuple[str, ...] = ()
    limit: int | None = None
    notes: tuple[str, ...] = ()
    problem: str = ""

    def data(self) -> dict[str, Any]:
        """The explanation as JSON can hold it, with the requests as they are sent."""
        return {
            "title": self.title,
            "requests": [each.data() for each in self.sent],
            "exact": self.exact,
            "leftover": list(self.leftover),
            "limit_after_reading": self.limit,
            "notes": list(self.notes),
            "problem": self.problem,
            "estimate": self.estimate.data(),
        }

    def request_lines(self) -> Iterator[tuple[str, str]]:
        """What is sent, each with its label; of many requests the first few."""
        several = len(self.sent) > 1
        for number, each in enumerate(self.sent[:SHOWN], 1):
            if several:
                yield "request", f"{number} of {len(self.sent)}: {each.operation}"
            yield from each.words()
        if len(self.sent) > SHOWN:
            yield "request", f"and {len(self.sent) - SHOWN} more"

    def afterwards(self) -> Iterator[tuple[str, str]]:
        """What is done to the rows that were read."""
        yield from (("then", f"filter by {text}, after reading") for text in self.leftover)
        if self.limit is not None:
            yield "limit", f"{self.limit:,} {_counted(self.limit, 'result')}, taken after reading"

    def lines(self) -> Iterator[tuple[str, str]]:
        """Labels and what they are, in the order in which a reader needs them."""
        yield from self.request_lines()
        if self.problem:
            yield "problem", self.problem
        if self.exact is not None:
            yield "exact", "yes" if self.exact else "no"
        yield from self.afterwards()
        yield "estimate", str(self.estimate)
        yield from (("assuming", text) for text in self.estimate.assumptions)
        yield from (("note", text) for text in self.notes)

    def __str__(self) -> str:
        lines = list(self.lines())
        width = max(len(label) for label, _ in lines)
        shown = []
        before = ""
        for label, text in lines:
            shown.append(f"  {'' if label == before else label:{width}}  {text}")
            before = label
        return "\n".join([self.title, *shown])


def _counted(number: int, thing: str) -> str:
    return thing if number == 1 else f"{thing}s"


def explained(request: Any, declared: Declared | None = None) -> Explanation:
    """The explanation of one request."""
    likely = estimate([request], declared)
    if request.kind in ("query", "scan", "nearest"):
        return _explain_rows(request, likely)
    sent, problem = _sent(request)
    return Explanation(_title(request), sent, likely, notes=tuple(_notes(request)), problem=problem)


def _explain_rows(read: Any, likely: Estimate) -> Explanation:
    plan = read.plan
    operation = _OPERATIONS[read.kind]
    names = " and ".join(entity.__name__ for entity in plan.entities)
    table = plan.entities[0].__pksk__.table.name
    place = f"index {plan.index!r} of {table!r}" if plan.index else f"table {table!r}"
    most: int | None = getattr(read, "most", None)
    stops = most is None or all(request.get("Limit", most + 1) <= most for request in plan.requests)
    return Explanation(
        f"{operation} {place} for {names}",
        tuple(Sent(operation, request) for request in plan.requests),
        likely,
        exact=plan.exact if read.kind == "query" else None,
        leftover=tuple(map(str, plan.leftover)),
        limit=None if stops else most,
        notes=plan.notes,
    )


def _sent(request: Any) -> tuple[tuple[Sent, ...], str]:
    """The calls of a request, or why it cannot be sent yet."""
    operation = _OPERATIONS.get(request.kind) or request.operation
    try:
        made = request.requests if request.kind == "batch" else (request.request,)
        return tuple(Sent(operation, each) for each in made), ""
    except PkskError as error:
        return (), error.problem


def _title(request: Any) -> str:
    if request.kind in ("batch", "transaction"):
        count = len(request.members)
        names = dict.fromkeys(each.entity.__name__ for each in request.members)
        return f"{request.operation}: {count} {_counted(count, 'item')} of {', '.join(names)}"
    declaration = request.entity.__pksk__
    return f"{_OPERATIONS[request.kind]} table {declaration.table.name!r}: {declaration.name}"


def _notes(request: Any) -> Iterator[str]:
    if request.kind == "update" and request.needs:
        yield f"{', '.join(request.needs)} read first: an index key is made of them"
    if request.kind == "get" and of_kind(request.entity.__pksk__) is not None:
        yield "an item of another class with the same key may stand there; it is told apart after reading"
    if request.kind == "check":
        yield "it is sent as a member of a transaction"
    if request.kind == "transaction":
        guarded = dict.fromkeys(text for each in request.members for text in _guarded(each))
        if guarded:
            yield f"{', '.join(guarded)}: a store adds to the transaction for it, which is what the estimate counts"
    elif guarded := dict.fromkeys(_guarded(request)):
        yield f"{', '.join(guarded)}: a store makes a transaction of it, which is what the estimate counts"


def _guarded(request: Any) -> Iterator[str]:
    """The markers of an entity for whose sake a write of it takes further items."""
    if request.kind not in ("put", "update", "delete"):
        return
    declaration: Declaration[Any] = request.entity.__pksk__
    touched = request.touched_fields if request.kind == "update" else declaration.fields
    for name, _ in declaration.marked(Unique):
        if name in touched:
            yield f"{declaration.name}.{name} is unique"
    # An item that goes needs nothing to be there.
    for name, _ in declaration.marked(Reference) if request.kind != "delete" else ():
        if name in touched:
            yield f"{declaration.name}.{name} is a reference"
