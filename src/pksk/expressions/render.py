"""Expressions as the text that DynamoDB's API takes, with their names and values placed."""

from __future__ import annotations

from itertools import repeat
from typing import Any, Final, NamedTuple

from pksk.values import from_wire

from .check import operands_of
from .operands import MOST_OPERATORS
from .placeholders import Placeholders
from .resolve import references
from .texts import Parameter, refusal
from .tokens import MOST_BYTES
from .tree import (
    And,
    Arithmetic,
    Between,
    Call,
    Compare,
    Condition,
    In,
    NameRef,
    Not,
    Operand,
    Or,
    Path,
    Projection,
    Remove,
    Set,
    Update,
    Value,
    ValueRef,
    fold,
)

__all__ = ["Rendered", "describe", "render"]


class Rendered(NamedTuple):
    """An expression's text, and the names and values that its placeholders stand for."""

    text: str
    names: dict[str, str]
    values: dict[str, dict[str, Any]]


def render(tree: Condition | Update | Projection, placeholders: Placeholders | None = None) -> Rendered:
    """The text of an expression; parsing it again gives the same tree.

    Several expressions of one request are rendered into the same ``placeholders``. Parentheses
    stand only where they are needed, since DynamoDB refuses a pair too many.

    Example:
        >>> from pksk.expressions import F
        >>> render((F.id == "a") & ((F.total > 10) | F["size"].missing())).text
        'id = :v0 AND (#n0 > :v1 OR attribute_not_exists(#n1))'
    """
    shared = Placeholders() if placeholders is None else placeholders
    for found in references(tree):
        for placeholder in found:
            shared.keep(placeholder)
    text = _text(tree, shared)
    if len(text) > MOST_BYTES:
        raise refusal("expression-too-long", _parameter(tree))
    return Rendered(text, shared.names, shared.values)


def describe(tree: Condition | Update | Projection) -> str:
    """The expression for people to read, with plain names and Python's values in their places.

    Example:
        >>> from pksk.expressions import F
        >>> describe((F.total > 10) & F.tags.contains("x"))
        "total > 10 AND contains(tags, 'x')"
    """
    return _text(tree, _Plain())


class _Plain(Placeholders):
    __slots__ = ()

    def name(self, name: str) -> str:
        return name if name.isidentifier() else f'"{name}"'

    def value(self, wire: dict[str, Any]) -> str:
        return repr(from_wire(wire))


def _parameter(tree: Condition | Update | Projection) -> str:
    if isinstance(tree, Update):
        return "UpdateExpression"
    return "ProjectionExpression" if isinstance(tree, Projection) else "ConditionExpression"


def _text(tree: Condition | Update | Projection, placeholders: Placeholders) -> str:
    writer = _Writer(placeholders, _parameter(tree))
    if isinstance(tree, Update):
        return writer.update(tree)
    if isinstance(tree, Projection):
        return ", ".join(map(writer.path, tree.paths))
    return fold(tree, writer.leaf, writer.joint)


# A run inside a run of the same kind keeps its parentheses too, so that the tree comes back as it was.
_AND_OR: Final = (And, Or)


def _inside(node: Condition, text: str, looser: Any) -> str:
    return f"({text})" if isinstance(node, looser) else text


class _Writer:
    __slots__ = ("_operators", "_parameter", "_placeholders")

    def __init__(self, placeholders: Placeholders, parameter: Parameter) -> None:
        self._placeholders = placeholders
        self._parameter = parameter
        self._operators = 0

    def path(self, path: Path) -> str:
        text = ""
        for element in path.elements:
            if isinstance(element, int):
                text += f"[{element}]"
                continue
            name = element.placeholder if isinstance(element, NameRef) else self._placeholders.name(element)
            text += f".{name}" if text else name
        return text

    def operand(self, operand: Operand | Arithmetic) -> str:
        if isinstance(operand, Path):
            return self.path(operand)
        if isinstance(operand, Value):
            return self._placeholders.value(operand.wire)
        if isinstance(operand, ValueRef):
            return operand.placeholder
        if isinstance(operand, Arithmetic):
            return f"{self.operand(operand.left)} {operand.operator} {self.operand(operand.right)}"
        self._count(1)
        return f"{operand.name}({', '.join(map(self.operand, operand.operands))})"

    def joint(self, node: Any, texts: list[str]) -> str:
        self._count(max(len(texts) - 1, 1))
        if isinstance(node, Not):
            return f"NOT {_inside(node.condition, texts[0], _AND_OR)}"
        looser, word = (_AND_OR, " AND ") if isinstance(node, And) else (Or, " OR ")
        return word.join(map(_inside, node.conditions, texts, repeat(looser)))

    def _count(self, operators: int) -> None:
        self._operators += operators
        if self._operators > MOST_OPERATORS:
            raise refusal("expression-too-many-operators", self._parameter, count=MOST_OPERATORS + 1)

    def leaf(self, leaf: Any) -> str:
        if isinstance(leaf, Call):
            return self.operand(leaf)
        self._count(1)
        first, *others = map(self.operand, operands_of(leaf))
        if isinstance(leaf, Compare):
            return f"{first} {leaf.operator} {others[0]}"
        if isinstance(leaf, Between):
            return f"{first} BETWEEN {others[0]} AND {others[1]}"
        if isinstance(leaf, In):
            return f"{first} IN ({', '.join(others)})"
        raise TypeError(leaf)

    def update(self, update: Update) -> str:
        sections: dict[str, list[str]] = {}
        for action in update.actions:
            sections.setdefault(action.section, []).append(self._action(action))
        return " ".join(f"{section} {', '.join(actions)}" for section, actions in sections.items())

    def _action(self, action: Any) -> str:
        path = self.path(action.path)
        if isinstance(action, Remove):
            return path
        equals = "= " if isinstance(action, Set) else ""
        return f"{path} {equals}{self.operand(action.value)}"
