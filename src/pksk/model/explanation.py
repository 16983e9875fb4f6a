"""Explanations: a request in words, as text and as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pksk.errors import PkskError
from pksk.expressions import (
    describe,
    parse_condition,
    parse_key_condition,
    parse_projection,
    parse_update,
)
from pksk.model.cost import Estimate, estimate
from pksk.model.patterns.declared import Declared
from pksk.values import from_wire

__all__ = ["Explanation", "Sent", "explained"]

_OPERATIONS = {
    "query": "Query",
    "scan": "Scan",
    "get": "GetItem",
    "put": "PutItem",
    "update": "UpdateItem",
    "delete": "DeleteItem",
    "check": "ConditionCheck",
}
_READERS: dict[str, tuple[str, Callable[..., Any]]] = {
    "key": ("KeyConditionExpression", parse_key_condition),
    "update": ("UpdateExpression", parse_update),
    "filter": ("FilterExpression", parse_condition),
    "if": ("ConditionExpression", parse_condition),
}
# Of many requests that differ in their partition alone, these many are shown.
_SHOWN = 3


@dataclass(frozen=True)
class Sent:
    """One call of DynamoDB's API."""

    operation: str
    request: Mapping[str, Any]

    def words(self) -> Iterator[tuple[str, str]]:
        """What the request says, each expression with its names and values in their places."""
        for name in ("Key", "Item"):
            if name in self.request:
                keys = {key: from_wire(value) for key, value in self.request[name].items()}
                yield name.lower(), ", ".join(f"{key} = {value!r}" for key, value in keys.items())
        names = self.request.get("ExpressionAttributeNames", {})
        values = self.request.get("ExpressionAttributeValues", {})
        for label, (member, parse) in _READERS.items():
            if member in self.request:
                yield label, describe(parse(self.request[member], names, values))
        if "ProjectionExpression" in self.request:
            yield "reads", describe(parse_projection(self.request["ProjectionExpression"], names))
        if self.request.get("ScanIndexForward") is False:
            yield "order", "backwards"
        for label, member in (("consistent", "ConsistentRead"), ("limit", "Limit"), ("select", "Select")):
            if member in self.request:
                yield label, {True: "yes"}.get(self.request[member], str(self.request[member]))


@dataclass(frozen=True)
class Explanation:
    """What a request does and costs, before it runs."""

    title: str
    sent: tuple[Sent, ...]
    estimate: Estimate
    exact: bool | None = None
    leftover: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = ""

    def data(self) -> dict[str, Any]:
        """The explanation as JSON can hold it, with the requests as they are sent."""
        return {
            "title": self.title,
            "requests": [{"operation": each.operation, "request": dict(each.request)} for each in self.sent],
            "exact": self.exact,
            "leftover": list(self.leftover),
            "notes": list(self.notes),
            "problem": self.problem,
            "estimate": self.estimate.data(),
        }

    def request_lines(self) -> Iterator[tuple[str, str]]:
        """What is sent, each with its label; of many requests the first few."""
        several = len(self.sent) > 1
        for number, each in enumerate(self.sent[:_SHOWN], 1):
            if several:
                yield "request", f"{number} of {len(self.sent)}: {each.operation}"
            yield from each.words()

    def lines(self) -> Iterator[tuple[str, str]]:
        """Labels and what they are, in the order in which a reader needs them."""
        yield from self.request_lines()
        if self.problem:
            yield "problem", self.problem
        if self.exact is not None:
            yield "exact", "yes" if self.exact else "no"
        yield from (("then", f"filter by {text}, after reading") for text in self.leftover)
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


def explained(request: Any, declared: Declared | None = None) -> Explanation:
    """The explanation of one request."""
    likely = estimate([request], declared)
    if request.kind in ("query", "scan"):
        return _explain_rows(request, likely)
    sent, problem = _sent(request)
    needs = request.needs if request.kind == "update" else ()
    notes = (f"{', '.join(needs)} read first: an index key is made of them",) if needs else ()
    return Explanation(_title(request), sent, likely, notes=notes, problem=problem)


def _explain_rows(read: Any, likely: Estimate) -> Explanation:
    plan = read.plan
    operation = _OPERATIONS[read.kind]
    names = " and ".join(entity.__name__ for entity in plan.entities)
    table = plan.entities[0].__pksk__.table.name
    place = f"index {plan.index!r} of {table!r}" if plan.index else f"table {table!r}"
    return Explanation(
        f"{operation} {place} for {names}",
        tuple(Sent(operation, request) for request in plan.requests),
        likely,
        exact=plan.exact if read.kind == "query" else None,
        leftover=tuple(map(str, plan.leftover)),
        notes=plan.notes,
    )


def _sent(request: Any) -> tuple[tuple[Sent, ...], str]:
    """The calls of a request, or why it cannot be sent yet."""
    operation = _OPERATIONS.get(request.kind) or request.operation
    try:
        if request.kind == "batch":
            return tuple(Sent(operation, each) for each in request.requests), ""
        if request.kind == "transaction":
            return tuple(_members(request)), ""
        return (Sent(operation, request.request),), ""
    except PkskError as error:
        return (), error.problem


def _members(transaction: Any) -> Iterator[Sent]:
    for member in transaction.members:
        yield Sent(_OPERATIONS[member.kind], member.request)


def _title(request: Any) -> str:
    if request.kind in ("batch", "transaction"):
        members = request.members
        names = dict.fromkeys(each.entity.__name__ for each in members)
        return f"{request.operation}: {len(members)} items of {', '.join(names)}"
    declaration = request.entity.__pksk__
    return f"{_OPERATIONS[request.kind]} table {declaration.table.name!r}: {declaration.name}"
