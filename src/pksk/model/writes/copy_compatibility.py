"""Checks by the declared types whether a value that is stored under one path can be read under another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, Final

from pydantic import ValidationError

from pksk.model.storing.core_schema import Node, is_trusted, wire_types, wrapped_nodes

_SETS: Final = ("set", "frozenset")
_NUMBERS: Final = ("int", "float", "decimal")
# Stored as text that may be invalid for other types.
_TEXTS: Final = ("date", "datetime", "time", "timedelta", "uuid", "url", "multi-host-url")
_CLASSES: Final = ("model", "dataclass", "typed-dict")
_CHOSEN: Final = ("enum", "literal")


class CopyCompatibility:
    """Compares core schemas of one model; `reader` makes a function that reads values of a schema."""

    def __init__(self, known: Mapping[str, Node], reader: Callable[[Node], Callable[[Any], Any]]) -> None:
        self._known, self._reader = known, reader
        self._asked: set[tuple[int, int]] = set()

    def fit(self, source: Node, target: Node) -> bool:
        """Whether all values of one type can be read as another, or the types do not say.

        It ignores limits, such as a length, and None.
        """
        pair = id(source), id(target)
        # A recursive type comes here again.
        if pair in self._asked:
            return True
        self._asked.add(pair)
        try:
            return self._compared(source, target)
        finally:
            self._asked.discard(pair)

    def _compared(self, source: Node, target: Node) -> bool:
        one, other = self._within(source), self._within(target)
        if one is None or other is None or one is other:
            return True
        here, there = wire_types(target, self._known), wire_types(source, self._known)
        if here and there and not here & there:
            return False
        if one["type"] in ("union", "tagged-union"):
            return all(self.fit(each, target) for each in _choices(one))
        if one["type"] in _CHOSEN:
            return all(self._reads(each, target) for each in _members(one))
        if other["type"] in ("union", "tagged-union"):
            return any(self.fit(source, each) for each in _choices(other))
        return self._fit(one, other)

    def _within(self, node: Node) -> Node | None:
        """The type itself; None if a function of the user makes the values."""
        *around, innermost = wrapped_nodes(node, self._known)
        if not all(is_trusted(each) for each in (*around, innermost) if "function" in each):
            return None
        if innermost["type"] == "model" and innermost.get("root_model"):
            return self._within(innermost["schema"])
        return innermost

    def _fit(self, source: Node, target: Node) -> bool:
        here, there = str(target["type"]), str(source["type"])
        if "any" in (here, there) or "none" in (here, there):
            return True
        if here in _CLASSES:
            return there == here and source.get("cls") is target.get("cls")
        if here == "dict" and there in ("dict", *_CLASSES):
            return self._fit_maps(source, target)
        if here == there == "list" or (here in _SETS and there in _SETS):
            return self._fit_inside(source, target, "items_schema")
        if here in _NUMBERS and there in _NUMBERS:
            return here != "int" or there == "int"
        # Other types are accepted, as their values may be readable.
        return here == there or here not in (*_TEXTS, *_CHOSEN)

    def _fit_inside(self, source: Node, target: Node, member: str) -> bool:
        one, other = source.get(member), target.get(member)
        return not one or not other or self.fit(one, other)

    def _fit_maps(self, source: Node, target: Node) -> bool:
        if source["type"] != "dict":
            # The members of an object have several types.
            return self._is_open(target.get("values_schema"))
        keys = target.get("keys_schema")
        text = keys is None or (self._within(keys) or {"type": "any"})["type"] in ("str", "any")
        named = text or self._fit_inside(source, target, "keys_schema")
        return named and self._fit_inside(source, target, "values_schema")

    def _is_open(self, node: Node | None) -> bool:
        within = None if node is None else self._within(node)
        return within is None or within["type"] == "any"

    def _reads(self, value: Any, target: Node) -> bool:
        if value is None:
            return True
        try:
            self._reader(target)(value)
        except ValidationError:
            return False
        return True


def may_be_none(node: Node, known: Mapping[str, Node]) -> bool:
    """Whether None may be a value of a type.

    Example:
        >>> may_be_none({"type": "nullable", "schema": {"type": "int"}}, {}), may_be_none({"type": "int"}, {})
        (True, False)
    """
    *around, innermost = wrapped_nodes(node, known)
    if any(each["type"] == "nullable" or "function" in each for each in (*around, innermost)):
        return True
    if innermost["type"] in ("union", "tagged-union"):
        return any(may_be_none(each, known) for each in _choices(innermost))
    if innermost["type"] in _CHOSEN:
        return None in _members(innermost)
    return innermost["type"] in ("any", "none")


def type_text(node: Node, known: Mapping[str, Node]) -> str:
    """A type as text for messages.

    Example:
        >>> type_text({"type": "list", "items_schema": {"type": "int"}}, {})
        'list[int]'
    """
    *_, within = wrapped_nodes(node, known)
    kind = str(within["type"])
    if "cls" in within:
        return str(within["cls"].__name__)
    if kind in ("union", "tagged-union"):
        return " | ".join(type_text(each, known) for each in _choices(within))
    if kind == "literal":
        return f"Literal[{', '.join(map(repr, within['expected']))}]"
    members = [within[name] for name in ("keys_schema", "values_schema", "items_schema") if name in within]
    if not members or not all(isinstance(each, Mapping) for each in members):
        return kind
    return f"{kind}[{', '.join(type_text(each, known) for each in members)}]"


def _choices(node: Node) -> Iterator[Node]:
    choices = node["choices"]
    for each in choices.values() if isinstance(choices, Mapping) else choices:
        yield each[0] if isinstance(each, tuple) else each


def _members(node: Node) -> list[Any]:
    """The stored values of an enum or literal."""
    found = node.get("members") or node["expected"]
    return [each.value if isinstance(each, Enum) else each for each in found]
