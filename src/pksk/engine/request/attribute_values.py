"""Checks the attribute values of requests, and normalises them to the form that is stored."""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Final, NoReturn

from pksk.client import ServiceError
from pksk.engine import texts
from pksk.engine.service_errors import invalid_request, serialization, validation
from pksk.limits import ATTRIBUTE_NAME_BYTES
from pksk.values import InvalidNumber, Wire, WireItem, canonical_number, number_size
from pksk.values.numbers import SERVICE_MESSAGES
from pksk.values.wire import MAX_DEPTH

_CONTAINER_BYTES: Final = 3


def check_item(item: WireItem, levels: int = MAX_DEPTH) -> tuple[WireItem, int]:
    """An item as it is stored, and its size in bytes; raises DynamoDB's error for the first invalid value.

    Numbers become canonical and sets sorted, so that equal values are equal dicts. A value that needs no
    change is returned as it is; the input is never changed. `levels` is the maximum nesting.
    """
    try:
        return _normalize_members(item, MAX_DEPTH - levels)
    except UnicodeEncodeError:
        # A lone surrogate, which only Python callers can pass: JSON in UTF-8 has none.
        raise serialization() from None


def check_value(wire: Wire, levels: int = MAX_DEPTH) -> Wire:
    """One value as it is stored; raises DynamoDB's error for an invalid value or too many levels."""
    try:
        return _normalize(wire, MAX_DEPTH - levels)[0]
    except UnicodeEncodeError:
        raise serialization() from None


def error_in_transaction(error: ServiceError, item: WireItem, levels: int = MAX_DEPTH) -> ServiceError:
    """The error of an item in a transaction, which looks for empty attribute names first, and then for depth."""
    if error.message not in (texts.EMPTY_NAME, texts.NESTING):
        return error
    if "" in item:
        return invalid_request(texts.EMPTY_NAME)
    return invalid_request(texts.NESTING) if _exceeds(levels, item.values()) else error


def _exceeds(levels: int, wires: Iterable[Wire]) -> bool:
    """Whether values have more levels of lists and maps."""
    for wire in wires:
        inner = wire["L"] if "L" in wire else wire["M"].values() if "M" in wire else None
        if inner is not None and (not levels or _exceeds(levels - 1, inner)):
            return True
    return False


def _normalize_members(members: WireItem, depth: int) -> tuple[WireItem, int]:
    """Named values and their size; an item is at depth 0. Strings and whole numbers in line save 15 % of a PutItem."""
    names = "".join(members)
    size = len(names) if names.isascii() else len(names.encode())
    if size > ATTRIBUTE_NAME_BYTES or "" in members:
        _check_names(members, depth)
    changed = members
    for name, wire in members.items():
        if len(wire) == 1:
            if "S" in wire:
                text = wire["S"]
                size += len(text) if text.isascii() else len(text.encode())
                continue
            if "N" in wire:
                text = wire["N"]
                if text.isdigit() and (text[0] != "0" or text == "0") and len(text) <= 38 and text.isascii():
                    size += (len(text.rstrip("0")) + 3) >> 1
                    continue
        value, value_bytes = _normalize(wire, depth)
        size += value_bytes
        if value is not wire:
            if changed is members:
                changed = dict(members)
            changed[name] = value
    return changed, size


def _check_names(members: WireItem, depth: int) -> None:
    bad = next((name for name in members if not name or len(name.encode()) > ATTRIBUTE_NAME_BYTES), None)
    if bad is None:
        return
    for name, wire in members.items():
        if name == bad:
            raise invalid_request(texts.LONG_NAME if name else texts.EMPTY_NAME)
        _normalize(wire, depth)


def _normalize(wire: Wire, depth: int) -> tuple[Wire, int]:
    if len(wire) != 1:
        _raise_type_count(wire, depth)
    (kind,) = wire
    return _NORMALIZERS[kind](wire, depth)


def _raise_type_count(wire: Wire, depth: int) -> NoReturn:
    """The service reads each member before it counts them."""
    for kind in wire:
        _NORMALIZERS[kind]({kind: wire[kind]}, depth)
    raise validation(texts.SEVERAL_TYPES if wire else texts.EMPTY_VALUE)


def _string(wire: Wire, _depth: int) -> tuple[Wire, int]:
    return wire, _text_size(wire["S"])


def _number(wire: Wire, _depth: int) -> tuple[Wire, int]:
    text = wire["N"]
    number = _canonical_number(text)
    return wire if number == text else {"N": number}, number_size(number)


def _binary(wire: Wire, _depth: int) -> tuple[Wire, int]:
    return wire, _base64_size(wire["B"])


def _bool(wire: Wire, _depth: int) -> tuple[Wire, int]:
    return wire, 1


def _null(wire: Wire, _depth: int) -> tuple[Wire, int]:
    if not wire["NULL"]:
        raise invalid_request(f"{texts.INVALID}Null attribute value types must have the value of true")
    return wire, 1


