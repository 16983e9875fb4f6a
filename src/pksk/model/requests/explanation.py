"""Explains a request: its API calls in words and as data, with the likely cost."""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from pksk.dataclass import dataclass
from pksk.errors import PkskError
from pksk.expressions import describe, parse_condition, parse_key_condition, parse_projection, parse_update
from pksk.model.access_options import AccessOptions
from pksk.model.planning import Plan
from pksk.model.requests.costs import COSTS, Estimate, estimate
from pksk.model.requests.nearest_plan import vector_text
from pksk.model.requests.request import Request
from pksk.values import from_wire


@dataclass(frozen=True)
class Explanation:
    """What a request does and costs, before it runs.

    `limit` is how many results are taken of those that are read, where DynamoDB cannot stop by itself.
    """

    title: str
    calls: tuple[ApiCall, ...]
    estimate: Estimate
    exact: bool | None = None
    filters_after_reading: tuple[str, ...] = ()
    limit: int | None = None
    notes: tuple[str, ...] = ()
    problem: str = ""

    def data(self) -> dict[str, Any]:
        """The explanation as JSON can hold it, with the requests as they are sent."""
        return {
            "title": self.title,
            "requests": [each.data() for each in self.calls],
            "exact": self.exact,
            "filters_after_reading": list(self.filters_after_reading),
            "limit_after_reading": self.limit,
            "notes": list(self.notes),
            "problem": self.problem,
            "estimate": self.estimate.data(),
        }

    def request_lines(self) -> Iterator[tuple[str, str]]:
        """The calls, each with its label; of many requests the first few."""
        several = len(self.calls) > 1
        for number, each in enumerate(self.calls[:MAX_SHOWN], 1):
            if several:
                yield "request", f"{number} of {len(self.calls)}: {each.operation}"
            yield from each.lines()
        if len(self.calls) > MAX_SHOWN:
            yield "request", f"and {len(self.calls) - MAX_SHOWN} more"

    def after_reading(self) -> Iterator[tuple[str, str]]:
        """What is done to the rows that were read."""
        yield from (("then", f"filter by {text}, after reading") for text in self.filters_after_reading)
        if self.limit is not None:
            yield "limit", f"{self.limit:,} {_plural(self.limit, 'result')}, applied after reading"

    def lines(self) -> Iterator[tuple[str, str]]:
        """Labels and what they are, in the order in which a reader needs them."""
        yield from self.request_lines()
        if self.problem:
            yield "problem", self.problem
        if self.exact is not None:
            yield "exact", "yes" if self.exact else "no"
        yield from self.after_reading()
        yield "estimate", str(self.estimate)
        yield from (("assuming", text) for text in self.estimate.assumptions)
        yield from (("note", text) for text in self.notes)

    def __str__(self) -> str:
        lines = list(self.lines())
        width = max(len(label) for label, _ in lines)
        texts = []
        before = ""
        for label, text in lines:
            texts.append(f"  {'' if label == before else label:{width}}  {text}")
            before = label
        return "\n".join([self.title, *texts])


def _plural(number: int, thing: str) -> str:
    return thing if number == 1 else f"{thing}s"


def explain_request(request: Request, options: AccessOptions | None = None) -> Explanation:
    """The explanation of one request."""
    likely = estimate([request], options)
    if request.plan is not None:
        return _explain_plan(request, request.plan, likely)
    kind = COSTS[request.kind]
    calls, problem = _api_calls(request)
    notes = (*_extra_item_note(request, kind.extra_items(request)), *kind.notes(request))
    return Explanation(kind.title(request), calls, likely, notes=notes, problem=problem)


def _explain_plan(read: Request, plan: Plan, likely: Estimate) -> Explanation:
    names = " and ".join(entity.__name__ for entity in plan.entities)
    table = plan.entities[0].__pksk__.table.name
    source = f"index {plan.index!r} of {table!r}" if plan.index else f"table {table!r}"
    limit: int | None = getattr(read, "max_results", None)
    stops = limit is None or all(request.get("Limit", limit + 1) <= limit for request in plan.requests)
    return Explanation(
        f"{read.operation} {source} for {names}",
        tuple(ApiCall(read.operation, request) for request in plan.requests),
        likely,
        exact=plan.exact,
        filters_after_reading=tuple(map(str, plan.filters_after_reading)),
        limit=None if stops else limit,
        notes=plan.notes,
    )


def _api_calls(request: Request) -> tuple[tuple[ApiCall, ...], str]:
    """The calls of a request, or why it cannot be sent yet."""
    try:
        return tuple(ApiCall(request.operation, each) for each in request.api_requests), ""
    except PkskError as error:
        return (), error.problem


