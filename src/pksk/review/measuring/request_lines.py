"""Requests as text, one line each, with names and values in place of their placeholders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_WORDS = {"PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete", "GetItem": "Get"}


def request_lines(
    operation: str, request: Mapping[str, Any], keys: Mapping[str, tuple[str, ...]]
) -> Iterator[str]:
    """One line, or one for each member of a batch or transaction; `keys` are the key attributes of each table."""
    if "TransactItems" in request:
        for member in request["TransactItems"]:
            for name, inner in member.items():
                yield _item_line(name, inner, keys)
    elif "RequestItems" in request:
        yield from _batch_lines(request["RequestItems"], keys)
    elif operation in ("Query", "Scan"):
        yield _read_line(operation, request)
    elif "TableName" in request and ("Key" in request or "Item" in request):
        yield _item_line(_WORDS.get(operation, operation), request, keys)
    else:
        yield " ".join([operation, *([request["TableName"]] if "TableName" in request else [])])


def _batch_lines(tables: Mapping[str, Any], keys: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    for name, members in tables.items():
        if isinstance(members, Mapping):
            yield from (f"BatchGet {name} {_key_text(key)}" for key in members["Keys"])
            continue
        for member in members:
            for operation, body in member.items():
                yield f"Batch{operation.removesuffix('Request')} {name} {_key(body, keys[name])}"


def _read_line(operation: str, request: Mapping[str, Any]) -> str:
    source = request["TableName"] + (f"[{request['IndexName']}]" if "IndexName" in request else "")
    words = [operation, source]
    for label, member in (("", "KeyConditionExpression"), ("FILTER ", "FilterExpression")):
        if member in request:
            words.append(label + _filled_in(request[member], request))
    words += ["CONSISTENT"] if request.get("ConsistentRead") else []
    words += ["REVERSE"] if request.get("ScanIndexForward") is False else []
    return " ".join(words)


def _item_line(operation: str, request: Mapping[str, Any], keys: Mapping[str, tuple[str, ...]]) -> str:
    words = [operation, request["TableName"], _key(request, keys[request["TableName"]])]
    if "UpdateExpression" in request:
        words.append(_filled_in(request["UpdateExpression"], request))
    if "ConditionExpression" in request:
        words.append("IF " + _filled_in(request["ConditionExpression"], request))
    words += ["CONSISTENT"] if request.get("ConsistentRead") else []
    return " ".join(words)


def _filled_in(expression: str, request: Mapping[str, Any]) -> str:
    names = request.get("ExpressionAttributeNames", {})
    values = request.get("ExpressionAttributeValues", {})

    def replacement(match: re.Match[str]) -> str:
        return names.get(match[0], match[0]) if match[0][0] == "#" else repr(_plain(values[match[0]]))

    # All in one pass, since a name may contain what looks like a placeholder.
    return re.sub(r"[#:]\w+", replacement, expression)


def _key(body: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return _key_text(body["Key"] if "Key" in body else {name: body["Item"][name] for name in names})


def _key_text(key: Mapping[str, Any]) -> str:
    return " / ".join(str(_plain(value)) for value in key.values())


def _plain(wire: Mapping[str, Any]) -> Any:
    ((kind, value),) = wire.items()
    if kind == "M":
        return {name: _plain(each) for name, each in value.items()}
    if kind == "L":
        return [_plain(each) for each in value]
    return int(value) if kind == "N" and value.lstrip("-").isdigit() else value
