"""The expressions of a request: the quick way for those that are right, the long way for all others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.faults import ServiceError
from pksk.engine.values import check_item
from pksk.errors import ExpressionError

from .expressions import NOTHING, Expressions
from .in_order import Check, read_in_order
from .parameters import NAMES, VALUES, Parameters
from .placeholders import MOST_BYTES
from .plan import MOST_NAMES, NotPlain, plan

__all__ = ["read_expressions"]


def read_expressions(
    request: Mapping[str, Any], parameters: Parameters, check: Check | None = None
) -> Expressions:
    """What a request, or a member of one, says in expressions or their legacy forms; refused as DynamoDB does.

    `check` looks at the rest of the request. What it refuses is told after the placeholders, before the expressions.

    Example:
        >>> from pksk.engine.expressions import GET_ITEM
        >>> read_expressions({"ProjectionExpression": "id, title"}, GET_ITEM).projection.paths[0]
        Path(elements=('id',))
    """
    quick = NOTHING if parameters.members.isdisjoint(request) else _quickly(request, parameters)
    if quick is None:
        return read_in_order(request, parameters, check)
    if check is not None:
        check(request)
    return quick


def _quickly(request: Mapping[str, Any], parameters: Parameters) -> Expressions | None:
    """The expressions, where nothing is wrong with them and their texts are mostly known; else None."""
    if not request.keys().isdisjoint(parameters.legacy):
        return None
    names = request.get(NAMES)
    if names is not None and not 0 < len(names) <= MOST_NAMES:
        return None
    get = request.get
    try:
        found = plan(
            parameters,
            tuple([get(parameter) for parameter in parameters.expressions]),
            tuple(names.items()) if names else (),
        )
        values = get(VALUES)
        if values is None:
            return found.fixed
        if not values or values.keys() != found.placeholders:
            return None
        checked, size = check_item(values, parameters.levels)
    except (ExpressionError, NotPlain, ServiceError):
        return None
    if size > MOST_BYTES - MOST_NAMES * 512 or not found.accepts(checked):
        return None
    return found.filled(checked)