def _extra_item_note(request: Request, reasons: Iterable[str]) -> Iterator[str]:
    """What a store adds to a write for the sake of its markers."""
    markers = ", ".join(dict.fromkeys(reasons))
    if markers and request.operation == "TransactWriteItems":
        yield f"{markers}: a store adds to the transaction for it, which is what the estimate counts"
    elif markers:
        yield f"{markers}: a store makes a transaction of it, which is what the estimate counts"


Lines: TypeAlias = Iterator[tuple[str, str]]

# Of many requests, or many members of one, these many are shown.
MAX_SHOWN = 3

_EXPRESSIONS: dict[str, tuple[str, Callable[..., Any]]] = {
    "key": ("KeyConditionExpression", parse_key_condition),
    "where": ("SearchConditionExpression", parse_condition),
    "update": ("UpdateExpression", parse_update),
    "filter": ("FilterExpression", parse_condition),
    "if": ("ConditionExpression", parse_condition),
}
_OPTIONS = (
    ("consistent", "ConsistentRead"), ("nearest", "TopK"), ("limit", "Limit"), ("select", "Select")
)  # fmt: skip


@dataclass(frozen=True)
class ApiCall:
    """One call of DynamoDB's API, with the request as boto3 takes it."""

    operation: str
    request: Mapping[str, Any]

    def data(self) -> dict[str, Any]:
        """The call as JSON can hold it: the request in DynamoDB's JSON, where binary content is base64."""
        return {"operation": self.operation, "request": _json_value(self.request)}

    def lines(self) -> Lines:
        """What the request says, each expression with its names and values in their places."""
        if "TransactItems" in self.request:
            yield from _transaction_lines(self.request)
        elif "RequestItems" in self.request:
            yield from _batch_lines(self.request["RequestItems"])
        else:
            yield from _request_lines(self.request)


def _request_lines(request: Mapping[str, Any]) -> Lines:
    for name in ("Key", "Item"):
        if name in request:
            yield name.lower(), _attribute_text(request[name])
    if "SearchVector" in request:
        yield "vector", vector_text(request["SearchVector"])
    names = request.get("ExpressionAttributeNames", {})
    values = request.get("ExpressionAttributeValues", {})
    for label, (member, parse) in _EXPRESSIONS.items():
        if member in request:
            yield label, describe(parse(request[member], names, values))
    if "ProjectionExpression" in request:
        yield "reads", describe(parse_projection(request["ProjectionExpression"], names))
    if request.get("ScanIndexForward") is False:
        yield "order", "backwards"
    for label, member in _OPTIONS:
        if member in request:
            yield label, {True: "yes"}.get(request[member], str(request[member]))


def _attribute_text(item: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {from_wire(value)!r}" for name, value in item.items())


def _transaction_lines(request: Mapping[str, Any]) -> Lines:
    members = request["TransactItems"]
    for number, member in enumerate(members[:MAX_SHOWN], 1):
        ((operation, inner),) = member.items()
        yield "member", f"{number} of {len(members)}: {operation} in table {inner['TableName']!r}"
        yield from _request_lines(inner)
    if len(members) > MAX_SHOWN:
        yield "member", f"and {len(members) - MAX_SHOWN} more"
    if "ClientRequestToken" in request:
        yield "token", request["ClientRequestToken"]


def _batch_lines(tables: Mapping[str, Any]) -> Lines:
    """The keys that are read, or the items and keys that are written, of each table."""
    for table, inner in tables.items():
        where = f"table {table!r}: " if len(tables) > 1 else ""
        if isinstance(inner, Mapping):
            yield from _first_lines("get", [f"{where}{_attribute_text(key)}" for key in inner["Keys"]])
            if inner.get("ConsistentRead"):
                yield "consistent", "yes"
            continue
        for label, member, name in (("put", "PutRequest", "Item"), ("delete", "DeleteRequest", "Key")):
            members = [each[member][name] for each in inner if member in each]
            yield from _first_lines(label, [f"{where}{_attribute_text(each)}" for each in members])


def _first_lines(label: str, texts: Sequence[str]) -> Lines:
    yield from ((label, text) for text in texts[:MAX_SHOWN])
    if len(texts) > MAX_SHOWN:
        yield label, f"and {len(texts) - MAX_SHOWN} more"


def _json_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _json_value(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(each) for each in value]
    return b2a_base64(value, newline=False).decode() if isinstance(value, bytes) else value
