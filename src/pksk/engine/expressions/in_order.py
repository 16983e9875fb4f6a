"""The long way of reading expressions: every check in the order in which DynamoDB makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from pksk.engine.faults import RequestRefused, refused
from pksk.engine.request import OlderRequest
from pksk.engine.texts import parameters as texts
from pksk.errors import ExpressionError
from pksk.expressions import check_unused, key_parts
from pksk.expressions.tokens import MOST_BYTES

from .expressions import Expressions, decision
from .legacy import read_legacy
from .parameters import NAMES, VALUES, Parameters
from .placeholders import check_mixing, check_names, check_values
from .plan import tree_of

__all__ = ["Check", "read_in_order"]

Check: TypeAlias = Callable[[Mapping[str, Any]], None]

# Where the expression of a parameter goes, and what it is made into.
_PLACES: Final[dict[str, tuple[str, Callable[[Any], Any]]]] = {
    "ProjectionExpression": ("projection", lambda tree: tree),
    "FilterExpression": ("filter", decision),
    "KeyConditionExpression": ("key_parts", key_parts),
    "ConditionExpression": ("condition", decision),
    "SearchConditionExpression": ("condition", decision),
    "UpdateExpression": ("update", lambda tree: tree),
}


def read_in_order(
    request: Mapping[str, Any], parameters: Parameters, check: Check | None = None
) -> Expressions:
    """What a request says in expressions or their legacy forms, or its first refusal."""
    check_mixing(request, parameters)
    names = check_names(request, parameters)
    values = check_values(request, parameters)
    if check is not None:
        check(request)
    expressions = Expressions()
    read_legacy(request, parameters, expressions)
    try:
        _read(request, parameters, names, values, expressions)
    except ExpressionError as error:
        raise _refusal(error, request, parameters) from None
    return expressions


def _refusal(error: ExpressionError, request: Mapping[str, Any], parameters: Parameters) -> RequestRefused:
    if type(request) is not OlderRequest or error.code != "expression-too-long":
        return refused(error.problem)
    # The error is of the first that is too long.
    sizes = (len(request.get(name, "").encode(errors="replace")) for name in parameters.expressions)
    return refused(texts.expression_size(error.problem, next(size for size in sizes if size > MOST_BYTES)))


def _read(
    request: Mapping[str, Any],
    parameters: Parameters,
    names: Mapping[str, str],
    values: Mapping[str, Any],
    expressions: Expressions,
) -> None:
    given = [(parameter, request[parameter]) for parameter in parameters.expressions if parameter in request]
    for parameter, text in given:
        place, made = _PLACES[parameter]
        setattr(expressions, place, made(tree_of(parameter, text, names, values)))
    if given and (names or values):
        unresolved = [tree_of(parameter, text, None, None) for parameter, text in given]
        check_unused(request.get(NAMES, ()), request.get(VALUES, ()), unresolved)
