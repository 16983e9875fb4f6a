"""The core schema of what a path leads to inside a field: members of models and maps, elements of lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pksk.model.storing.forms.core_schema import Node, is_trusted, skin

__all__ = ["Inside", "Unknown", "inside"]


class Unknown(Exception):
    """Says that a path leads to no member: which name it was, and those that there are."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(name)
        self.name, self.known = name, known


class Inside(NamedTuple):
    """What a path leads to, and whether the object around it cannot be read without it."""

    node: Node
    required: bool


def inside(node: Node, known: Mapping[str, Node], steps: Sequence[Any]) -> Inside | None:
    """The node that the steps lead to; None where a schema does not tell, as in `Any` or a validator of the author's.

    Example:
        >>> ints = {"type": "list", "items_schema": {"type": "int"}}
        >>> inside({"type": "dict", "values_schema": ints}, {}, ("a", 0))
        Inside(node={'type': 'int'}, required=False)
    """
    found = Inside(node, required=False)
    for step in steps:
        *around, innermost = skin(found.node, known)
        if not all(is_trusted(each) for each in around if "function" in each):
            return None
        deeper = _step(innermost, step)
        if deeper is None:
            return None
        found = deeper
    return found


def _step(node: Node, step: Any) -> Inside | None:
    kind = node["type"]
    if isinstance(step, int):
        items = node.get("items_schema") if kind == "list" else None
        return Inside(items, required=False) if items else None
    if kind == "dict":
        values = node.get("values_schema")
        return Inside(values, required=False) if values else None
    members = _members(node)
    if members is None or step in members:
        return members[step] if members else None
    raise Unknown(str(step), list(members))


def _members(node: Node) -> dict[str, Inside] | None:
    """The members of an object by name; None of what has none, or may have others beside them."""
    if node["type"] == "model" and not node.get("root_model"):
        functions = [each for each in skin(node["schema"], {}) if "function" in each]
        *_, within = skin(node["schema"], {})
        extra = node.get("config", {}).get("extra_fields_behavior") == "allow"
        if extra or functions or within["type"] != "model-fields":
            return None
        return {
            name: Inside(each["schema"], each["schema"]["type"] != "default")
            for name, each in within["fields"].items()
        }
    return None
