"""The types of fields on the command line, and the formats of their values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Any, Literal
from uuid import UUID

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, did_you_mean, quote


@dataclass(frozen=True)
class FieldType:
    """A type: its annotation in a template, and the format of its values.

    `ranges` means that no value contains `..`, so that `day=A..B` is always a range.
    """

    name: str
    annotation: Any
    form: str
    shape: str
    convert: Callable[[str], Any]
    ranges: bool = True

    def read(self, field: str, text: str) -> Any:
        """Parse a value; the error of a wrong one has the field, the text and the expected format."""
        if re.fullmatch(self.shape, text, re.ASCII | re.DOTALL):
            try:
                return self.convert(text)
            except (ValueError, ArithmeticError) as error:
                self._reject(field, text, f" ({error})")
        self._reject(field, text)

    def _reject(self, field: str, text: str, why: str = "") -> Any:
        article = "an" if self.name[0] in "aeiou" else "a"
        raise InvalidValue(
            "argument-value",
            f"field {quote(field)} is {quote(text)}, which is not {article} {self.name}{why}.",
            expected=f"A value of this type is {self.form}.",
            fix="write it in this format, or choose another type.",
        )


def _ulid(text: str) -> Any:
    from ulid import ULID

    return ULID.from_str(text.upper())


def _address(version: int, text: str) -> Any:
    import ipaddress

    return ipaddress.IPv4Address(text) if version == 4 else ipaddress.IPv6Address(text)


_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?"
_NUMBER = r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?"
_HEX = "([0-9a-fA-F]{2})+"
_ULID = "[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}"
_UUID = r"[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"


def _time(text: str) -> datetime:
    head, point, tail = text.partition(".")
    digits = re.match("[0-9]*", tail, re.ASCII)
    count = digits.end() if digits else 0
    return datetime.fromisoformat(f"{head}.{tail[:count]:0<6}{tail[count:]}" if point else text)


_TYPES: Mapping[str, FieldType] = {
    kind.name: kind
    for kind in (
        FieldType("str", str, "any text, taken as it is", ".*", str, ranges=False),
        FieldType("int", int, "a whole number, such as 12 or -5", r"-?[0-9]{1,2048}", int),
        FieldType(
            "Decimal", Decimal, "a number, such as 12.50 or -3", _NUMBER, Decimal
        ),
        FieldType("date", date, "a day, such as 2025-12-31", "[0-9]{4}-[0-9]{2}-[0-9]{2}", date.fromisoformat),
        FieldType(
            "datetime",
            datetime,
            "a time with its zone, such as 2025-12-31T18:30:00Z or 2025-12-31T10:30-08:00, "
            "or without one where the template writes local time",
            _TIME,
            _time,
        ),
        FieldType("UUID", UUID, "a UUID, such as 8c5be0f2-6b1e-4f0a-9f0e-2d7c1b6a4e55", _UUID, UUID),
        FieldType("ULID", "ULID", "a ULID, such as 01ARZ3NDEKTSV4RRFFQ69G5FAV", _ULID, _ulid),
        FieldType("IPv4Address", "IPv4Address", "an address, such as 192.0.2.7", "[0-9.]+", partial(_address, 4)),
        FieldType("IPv6Address", "IPv6Address", "an address, such as 2001:db8::7", "[0-9a-f:.]+", partial(_address, 6)),
        FieldType("bytes", bytes, "hex digits, two for each byte, such as 00ff", _HEX, bytes.fromhex, ranges=False),
        FieldType("bool", bool, "true or false", "true|false", lambda text: text == "true", ranges=False),
    )
}  # fmt: skip

TYPE_NAMES = (*_TYPES, "literal:")


def field_type(name: str) -> FieldType:
    """The type of this name, in any case; `literal:a,b,c` is one of several texts."""
    if name.startswith("literal:"):
        return _choice(name)
    by_name = {known.lower(): kind for known, kind in _TYPES.items()}
    if name.lower() in by_name:
        return by_name[name.lower()]
    if name.lower() == "float":
        # The template rejects it, and says what to use instead.
        return FieldType("float", float, "", ".*", str)
    near = did_you_mean(name, TYPE_NAMES) or did_you_mean(name.lower(), by_name)
    raise InvalidValue(
        "argument-type",
        f"{quote(name)} is not a type for a field of a key.",
        expected=f"Types are: {', '.join(_TYPES)}, and literal:a,b,c for one of several texts.",
        fix=f"did you mean {quote(near)}?" if near else "write one of these.",
    )


def _choice(name: str) -> FieldType:
    texts = name.removeprefix("literal:").split(",")
    if "" in texts or len(set(texts)) < len(texts):
        raise InvalidValue(
            "argument-type",
            f"{quote(name)} has an empty text, or the same one twice.",
            fix="write each text once, with commas between them: literal:open,paid,sent.",
        )
    # The template rejects other texts, and lists these.
    return FieldType(name, Literal[tuple(texts)], f"one of: {', '.join(texts)}", ".*", str, ranges=False)


def format_value(value: Any) -> str:
    """A value in the format of `FieldType.read`; unprintable characters are escaped."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    text = value.isoformat() if isinstance(value, date) else str(value)
    return text if text.isprintable() else ascii(text)
