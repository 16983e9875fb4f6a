"""Plans: what requests with the same expressions and names share, parsed once and cached."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from pksk.expressions import (
    compile_condition,
    key_parts,
    parse_condition,
    parse_key_condition,
    parse_projection,
    parse_update,
)
from pksk.expressions.bind_values import bind_key_parts, bind_update, value_requirements

from .parameters import CompiledCondition, Expressions, Parameters

Wires = Mapping[str, Any]
_Fill = Callable[[Wires], Any]
_Texts = tuple[str | None, ...]
_Names = tuple[tuple[str, str], ...]
# In a valid expression, each of these is a placeholder.
_PLACEHOLDER: Final = re.compile(r"[#:][A-Za-z0-9_]+")
# A plan takes about 50 bytes for each character, so there are fewer cached plans of long expressions.
_MOST_SHORT_PLANS: Final = 1024
_MOST_LONG_PLANS: Final = 64
_SHORT_CHARACTERS: Final = 1024
# Requests with more names are parsed each time, so that the cache stays small.
MOST_NAMES: Final = 64
# The maximum length of a placeholder; longer names are rare.
_LONGEST: Final = 255


class NeedsAllChecks(Exception):
    """The request needs all checks, mostly because of an error, so that the first one in DynamoDB's order is raised."""


class _LongTexts(Exception):
    """The expressions of a plan are long."""


class Plan:
    """The expressions of a request without its values. Saves two thirds of a PutItem with a condition or of a Query."""

    __slots__ = ("_fills", "_needs", "fixed", "placeholders")

    def __init__(self, trees: Mapping[str, Any], placeholders: frozenset[str]) -> None:
        # Exactly the values that a request must have.
        self.placeholders = placeholders
        requirements = [
            value_requirements(tree)
            for parameter, tree in trees.items()
            if parameter != "ProjectionExpression"
        ]
        self._needs = tuple(need for need in requirements if any(need))
        self._fills = tuple(_fill(parameter, tree) for parameter, tree in trees.items())
        self.fixed = None if placeholders else self.filled({})

    def accepts(self, values: Wires) -> bool:
        """Whether the expressions are also valid with these values."""
        for need in self._needs:  # noqa: SIM110  # quicker than all()
            if not need.are_met_by(values):
                return False
        return True

    def filled(self, values: Wires) -> Expressions:
        """The expressions with their values."""
        expressions = Expressions()
        for name, fill in self._fills:
            setattr(expressions, name, fill(values))
        return expressions


def _fill(parameter: str, tree: Any) -> tuple[str, _Fill]:
    if parameter == "UpdateExpression":
        return "update", bind_update(tree)
    if parameter == "KeyConditionExpression":
        return "key_parts", bind_key_parts(key_parts(tree))
    if parameter == "ProjectionExpression":
        return "projection", lambda _: tree
    test = compile_condition(tree).test
    name = "filter" if parameter == "FilterExpression" else "condition"
    return name, lambda values: CompiledCondition(tree, test(values))


def plan(parameters: Parameters, texts: _Texts, names: _Names) -> Plan:
    """The plan of a request with these expressions and names; raises if anything is invalid."""
    try:
        return _short_plan(parameters, texts, names)
    except _LongTexts:
        return _long_plan(parameters, texts, names)


@lru_cache(maxsize=_MOST_SHORT_PLANS)
def _short_plan(parameters: Parameters, texts: _Texts, names: _Names) -> Plan:
    if len("".join(filter(None, texts))) + len("".join(map("".join, names))) > _SHORT_CHARACTERS:
        raise _LongTexts
    return _new_plan(parameters, texts, names)


@lru_cache(maxsize=_MOST_LONG_PLANS)
def _long_plan(parameters: Parameters, texts: _Texts, names: _Names) -> Plan:
    return _new_plan(parameters, texts, names)


def _new_plan(parameters: Parameters, texts: _Texts, names: _Names) -> Plan:
    defined = dict(names)
    expressions = {
        parameter: text
        for parameter, text in zip(parameters.expressions, texts, strict=True)
        if text is not None
    }
    trees = {parameter: parse_expression(parameter, text, defined) for parameter, text in expressions.items()}
    used = {placeholder for text in expressions.values() for placeholder in _PLACEHOLDER.findall(text)}
    # A placeholder in a valid expression has valid characters.
    if not used.issuperset(defined) or not all(map(_is_plain, (*used, *defined.values()))):
        raise NeedsAllChecks
    return Plan(trees, frozenset(placeholder for placeholder in used if placeholder[0] == ":"))


def _is_plain(text: str) -> bool:
    return 0 < len(text) <= _LONGEST


def parse_expression(
    parameter: str, text: str, names: Mapping[str, str] | None, values: Wires | None = None
) -> Any:
    """The tree of an expression, with names and any values in place of its placeholders."""
    if parameter == "UpdateExpression":
        return parse_update(text, names, values)
    if parameter == "KeyConditionExpression":
        return parse_key_condition(text, names, values)
    if parameter == "ProjectionExpression":
        return parse_projection(text, names)
    return parse_condition(text, names, values, parameter=parameter)
