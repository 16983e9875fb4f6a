"""One call of DynamoDB's API, as data and in words."""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pksk.expressions import (
    describe,
    parse_condition,
    parse_key_condition,
    parse_projection,
    parse_update,
)
from pksk.model.reads.search_vector import in_words
from pksk.values import from_wire

__all__ = ["SHOWN", "Sent"]

Lines: TypeAlias = Iterator[tuple[str, str]]

# Of many requests, or many members of one, these many are shown.
SHOWN = 3

_READERS: dict[str, tuple[str, Callable[..., Any]]] = {
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
class Sent:
    """One call of DynamoDB's API, with the request as boto3 takes it."""

    operation: str
    request: Mapping[str, Any]

    def data(self) -> dict[str, Any]:
        """The call as JSON can hold it: the request in DynamoDB's JSON, where binary content is base64."""
        return {"operation": self.operation, "request": _in_json(self.request)}

    def words(self) -> Lines:
        """What the request says, each expression with its names and values in their places."""
        if "TransactItems" in self.request:
            yield from _transaction(self.request)
        elif "RequestItems" in self.request:
            yield from _batch(self.request["RequestItems"])
        else:
            yield from _one(self.request)


def _one(request: Mapping[str, Any]) -> Lines:
    for name in ("Key", "Item"):
        if name in request:
            yield name.lower(), _attributes(request[name])
    if "SearchVector" in request:
        yield "vector", in_words(request["SearchVector"])
    names = request.get("ExpressionAttributeNames", {})
    values = request.get("ExpressionAttributeValues", {})
    for label, (member, parse) in _READERS.items():
        if member in request:
            yield label, describe(parse(request[member], names, values))
    if "ProjectionExpression" in request:
        yield "reads", describe(parse_projection(request["ProjectionExpression"], names))
    if request.get("ScanIndexForward") is False:
        yield "order", "backwards"
    for label, member in _OPTIONS:
        if member in request:
            yield label, {True: "yes"}.get(request[member], str(request[member]))


def _attributes(item: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {from_wire(value)!r}" for name, value in item.items())


def _transaction(request: Mapping[str, Any]) -> Lines:
    members = request["TransactItems"]
    for number, member in enumerate(members[:SHOWN], 1):
        ((operation, inner),) = member.items()
        yield "member", f"{number} of {len(members)}: {operation} in table {inner['TableName']!r}"
        yield from _one(inner)
    if len(members) > SHOWN:
        yield "member", f"and {len(members) - SHOWN} more"
    if "ClientRequestToken" in request:
        yield "token", request["ClientRequestToken"]


def _batch(tables: Mapping[str, Any]) -> Lines:
    """The keys that are read, or the items and keys that are written, of each table."""
    for table, inner in tables.items():
        where = f"table {table!r}: " if len(tables) > 1 else ""
        if isinstance(inner, Mapping):
            yield from _first("get", [f"{where}{_attributes(key)}" for key in inner["Keys"]])
            if inner.get("ConsistentRead"):
                yield "consistent", "yes"
            continue
        for label, member, name in (("put", "PutRequest", "Item"), ("delete", "DeleteRequest", "Key")):
            found = [each[member][name] for each in inner if member in each]
            yield from _first(label, [f"{where}{_attributes(each)}" for each in found])


def _first(label: str, texts: Sequence[str]) -> Lines:
    yield from ((label, text) for text in texts[:SHOWN])
    if len(texts) > SHOWN:
        yield label, f"and {len(texts) - SHOWN} more"


def _in_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _in_json(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_in_json(each) for each in value]
    return b2a_base64(value, newline=False).decode() if isinstance(value, bytes) else value
