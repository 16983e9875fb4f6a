"""Writes expressions as the text that DynamoDB's API takes, and allocates placeholders for names and values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import repeat
from typing import Any, Final, NamedTuple

from pksk.errors import ExpressionMisuse
from pksk.values import from_wire
from pksk.values.wire import to_boto3

from . import tree
from .check import operands_of
from .operand_reader import MAX_OPERATORS
from .resolve import references
from .texts import Parameter, expression_error
from .tokens import MAX_EXPRESSION_BYTES, RESERVED_WORDS

_PLAIN_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


class Placeholders:
    """The names and values of one request, shared by all its expressions.

    A reserved word, or a name with characters other than letters, digits and ``_``, gets a placeholder; other
    names are written directly. The same name, or the identical value, gets the same placeholder. ``names`` and
    ``values`` are those that the request already has.

    Example:
        >>> shared = Placeholders()
        >>> shared.name("total"), shared.name("id"), shared.value({"N": "5"}), shared.value({"N": "5"})
        ('#n0', 'id', ':v0', ':v0')
        >>> shared.request()
        {'ExpressionAttributeNames': {'#n0': 'total'}, 'ExpressionAttributeValues': {':v0': {'N': '5'}}}
    """

    __slots__ = ("_of_names", "_of_values", "_reserved", "names", "values")

    def __init__(
        self, names: Mapping[str, str] | None = None, values: Mapping[str, dict[str, Any]] | None = None
    ) -> None:
        self.names: dict[str, str] = dict(names or {})
        self.values: dict[str, dict[str, Any]] = dict(values or {})
        self._of_names: dict[str, str] = {name: placeholder for placeholder, name in self.names.items()}
        self._of_values: dict[Any, str] = {}
        self._reserved: set[str] = set()

    def name(self, name: str) -> str:
        """The text for an attribute's name."""
        known = self._of_names.get(name)
        if known is not None:
            return known
        if _PLAIN_NAME.fullmatch(name) and name.upper() not in RESERVED_WORDS:
            placeholder = name
        else:
            placeholder = self._free("#n", self.names)
            self.names[placeholder] = name
        self._of_names[name] = placeholder
        return placeholder

    def value(self, wire: dict[str, Any]) -> str:
        """The text for a value in DynamoDB's JSON."""
        ((kind, inner),) = wire.items()
        key = (kind, inner) if type(inner) is str else repr(wire)
        known = self._of_values.get(key)
        if known is None:
            known = self._of_values[key] = self._free(":v", self.values)
            self.values[known] = wire
        return known

    def reserve(self, placeholder: str) -> str:
        """Reserve a placeholder that an expression contains, so that it is not allocated again."""
        if placeholder in self.names or placeholder in self.values:
            raise ExpressionMisuse(
                "expression-placeholder-taken",
                f"Placeholder {placeholder} is already used for another name or value of the request.",
                expected="An expression with its own placeholders is rendered before placeholders are allocated.",
                fix="render this expression first, or resolve() its placeholders.",
            )
        self._reserved.add(placeholder)
        return placeholder

    def _free(self, prefix: str, allotted: dict[str, Any]) -> str:
        number = len(allotted)
        while f"{prefix}{number}" in self._reserved or f"{prefix}{number}" in allotted:
            number += 1
        return f"{prefix}{number}"

    def request(self) -> dict[str, Any]:
        """The members of a request that define the placeholders, for boto3; empty ones are left out."""
        request: dict[str, Any] = {}
        if self.names:
            request["ExpressionAttributeNames"] = dict(self.names)
        if self.values:
            request["ExpressionAttributeValues"] = {
                name: to_boto3(wire) for name, wire in self.values.items()
            }
        return request


class Rendered(NamedTuple):
    """An expression's text, and the names and values of its placeholders."""

    text: str
    names: dict[str, str]
    values: dict[str, dict[str, Any]]


def render(
    expression: tree.Condition | tree.Update | tree.Projection, placeholders: Placeholders | None = None
) -> Rendered:
    """The text of an expression; parsing it again gives the same tree.

    Render all expressions of a request into the same ``placeholders``. Parentheses are written only where needed,
    because DynamoDB rejects redundant ones.

    Example:
        >>> from pksk.expressions import F
        >>> render((F.id == "a") & ((F.total > 10) | F["size"].missing())).text
        'id = :v0 AND (#n0 > :v1 OR attribute_not_exists(#n1))'
    """
    shared = Placeholders() if placeholders is None else placeholders
    for reference in references(expression):
        for placeholder in reference:
            shared.reserve(placeholder)
    text = _text(expression, shared)
    if len(text) > MAX_EXPRESSION_BYTES:
        raise expression_error("expression-too-long", _parameter(expression))
    return Rendered(text, shared.names, shared.values)


