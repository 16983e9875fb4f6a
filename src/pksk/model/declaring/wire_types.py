"""Which of DynamoDB's types the values of a field are stored as, as far as its type tells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import Enum
from typing import Any

from pksk.model.storing.forms.core_schema import Node, inner, is_trusted

__all__ = ["may_be_vector", "wire_types"]

# None is no type of its own here: where a field may be None, nothing is stored, or a null.
_TYPES: dict[str, frozenset[str]] = {
    "none": frozenset(),
    **dict.fromkeys(
        ("str", "date", "datetime", "time", "timedelta", "uuid", "url", "multi-host-url", "json"), frozenset("S")
    ),
    **dict.fromkeys(("int", "float", "decimal"), frozenset("N")),
    "bytes": frozenset("B"),
    "bool": frozenset(("BOOL",)),
    **dict.fromkeys(("list", "tuple", "deque", "named-tuple"), frozenset("L")),
    **dict.fromkeys(("dict", "counter", "model", "dataclass", "typed-dict"), frozenset("M")),
    **dict.fromkeys(("set", "frozenset"), frozenset(("SS", "NS", "BS"))),
}  # fmt: skip

_LETTERS: dict[type, str] = {str: "S", int: "N", float: "N", Decimal: "N", bytes: "B", bool: "BOOL"}


def wire_types(node: Node, known: Mapping[str, Node]) -> frozenset[str] | None:
    """The types of DynamoDB that a core schema allows, None left aside; None where only values can tell.

    Example:
        >>> wire_types({"type": "nullable", "schema": {"type": "int"}}, {})
        frozenset({'N'})
    """
    kind = node["type"]
    if kind == "definition-ref":
        return wire_types(known[node["schema_ref"]], known)
    if kind == "model" and node.get("root_model"):
        return wire_types(node["schema"], known)
    if kind in _TYPES:
        return _TYPES[kind]
    if kind in ("enum", "literal"):
        return _of_values(node.get("members") or node["expected"])
    if kind in ("union", "tagged-union"):
        return _of_choices(node["choices"], known)
    # What a function of the author's makes of a value is not known.
    if kind.startswith("function-") and (kind == "function-plain" or not is_trusted(node)):
        return wire_types(node["schema"], known) if kind == "function-before" else None
    within = inner(node)
    return None if within is None else wire_types(within, known)


def _of_values(values: Iterable[Any]) -> frozenset[str] | None:
    plain = [value.value if isinstance(value, Enum) else value for value in values]
    found = {_LETTERS.get(type(value)) for value in plain if value is not None}
    return None if None in found else frozenset(letter for letter in found if letter)


def _of_choices(choices: Any, known: Mapping[str, Node]) -> frozenset[str] | None:
    listed = choices.values() if isinstance(choices, Mapping) else choices
    found: set[str] = set()
    for each in listed:
        types = wire_types(each[0] if isinstance(each, tuple) else each, known)
        if types is None:
            return None
        found |= types
    return frozenset(found)


def may_be_vector(node: Node, known: Mapping[str, Node]) -> bool:
    """Whether values of a core schema can be lists of numbers.

    Example:
        >>> may_be_vector({"type": "list", "items_schema": {"type": "str"}}, {})
        False
    """
    types = wire_types(node, known)
    if types is not None and types != {"L"}:
        return False
    while (
        within := known.get(node["schema_ref"]) if node["type"] == "definition-ref" else inner(node)
    ) is not None:
        node = within
    items = node.get("items_schema") or ()
    members = items if isinstance(items, (list, tuple)) else [items]
    return all(wire_types(member, known) in (None, frozenset("N")) for member in members)
