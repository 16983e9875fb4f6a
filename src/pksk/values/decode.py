"""DynamoDB's JSON to Python values."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Callable, Mapping
from typing import Any, Final

from .malformed import item_refusal, wire_refusal
from .numbers import parse_number
from .refusals import empty_name, too_deep
from .sets import binary_set, number_set, string_set
from .wire import MAX_DEPTH, plain_name

__all__ = ["decode_value", "from_wire", "item_from_wire"]

# Whatever the quick way below stumbles over; malformed.py then says what it was and where.
# ValueError covers InvalidValue, bad base64, lone surrogates and a wire value of two members.
TROUBLE: Final = (ValueError, TypeError, AttributeError, LookupError)


def from_wire(wire: Mapping[str, Any]) -> Any:
    """The Python value of one wire value.

    A number is an int where it is integral and a Decimal otherwise: what people want to count
    and to pay with, and nothing is lost, as an int equals the Decimal and hashes alike. Sets
    come back as ``set``, B as ``bytes``.

    Example:
        >>> from_wire({"N": "12"}), from_wire({"N": "12.5"}), from_wire({"L": [{"S": "x"}]})
        (12, Decimal('12.5'), ['x'])
    """
    try:
        return decode_value(wire, 0)
    except TROUBLE as trouble:
        raise wire_refusal(wire) or trouble from None


def item_from_wire(item: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    r"""An item as a Python dict.

    Example:
        >>> item_from_wire({"pk": {"S": "CUST#1"}, "raw": {"B": "AAE="}, "open": {"BOOL": True}})
        {'pk': 'CUST#1', 'raw': b'\x00\x01', 'open': True}
    """
    try:
        return _members(item, 0)
    except TROUBLE as trouble:
        raise item_refusal(item) or trouble from None


def decode_value(wire: Mapping[str, Any], depth: int) -> Any:
    """The Python value of a wire value inside ``depth`` lists and maps; errors name no path.

    Example:
        >>> decode_value({"S": "x"}, 0)
        'x'
    """
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
        raise empty_name()
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
    # boto3 gives binary content as bytes, and DynamoDB's JSON as base64.
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
        raise too_deep("", MAX_DEPTH)
    if not isinstance(inner, list):
        raise TypeError
    depth += 1
    return [decode_value(wire, depth) for wire in inner]


def _map(inner: Mapping[str, Any], depth: int) -> dict[str, Any]:
    if depth >= MAX_DEPTH:
        raise too_deep("", MAX_DEPTH)
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
