"""Parses and caches statements, and checks the parameters of requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar

from pksk.engine.request.attribute_values import check_item, check_value
from pksk.engine.row_layout import RowLayout
from pksk.engine.service_errors import validation
from pksk.engine.texts import partiql as texts
from pksk.errors import ExpressionError
from pksk.values import Wire

from .operands import placeholder
from .statements import StatementReader
from .tokens import Tokens
from .tree import SelectStatement, Statement, ValueTemplate

# A parsed statement takes about 50 bytes for each character of its text, so long ones are not cached.
# The cache makes a SELECT of one item six times as fast.
_CACHED_STATEMENTS: Final = 1024
_CACHED_CHARACTERS: Final = 1024
_Plan = TypeVar("_Plan")


class ParsedStatement:
    """A statement, the number of its parameters, and its plan for the table that it was last used with."""

    __slots__ = ("_planned", "_templates", "is_read", "parameters", "statement")

    def __init__(self, statement: Statement, parameters: int, templates: Mapping[str, ValueTemplate]) -> None:
        self.statement = statement
        self.parameters = parameters
        self.is_read = isinstance(statement, SelectStatement)
        self._templates = tuple(templates.items())
        self._planned: tuple[RowLayout | None, Any] = (None, None)

    def plan(self, rows: RowLayout, make: Callable[[Any, RowLayout], _Plan]) -> _Plan:
        """The plan for a table or an index, made once; `rows` is a new object when the table changes.

        This halves the time of a SELECT of one item.
        """
        planned_rows, plan = self._planned
        if planned_rows is not rows:
            plan = make(self.statement, rows)
            self._planned = (rows, plan)
        return plan  # type: ignore[no-any-return]

    def values(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """The values by placeholder, from checked parameters."""
        if len(parameters) < self.parameters:
            raise validation(texts.PARAMETER_COUNT)
        if not self._templates:
            return parameters
        values = dict(parameters)
        for name, template in self._templates:
            values[name] = check_value(template(parameters))
        return values


def check_parameters(parameters: Sequence[Wire]) -> Mapping[str, Any]:
    """The parameters of a request by placeholder, as they are stored; raises for invalid values.

    Example:
        >>> check_parameters([{"N": "1e2"}, {"S": "a"}])
        {'?0': {'N': '100'}, '?1': {'S': 'a'}}
    """
    return check_item({placeholder(number): value for number, value in enumerate(parameters)})[0]


def parse(text: str) -> ParsedStatement:
    """Parse a statement, or take it from the cache."""
    return _parse_cached(text) if len(text) <= _CACHED_CHARACTERS else _parse(text)


def _parse(text: str) -> ParsedStatement:
    reader = StatementReader(Tokens(text))
    try:
        statement = reader.statement()
    except ExpressionError as error:
        raise validation(error.problem) from None
    return ParsedStatement(statement, reader.parameters, reader.templates)


_parse_cached = lru_cache(maxsize=_CACHED_STATEMENTS)(_parse)