def _list(wire: Wire, depth: int) -> tuple[Wire, int]:
    if depth >= MAX_DEPTH:
        raise invalid_request(texts.NESTING)
    content = wire["L"]
    elements = []
    size = _CONTAINER_BYTES + len(content)
    same = True
    for element in content:
        value, value_bytes = _normalize(element, depth + 1)
        elements.append(value)
        size += value_bytes
        same = same and value is element
    return wire if same else {"L": elements}, size


def _map(wire: Wire, depth: int) -> tuple[Wire, int]:
    if depth >= MAX_DEPTH:
        raise invalid_request(texts.NESTING)
    content = wire["M"]
    members, size = _normalize_members(content, depth + 1)
    return wire if members is content else {"M": members}, size + _CONTAINER_BYTES + len(content)


# The message about duplicates in a set; the missing spaces are the service's.
_COLLECTION: Final = f"{texts.INVALID}Input collection "


def _string_set(wire: Wire, _depth: int) -> tuple[Wire, int]:
    members = _check_not_empty("SS", wire["SS"])
    if len(set(members)) != len(members):
        listed = _up_to_the_repeat(members, str.encode)
        quoted = ", ".join(f'"{member}"' for member in listed)
        raise invalid_request(
            f"{_COLLECTION}[{quoted}] contains duplicates.",
            f"{_COLLECTION}[{', '.join(members)}] contains duplicates.",
        )
    # Python orders text by code points, which is the order of its UTF-8 bytes.
    return _with_sorted_members("SS", wire, sorted(members)), _text_size("".join(members))


def _number_set(wire: Wire, _depth: int) -> tuple[Wire, int]:
    numbers = [_canonical_number(text) for text in _check_not_empty("NS", wire["NS"])]
    if len(set(numbers)) != len(numbers):
        raise invalid_request(f"{_COLLECTION}contains duplicates.", "Input collection contains duplicates")
    return _with_sorted_members("NS", wire, sorted(numbers, key=Decimal)), sum(map(number_size, numbers))


def _binary_set(wire: Wire, _depth: int) -> tuple[Wire, int]:
    members = _check_not_empty("BS", wire["BS"])
    if len(set(members)) != len(members):
        listed = _up_to_the_repeat(members, a2b_base64)
        quoted = ",".join(f'"{member}"' for member in listed)
        raise invalid_request(
            f"{_COLLECTION}[{quoted}]of type BS contains duplicates.",
            f"{_COLLECTION}[{', '.join(members)}]of type BS contains duplicates.",
        )
    return _with_sorted_members("BS", wire, sorted(members, key=a2b_base64)), sum(map(_base64_size, members))


_NORMALIZERS: Final[dict[str, Callable[[Wire, int], tuple[Wire, int]]]] = {
    "S": _string,
    "N": _number,
    "B": _binary,
    "BOOL": _bool,
    "NULL": _null,
    "L": _list,
    "M": _map,
    "SS": _string_set,
    "NS": _number_set,
    "BS": _binary_set,
}


# The grammar and the two spaces are the service's own.
_EMPTY_SETS: Final = {
    "SS": "An string set  may not be empty",
    "NS": "An number set  may not be empty",
    "BS": "Binary sets should not be empty",
}


def _check_not_empty(kind: str, members: list[str]) -> list[str]:
    if not members:
        raise invalid_request(f"{texts.INVALID}{_EMPTY_SETS[kind]}")
    return members


def _up_to_the_repeat(members: list[str], as_bytes: Callable[[str], bytes]) -> list[str]:
    """The members as the newer layer shows them: in byte order before the first repeat, then as they came."""
    repeat = next(position for position, member in enumerate(members) if member in members[:position])
    return sorted(members[:repeat], key=as_bytes) + members[repeat:]


def _with_sorted_members(kind: str, wire: Wire, members: list[str]) -> Wire:
    return wire if members == wire[kind] else {kind: members}


def _canonical_number(text: str) -> str:
    try:
        return canonical_number(text)
    except InvalidNumber as error:
        message = error.service_message
        if error.code == "value-not-a-number":
            message = texts.not_numeric(text)
        raise invalid_request(message, _older_number_error(text, message)) from None


_PARTS: Final = re.compile(r"[+-]?0*([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?)0*([0-9]+))?")
_INT32: Final = 2**31
_INT32_DIGITS: Final = 10


def _older_number_error(text: str, message: str) -> str:
    """What the older layer says of an invalid number, whose exponent and magnitude it computes in 32 bits."""
    if not text:
        return texts.NOT_NUMERIC
    parts = _PARTS.fullmatch(text)
    if parts is None or parts[3] is None:
        return message
    fraction = parts[2] or ""
    exponent = int(parts[3] + parts[4]) if len(parts[4]) <= _INT32_DIGITS else _INT32
    scale = len(fraction) - exponent
    if not (-_INT32 <= exponent < _INT32 and -_INT32 <= scale < _INT32):
        return texts.not_numeric(text)
    digits = len((parts[1] + fraction).lstrip("0")) or 1
    if digits - scale >= _INT32:  # it wraps around
        return SERVICE_MESSAGES["value-number-underflow"]
    return message


def _text_size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _base64_size(text: str) -> int:
    return len(text) // 4 * 3 - text.count("=", -2)