def describe(expression: tree.Condition | tree.Update | tree.Projection) -> str:
    """The expression for people to read, with plain names and Python's values in their places.

    Example:
        >>> from pksk.expressions import F
        >>> describe((F.total > 10) & F.tags.contains("x"))
        "total > 10 AND contains(tags, 'x')"
    """
    return _text(expression, _ReadableText())


class _ReadableText(Placeholders):
    __slots__ = ()

    def name(self, name: str) -> str:
        return name if name.isidentifier() else f'"{name}"'

    def value(self, wire: dict[str, Any]) -> str:
        return repr(from_wire(wire))


def _parameter(expression: tree.Condition | tree.Update | tree.Projection) -> str:
    if isinstance(expression, tree.Update):
        return "UpdateExpression"
    return "ProjectionExpression" if isinstance(expression, tree.Projection) else "ConditionExpression"


def _text(expression: tree.Condition | tree.Update | tree.Projection, placeholders: Placeholders) -> str:
    writer = _Writer(placeholders, _parameter(expression))
    if isinstance(expression, tree.Update):
        return writer.update(expression)
    if isinstance(expression, tree.Projection):
        return ", ".join(map(writer.path, expression.paths))
    return tree.fold(expression, writer.leaf, writer.joint)


# A run inside a run of the same operator keeps its parentheses, so that parsing gives the same tree.
_AND_OR: Final = (tree.And, tree.Or)


def _parenthesize(node: tree.Condition, text: str, looser: Any) -> str:
    return f"({text})" if isinstance(node, looser) else text


class _Writer:
    __slots__ = ("_operators", "_parameter", "_placeholders")

    def __init__(self, placeholders: Placeholders, parameter: Parameter) -> None:
        self._placeholders = placeholders
        self._parameter = parameter
        self._operators = 0

    def path(self, path: tree.Path) -> str:
        text = ""
        for element in path.elements:
            if isinstance(element, int):
                text += f"[{element}]"
                continue
            name = (
                element.placeholder if isinstance(element, tree.NameRef) else self._placeholders.name(element)
            )
            text += f".{name}" if text else name
        return text

    def operand(self, operand: tree.Operand | tree.Arithmetic) -> str:
        if isinstance(operand, tree.Path):
            return self.path(operand)
        if isinstance(operand, tree.Value):
            return self._placeholders.value(operand.wire)
        if isinstance(operand, tree.ValueRef):
            return operand.placeholder
        if isinstance(operand, tree.Arithmetic):
            return f"{self.operand(operand.left)} {operand.operator} {self.operand(operand.right)}"
        self._count(1)
        return f"{operand.name}({', '.join(map(self.operand, operand.operands))})"

    def joint(self, node: Any, texts: list[str]) -> str:
        self._count(max(len(texts) - 1, 1))
        if isinstance(node, tree.Not):
            return f"NOT {_parenthesize(node.condition, texts[0], _AND_OR)}"
        looser, word = (_AND_OR, " AND ") if isinstance(node, tree.And) else (tree.Or, " OR ")
        return word.join(map(_parenthesize, node.conditions, texts, repeat(looser)))

    def _count(self, operators: int) -> None:
        self._operators += operators
        if self._operators > MAX_OPERATORS:
            raise expression_error("expression-too-many-operators", self._parameter, count=MAX_OPERATORS + 1)

    def leaf(self, leaf: Any) -> str:
        if isinstance(leaf, tree.Call):
            return self.operand(leaf)
        self._count(1)
        first, *others = map(self.operand, operands_of(leaf))
        if isinstance(leaf, tree.Compare):
            return f"{first} {leaf.operator} {others[0]}"
        if isinstance(leaf, tree.Between):
            return f"{first} BETWEEN {others[0]} AND {others[1]}"
        if isinstance(leaf, tree.In):
            return f"{first} IN ({', '.join(others)})"
        raise TypeError(leaf)

    def update(self, update: tree.Update) -> str:
        sections: dict[str, list[str]] = {}
        for action in update.actions:
            sections.setdefault(action.section, []).append(self._action(action))
        return " ".join(f"{section} {', '.join(actions)}" for section, actions in sections.items())

    def _action(self, action: Any) -> str:
        path = self.path(action.path)
        if isinstance(action, tree.Remove):
            return path
        equals = "= " if isinstance(action, tree.Set) else ""
        return f"{path} {equals}{self.operand(action.value)}"
