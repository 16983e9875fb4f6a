"""Sets: members of one type, no duplicates, never empty, always in the same order."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Any

from pksk.errors import InvalidValue, quote

from .numbers import decimal_text, int_text, parse_number
from .value_errors import empty_set_error, surrogate_error
from .wire import Wire

_FIX = "make all members strings, all numbers (int or Decimal) or all bytes, or use a list."


def set_to_wire(value: AbstractSet[Any], _depth: int = 0) -> Wire:
    """A Python set as SS, NS or BS.

    The members are sorted, so equal sets give equal requests.
    """
    if not value:
        raise empty_set_error()
    for member in value:
        if type(member) is not str:
            break
    else:
        ordered = sorted(value)
        if not "".join(ordered).isascii():
            _check_surrogates(ordered)
        return {"SS": ordered}
    return _encode_other_set(value)


def _encode_other_set(value: AbstractSet[Any]) -> Wire:
    members = {_plain_member(member) for member in value}
    if len(members) != len(value):
        raise _duplicate_member_error(value)
    set_types = {_set_type(member) for member in members}
    if len(set_types) > 1:
        raise _mixed_set_error(value)
    return _ENCODERS[set_types.pop()](members)


def _check_surrogates(members: Iterable[str]) -> None:
    for member in members:
        try:
            member.encode()
        except UnicodeEncodeError:
            raise surrogate_error(member) from None


def _number_text(value: int | Decimal) -> str:
    return int_text(value) if isinstance(value, int) else decimal_text(value)


_ENCODERS: dict[str, Callable[[Any], Wire]] = {
    "SS": set_to_wire,
    "NS": lambda members: {"NS": [_number_text(n) for n in sorted(members)]},
    "BS": lambda members: {"BS": [b2a_base64(b, newline=False).decode() for b in sorted(members)]},
}


def _plain_member(member: object) -> object:
    """The member as plain str, int, Decimal or bytes, from a subclass or a view."""
    if isinstance(member, str):
        return str.__str__(member)
    if isinstance(member, int) and not isinstance(member, bool):
        return int(member)
    return bytes(member) if isinstance(member, memoryview | bytes) else member


def _set_type(member: object) -> str:
    if isinstance(member, str):
        return "SS"
    if isinstance(member, bytes):
        return "BS"
    if isinstance(member, Decimal) or type(member) is int:
        # Before sorting, because NaN cannot be compared.
        _number_text(member)
        return "NS"
    raise InvalidValue(
        "value-set-member",
        f"{quote(member)} is of type {type(member).__name__}, which a set cannot hold.",
        expected="A set holds strings, numbers or bytes.",
        fix=_FIX,
    )


def _mixed_set_error(value: AbstractSet[Any]) -> InvalidValue:
    names = ", ".join(sorted({type(member).__name__ for member in value}))
    return InvalidValue(
        "value-mixed-set",
        f"{quote(value)} mixes members of {names}.",
        expected="All members of a set have the same type: strings, numbers or bytes.",
        fix=_FIX,
    )


def _duplicate_member_error(members: object) -> InvalidValue:
    return InvalidValue(
        "value-duplicate-member",
        f"{quote(members)} holds the same member twice.",
        expected="Members of a set are distinct; 1 and 1.0 are the same number.",
        fix="leave one of them out, or use a list.",
    )


def string_set(members: list[str]) -> set[str]:
    """The strings of an SS."""
    # join raises TypeError for anything but strings.
    joined = "".join(members)
    result = set(members)
    if not joined.isascii():
        _check_surrogates(result)
    return _check_distinct(result, members)


def number_set(members: list[str]) -> set[int | Decimal]:
    """The numbers of an NS."""
    return _check_distinct(set(map(parse_number, members)), members)


def binary_set(members: list[Any]) -> set[bytes]:
    """The byte strings of a BS."""
    # boto3 returns bytes, DynamoDB's JSON base64.
    contents = {m if isinstance(m, bytes) else a2b_base64(m, strict_mode=True) for m in members}
    return _check_distinct(contents, members)


def _check_distinct(result: set[Any], members: list[str]) -> set[Any]:
    if len(result) != len(members):
        raise _duplicate_member_error(members)
    if not result:
        raise empty_set_error()
    return result
