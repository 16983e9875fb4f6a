"""Converts Python values to DynamoDB's JSON."""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import is_dataclass
from datetime import date, time
from decimal import Decimal
from enum import Enum
from math import isfinite
from typing import Any, Final
from uuid import UUID

from pksk.errors import InvalidValue, quote
from pksk.limits import NUMBER_DIGITS

from . import value_errors as errors
from .numbers import decimal_text, int_text
from .sets import set_to_wire
from .wire import MAX_DEPTH, Wire, WireItem, plain_name

_STORABLE_TYPES = (
    "DynamoDB stores str, int, Decimal, bytes, bool, None, lists, maps, and sets of str, numbers or bytes."
)


def unstorable_error(value: object) -> InvalidValue:
    """The error for a value of a type that cannot be stored, with a replacement.

    Example:
        >>> print(unstorable_error(2.5))
        2.5 is a float, which cannot hold most decimal fractions exactly.
        DynamoDB's numbers are decimal; int and Decimal are exact.
        Fix: write Decimal(str(x)), here Decimal('2.5').  (pksk explain value-float)
    """
    if isinstance(value, float):
        return _float_error(value)
    name = type(value).__name__
    return InvalidValue(
        "value-unknown-type",
        f"{quote(value)} is of type {name}, which DynamoDB cannot store.",
        expected=_STORABLE_TYPES,
        fix=_suggestion(value),
    )


def _float_error(value: float) -> InvalidValue:
    if not isfinite(value):
        return InvalidValue(
            "value-not-finite",
            f"{value!r} is not a finite number.",
            expected="DynamoDB has no NaN and no Infinity.",
            fix="leave the attribute out, or store None or a string.",
        )
    return InvalidValue(
        "value-float",
        f"{value!r} is a float, which cannot hold most decimal fractions exactly.",
        expected="DynamoDB's numbers are decimal; int and Decimal are exact.",
        fix=f"write Decimal(str(x)), here Decimal('{value!r}').",
    )


def _suggestion(value: object) -> str:
    if isinstance(value, date | time):
        return "store value.isoformat(), or the epoch seconds as an int."
    if isinstance(value, UUID) or type(value).__module__ == "ipaddress":
        return "store str(value)."
    if isinstance(value, Enum):
        return f"store value.value, or derive {type(value).__name__} from str or int as well."
    if is_dataclass(value) and not isinstance(value, type):
        return "store dataclasses.asdict(value)."
    if hasattr(value, "__iter__"):
        return "store list(value)."
    return "convert it to one of these first."


# Every int between these has at most 38 digits and needs no further check.
INT_BELOW: Final = 10**NUMBER_DIGITS
INT_ABOVE: Final = -INT_BELOW

# The errors that unstorable values cause below; find_value_error then explains them.
ENCODE_ERRORS: Final = (InvalidValue, UnicodeEncodeError, TypeError, AttributeError)


def to_wire(value: object) -> Wire:
    """A Python value as DynamoDB's JSON API writes it.

    Example:
        >>> to_wire({"name": "Ada", "born": 1815, "tags": {"x"}})
        {'M': {'name': {'S': 'Ada'}, 'born': {'N': '1815'}, 'tags': {'SS': ['x']}}}
    """
    try:
        return encode_value(value, 0)
    except ENCODE_ERRORS as trouble:
        raise find_value_error(value) or trouble from None


def item_to_wire(item: Mapping[str, object]) -> WireItem:
    """An item, attribute by attribute, as DynamoDB's JSON API writes it.

    Example:
        >>> item_to_wire({"pk": "CUST#1", "total": Decimal("12.50"), "note": None})
        {'pk': {'S': 'CUST#1'}, 'total': {'N': '12.5'}, 'note': {'NULL': True}}
    """
    try:
        return _members(item, 0)
    except ENCODE_ERRORS as trouble:
        raise find_item_error(item) or trouble from None


def encode_value(value: object, depth: int) -> Wire:
    """The wire form of a value inside ``depth`` lists and maps; errors have no path."""
    return _ENCODERS.get(type(value), _encode_subclass)(value, depth)


def _members(members: Mapping[str, Any], depth: int) -> WireItem:
    wires: WireItem = {}
    for key, value in members.items():
        name = key if type(key) is str and key.isascii() else plain_name(key)
        kind = type(value)
        # The most common types inline: a call takes as long as the conversion.
        if kind is str and value.isascii():
            wires[name] = {"S": value}
        elif kind is int and INT_ABOVE < value < INT_BELOW:
            wires[name] = {"N": str(value)}
        elif kind is Decimal:
            wires[name] = {"N": decimal_text(value)}
        else:
            wires[name] = _ENCODERS.get(kind, _encode_subclass)(value, depth)
    if "" in wires or len(wires) != len(members):
        raise TypeError
    return wires


def _string(value: str, _depth: int) -> Wire:
    if not value.isascii():
        value.encode()
    return {"S": value}


