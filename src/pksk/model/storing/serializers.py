"""Finds the user's serializers, which do not apply to items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.model.storing.core_schema import TRUSTED, Node, is_trusted

_FOR_PYTHON: Final = frozenset(("always", "unless-none"))
# Types whose members have serializers of their own.
_HOLDERS: Final = frozenset(
    ("model", "dataclass", "typed-dict", "named-tuple", "list", "set", "dict", "tuple", "nullable")
)
# When a serializer without `when_used` applies, by its type; others change no values.
_DEFAULTS: Final = {
    "function-plain": "always",
    "function-wrap": "always",
    "to-string": "json-unless-none",
    "format": "json-unless-none",
}
# Members of a node that say nothing about how the values of a field are stored.
_IGNORED: Final = frozenset(("serialization", "metadata", "computed_fields", "json_schema", "config"))


def user_serializer(node: Node, known: Mapping[str, Node]) -> str | None:
    """The name of a serializer that changes what a field is in Python; None if there is none.

    Serializers for JSON only, those of Pydantic's own types, and those of a type that makes objects of its own may be
    there: the latter decide how its values are stored.

    Example:
        >>> from typing import Annotated
        >>> from pydantic import PlainSerializer, TypeAdapter
        >>> in_cents = PlainSerializer(lambda value: value * 100)
        >>> user_serializer(TypeAdapter(list[Annotated[int, in_cents]]).core_schema, {})
        '<lambda>'
    """
    return _find(node, known, set())


def decides_form(node: Node) -> bool:
    """Whether a function of the user makes the values of a node, and another one their stored form."""
    makes_objects = node.get("type") == "function-plain" or _has_instances(node)
    return makes_objects and _own_serializer(node) is not None


def _has_instances(node: object) -> bool:
    """Whether a type reads objects of a class as they are, beside what it makes them from."""
    if isinstance(node, Mapping):
        kind = node.get("type")
        members = (each for name, each in node.items() if name not in _IGNORED)
        return kind == "is-instance" or (kind not in _HOLDERS and any(map(_has_instances, members)))
    return isinstance(node, (list, tuple)) and any(map(_has_instances, node))


def _find(node: object, known: Mapping[str, Node], seen: set[str]) -> str | None:
    if isinstance(node, (list, tuple)):
        return next((name for each in node if (name := _find(each, known, seen))), None)
    if not isinstance(node, Mapping):
        return None
    if (own := _own_serializer(node)) and not decides_form(node):
        return own
    if node.get("type") == "definition-ref":
        name = node["schema_ref"]
        if name in seen or name not in known:
            return None
        seen.add(name)
        return _find(known[name], known, seen)
    members = (each for name, each in node.items() if name not in _IGNORED)
    return next((name for each in members if (name := _find(each, known, seen))), None)


def _own_serializer(node: Node) -> str | None:
    form: Any = node.get("serialization")
    if not isinstance(form, Mapping) or form.get("when_used", _DEFAULTS.get(form["type"])) not in _FOR_PYTHON:
        return None
    function = form.get("function", str(form["type"]))
    if isinstance(function, str):
        return function
    function = getattr(function, "__func__", function)
    module = getattr(function, "__module__", None) or type(function).__module__
    if f"{module}.".startswith(TRUSTED):
        return None
    # Pydantic serializes some of its own types by a function of Python.
    if module == "builtins" and "function" in node and is_trusted(node):
        return None
    return getattr(function, "__name__", type(function).__name__)
