"""Statements that were read once, kept by their texts, with the values that requests give their parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar

from pksk.engine.faults import validation
from pksk.engine.layout import Rows
from pksk.engine.texts import partiql as texts
from pksk.engine.values import check_item, check_value
from pksk.errors import ExpressionError
from pksk.values import Wire

from .statements import StatementReader
from .tokens import Tokens
from .tree import Select, Statement, Template
from .values import names

__all__ = ["Parsed", "check_parameters", "parse"]

# A statement takes some 50 bytes for each character of its text; so long ones are kept apart, and fewer.
_MOST_SHORT: Final = 1024
_MOST_LONG: Final = 64
_SHORT: Final = 1024
_Plan = TypeVar("_Plan")


class Parsed:
    """One statement, how many parameters it has, and what was compiled of it for the table that it met last."""

    __slots__ = ("_made", "_planned", "parameters", "reads", "statement")

    def __init__(self, statement: Statement, parameters: int, made: Mapping[str, Template]) -> None:
        self.statement = statement
        self.parameters = parameters
        self.reads = isinstance(statement, Select)
        self._made = tuple(made.items())
        self._planned: tuple[Rows | None, Any] = (None, None)

    def plan(self, rows: Rows, made: Callable[[Any, Rows], _Plan]) -> _Plan:
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
    return check_item(dict(zip(names(len(given)), given, strict=True)))[0]


def parse(text: str) -> Parsed:
    """The statement that a text says; the same for the same text, for as long as it is remembered."""
    return _short(text) if len(text) <= _SHORT else _long(text)


def _parse(text: str) -> Parsed:
    reader = StatementReader(Tokens(text))
    try:
        statement = reader.statement()
    except ExpressionError as error:
        raise validation(error.problem) from None
    return Parsed(statement, reader.parameters, reader.made)


_short = lru_cache(maxsize=_MOST_SHORT)(_parse)
_long = lru_cache(maxsize=_MOST_LONG)(_parse)
