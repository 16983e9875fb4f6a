"""Values in DynamoDB's JSON as botocore's clients take and give them: bytes and times instead of texts and numbers."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from botocore.model import Shape

__all__ = ["from_botocore", "in_json", "to_botocore"]


def in_json(request: Mapping[str, Any]) -> bytes:
    """A request as it goes over the wire; binary content may be bytes, as `Engine.call` takes it."""
    return json.dumps(request, default=lambda content: b64encode(content).decode()).encode()


def to_botocore(value: Any, shape: Shape) -> Any:
    """A value of a request as a client takes it; values that do not fit their shape are unchanged."""
    if shape.type_name == "blob" and type(value) is str:
        return _bytes(value)
    if shape.type_name == "timestamp" and type(value) in {int, float}:
        return datetime.fromtimestamp(value, UTC)
    return _inside(value, shape, to_botocore)


def from_botocore(value: Any, shape: Shape) -> Any:
    """A value of an answer as it is in DynamoDB's JSON."""
    if shape.type_name == "blob":
        return b64encode(value).decode()
    if shape.type_name == "timestamp":
        return value.timestamp()
    return _inside(value, shape, from_botocore)


def _inside(value: Any, shape: Shape, convert: Callable[[Any, Shape], Any]) -> Any:
    if shape.type_name == "structure" and isinstance(value, Mapping):
        members = shape.members
        return {
            name: convert(each, members[name]) if name in members else each for name, each in value.items()
        }
    if shape.type_name == "map" and isinstance(value, Mapping):
        return {name: convert(each, shape.value) for name, each in value.items()}
    if shape.type_name == "list" and isinstance(value, list):
        return [convert(each, shape.member) for each in value]
    return value


def _bytes(text: str) -> bytes | str:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        return text