def _int(value: int, _depth: int) -> Wire:
    return {"N": str(value) if INT_ABOVE < value < INT_BELOW else int_text(value)}


def _decimal(value: Decimal, _depth: int) -> Wire:
    return {"N": decimal_text(value)}


def _binary(value: bytes, _depth: int) -> Wire:
    return {"B": b2a_base64(value, newline=False).decode()}


def _bool(value: bool, _depth: int) -> Wire:
    return {"BOOL": value}


def _null(_value: None, _depth: int) -> Wire:
    return {"NULL": True}


def _list(value: list[Any] | tuple[Any, ...], depth: int) -> Wire:
    if depth >= MAX_DEPTH:
        raise errors.nesting_error("", MAX_DEPTH)
    depth += 1
    find = _ENCODERS.get
    return {"L": [find(type(element), _encode_subclass)(element, depth) for element in value]}


def _map(value: Mapping[str, Any], depth: int) -> Wire:
    if depth >= MAX_DEPTH:
        raise errors.nesting_error("", MAX_DEPTH)
    return {"M": _members(value, depth + 1)}


def _encode_subclass(value: object, depth: int) -> Wire:
    """Encodes subclasses and abstract types: str first, bool before int."""
    if isinstance(value, str):
        return _string(str.__str__(value), depth)
    if isinstance(value, int):
        return _int(int(value), depth)
    for kind, encoder in _ENCODERS_OF_BASES:
        if isinstance(value, kind):
            return encoder(value, depth)
    raise unstorable_error(value)


_Encoder = Callable[[Any, int], Wire]

_ENCODERS: Final[dict[type, _Encoder]] = {
    str: _string,
    int: _int,
    Decimal: _decimal,
    bytes: _binary,
    bytearray: _binary,
    bool: _bool,
    type(None): _null,
    list: _list,
    tuple: _list,
    dict: _map,
    set: set_to_wire,
    frozenset: set_to_wire,
}

_ENCODERS_OF_BASES: Final[tuple[tuple[type | tuple[type, ...], _Encoder], ...]] = (
    (Decimal, lambda value, depth: _decimal(Decimal(value), depth)),
    ((bytes, bytearray), _binary),
    (memoryview, lambda value, depth: _binary(value.tobytes(), depth)),
    ((list, tuple), _list),
    (Mapping, _map),
    (AbstractSet, set_to_wire),
)


def find_value_error(value: object, path: str = "", depth: int = 0) -> InvalidValue | None:
    """The error that prevents storing a value, with its path; None if the value is valid."""
    if isinstance(value, list | tuple | Mapping) and depth >= MAX_DEPTH:
        return errors.nesting_error(path, MAX_DEPTH)
    if isinstance(value, Mapping):
        return _find_members_error(value, path, depth + 1)
    if isinstance(value, list | tuple):
        element_errors = (
            find_value_error(e, errors.list_element_path(path, i), depth + 1) for i, e in enumerate(value)
        )
        return next(filter(None, element_errors), None)
    try:
        encode_value(value, depth)
    except UnicodeEncodeError:
        return errors.with_path(errors.surrogate_error(str.__str__(value)), path)
    except InvalidValue as error:
        return errors.with_path(error, path)
    return None


def _find_members_error(members: Mapping[Any, Any], path: str, depth: int) -> InvalidValue | None:
    names: set[str] = set()
    for name, value in members.items():
        error = _find_name_error(name, names)
        if error:
            return errors.with_path(error, path)
        error = find_value_error(value, errors.map_member_path(path, name), depth)
        if error:
            return error
    return None


def _find_name_error(name: object, names: set[str]) -> InvalidValue | None:
    if not isinstance(name, str):
        return _map_key_error(name)
    plain = str.__str__(name)
    if plain in names:
        return _duplicate_name_error(plain)
    names.add(plain)
    return find_value_error(plain) if plain else errors.empty_name_error()


def find_item_error(item: object) -> InvalidValue | None:
    """The error that prevents storing an item, with its path; None if the item is valid."""
    if isinstance(item, Mapping):
        return _find_members_error(item, "", 0)
    return InvalidValue(
        "value-not-an-item",
        f"{quote(item)} is of type {type(item).__name__}, not an item.",
        expected="An item is a dict of attribute names and values.",
        fix="pass a dict, or use to_wire for a single value.",
    )


def _map_key_error(name: object) -> InvalidValue:
    return InvalidValue(
        "value-map-key",
        f"{quote(name)} is of type {type(name).__name__} and used as a key of a map.",
        expected="The keys of a map are strings.",
        fix=f"write {quote(quote(name))}, or store a list of pairs.",
    )


def _duplicate_name_error(name: str) -> InvalidValue:
    return InvalidValue(
        "value-duplicate-name",
        f"{quote(name)} is the name of two members.",
        expected="Names in a map are distinct; a str-based enum member counts as its string.",
        fix="leave one of them out.",
    )
