"""Converts DynamoDB's JSON to Python values, and explains JSON that is not a valid value."""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Callable, Mapping
from typing import Any, Final

from pksk.errors import InvalidValue, did_you_mean, quote

from . import value_errors as errors
from .numbers import parse_number
from .sets import binary_set, number_set, string_set
from .wire import KINDS, MAX_DEPTH, plain_name

# The Python type of each type's content, and an example.
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


def find_wire_error(wire: Any, path: str = "", depth: int = 0) -> InvalidValue | None:
    """The error in a wire value, with its path; None if the value is valid."""
    kind = next(iter(wire)) if isinstance(wire, Mapping) and len(wire) == 1 else None
    if kind is None:
        return errors.with_path(_shape_error(wire), path)
    if kind not in _CONTENTS:
        return errors.with_path(_unknown_type_error(kind), path)
    inner: Any = wire[kind]
    fits = isinstance(inner, _CONTENTS[kind][0]) and (kind != "NULL" or inner is True)
    if not fits:
        return errors.with_path(_content_error(kind, inner), path)
    if kind in ("L", "M"):
        return _find_nested_error(inner, path, depth)
    error = _find_set_error(kind, inner) if kind in _SETS else _find_scalar_error(kind, inner)
    return errors.with_path(error, path) if error else None


def find_wire_item_error(item: Any) -> InvalidValue | None:
    """The error in a wire item, with its path; None if the item is valid."""
    if isinstance(item, Mapping):
        return _find_members_error(item, "", 0)
    return InvalidValue(
        "value-not-an-item",
        f"{quote(item)} is of type {type(item).__name__}, not an item.",
        expected='An item looks like {"id": {"S": "a"}}.',
        fix="pass the item itself, such as response['Item'].",
    )


def _find_nested_error(inner: Any, path: str, depth: int) -> InvalidValue | None:
    if depth >= MAX_DEPTH:
        return errors.nesting_error(path, MAX_DEPTH)
    if isinstance(inner, Mapping):
        return _find_members_error(inner, path, depth + 1)
    element_errors = (
        find_wire_error(e, errors.list_element_path(path, i), depth + 1) for i, e in enumerate(inner)
    )
    return next(filter(None, element_errors), None)


def _find_members_error(members: Mapping[Any, Any], path: str, depth: int) -> InvalidValue | None:
    for name, wire in members.items():
        if not isinstance(name, str):
            return errors.with_path(_content_error("M", members), path)
        error = _find_scalar_error("S", name) if name else errors.empty_name_error()
        if error:
            return errors.with_path(error, path)
        error = find_wire_error(wire, errors.map_member_path(path, name), depth)
        if error:
            return error
    return None


def _find_set_error(kind: str, members: list[Any]) -> InvalidValue | None:
    for member in members:
        if not isinstance(member, str):
            return _content_error(kind, members)
        error = _find_scalar_error(kind[0], member)
        if error:
            return error
    try:
        _SETS[kind](members)
    except InvalidValue as error:
        return error
    return None


def _find_scalar_error(kind: str, inner: Any) -> InvalidValue | None:
    try:
        if kind == "S":
            inner.encode()
        elif kind == "N":
            parse_number(inner)
        elif kind == "B":
            a2b_base64(inner, strict_mode=True)
    except UnicodeEncodeError:
        return errors.surrogate_error(inner)
    except InvalidValue as error:
        return error
    except ValueError as error:
        return _base64_error(inner, error)
    return None


def _shape_error(wire: Any) -> InvalidValue:
    if isinstance(wire, Mapping):
        problem = f"has {len(wire)} types"
    else:
        problem = f"is of type {type(wire).__name__}, not a wire value"
    return InvalidValue(
        "value-wire-shape",
        f"{quote(wire)} {problem}.",
        expected='A wire value has exactly one type, such as {"S": "text"}.',
        fix="write one type and its content; use to_wire to turn a Python value into one.",
    )


def _unknown_type_error(kind: Any) -> InvalidValue:
    near = did_you_mean(str(kind).upper(), KINDS)
    return InvalidValue(
        "value-wire-type",
        f"{quote(kind)} is not a type of DynamoDB.",
        expected=f"Types are: {', '.join(KINDS)}.",
        fix=f"Did you mean {quote(near)}?" if near else "write one of these types.",
    )


def _content_error(kind: str, inner: Any) -> InvalidValue:
    example = _CONTENTS[kind][1]
    return InvalidValue(
        "value-wire-content",
        f"{kind} holds {quote(inner)}, of Python type {type(inner).__name__}.",
        expected=f"{kind} is written {example}.",
        fix="write the content like that; use to_wire to turn a Python value into one.",
    )


