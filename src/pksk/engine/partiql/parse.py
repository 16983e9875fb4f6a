"""Parses statements, caches them by their text, and checks the parameters of requests."""

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

from .operands import placeholders
from .statements import StatementReader
from .tokens import Tokens
from .tree import SelectStatement, Statement, ValueTemplate

__all__ = ["ParsedStatement", "check_parameters", "parse"]

# A statement takes some 50 bytes for each character of its text; so long ones are kept apart, and fewer.
_CACHED_SHORT: Final = 1024
_CACHED_LONG: Final = 64
_SHORT_CHARACTERS: Final = 1024
_Plan = TypeVar("_Plan")


class ParsedStatement:
    """One statement, how many parameters it has, and what was compiled of it for the table that it met last."""

    __slots__ = ("_made", "_planned", "parameters", "reads", "statement")

    def __init__(self, statement: Statement, parameters: int, made: Mapping[str, ValueTemplate]) -> None:
        self.statement = statement
        self.parameters = parameters
        self.reads = isinstance(statement, SelectStatement)
        self._made = tuple(made.items())
        self._planned: tuple[RowLayout | None, Any] = (None, None)

    def plan(self, rows: RowLayout, made: Callable[[Any, RowLayout], _Plan]) -> _Plan:
        """What is made of the statement for some rows, once: they are other ones whenever the table changes."""
        known, plan = self._planned
        if known is not rows:
            plan = made(self.statement, rows)
            self._planned = (rows, plan)
        return plan  # type: ignore[no-any-return]

    def values(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """The values by their placeholders, from parameters that were checked."""
        if len(parameters) < self.parameters:
            raise validation(texts.PARAMETER_COUNT)
        if not self._made:
            return parameters
        values = dict(parameters)
        for placeholder, template in self._made:
            values[placeholder] = check_value(template(parameters))
        return values


def check_parameters(given: Sequence[Wire]) -> Mapping[str, Any]:
    """The parameters of a request by their placeholders, as they are stored; refuses those that are no values.

    Example:
        >>> check_parameters([{"N": "1e2"}, {"S": "a"}])
        {'?0': {'N': '100'}, '?1': {'S': 'a'}}
    """
    return check_item(dict(zip(placeholders(len(given)), given, strict=True)))[0]


def parse(text: str) -> ParsedStatement:
    """The statement that a text says; the same for the same text, for as long as it is remembered."""
    return _parse_short(text) if len(text) <= _SHORT_CHARACTERS else _parse_long(text)


def _parse(text: str) -> ParsedStatement:
    reader = StatementReader(Tokens(text))
    try:
        statement = reader.statement()
    except ExpressionError as error:
        raise validation(error.problem) from None
    return ParsedStatement(statement, reader.parameters, reader.made)


_parse_short = lru_cache(maxsize=_CACHED_SHORT)(_parse)
_parse_long = lru_cache(maxsize=_CACHED_LONG)(_parse)
