"""Reads strings, booleans, whole numbers and binary content, and makes the errors for wrong JSON types."""

from __future__ import annotations

from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Callable
from math import isfinite, isnan
from typing import Any, Final

from pksk.client import ServiceError
from pksk.engine.service_errors import serialization

from . import messages

_TOKENS: Final = {str: "STRING", int: "NUMBER", float: "DECIMAL"}
_SCALARS: Final = frozenset({str, int, float, bool})


def _not_a_scalar(value: object, target: str) -> ServiceError:
    """The error for a value that is not a String, Boolean, Integer or Long."""
    kind = type(value)
    if kind is list and target != "Boolean":
        return serialization(messages.collection_type(f"class {messages.scalar_type(target)}"))
    if kind is dict:
        return serialization(messages.STRUCTURE_FOUND)
    token = ("TRUE" if value else "FALSE") if kind is bool else _TOKENS.get(kind)
    return serialization(token and f"{token}_VALUE cannot be converted to {target}")


def _not_a_blob(value: object) -> ServiceError:
    """The error for a value that is not binary."""
    if type(value) is list:
        return serialization(messages.collection_type(f"class {messages.scalar_type('Blob')}"))
    if type(value) is dict:
        return serialization(messages.STRUCTURE_FOUND)
    return _scalar_or_foreign(value, "only base-64-encoded strings are convertible to bytes")


def not_a_list(value: object) -> ServiceError:
    """The error for a value that is not a list."""
    if type(value) is dict:
        return serialization(messages.STRUCTURE_FOUND)
    return _scalar_or_foreign(value, messages.FIELD_TYPE)


def not_a_map(value: object, element: str) -> ServiceError:
    """The error for a value that is not a map. It names the Java type of the elements."""
    if type(value) is list:
        return serialization(messages.collection_type(f"java.util.Map<java.lang.String, {element}>"))
    return _scalar_or_foreign(value, messages.FIELD_TYPE)


def not_a_structure(value: object, name: str) -> ServiceError:
    """The error for a value that is not a structure."""
    if type(value) is list:
        return serialization(messages.collection_type(f"class {messages.structure_type(name)}"))
    return _scalar_or_foreign(value, "Unexpected value type in payload")


def _scalar_or_foreign(value: object, message: str) -> ServiceError:
    # Only Python callers can pass something that JSON cannot contain; DynamoDB has no message for it.
    return serialization(message if type(value) in _SCALARS else None)


_BOOLEAN_WORDS: Final = dict.fromkeys(("true", "t", "yes", "y", "1"), True) | dict.fromkeys(
    ("false", "f", "no", "n", "0"), False
)
_BASE64: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
# The last character before the padding has unused bits: the characters that leave them zero.
_LAST_CHARACTERS: Final = {1: frozenset("AEIMQUYcgkosw048"), 2: frozenset("AQgw")}


def read_string(value: Any) -> str:
    """A string without lone surrogates."""
    if type(value) is not str:
        raise _not_a_scalar(value, "String")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:  # a lone surrogate: JSON in UTF-8 has none
            raise serialization() from None
    return value


def check_boolean(value: Any) -> bool:
    """Whether a value is a boolean; False for a word for one; raises for anything else."""
    if type(value) is bool:
        return True
    if type(value) is not str:
        raise _not_a_scalar(value, "Boolean")
    if value.lower() not in _BOOLEAN_WORDS:
        raise serialization("Unexpected token received from parser")
    return False


def read_boolean(value: Any) -> bool:
    """A boolean, or a word for one."""
    return value if check_boolean(value) else _BOOLEAN_WORDS[value.lower()]


def whole_number(target: str, bits: int) -> Callable[[Any], int]:
    """A reader of whole numbers: fractions are cut off, and large values become the largest or smallest."""
    most = 2 ** (bits - 1) - 1
    least = -most - 1

    def read(value: Any) -> int:
        if type(value) is int:
            return value if least <= value <= most else most if value > 0 else least
        if type(value) is not float:
            raise _not_a_scalar(value, target)
        if isnan(value):  # not in JSON
            raise serialization()
        return int(value) if least <= value <= most else most if value > 0 else least

    return read


def read_timestamp(value: Any) -> float:
    """A time, in seconds since 1970."""
    if type(value) is not int and type(value) is not float:
        raise _not_a_scalar(value, "Date")
    if type(value) is float and not isfinite(value):  # not in JSON
        raise serialization()
    return value


def check_base64(value: Any) -> bool:
    """Whether binary content is base64; False for bytes; raises for anything else."""
    if type(value) is not str:
        if type(value) is bytes:
            return False
        raise _not_a_blob(value)
    if len(value) % 4:
        raise serialization(
            f"Base64 encoded length is expected a multiple of 4 bytes but found: {len(value)}"
        )
    padding = 2 if value.endswith("==") else 1
    if value.endswith("=") and value[-1 - padding] not in _LAST_CHARACTERS[padding]:
        raise serialization("Invalid last non-pad Base64 character dectected")  # the slip is the service's
    try:
        a2b_base64(value, strict_mode=True)
    except ValueError:
        foreign = next((character for character in read_string(value) if character not in _BASE64), "=")
        raise serialization(f"Invalid Base64 character: '{foreign}'") from None
    return True


def read_blob(value: Any) -> str:
    """Binary content as base64, from base64 or from bytes."""
    return value if check_base64(value) else b64encode(value).decode()
