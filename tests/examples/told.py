"""What the tests of the examples look at: the keys of items, and requests in one line each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from pksk import Entity, Pattern, Table
from pksk.values import item_from_wire

Keys: TypeAlias = Mapping[str, tuple[str, ...]]

# A fan-out longer than this is told by its first and its last request.
MOST_LINES = 4


def expected(system: str) -> dict[str, Any]:
    """The keys and the requests that a system's data file holds."""
    return tomllib.loads(Path(__file__).with_name(f"{system}.toml").read_text("utf-8"))


def keys_of(entity: Entity) -> dict[str, Any]:
    """The key attributes of an item, of the table and of every index that it is in."""
    declaration = entity.__pksk__
    item = declaration.to_item(entity)
    return item_from_wire({name: item[name] for name in declaration.key_attributes if name in item})


def entities(tables: Iterable[Table]) -> dict[str, type[Entity]]:
    return {each.name: each.entity for table in tables for each in table.entities}


def patterns(tables: Iterable[Table]) -> dict[str, Pattern]:
    """The patterns of some tables, those over several tables once."""
    return {each.name: each for table in tables for each in table.patterns}


def told(pattern: Pattern, tables: Iterable[Table]) -> list[str]:
    """The requests of a pattern's example call, with all names and values in place."""
    outcome = pattern.outcome()
    assert outcome.problem == ""
    keys = {table.name: table.key_attributes for table in tables}
    lines = [line for request in outcome.requests for line in _lines(request, keys)]
    if len(lines) <= MOST_LINES:
        return lines
    return [lines[0], f"and {len(lines) - 2} more", lines[-1]]


def _lines(request: Any, keys: Keys) -> Iterator[str]:
    if hasattr(request, "plan"):
        yield from (_read(each) for each in request.plan.requests)
    elif hasattr(request, "requests"):
        for each in request.requests:
            yield from _batch(each["RequestItems"], keys)
    elif "TransactItems" in request.request:
        for member in request.request["TransactItems"]:
            for operation, inner in member.items():
                yield _one(operation, inner, keys)
    else:
        yield _one(type(request).__name__, request.request, keys)


def _batch(tables: Mapping[str, Any], keys: Keys) -> Iterator[str]:
    for name, inner in tables.items():
        if isinstance(inner, dict):
            yield from (f"BatchGet {name} {_text(key)}" for key in inner["Keys"])
            continue
        for member in inner:
            for operation, body in member.items():
                yield f"Batch{operation.removesuffix('Request')} {name} {_key(body, keys[name])}"


def _read(request: Mapping[str, Any]) -> str:
    place = request["TableName"] + (f"[{request['IndexName']}]" if "IndexName" in request else "")
    words = ["Query" if "KeyConditionExpression" in request else "Scan", place]
    for label, member in (("", "KeyConditionExpression"), ("FILTER ", "FilterExpression")):
        if member in request:
            words.append(label + _in_place(request[member], request))
    words += ["CONSISTENT"] if request.get("ConsistentRead") else []
    words += ["REVERSE"] if request.get("ScanIndexForward") is False else []
    return " ".join(words)


def _one(operation: str, request: Mapping[str, Any], keys: Keys) -> str:
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

    def value(found: re.Match[str]) -> str:
        return repr(_plain(values[found[0]]))

    text = re.sub(r"#n\d+", lambda found: names[found[0]], expression)
    return re.sub(r":v\d+", value, text)


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
