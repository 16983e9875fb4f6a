"""Values as the older wording repeats them: the way the service's own language prints its objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .shape import Shape, shape_named
from .shapes import VALUE_MEMBERS

__all__ = ["decapitalised", "echo"]

# Values this deep are refused by everyone; what is said of them need not show their depth.
_DEEPEST: Final = 64


def echo(shape: Shape, value: Any, depth: int = 0) -> str:
    """A value of a shape in the service's print.

    Example:
        >>> echo(shape_named("KeySchema"), [{"AttributeName": "pk", "KeyType": "HASH"}])
        '[KeySchemaElement(attributeName=pk, keyType=HASH)]'
        >>> echo(shape_named("StreamSpecification"), {"StreamEnabled": True})
        'StreamSpecification(streamEnabled=true, streamViewType=null)'
    """
    if shape.kind == "value":
        return _value(value, depth)
    if shape.kind == "structure":
        shown = {
            member.name: echo(shape_named(member.shape), value[member.name])
            for member in shape.members
            if member.name in value
        }
        return _object(shape.name, [member.name for member in shape.members], shown)
    if shape.kind in {"list", "map"}:
        return _collection(shape_named(shape.element), value, depth)
    return str(value).lower() if isinstance(value, bool) else str(value)


def decapitalised(name: str) -> str:
    """A member's name as it stands in the service's print and in the older wording.

    Example:
        >>> decapitalised("TableName"), decapitalised("SSESpecification")
        ('tableName', 'sSESpecification')
    """
    return name[:1].lower() + name[1:]


def _collection(element: Shape, value: Any, depth: int) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}={echo(element, one, depth)}" for key, one in value.items()) + "}"
    return "[" + ", ".join(echo(element, one, depth) for one in value) + "]"


def _value(value: Mapping[str, Any], depth: int) -> str:
    if depth > _DEEPEST:
        return "..."
    nested, text = shape_named("value"), shape_named("string")
    shown = {
        kind: _collection(nested if kind in {"M", "L"} else text, content, depth + 1)
        if isinstance(content, dict | list)
        else echo(text, content)
        for kind, content in value.items()
    }
    return _object("AttributeValue", VALUE_MEMBERS, shown)


def _object(name: str, members: Sequence[str], shown: Mapping[str, str]) -> str:
    inside = ", ".join(f"{decapitalised(member)}={shown.get(member, 'null')}" for member in members)
    return f"{name}({inside})"
