"""Parses expressions from the text that DynamoDB's API takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from . import tree
from .check import check_condition, check_path, check_paths, check_update
from .condition_reader import ConditionReader
from .key_condition import key_parts
from .operand_reader import UPDATE_FUNCTIONS, OperandReader
from .texts import Parameter, expression_error
from .tokens import Tokens

_SIGNS: Final = frozenset("+-")


class UpdateReader(OperandReader):
    """Reads one update; sections may come in any order, each once."""

    __slots__ = ("_twice",)

    def __init__(
        self,
        text: str,
        parameter: Parameter,
        names: Mapping[str, str] | None,
        values: Mapping[str, Mapping[str, Any]] | None,
    ) -> None:
        super().__init__(text, parameter, names, values)
        self._functions, self._nestable = UPDATE_FUNCTIONS, "if_not_exists"
        self._twice = ""

    def update(self) -> tree.Update:
        """The whole expression as an update; all but its paths and its operands' types is checked."""
        actions: list[tree.Action] = []
        seen: set[str] = set()
        tokens = self.tokens
        while tokens.peek() or not seen:
            section = tokens.keyword()
            if section not in _SECTIONS:
                raise tokens.syntax_error()
            if section in seen:
                self._twice = self._twice or section
            seen.add(section)
            tokens.position += 1
            self._section(_SECTIONS[section], actions)
        self.finish()
        if self._twice:
            raise expression_error("expression-section-twice", tokens.parameter, section=self._twice)
        return tree.Update(tuple(actions))

    def _section(self, read: Callable[[UpdateReader], tree.Action], actions: list[tree.Action]) -> None:
        actions.append(read(self))
        while self.tokens.peek() == ",":
            self.tokens.position += 1
            actions.append(read(self))

    def set(self) -> tree.Set:
        """``path = value``."""
        path = self.tokens.path()
        self.tokens.expect("=")
        return tree.Set(path, self._value())

    def remove(self) -> tree.Remove:
        """``path``."""
        return tree.Remove(self.tokens.path())

    def add(self) -> tree.Add:
        """``path :value``."""
        return tree.Add(self.tokens.path(), self.tokens.value())

    def delete(self) -> tree.Delete:
        """``path :value``."""
        return tree.Delete(self.tokens.path(), self.tokens.value())

    def _value(self) -> tree.SetValue:
        """An operand or a sum of two, perhaps in parentheses."""
        tokens = self.tokens
        depth = 0
        while tokens.peek() == "(":
            tokens.position += 1
            depth += 1
        value: tree.SetValue = self.operand()
        while True:
            if tokens.peek() in _SIGNS and not isinstance(value, tree.Arithmetic):
                value = self._sum(value)
            elif depth:
                tokens.expect(")")
                depth -= 1
                self.close_group()
            else:
                return value

    def _sum(self, left: tree.Operand) -> tree.Arithmetic:
        operator = self.tokens.take()
        self.operators += 1
        right = self.operand()
        for operand in (left, right):
            if isinstance(operand, tree.Call) and operand.name == "list_append":
                self.misused_function = self.misused_function or operand.name
        self.in_parentheses = False
        return tree.Arithmetic(operator, left, right)


_SECTIONS: Final[dict[str, Callable[[UpdateReader], tree.Action]]] = {
    "SET": UpdateReader.set,
    "REMOVE": UpdateReader.remove,
    "ADD": UpdateReader.add,
    "DELETE": UpdateReader.delete,
}


Names = Mapping[str, str]
Values = Mapping[str, Mapping[str, Any]]


def parse_condition(
    text: str,
    names: Names | None = None,
    values: Values | None = None,
    *,
    parameter: Parameter = "ConditionExpression",
) -> tree.Condition:
    """The tree of a condition or filter.

    ``names`` and ``values`` are the request's ExpressionAttributeNames and -Values. If one is None, its
    placeholders stay in the tree, for ``resolve``; otherwise undefined placeholders raise DynamoDB's errors.
    ``parameter`` is the member of the request in error messages.

    Example:
        >>> parse_condition("amount > :min", values={":min": {"N": "10"}})
        Compare(operator='>', left=Path(elements=('amount',)), right=Value(wire={'N': '10'}))
        >>> parse_condition("total > :min")
        Traceback (most recent call last):
        pksk.errors.ExpressionError: Invalid ConditionExpression: Attribute name is a reserved keyword; ...
    """
    condition = ConditionReader(text, parameter, names, values).condition()
    check_condition(condition, parameter, names=names is not None, values=values is not None)
    return condition


def parse_key_condition(
    text: str, names: Names | None = None, values: Values | None = None
) -> tree.Condition:
    """The tree of a Query's key condition; ``key_parts`` returns its parts by attribute.

    Example:
        >>> parse_key_condition("pk = :p OR sk = :s")
        Traceback (most recent call last):
        pksk.errors.ExpressionError: Invalid operator used in KeyConditionExpression: OR
        ...
    """
    condition = parse_condition(text, names, values, parameter="KeyConditionExpression")
    key_parts(condition)
    return condition


def parse_update(text: str, names: Names | None = None, values: Values | None = None) -> tree.Update:
    """The tree of an update.

    Example:
        >>> parse_update("REMOVE a, b[2]")
        Update(actions=(Remove(path=Path(elements=('a',))), Remove(path=Path(elements=('b', 2)))))
    """
    update = UpdateReader(text, "UpdateExpression", names, values).update()
    check_update(update, names=names is not None, values=values is not None)
    return update


def parse_projection(text: str, names: Names | None = None) -> tree.Projection:
    """The tree of a projection.

    Example:
        >>> parse_projection("id, parts[0].sku")
        Projection(paths=(Path(elements=('id',)), Path(elements=('parts', 0, 'sku'))))
    """
    parameter = "ProjectionExpression"
    tokens = Tokens(text, parameter, names, None)
    paths: list[tree.Path] = [tokens.path()]
    while tokens.peek() == ",":
        tokens.position += 1
        paths.append(tokens.path())
    if tokens.peek():
        raise tokens.syntax_error()
    if tokens.name_error:
        raise tokens.name_error
    for path in paths:
        check_path(path, parameter, names=names is not None)
    check_paths(paths, parameter)
    return tree.Projection(tuple(paths))
