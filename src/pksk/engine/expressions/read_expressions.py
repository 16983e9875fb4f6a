"""Reads the expressions of a request: by a cached plan, or with every check in DynamoDB's order."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from pksk.client import ServiceError
from pksk.engine.request import OlderRequest
from pksk.engine.request.attribute_values import check_item, check_value, with_older_wording
from pksk.engine.service_errors import InvalidRequest, invalid_request, validation
from pksk.engine.texts import items as value_texts
from pksk.engine.texts import parameters as texts
from pksk.errors import ExpressionError
from pksk.expressions import check_unused, key_parts
from pksk.expressions.tokens import MAX_EXPRESSION_BYTES
from pksk.limits import ATTRIBUTE_NAME_BYTES

from .legacy import read_legacy
from .parameters import NAMES, NO_EXPRESSIONS, VALUES, Expressions, Parameters, compiled_condition
from .plan import MOST_NAMES, NeedsAllChecks, parse_expression, plan

# The maximum size of all values of placeholders together.
MOST_PLACEHOLDER_BYTES: Final = 2 * 1024 * 1024
_LONGEST_PLACEHOLDER: Final = 255
_KEYS: Final = {NAMES: re.compile(r"#[A-Za-z0-9_]+"), VALUES: re.compile(r":[A-Za-z0-9_]+")}


def check_mixing(request: Mapping[str, Any], parameters: Parameters) -> None:
    """Raise for expressions beside legacy parameters. KeyConditions can be mixed with other expressions."""
    expressions = [name for name in parameters.expressions if name in request]
    if not expressions:
        return
    legacy = [name for name in parameters.legacy if name in request]
    if "KeyConditions" in legacy and "KeyConditionExpression" not in expressions:
        legacy.remove("KeyConditions")
    if legacy:
        raise invalid_request(texts.mixed_parameters(legacy, expressions))


def check_names(request: Mapping[str, Any], parameters: Parameters) -> dict[str, str]:
    """The checked names of placeholders."""
    names: dict[str, str] | None = request.get(NAMES)
    if names is None:
        return {}
    if not parameters.allows_unused_placeholders and not any(
        name in request for name in parameters.expressions
    ):
        raise invalid_request(texts.NAMES_ALONE)
    _check_keys(NAMES, names)
    for name in names.values():
        if not name:
            raise invalid_request(value_texts.EMPTY_NAME)
        if len(name.encode(errors="replace")) > ATTRIBUTE_NAME_BYTES:
            raise invalid_request(value_texts.LONG_NAME)
    return names


def check_values(request: Mapping[str, Any], parameters: Parameters) -> dict[str, Any]:
    """The checked values of placeholders, as they are stored."""
    values: dict[str, Any] | None = request.get(VALUES)
    if values is None:
        return {}
    if not parameters.allows_unused_placeholders and not any(
        name in request for name in parameters.with_values
    ):
        raise invalid_request(texts.values_alone(parameters.with_values))
    _check_keys(VALUES, values)
    for placeholder, wire in values.items():
        try:
            check_value(wire, parameters.levels)
        except ServiceError as fault:
            newer = parameters.newer_wording and type(request) is not OlderRequest
            raise _with_placeholder(fault, placeholder, newer=newer) from None
    checked, size = check_item(values, parameters.levels)
    names = request.get(NAMES, {})
    if size + sum(map(len, names)) + sum(map(len, names.values())) > MOST_PLACEHOLDER_BYTES:
        raise invalid_request(texts.SUBSTITUTIONS_TOO_LARGE)
    return checked


def _with_placeholder(fault: ServiceError, placeholder: str, *, newer: bool) -> ServiceError:
    """The error for a value. The older layer always names the placeholder, the newer one seldom."""
    if fault.message is None or (newer and isinstance(fault, InvalidRequest)):
        return fault
    return validation(texts.invalid_value(str(with_older_wording(fault).message), placeholder))


def _check_keys(parameter: str, entries: Mapping[str, Any]) -> None:
    if not entries:
        raise invalid_request(texts.empty_map(parameter))
    for key in entries:
        if len(key) > _LONGEST_PLACEHOLDER:
            raise invalid_request(texts.long_key(parameter, key))
        if not _KEYS[parameter].fullmatch(key):
            raise invalid_request(texts.invalid_key(parameter, key))


T = TypeVar("T")

# The field for the expression of a parameter, and the function that makes it.
_FIELDS: Final[dict[str, tuple[str, Callable[[Any], Any]]]] = {
    "ProjectionExpression": ("projection", lambda tree: tree),
    "FilterExpression": ("filter", compiled_condition),
    "KeyConditionExpression": ("key_parts", key_parts),
    "ConditionExpression": ("condition", compiled_condition),
    "SearchConditionExpression": ("condition", compiled_condition),
    "UpdateExpression": ("update", lambda tree: tree),
}


def read_with_all_checks(
    request: Mapping[str, Any], parameters: Parameters, check: Callable[[Mapping[str, Any]], T]
) -> tuple[Expressions, T]:
    """The expressions and the result of `check`; raises the error that DynamoDB finds first."""
    check_mixing(request, parameters)
    names = check_names(request, parameters)
    values = check_values(request, parameters)
    checked = check(request)
    expressions = Expressions()
    read_legacy(request, parameters, expressions)
    try:
        _read_all(request, parameters, names, values, expressions)
    except ExpressionError as error:
        raise _expression_error(error, request, parameters) from None
    return expressions, checked


def _expression_error(
    error: ExpressionError, request: Mapping[str, Any], parameters: Parameters
) -> InvalidRequest:
    if type(request) is not OlderRequest or error.code != "expression-too-long":
        return invalid_request(error.problem)
    # The error is about the first one that is too long.
    sizes = (len(request.get(name, "").encode(errors="replace")) for name in parameters.expressions)
    return invalid_request(
        texts.expression_size(error.problem, next(size for size in sizes if size > MAX_EXPRESSION_BYTES))
    )


def _read_all(
    request: Mapping[str, Any],
    parameters: Parameters,
    names: Mapping[str, str],
    values: Mapping[str, Any],
    expressions: Expressions,
) -> None:
    present = [
        (parameter, request[parameter]) for parameter in parameters.expressions if parameter in request
    ]
    for parameter, text in present:
        field_name, convert = _FIELDS[parameter]
        setattr(expressions, field_name, convert(parse_expression(parameter, text, names, values)))
    if present and (names or values):
        unresolved = [parse_expression(parameter, text, None, None) for parameter, text in present]
        check_unused(request.get(NAMES, ()), request.get(VALUES, ()), unresolved)


def read_expressions(request: Mapping[str, Any], parameters: Parameters) -> Expressions:
    """The expressions of a request, or of a member of one, also in their legacy forms.

    Example:
        >>> from pksk.engine.expressions.parameters import GET_ITEM
        >>> read_expressions({"ProjectionExpression": "id, title"}, GET_ITEM).projection.paths[0]
        Path(elements=('id',))
    """
    return read_with_check(request, parameters, _check_nothing)[0]


def _check_nothing(_request: Mapping[str, Any]) -> None:
    pass


def read_with_check(
    request: Mapping[str, Any], parameters: Parameters, check: Callable[[Mapping[str, Any]], T]
) -> tuple[Expressions, T]:
    """The expressions of a request, and the result of `check`.

    `check` reads the rest of the request. DynamoDB checks that after the placeholders and before the
    expressions.
    """
    planned = NO_EXPRESSIONS if parameters.members.isdisjoint(request) else _read_by_plan(request, parameters)
    if planned is None:
        return read_with_all_checks(request, parameters, check)
    return planned, check(request)


def _read_by_plan(request: Mapping[str, Any], parameters: Parameters) -> Expressions | None:
    """The expressions, if the request is valid and has a plan; else None."""
    if not request.keys().isdisjoint(parameters.legacy):
        return None
    names = request.get(NAMES)
    if names is not None and not 0 < len(names) <= MOST_NAMES:
        return None
    get = request.get
    try:
        known = plan(
            parameters,
            tuple([get(parameter) for parameter in parameters.expressions]),
            tuple(names.items()) if names else (),
        )
        values = get(VALUES)
        if values is None:
            return known.fixed
        if not values or values.keys() != known.placeholders:
            return None
        checked, size = check_item(values, parameters.levels)
    except (ExpressionError, NeedsAllChecks, ServiceError):
        return None
    if size > MOST_PLACEHOLDER_BYTES - MOST_NAMES * 512 or not known.accepts(checked):
        return None
    return known.filled(checked)
