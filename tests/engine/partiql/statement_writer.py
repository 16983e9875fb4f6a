"""Writes the reference's tuples as PartiQL conditions and updates, in one of many spellings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.engine.expression_text import PLAIN_NAMES

__all__ = ["StatementWriter", "is_written"]

_TIGHTNESS = {"or": 0, "and": 1, "not": 2}
_WORDS = {"BOOL": {True: "true", False: "FALSE"}, "NULL": {True: "null"}}
_BRACKETS = {"L": ("[", "]"), "SS": ("<<", ">>"), "NS": ("<<", ">>")}


class StatementWriter:
    """Writes the clauses of one statement, and collects its parameters in order."""

    def __init__(self, draw: Callable[..., Any]) -> None:
        self._draw = draw
        self.parameters: list[Any] = []

    def _chance(self, tenths: int) -> bool:
        return bool(self._draw(st.integers(0, 9)) >= 10 - tenths)

    def condition(self, node: Any, outer: int = 0) -> str:
        """A condition, in parentheses where they are needed, and now and then where they are not."""
        name, *parts = node
        tightness = _TIGHTNESS.get(name, 3)
        if name == "not":
            text = f"NOT {self.condition(parts[0], 2)}"
        elif name in _TIGHTNESS:
            text = f" {name} ".join(self.condition(part, tightness + 1) for part in parts)
        else:
            text = self._leaf(name, [self.operand(part) for part in parts])
        return f"({text})" if tightness < outer or self._chance(1) else text

    def _leaf(self, name: str, operands: list[str]) -> str:
        first, *others = operands
        if name == "between":
            return f"{first} BETWEEN {others[0]} AND {others[1]}"
        if name == "in":
            begin, end = self._draw(st.sampled_from([("(", ")"), ("[", "]")]))
            return f"{first} IN {begin}{', '.join(others)}{end}"
        if name == "attribute_exists":
            return f"{first} IS NOT MISSING"
        if name == "attribute_not_exists":
            return f"{first} IS MISSING"
        if name[0].isalpha():
            return f"{self._case(name)}({', '.join(operands)})"
        return f"{first} {'!=' if name == '<>' and self._chance(3) else name} {others[0]}"

    def _case(self, name: str) -> str:
        return name.upper() if self._chance(3) else name

    def operand(self, node: Any) -> str:
        """A path, a value, or a function or sum of these."""
        name, *parts = node
        if name == "path":
            return self._path(parts)
        if name == "value":
            return self.value(parts[0])
        if name in {"+", "-"}:
            return f"{self.operand(parts[0])} {name} {self.operand(parts[1])}"
        return f"{self._case(name)}({', '.join(map(self.operand, parts))})"

    def _path(self, elements: Any) -> str:
        text = ""
        for element in elements:
            if isinstance(element, int):
                text += f"[{element}]"
            else:
                text += f"{'.' if text else ''}{self.name(element)}"
        return text

    def name(self, name: str) -> str:
        """A name, in quotes where it needs them."""
        bare = name in PLAIN_NAMES and self._chance(5)
        return name if bare else '"' + name.replace('"', '""') + '"'

    def value(self, wire: Any) -> str:
        """A value: a parameter, or as it is written, where it can be."""
        if self._chance(5) or not _is_literal(wire):
            self.parameters.append(wire)
            return "?"
        return self._literal(wire)

    def _literal(self, wire: Any) -> str:
        ((kind, inner),) = wire.items()
        if kind in _WORDS:
            return str(_WORDS[kind][inner])
        if kind == "S":
            return self._text(inner)
        if kind == "N":
            return str(inner)
        if kind == "M":
            members = (f"{self._text(name)}: {self._literal(value)}" for name, value in inner.items())
            return "{" + ", ".join(members) + "}"
        begin, end = _BRACKETS[kind]
        inside = inner if kind == "L" else [{kind[0]: member} for member in inner]
        return f"{begin}{', '.join(map(self._literal, inside))}{end}"

    def _text(self, text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    def action(self, action: Any) -> str:
        """One action of an update as a clause of its own."""
        section, path, *value = action
        target = self.operand(path)
        if section == "REMOVE":
            return f"REMOVE {target}"
        if section == "SET":
            return f"SET {target} = {self.operand(value[0])}"
        function = "set_add" if section == "ADD" else "set_delete"
        return f"SET {target} = {self._case(function)}({self.operand(path)}, {self.operand(value[0])})"


def is_written(action: Any) -> bool:
    """Whether PartiQL has this action."""
    section, _path, *value = action
    if section == "ADD":
        return "N" not in value[0][1]
    return section != "SET" or _is_plain(value[0])


def _is_plain(node: Any) -> bool:
    name, *parts = node
    if name == "list_append":
        return all(part[0] in {"path", "value"} for part in parts)
    if name in {"+", "-"}:
        return all(_is_plain(part) for part in parts)
    return name in {"path", "value"}


def _is_literal(wire: Any) -> bool:
    """Whether there is a way to write a value down, which binaries have not."""
    ((kind, inner),) = wire.items()
    if kind in {"L", "M"}:
        return all(map(_is_literal, inner if kind == "L" else inner.values()))
    return kind not in {"B", "BS"}