def _base64_error(text: str, error: ValueError) -> InvalidValue:
    reason = str(error) if isinstance(error, Base64Error) else "it is not ASCII"
    return InvalidValue(
        "value-wire-base64",
        f"{quote(text)} is not base64 ({reason}).",
        expected="Binary content is base64 with padding, on one line and in the standard alphabet.",
        fix="encode the bytes with base64.b64encode(data).decode().",
    )


# The errors that malformed values cause below; find_wire_error then explains them.
# ValueError covers InvalidValue, bad base64, lone surrogates and a wire value of two members.
DECODE_ERRORS: Final = (ValueError, TypeError, AttributeError, LookupError)


def from_wire(wire: Mapping[str, Any]) -> Any:
    """The Python value of one wire value.

    A whole number is returned as int, any other as Decimal; equal ones have the same hash, so nothing is
    lost. Sets are returned as ``set``, B as ``bytes``.

    Example:
        >>> from_wire({"N": "12"}), from_wire({"N": "12.5"}), from_wire({"L": [{"S": "x"}]})
        (12, Decimal('12.5'), ['x'])
    """
    try:
        return decode_value(wire, 0)
    except DECODE_ERRORS as trouble:
        raise find_wire_error(wire) or trouble from None


def item_from_wire(item: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    r"""An item as a Python dict.

    Example:
        >>> item_from_wire({"pk": {"S": "CUST#1"}, "raw": {"B": "AAE="}, "open": {"BOOL": True}})
        {'pk': 'CUST#1', 'raw': b'\x00\x01', 'open': True}
    """
    try:
        return _members(item, 0)
    except DECODE_ERRORS as trouble:
        raise find_wire_item_error(item) or trouble from None


def decode_value(wire: Mapping[str, Any], depth: int) -> Any:
    """The Python value of a wire value inside ``depth`` lists and maps; errors name no path."""
    (kind,) = wire
    return _DECODERS[kind](wire[kind], depth)


def _members(members: Mapping[str, Any], depth: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, wire in members.items():
        name = key if type(key) is str and key.isascii() else plain_name(key)
        (kind,) = wire
        inner = wire[kind]
        if kind == "S" and type(inner) is str and inner.isascii():
            values[name] = inner
        elif kind == "N" and type(inner) is str:
            whole = inner.isdigit() and inner.isascii() and len(inner) <= 38
            values[name] = int(inner) if whole else parse_number(inner)
        else:
            values[name] = _DECODERS[kind](inner, depth)
    if "" in values:
        raise errors.empty_name_error()
    return values


def _string(inner: str, _depth: int) -> str:
    if not isinstance(inner, str):
        raise TypeError
    if not inner.isascii():
        inner.encode()
    return inner


def _number(inner: str, _depth: int) -> Any:
    if not isinstance(inner, str):
        raise TypeError
    return parse_number(inner)


def _binary(inner: str | bytes, _depth: int) -> bytes:
    # boto3 returns bytes, DynamoDB's JSON base64.
    if isinstance(inner, bytes):
        return inner
    if not isinstance(inner, str):
        raise TypeError
    return a2b_base64(inner, strict_mode=True)


def _bool(inner: bool, _depth: int) -> bool:
    if inner is not True and inner is not False:
        raise TypeError
    return inner


def _null(inner: bool, _depth: int) -> None:
    if inner is not True:
        raise TypeError


def _list(inner: list[Any], depth: int) -> list[Any]:
    if depth >= MAX_DEPTH:
        raise errors.nesting_error("", MAX_DEPTH)
    if not isinstance(inner, list):
        raise TypeError
    depth += 1
    return [decode_value(wire, depth) for wire in inner]


def _map(inner: Mapping[str, Any], depth: int) -> dict[str, Any]:
    if depth >= MAX_DEPTH:
        raise errors.nesting_error("", MAX_DEPTH)
    return _members(inner, depth + 1)


def _set_of(read: Callable[[list[str]], set[Any]]) -> Callable[[Any, int], set[Any]]:
    def decode(inner: list[str], _depth: int) -> set[Any]:
        if not isinstance(inner, list):
            raise TypeError
        return read(inner)

    return decode


_DECODERS: Final[dict[str, Callable[[Any, int], Any]]] = {
    "S": _string,
    "N": _number,
    "B": _binary,
    "BOOL": _bool,
    "NULL": _null,
    "L": _list,
    "M": _map,
    "SS": _set_of(string_set),
    "NS": _set_of(number_set),
    "BS": _set_of(binary_set),
}
