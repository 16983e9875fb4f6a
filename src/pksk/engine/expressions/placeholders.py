"""ExpressionAttributeNames and ExpressionAttributeValues: their keys, what they stand for, and where they may be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.faults import RequestRefused, ServiceError, refused, validation
from pksk.engine.request import OlderRequest
from pksk.engine.texts import parameters as texts
from pksk.engine.texts import values as value_texts
from pksk.engine.values import check_item, check_value, in_older_words
from pksk.limits import ATTRIBUTE_NAME_BYTES

from .parameters import NAMES, VALUES, Parameters

__all__ = ["MOST_BYTES", "check_mixing", "check_names", "check_values"]

# What all placeholders of a request stand for, together.
MOST_BYTES: Final = 2 * 1024 * 1024
_LONGEST_PLACEHOLDER: Final = 255
_KEYS: Final = {NAMES: re.compile(r"#[A-Za-z0-9_]+"), VALUES: re.compile(r":[A-Za-z0-9_]+")}


def check_mixing(request: Mapping[str, Any], parameters: Parameters) -> None:
    """Refuse expressions beside legacy parameters; KeyConditions may stand beside any but their own twin."""
    given = [name for name in parameters.expressions if name in request]
    if not given:
        return
    legacy = [name for name in parameters.legacy if name in request]
    if "KeyConditions" in legacy and "KeyConditionExpression" not in given:
        legacy.remove("KeyConditions")
    if legacy:
        raise refused(texts.mixed(legacy, given))


def check_names(request: Mapping[str, Any], parameters: Parameters) -> dict[str, str]:
    """The names that placeholders stand for, checked."""
    names: dict[str, str] | None = request.get(NAMES)
    if names is None:
        return {}
    if not parameters.lenient and not any(name in request for name in parameters.expressions):
        raise refused(texts.NAMES_ALONE)
    _check_keys(NAMES, names)
    for name in names.values():
        if not name:
            raise refused(value_texts.EMPTY_NAME)
        if len(name.encode(errors="replace")) > ATTRIBUTE_NAME_BYTES:
            raise refused(value_texts.LONG_NAME)
    return names


def check_values(request: Mapping[str, Any], parameters: Parameters) -> dict[str, Any]:
    """The values that placeholders stand for, checked and in the form that is stored."""
    values: dict[str, Any] | None = request.get(VALUES)
    if values is None:
        return {}
    if not parameters.lenient and not any(name in request for name in parameters.valued):
        raise refused(texts.values_alone(parameters.valued))
    _check_keys(VALUES, values)
    for placeholder, wire in values.items():
        try:
            check_value(wire, parameters.levels)
        except ServiceError as fault:
            newer = parameters.newer and type(request) is not OlderRequest
            raise _located(fault, placeholder, newer=newer) from None
    checked, size = check_item(values, parameters.levels)
    names = request.get(NAMES, {})
    if size + sum(map(len, names)) + sum(map(len, names.values())) > MOST_BYTES:
        raise refused(texts.SUBSTITUTIONS_TOO_LARGE)
    return checked


def _located(fault: ServiceError, placeholder: str, *, newer: bool) -> ServiceError:
    """The refusal of a value with its placeholder, in older words; in newer ones many have none."""
    if fault.message is None or (newer and isinstance(fault, RequestRefused)):
        return fault
    return validation(texts.invalid_value(str(in_older_words(fault).message), placeholder))


def _check_keys(parameter: str, entries: Mapping[str, Any]) -> None:
    if not entries:
        raise refused(texts.empty_map(parameter))
    for key in entries:
        if len(key) > _LONGEST_PLACEHOLDER:
            raise refused(texts.long_key(parameter, key))
        if not _KEYS[parameter].fullmatch(key):
            raise refused(texts.invalid_key(parameter, key))
