"""Fills the parameters of a statement's conditions and updates with the values of a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, TypeAlias

from pksk.engine.service_errors import validation
from pksk.errors import ExpressionError
from pksk.expressions import Between, Condition, Update, Value, ValueRef, resolve
from pksk.expressions.bind_values import bind_update, value_requirements
from pksk.expressions.check import check_condition
from pksk.expressions.evaluate import compile_condition
from pksk.expressions.leaf_tests import Test
from pksk.expressions.tree import leaves
from pksk.values import Wire

__all__ = ["CheckedCondition", "FilledCondition", "FilledUpdate", "ParameterValues", "value_of"]

ParameterValues: TypeAlias = Mapping[str, Any]


def value_of(operand: Value | ValueRef) -> Callable[[ParameterValues], Wire]:
    """What gives an operand's value from those of a request."""
    if isinstance(operand, Value):
        wire = operand.wire
        return lambda _: wire
    return itemgetter(operand.placeholder)


class CheckedCondition:
    """A condition that is held against its values, and refused in the words of a request's expression."""

    __slots__ = ("_always", "_needs", "_parameter", "_tree")

    def __init__(self, tree: Condition, parameter: str) -> None:
        try:
            check_condition(tree, parameter, values=False)
        except ExpressionError as error:
            raise validation(error.problem) from None
        self._tree, self._parameter = tree, parameter
        self._needs = value_requirements(tree)
        # Bounds of which one is written and the other given are compared with each request.
        self._always = any(_has_one_literal_bound(leaf) for leaf in leaves(tree))

    def check(self, values: ParameterValues) -> None:
        """Refuse values that the condition cannot have."""
        if self._always or not self._needs.met(values):
            try:
                resolve(self._tree, {}, values, parameter=self._parameter)
            except ExpressionError as error:
                raise validation(error.problem) from None


class FilledCondition(CheckedCondition):
    """A condition that becomes a test once its values are known."""

    __slots__ = ("_compiled",)

    def __init__(self, tree: Condition, parameter: str) -> None:
        super().__init__(tree, parameter)
        self._compiled = compile_condition(tree)

    def test(self, values: ParameterValues) -> Test:
        """The condition as a function of the item."""
        self.check(values)
        return self._compiled.test(values)


def _has_one_literal_bound(leaf: Any) -> bool:
    return isinstance(leaf, Between) and isinstance(leaf.low, ValueRef) is not isinstance(leaf.high, ValueRef)


class FilledUpdate:
    """An update that waits for its values."""

    __slots__ = ("_fill", "_needs", "_tree")

    def __init__(self, tree: Update) -> None:
        self._tree = tree
        self._needs = value_requirements(tree)
        self._fill = bind_update(tree)

    def update(self, values: ParameterValues) -> Update:
        """The update with its values."""
        if not self._needs.met(values):
            try:
                resolve(self._tree, {}, values)
            except ExpressionError as error:
                raise validation(error.problem) from None
        return self._fill(values)
