"""The types that a field may have on the command line, and how their values are written there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, did_you_mean, quote

__all__ = ["TYPE_NAMES", "FieldType", "field_type", "format_value"]


@dataclass(frozen=True)
class FieldType:
    """A type by its name: what the template is told, what a value looks like, and how one is read.

    `ranges` says that no value contains `..`, so that `day=A..B` can only be a range.

    Example:
        >>> field_type("int").read("n", "-5")
        -5
    """

    name: str
    annotation: Any
    form: str
    shape: str
    convert: Callable[[str], Any]
    ranges: bool = True

    def read(self, field: str, text: str) -> Any:
        """The value that a text means; an error that names field, text and the expected form if none."""
        if re.fullmatch(self.shape, text, re.ASCII | re.DOTALL):
            try:
                return self.convert(text)
            except (ValueError, ArithmeticError) as error:
                self._refuse(field, text, f" ({error})")
        self._refuse(field, text)

    def _refuse(self, field: str, text: str, why: str = "") -> Any:
        raise InvalidValue(
            "argument-value",
            f"field {quote(field)} is {quote(text)}, which is not {self._named}{why}.",
            expected=f"A value of this type is {self.form}.",
            fix="write it like that, or give it another type.",
        )

    @property
    def _named(self) -> str:
        return f"{'an' if self.name[0] in 'aeiou' else 'a'} {self.name}"


def _ulid(text: str) -> Any:
    return _ulid_class().from_str(text.upper())


def _ulid_class() -> Any:
    from ulid import ULID

    return ULID


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
        FieldType("bytes", bytes, "hex digits, two for each byte, such as 00ff", _HEX, bytes.fromhex, ranges=False),
        FieldType("bool", bool, "true or false", "true|false", lambda text: text == "true", ranges=False),
    )
}  # fmt: skip

TYPE_NAMES = (*_TYPES, "literal:")


def field_type(name: str) -> FieldType:
    """The type of this name, in any case; `literal:a,b,c` is one of the texts it lists.

    Example:
        >>> field_type("literal:open,paid").read("state", "paid")
        'paid'
    """
    if name.startswith("literal:"):
        return _choice(name)
    by_name = {known.lower(): kind for known, kind in _TYPES.items()}
    if name.lower() in by_name:
        return by_name[name.lower()]
    if name.lower() == "float":
        # The template refuses it, and says what to use instead.
        return FieldType("float", float, "", ".*", str)
    near = did_you_mean(name, TYPE_NAMES) or did_you_mean(name.lower(), by_name)
    raise InvalidValue(
        "argument-type",
        f"{quote(name)} is not a type that a field of a key can have.",
        expected=f"Types are: {', '.join(_TYPES)}, and literal:a,b,c for one of several texts.",
        fix=f"did you mean {quote(near)}?" if near else "write one of these.",
    )


def _choice(name: str) -> FieldType:
    texts = name.removeprefix("literal:").split(",")
    if "" in texts or len(set(texts)) < len(texts):
        raise InvalidValue(
            "argument-type",
            f"{quote(name)} names an empty text or the same one twice.",
            fix="write each text once, with commas between them: literal:open,paid,sent.",
        )
    listed = ", ".join(texts)
    # Whether a text is among them is the template's to say; it lists them all.
    return FieldType(name, Literal[tuple(texts)], f"one of: {listed}", ".*", str, ranges=False)


def format_value(value: Any) -> str:
    """A value as `FieldType.read` takes it; what cannot be printed is quoted.

    Example:
        >>> format_value(date(2025, 12, 31)), format_value(b"a"), format_value(True)
        ('2025-12-31', '61', 'true')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    text = value.isoformat() if isinstance(value, date) else str(value)
    return text if text.isprintable() else ascii(text)
