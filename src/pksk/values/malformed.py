"""Why a text of DynamoDB's JSON is not a value, and where."""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Callable, Mapping
from typing import Any, Final

from pksk.errors import InvalidValue, did_you_mean, quote

from .numbers import parse_number
from .refusals import empty_name, located, member_path, path_to, surrogate, too_deep
from .sets import binary_set, number_set, string_set
from .wire import KINDS, MAX_DEPTH

__all__ = ["item_refusal", "wire_refusal"]

# What stands inside each type, and an example of it.
_CONTENTS: Final[dict[str, tuple[type, str]]] = {
    "S": (str, '{"S": "text"}'),
    "N": (str, '{"N": "12.5"}'),
    "B": (str, '{"B": "AAE="}'),
    "BOOL": (bool, '{"BOOL": true}'),
    "NULL": (bool, '{"NULL": true}'),
    "L": (list, '{"L": [{"S": "a"}]}'),
    "M": (Mapping, '{"M": {"name": {"S": "a"}}}'),
    "SS": (list, '{"SS": ["a", "b"]}'),
    "NS": (list, '{"NS": ["1", "2"]}'),
    "BS": (list, '{"BS": ["AAE="]}'),
}
_SETS: Final[dict[str, Callable[[list[str]], set[Any]]]] = {
    "SS": string_set,
    "NS": number_set,
    "BS": binary_set,
}


def wire_refusal(wire: Any, path: str = "", depth: int = 0) -> InvalidValue | None:
    """Why a wire value cannot be read and at which path, or None where nothing is wrong.

    Example:
        >>> wire_refusal({"L": [{"S": "a"}, {"N": 1}]}).problem
        '[1]: N holds 1, of Python type int.'
    """
    kind = next(iter(wire)) if isinstance(wire, Mapping) and len(wire) == 1 else None
    if kind is None:
        return located(_bad_shape(wire), path)
    if kind not in _CONTENTS:
        return located(_unknown_kind(kind), path)
    inner: Any = wire[kind]
    fits = isinstance(inner, _CONTENTS[kind][0]) and (kind != "NULL" or inner is True)
    if not fits:
        return located(_bad_content(kind, inner), path)
    if kind in ("L", "M"):
        return _nested_refusal(inner, path, depth)
    refusal = _set_refusal(kind, inner) if kind in _SETS else _scalar_refusal(kind, inner)
    return located(refusal, path) if refusal else None


def item_refusal(item: Any) -> InvalidValue | None:
    """Why a wire item cannot be read and at which path, or None where nothing is wrong.

    Example:
        >>> item_refusal({"id": {"St": "a"}}).problem
        "id: 'St' is not a type of DynamoDB."
    """
    if isinstance(item, Mapping):
        return _members_refusal(item, "", 0)
    return InvalidValue(
        "value-not-an-item",
        f"{quote(item)} is of type {type(item).__name__}, not an item.",
        expected='An item looks like {"id": {"S": "a"}}.',
        fix="pass the item itself, such as response['Item'].",
    )


def _nested_refusal(inner: Any, path: str, depth: int) -> InvalidValue | None:
    if depth >= MAX_DEPTH:
        return too_deep(path, MAX_DEPTH)
    if isinstance(inner, Mapping):
        return _members_refusal(inner, path, depth + 1)
    places = (wire_refusal(e, member_path(path, i), depth + 1) for i, e in enumerate(inner))
    return next(filter(None, places), None)


def _members_refusal(members: Mapping[Any, Any], path: str, depth: int) -> InvalidValue | None:
    for name, wire in members.items():
        if not isinstance(name, str):
            return located(_bad_content("M", members), path)
        refusal = _scalar_refusal("S", name) if name else empty_name()
        if refusal:
            return located(refusal, path)
        refusal = wire_refusal(wire, path_to(path, name), depth)
        if refusal:
            return refusal
    return None


def _set_refusal(kind: str, members: list[Any]) -> InvalidValue | None:
    for member in members:
        if not isinstance(member, str):
            return _bad_content(kind, members)
        refusal = _scalar_refusal(kind[0], member)
        if refusal:
            return refusal
    try:
        _SETS[kind](members)
    except InvalidValue as refusal:
        return refusal
    return None


def _scalar_refusal(kind: str, inner: Any) -> InvalidValue | None:
    try:
        if kind == "S":
            inner.encode()
        elif kind == "N":
            parse_number(inner)
        elif kind == "B":
            a2b_base64(inner, strict_mode=True)
    except UnicodeEncodeError:
        return surrogate(inner)
    except InvalidValue as refusal:
        return refusal
    except ValueError as error:
        return _bad_base64(inner, error)
    return None


def _bad_shape(wire: Any) -> InvalidValue:
    if isinstance(wire, Mapping):
        said = f"has {len(wire)} types"
    else:
        said = f"is of type {type(wire).__name__}, not a wire value"
    return InvalidValue(
        "value-wire-shape",
        f"{quote(wire)} {said}.",
        expected='A wire value has exactly one type, such as {"S": "text"}.',
        fix="write one type and its content; use to_wire to turn a Python value into one.",
    )


def _unknown_kind(kind: Any) -> InvalidValue:
    near = did_you_mean(str(kind).upper(), KINDS)
    return InvalidValue(
        "value-wire-type",
        f"{quote(kind)} is not a type of DynamoDB.",
        expected=f"Types are: {', '.join(KINDS)}.",
        fix=f"Did you mean {quote(near)}?" if near else "write one of these types.",
    )


def _bad_content(kind: str, inner: Any) -> InvalidValue:
    example = _CONTENTS[kind][1]
    return InvalidValue(
        "value-wire-content",
        f"{kind} holds {quote(inner)}, of Python type {type(inner).__name__}.",
        expected=f"{kind} is written {example}.",
        fix="write the content like that; use to_wire to turn a Python value into one.",
    )


def _bad_base64(text: str, error: ValueError) -> InvalidValue:
    reason = str(error) if isinstance(error, Base64Error) else "it is not ASCII"
    return InvalidValue(
        "value-wire-base64",
        f"{quote(text)} is not base64 ({reason}).",
        expected="Binary content is base64 with padding, on one line and in the standard alphabet.",
        fix="encode the bytes with base64.b64encode(data).decode().",
    )
