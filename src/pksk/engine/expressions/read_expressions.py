"""Reads the expressions of a request: by a cached plan, or with every check in DynamoDB's order."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from pksk.client import ServiceError
from pksk.engine import texts
from pksk.engine.request import OlderRequest, Request, check_item, check_value, error_in_transaction
from pksk.engine.service_errors import InvalidRequest, invalid_request, validation, with_older_wording
from pksk.errors import ExpressionError
from pksk.expressions import check_unused, key_parts
from pksk.expressions.tokens import MAX_EXPRESSION_BYTES
from pksk.limits import ATTRIBUTE_NAME_BYTES

from .legacy import read_legacy
from .parameters import NAMES, NO_EXPRESSIONS, VALUES, Expressions, Parameters, compiled_condition
from .plan import MOST_NAMES, NeedsAllChecks, parse_expression, plan

# The maximum size of all values of placeholders together.
_MOST_PLACEHOLDER_BYTES: Final = 2 * 1024 * 1024
_LONGEST_PLACEHOLDER: Final = 255
_KEYS: Final = {NAMES: re.compile(r"#[A-Za-z0-9_]+"), VALUES: re.compile(r":[A-Za-z0-9_]+")}


def _check_mixing(request: Request, parameters: Parameters) -> None:
    """Raise for expressions beside legacy parameters. KeyConditions can be mixed with other expressions."""
    expressions = [name for name in parameters.expressions if name in request]
    if not expressions:
        return
    legacy = [name for name in parameters.legacy if name in request]
    if "KeyConditions" in legacy and "KeyConditionExpression" not in expressions:
        legacy.remove("KeyConditions")
    if legacy:
        raise invalid_request(texts.mixed_parameters(legacy, expressions))


def check_names(request: Request, parameters: Parameters) -> dict[str, str]:
    """The checked names of placeholders."""
    names: dict[str, str] | None = request.get(NAMES)
    if names is None:
        return {}
    if not parameters.transactional and not any(name in request for name in parameters.expressions):
        raise invalid_request("ExpressionAttributeNames can only be specified when using expressions")
    _check_keys(NAMES, names)
    for name in names.values():
        if not name:
            raise invalid_request(texts.EMPTY_NAME)
        if len(name.encode(errors="replace")) > ATTRIBUTE_NAME_BYTES:
            raise invalid_request(texts.LONG_NAME)
    return names


def _check_values(request: Request, parameters: Parameters) -> dict[str, Any]:
    """The checked values of placeholders, as they are stored."""
    values: dict[str, Any] | None = request.get(VALUES)
    if values is None:
        return {}
    if not parameters.transactional and not any(name in request for name in parameters.with_values):
        verb = "is" if len(parameters.with_values) == 1 else "are"
        raise invalid_request(
            "ExpressionAttributeValues can only be specified when using expressions: "
            f"{' and '.join(parameters.with_values)} {verb} null"
        )
    _check_keys(VALUES, values)
    for placeholder, wire in values.items():
        try:
            check_value(wire, parameters.levels)
        except ServiceError as error:
            if parameters.transactional:
                error = error_in_transaction(error, {placeholder: wire}, parameters.levels)
            newer = _has_newer_wording(request, parameters)
            raise _with_placeholder(error, placeholder, newer=newer) from None
    checked, size = check_item(values, parameters.levels)
    names = request.get(NAMES, {})
    if size + sum(map(len, names)) + sum(map(len, names.values())) > _MOST_PLACEHOLDER_BYTES:
        raise invalid_request(
            "The sum of the sizes of ExpressionAttributeNames and ExpressionAttributeValues has exceeded the maximum "
            "allowed size"
        )
    return checked


def _with_placeholder(error: ServiceError, placeholder: str, *, newer: bool) -> ServiceError:
    """The error for a value. The older layer always names the placeholder, the newer one seldom."""
    if error.message is None or (newer and isinstance(error, InvalidRequest)):
        return error
    return validation(
        f"ExpressionAttributeValues contains invalid value: {with_older_wording(error).message!s} for key {placeholder}"
    )


def _check_keys(parameter: str, entries: Mapping[str, Any]) -> None:
    if not entries:
        raise invalid_request(f"{parameter} must not be empty")
    for key in entries:
        if len(key) > _LONGEST_PLACEHOLDER:
            raise invalid_request(
                f"{parameter} contains invalid key: The expression attribute map contains a key that is too long; "
                f'key: "{key}"'
            )
        if not _KEYS[parameter].fullmatch(key):
            raise invalid_request(f'{parameter} contains invalid key: Syntax error; key: "{key}"')


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
    request: Request, parameters: Parameters, check: Callable[[Request], T]
) -> tuple[Expressions, T]:
    """The expressions and the result of `check`; raises the error that DynamoDB finds first."""
    _check_mixing(request, parameters)
    names = check_names(request, parameters)
    values = _check_values(request, parameters)
    checked = check(request)
    expressions = Expressions()
    read_legacy(request, parameters, expressions)
    try:
        _read_all(request, parameters, names, values, expressions)
    except ExpressionError as error:
        raise _expression_error(error, request, parameters) from None
    return expressions, checked


def _has_newer_wording(request: Request, parameters: Parameters) -> bool:
    return parameters.newer_wording and type(request) is not OlderRequest


def _expression_error(error: ExpressionError, request: Request, parameters: Parameters) -> InvalidRequest:
    if error.code != "expression-too-long" or _has_newer_wording(request, parameters):
        return invalid_request(error.problem)
    # The error is about the first one that is too long.
    sizes = {name: len(request.get(name, "").encode(errors="replace")) for name in parameters.expressions}
    name = next(name for name, size in sizes.items() if size > MAX_EXPRESSION_BYTES)
    if name == "UpdateExpression":
        return invalid_request(error.problem)
    return invalid_request(f"{error.problem} expression size: {sizes[name]}")


# The errors of parsing; all others are found afterwards.
_SYNTAX: Final = frozenset({"expression-empty", "expression-syntax", "expression-too-long"})


def _read_all(
    request: Request,
    parameters: Parameters,
    names: Mapping[str, str],
    values: Mapping[str, Any],
    expressions: Expressions,
) -> None:
    present = [
        (parameter, request[parameter]) for parameter in parameters.expressions if parameter in request
    ]
    # The newer layer parses both expressions of an update, and then checks its condition first.
    checks_condition_first = "UpdateExpression" in request and _has_newer_wording(request, parameters)
    latest: ExpressionError | None = None
    for parameter, text in present:
        field_name, convert = _FIELDS[parameter]
        try:
            setattr(expressions, field_name, convert(parse_expression(parameter, text, names, values)))
        except ExpressionError as error:
            if not checks_condition_first or error.code in _SYNTAX:
                raise
            latest = error
    if latest is not None:
        raise latest
    if present and (names or values):
        unresolved = [parse_expression(parameter, text, None, None) for parameter, text in present]
        check_unused(request.get(NAMES, ()), request.get(VALUES, ()), unresolved)


def read_expressions(request: Request, parameters: Parameters) -> Expressions:
    """The expressions of a request, or of a member of one, also in their legacy forms."""
    return read_with_check(request, parameters, _check_nothing)[0]


def _check_nothing(_request: Request) -> None:
    pass


def read_with_check(
    request: Request, parameters: Parameters, check: Callable[[Request], T]
) -> tuple[Expressions, T]:
    """The expressions of a request, and the result of `check`.

    `check` reads the rest of the request. DynamoDB checks that after the placeholders and before the
    expressions.
    """
    planned = NO_EXPRESSIONS if parameters.members.isdisjoint(request) else _read_by_plan(request, parameters)
    if planned is None:
        return read_with_all_checks(request, parameters, check)
    return planned, check(request)


def _read_by_plan(request: Request, parameters: Parameters) -> Expressions | None:
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
    if size > _MOST_PLACEHOLDER_BYTES - MOST_NAMES * 512 or not known.accepts(checked):
        return None
    return known.filled(checked)
