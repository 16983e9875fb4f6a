"""Parses and caches statements, and inserts the parameters of requests into them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar

from pksk.client import ServiceError
from pksk.engine.request import check_item
from pksk.engine.row_layout import RowLayout
from pksk.engine.service_errors import validation, with_older_wording
from pksk.errors import ExpressionError
from pksk.expressions import Between, Condition, Update, ValueRef, resolve
from pksk.expressions.bind_values import bind_update, value_requirements
from pksk.expressions.check import check_condition
from pksk.expressions.tree import leaves
from pksk.values import Wire
from pksk.values.wire import MAX_DEPTH

from .literals import ParameterValues, placeholder
from .statements import StatementReader
from .tokens import Tokens
from .tree import SelectStatement, Statement


class _WhereCheck:
    """Checks the values of a condition."""

    __slots__ = ("_must_resolve", "_needs", "_tree")

    def __init__(self, tree: Condition) -> None:
        check_condition(tree, "FilterExpression", values=False)
        self._tree = tree
        self._needs = value_requirements(tree)
        # A literal bound and a parameter are compared for each request.
        self._must_resolve = any(_has_one_literal_bound(leaf) for leaf in leaves(tree))

    def needs_values(self) -> bool:
        """Whether the condition is invalid with some values."""
        return self._must_resolve or any(self._needs)

    def check(self, values: ParameterValues) -> None:
        """Raise for values that the condition cannot have."""
        # `are_met_by` is fast: always resolving would make an UPDATE with a condition take half as long again.
        if self._must_resolve or not self._needs.are_met_by(values):
            try:
                resolve(self._tree, {}, values)
            except ExpressionError as error:
                raise _statement_error(error) from None


def _has_one_literal_bound(leaf: Any) -> bool:
    return isinstance(leaf, Between) and isinstance(leaf.low, ValueRef) is not isinstance(leaf.high, ValueRef)


# The messages of a request's expressions begin so; those of statements do not.
_PARAMETER: Final = re.compile(r"Invalid \w*: ")


def _statement_error(error: ExpressionError) -> ServiceError:
    return validation(_PARAMETER.sub("", error.problem, count=1))


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
                raise _statement_error(error) from None
        return self._fill(values)


# A parsed statement takes about 50 bytes for each character of its text, so long ones are not cached.
# The cache makes a SELECT of one item six times as fast.
_CACHED_STATEMENTS: Final = 1024
_CACHED_CHARACTERS: Final = 1024
_Plan = TypeVar("_Plan")


class ParsedStatement:
    """A statement, the number of its parameters, and its plan for the table that it was last used with."""

    __slots__ = ("_planned", "_where", "is_read", "parameters", "statement")

    def __init__(self, statement: Statement, parameters: int) -> None:
        self.statement = statement
        self.parameters = parameters
        self.is_read = isinstance(statement, SelectStatement)
        self._planned: tuple[RowLayout | None, Any] = (None, None)
        where = getattr(statement, "where", None)
        check = None if where is None else _WhereCheck(where)
        self._where = check if check is not None and check.needs_values() else None

    def plan(self, rows: RowLayout, make: Callable[[Any, RowLayout], _Plan]) -> _Plan:
        """The plan for a table or an index, made once; `rows` is a new object when the table changes.

        This halves the time of a SELECT of one item.
        """
        planned_rows, plan = self._planned
        if planned_rows is not rows:
            plan = make(self.statement, rows)
            self._planned = (rows, plan)
        return plan  # type: ignore[no-any-return]

    def values(self, parameters: ParameterValues) -> ParameterValues:
        """The values by placeholder: checked parameters; raises if the WHERE cannot have them."""
        if len(parameters) < self.parameters:
            raise validation("Number of parameters in request and statement don't match.")
        if self._where is not None:
            self._where.check(parameters)
        return parameters


def check_parameters(parameters: Sequence[Wire]) -> ParameterValues:
    """The parameters of a request by placeholder, as they are stored; raises for invalid values.

    They may have a level more than an item, which is rejected only when it is written.
    """
    try:
        return check_item(
            {placeholder(number): value for number, value in enumerate(parameters)}, MAX_DEPTH + 1
        )[0]
    except ServiceError as error:
        raise with_older_wording(error) from None


def parse(text: str) -> ParsedStatement:
    """Parse a statement, or take it from the cache."""
    return _parse_cached(text) if len(text) <= _CACHED_CHARACTERS else _parse(text)


def _parse(text: str) -> ParsedStatement:
    reader = StatementReader(Tokens(text))
    try:
        return ParsedStatement(reader.statement(), reader.parameters)
    except ExpressionError as error:
        raise _statement_error(error) from None


_parse_cached = lru_cache(maxsize=_CACHED_STATEMENTS)(_parse)
