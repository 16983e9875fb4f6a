"""Reads strings, booleans, whole numbers and binary content as DynamoDB's JSON gives them."""

from __future__ import annotations

from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Callable
from math import isfinite, isnan
from typing import Any, Final

from pksk.engine.faults import serialization
from pksk.engine.texts import members as texts

from .unreadable import no_blob, no_scalar

__all__ = [
    "check_base64",
    "check_boolean",
    "read_blob",
    "read_boolean",
    "read_string",
    "read_timestamp",
    "whole_number",
]

_SPELLED: Final = dict.fromkeys(("true", "t", "yes", "y", "1"), True) | dict.fromkeys(
    ("false", "f", "no", "n", "0"), False
)
_BASE64: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
# The last character before the padding has bits that nothing stands in: which ones leave them clear.
_LAST: Final = {1: frozenset("AEIMQUYcgkosw048"), 2: frozenset("AQgw")}


def read_string(given: Any) -> str:
    """A string, which is not one where half of a character is missing.

    Example:
        >>> read_string("a")
        'a'
    """
    if type(given) is not str:
        raise no_scalar(given, "String")
    if not given.isascii():
        try:
            given.encode()
        except UnicodeEncodeError:  # a lone surrogate: no JSON in UTF-8 holds one
            raise serialization() from None
    return given


def check_boolean(given: Any) -> bool:
    """Whether a boolean is one already; where it is a word for one it is not, and all else is refused."""
    if type(given) is bool:
        return True
    if type(given) is not str:
        raise no_scalar(given, "Boolean")
    if given.lower() not in _SPELLED:
        raise serialization(texts.UNEXPECTED_TOKEN)
    return False


def read_boolean(given: Any) -> bool:
    """A boolean, or a word for one.

    Example:
        >>> read_boolean(True), read_boolean("No")
        (True, False)
    """
    return given if check_boolean(given) else _SPELLED[given.lower()]


def whole_number(target: str, bits: int) -> Callable[[Any], int]:
    """A reader of whole numbers: fractions are dropped, and what is too large becomes the largest.

    Example:
        >>> read = whole_number("Integer", 32)
        >>> read(2.9), read(10**12)
        (2, 2147483647)
    """
    most = 2 ** (bits - 1) - 1
    least = -most - 1

    def read(given: Any) -> int:
        if type(given) is int:
            return given if least <= given <= most else most if given > 0 else least
        if type(given) is not float:
            raise no_scalar(given, target)
        if isnan(given):  # which no JSON can say
            raise serialization()
        return int(given) if least <= given <= most else most if given > 0 else least

    return read


def read_timestamp(given: Any) -> float:
    """A moment, in seconds since 1970.

    Example:
        >>> read_timestamp(1767225600.5), read_timestamp(0)
        (1767225600.5, 0)
    """
    if type(given) is not int and type(given) is not float:
        raise no_scalar(given, "Date")
    if type(given) is float and not isfinite(given):  # which no JSON can say
        raise serialization()
    return given


def check_base64(given: Any) -> bool:
    """Whether binary content is base64 already; where it is bytes it is not, and all else is refused."""
    if type(given) is not str:
        if type(given) is bytes:
            return False
        raise no_blob(given)
    if len(given) % 4:
        raise serialization(texts.base64_length(len(given)))
    padding = 2 if given.endswith("==") else 1
    if given.endswith("=") and given[-1 - padding] not in _LAST[padding]:
        raise serialization(texts.LAST_CHARACTER)
    try:
        a2b_base64(given, strict_mode=True)
    except ValueError:
        raise serialization(texts.base64_character(_foreign_character(read_string(given)))) from None
    return True


def read_blob(given: Any) -> str:
    """Binary content as base64, from that or from bytes.

    Example:
        >>> read_blob("eA=="), read_blob(b"x")
        ('eA==', 'eA==')
    """
    return given if check_base64(given) else b64encode(given).decode()


def _foreign_character(text: str) -> str:
    return next((character for character in text if character not in _BASE64), "=")
