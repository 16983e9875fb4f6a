"""Requests in one line each, with all names and values in place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["lines_of"]

_WORDS = {"PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete", "GetItem": "Get"}


def lines_of(
    operation: str, request: Mapping[str, Any], keys: Mapping[str, tuple[str, ...]]
) -> Iterator[str]:
    """A request as its lines: one, or one for each member of a batch or transaction; `keys` are those of tables."""
    if "TransactItems" in request:
        for member in request["TransactItems"]:
            for name, inner in member.items():
                yield _one(name, inner, keys)
    elif "RequestItems" in request:
        yield from _batch(request["RequestItems"], keys)
    elif operation in ("Query", "Scan"):
        yield _read(operation, request)
    elif "TableName" in request and ("Key" in request or "Item" in request):
        yield _one(_WORDS.get(operation, operation), request, keys)
    else:
        yield " ".join([operation, *([request["TableName"]] if "TableName" in request else [])])


def _batch(tables: Mapping[str, Any], keys: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    for name, inner in tables.items():
        if isinstance(inner, Mapping):
            yield from (f"BatchGet {name} {_text(key)}" for key in inner["Keys"])
            continue
        for member in inner:
            for operation, body in member.items():
                yield f"Batch{operation.removesuffix('Request')} {name} {_key(body, keys[name])}"


def _read(operation: str, request: Mapping[str, Any]) -> str:
    place = request["TableName"] + (f"[{request['IndexName']}]" if "IndexName" in request else "")
    words = [operation, place]
    for label, member in (("", "KeyConditionExpression"), ("FILTER ", "FilterExpression")):
        if member in request:
            words.append(label + _in_place(request[member], request))
    words += ["CONSISTENT"] if request.get("ConsistentRead") else []
    words += ["REVERSE"] if request.get("ScanIndexForward") is False else []
    return " ".join(words)


def _one(operation: str, request: Mapping[str, Any], keys: Mapping[str, tuple[str, ...]]) -> str:
    words = [operation, request["TableName"], _key(request, keys[request["TableName"]])]
    if "UpdateExpression" in request:
        words.append(_in_place(request["UpdateExpression"], request))
    if "ConditionExpression" in request:
        words.append("IF " + _in_place(request["ConditionExpression"], request))
    words += ["CONSISTENT"] if request.get("ConsistentRead") else []
    return " ".join(words)


def _in_place(expression: str, request: Mapping[str, Any]) -> str:
    names = request.get("ExpressionAttributeNames", {})
    values = request.get("ExpressionAttributeValues", {})

    def meant(found: re.Match[str]) -> str:
        return names.get(found[0], found[0]) if found[0][0] == "#" else repr(_plain(values[found[0]]))

    # At once, since a name may hold what looks like a value.
    return re.sub(r"[#:]\w+", meant, expression)


def _key(body: Mapping[str, Any], names: tuple[str, ...]) -> str:
    found = body["Key"] if "Key" in body else {name: body["Item"][name] for name in names}
    return _text(found)


def _text(key: Mapping[str, Any]) -> str:
    return " / ".join(str(_plain(value)) for value in key.values())


def _plain(wire: Mapping[str, Any]) -> Any:
    ((kind, value),) = wire.items()
    if kind == "M":
        return {name: _plain(each) for name, each in value.items()}
    if kind == "L":
        return [_plain(each) for each in value]
    return int(value) if kind == "N" and value.lstrip("-").isdigit() else value
