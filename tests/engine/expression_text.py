"""The text of random expressions: trees of the reference evaluator in one of many spellings."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import strategies as st

# Few names, so that paths overlap: plain, reserved, and some that look like placeholders or keywords.
PLAIN_NAMES = ("a", "b", "c", "n0", "A", "first_name")
NAMES = (*PLAIN_NAMES, "size", "status", "a.b", "#n0", ":v0", "and", "_x", "0", "größe", "[1]")
_TIGHTNESS = {"or": 0, "and": 1, "not": 2}


class Case(NamedTuple):
    """An expression, its names and values, and an item to evaluate it on."""

    tree: Any
    text: str
    names: dict[str, str]
    values: dict[str, Any]
    item: dict[str, Any]

    def parameters(self, member: str) -> dict[str, Any]:
        """The members of a request with this expression, for example as FilterExpression."""
        maps = {"ExpressionAttributeNames": self.names, "ExpressionAttributeValues": self.values}
        return {member: self.text} | {name: entries for name, entries in maps.items() if entries}


def condition_case(draw: st.DrawFn, tree: Any, item: Any) -> Case:
    """A case of a condition."""
    writer = _Writer(draw)
    return Case(tree, writer.condition(tree, 0), writer.names, writer.values, item)


def update_case(draw: st.DrawFn, actions: Any, item: Any) -> Case:
    """A case of an update, its sections in any order."""
    writer = _Writer(draw)
    sections: dict[str, list[str]] = {}
    for section, path, *value in actions:
        joint = writer.joint(" = ") if section == "SET" else " "
        text = joint.join([writer.operand(path), *map(writer.operand, value)])
        sections.setdefault(section, []).append(text)
    order = draw(st.permutations(list(sections)))
    text = " ".join(f"{writer.keyword(section)} {', '.join(sections[section])}" for section in order)
    return Case(actions, text, writer.names, writer.values, item)


class _Writer:
    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._space = draw(st.sampled_from([" ", "  ", "\n", "\t "]))
        self._tight = draw(st.booleans())
        self._case = draw(st.sampled_from([str.upper, str.lower, str.title]))
        self.names: dict[str, str] = {}
        self.values: dict[str, Any] = {}

    def keyword(self, word: str) -> str:
        return self._case(word)

    def joint(self, text: str) -> str:
        return text.strip() if self._tight else text.replace(" ", self._space)

    def condition(self, node: Any, outer: int) -> str:
        """A condition, in parentheses where they are needed and at random elsewhere."""
        name, *parts = node
        tightness = _TIGHTNESS.get(name, 3)
        if name == "not":
            text = f"{self.keyword('NOT')} {self.condition(parts[0], 2)}"
        elif name in {"and", "or"}:
            joint = f"{self._space}{self.keyword(name)} "
            text = joint.join(self.condition(part, tightness + 1) for part in parts)
        else:
            text = self._leaf(name, [self.operand(part) for part in parts])
        return f"({text})" if tightness < outer or self._draw(st.integers(0, 9)) == 0 else text

    def _leaf(self, name: str, operands: list[str]) -> str:
        first, *others = operands
        if name == "between":
            return f"{first} {self.keyword(name)} {others[0]}{self._space}{self.keyword('AND')} {others[1]}"
        if name == "in":
            return f"{first} {self.keyword(name)} ({self.joint(', ').join(others)})"
        if others and not name[0].isalpha():
            return f"{first}{self.joint(f' {name} ')}{others[0]}"
        return self._call(name, operands)

    def _call(self, name: str, operands: list[str]) -> str:
        return f"{name}{'' if self._tight else self._space}({self.joint(', ').join(operands)})"

    def operand(self, node: Any) -> str:
        name, *parts = node
        if name == "path":
            return self._path(parts)
        if name == "value":
            return self._value(parts[0])
        if name in {"+", "-"}:
            return f"{self.operand(parts[0])}{self.joint(f' {name} ')}{self.operand(parts[1])}"
        return self._call(name, [self.operand(part) for part in parts])

    def _path(self, elements: Any) -> str:
        text = ""
        for element in elements:
            if isinstance(element, int):
                text += f"[{element}]"
            else:
                text += f"{'.' if text else ''}{self._name(element)}"
        return text

    def _name(self, name: str) -> str:
        if name in PLAIN_NAMES and self._draw(st.booleans()):
            return name
        for placeholder, meant in self.names.items():
            if meant == name:
                return placeholder
        placeholder = f"#{self._draw(st.sampled_from(['n', 'A_', '0', 'size']))}{len(self.names)}"
        self.names[placeholder] = name
        return placeholder

    def _value(self, wire: Any) -> str:
        for placeholder, meant in self.values.items():
            if meant == wire:
                return placeholder
        placeholder = f":{self._draw(st.sampled_from(['v', 'A_', '0', 'size']))}{len(self.values)}"
        self.values[placeholder] = wire
        return placeholder
