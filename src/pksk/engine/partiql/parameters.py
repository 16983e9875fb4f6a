"""Inserts the parameters of a request into conditions and updates of a statement."""

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

ParameterValues: TypeAlias = Mapping[str, Any]


def value_of(operand: Value | ValueRef) -> Callable[[ParameterValues], Wire]:
    """A function that returns an operand's value, from the values of a request."""
    if isinstance(operand, Value):
        wire = operand.wire
        return lambda _: wire
    return itemgetter(operand.placeholder)


class CheckedCondition:
    """A condition that checks its values, with the messages of a request's expression."""

    __slots__ = ("_must_resolve", "_needs", "_parameter", "_tree")

    def __init__(self, tree: Condition, parameter: str) -> None:
        try:
            check_condition(tree, parameter, values=False)
        except ExpressionError as error:
            raise validation(error.problem) from None
        self._tree, self._parameter = tree, parameter
        self._needs = value_requirements(tree)
        # A literal bound and a parameter are compared for each request.
        self._must_resolve = any(_has_one_literal_bound(leaf) for leaf in leaves(tree))

    def check(self, values: ParameterValues) -> None:
        """Raise for values that the condition cannot have."""
        # `met` is fast: always resolving would make an UPDATE with a condition take half as long again.
        if self._must_resolve or not self._needs.are_met_by(values):
            try:
                resolve(self._tree, {}, values, parameter=self._parameter)
            except ExpressionError as error:
                raise validation(error.problem) from None


class FilledCondition(CheckedCondition):
    """A condition that is compiled to a test of items."""

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
    """An update whose values are parameters."""

    __slots__ = ("_fill", "_needs", "_tree")

    def __init__(self, tree: Update) -> None:
        self._tree = tree
        self._needs = value_requirements(tree)
        self._fill = bind_update(tree)

    def update(self, values: ParameterValues) -> Update:
        """The update with its values."""
        if not self._needs.are_met_by(values):
            try:
                resolve(self._tree, {}, values)
            except ExpressionError as error:
                raise validation(error.problem) from None
        return self._fill(values)
