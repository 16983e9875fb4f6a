"""The long way of reading expressions: every check in the order in which DynamoDB makes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.faults import RequestRefused, refused
from pksk.engine.request import OlderRequest
from pksk.engine.texts import parameters as texts
from pksk.errors import ExpressionError
from pksk.expressions import check_unused, key_parts
from pksk.expressions.tokens import MOST_BYTES

from .expressions import Expressions
from .legacy import read_legacy
from .parameters import NAMES, VALUES, Parameters
from .placeholders import check_mixing, check_names, check_values
from .plan import tree_of

__all__ = ["read_in_order"]

_PLACES: Final = {
    "ProjectionExpression": "projection",
    "FilterExpression": "filter",
    "ConditionExpression": "condition",
    "UpdateExpression": "update",
}


def read_in_order(request: Mapping[str, Any], parameters: Parameters) -> Expressions:
    """What a request says in expressions or their legacy forms, or its first refusal."""
    check_mixing(request, parameters)
    names = check_names(request, parameters)
    values = check_values(request, parameters)
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
        tree = tree_of(parameter, text, names, values)
        if parameter == "KeyConditionExpression":
            expressions.key_parts = key_parts(tree)
        else:
            setattr(expressions, _PLACES[parameter], tree)
    if given and (names or values):
        unresolved = [tree_of(parameter, text, None, None) for parameter, text in given]
        check_unused(request.get(NAMES, ()), request.get(VALUES, ()), unresolved)
