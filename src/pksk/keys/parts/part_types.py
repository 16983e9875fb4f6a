"""The list of part types, and which of them writes a placeholder of a given field type."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, NoReturn, get_args, get_origin
from uuid import UUID

from pksk.errors import TemplateError, did_you_mean, quote
from pksk.keys.field_type import NAMED_TYPES, FieldType, type_name
from pksk.keys.parse import Placeholder
from pksk.keys.parts.binary import BytesPart
from pksk.keys.parts.choices import ChoicePart, bool_texts, choice_texts
from pksk.keys.parts.identifiers import UlidPart, UuidPart
from pksk.keys.parts.numbers import DecimalPart, IntPart
from pksk.keys.parts.part import Part, PartContext
from pksk.keys.parts.slices import SlicePart
from pksk.keys.parts.text import RestPart, TextPart
from pksk.keys.parts.times import DatePart, DatetimePart

__all__ = ["build_part"]

_PARTS_BY_TYPE: dict[Any, type[Any]] = {
    int: IntPart, Decimal: DecimalPart, date: DatePart, datetime: DatetimePart, UUID: UuidPart,
}  # fmt: skip


def build_part(placeholder: Placeholder, declared: FieldType, place: PartContext) -> Part:
    """The part that writes a field of this type in this place.

    Example:
        >>> from pksk.keys.delimiter import Delimiter
        >>> place = PartContext("Order.primary", Delimiter("#", raw=False), last=True)
        >>> build_part(Placeholder("n", "06d"), FieldType(int), place).encode(-5)
        '-999994'
    """
    kind = declared.kind
    if isinstance(kind, type) and kind in _PARTS_BY_TYPE:
        part: Part = _PARTS_BY_TYPE[kind](placeholder, place)
        return part
    if kind is str:
        return _text_part(placeholder, declared, place)
    if kind is bytes:
        return BytesPart(placeholder, place, least=declared.least, most=declared.most)
    if kind is bool:
        return ChoicePart(placeholder, place, bool_texts(placeholder, place), "bool")
    if get_origin(kind) is Literal:
        values = list(get_args(kind))
        name = f"Literal[{', '.join(quote(value, limit=20) for value in values[:9])}{', …' if len(values) > 9 else ''}]"
        return ChoicePart(placeholder, place, choice_texts(placeholder, place, values, name), name)
    if isinstance(kind, type):
        return _part_of_class(placeholder, declared, place)
    _refuse_type(placeholder, kind, place)


def _part_of_class(placeholder: Placeholder, declared: FieldType, place: PartContext) -> Part:
    kind = declared.kind
    if issubclass(kind, Enum):
        texts = choice_texts(placeholder, place, list(kind), kind.__name__)
        return ChoicePart(placeholder, place, texts, kind.__name__)
    # Known by name, so that pksk.keys works where no ULID is used without loading the library.
    if kind.__name__ == "ULID" and hasattr(kind, "from_str") and hasattr(kind, "from_int"):
        return UlidPart(placeholder, place, kind)
    for base in (datetime, date, Decimal, UUID, int):
        if issubclass(kind, base):
            part: Part = _PARTS_BY_TYPE[base](placeholder, place)
            return part
    if issubclass(kind, str):
        return _text_part(placeholder, declared, place)
    _refuse_type(placeholder, kind, place)


def _text_part(placeholder: Placeholder, declared: FieldType, place: PartContext) -> Part:
    least, most = declared.least, declared.most
    if placeholder.spec == "*" and not placeholder.cut:
        return _rest_part(placeholder, place, least, most)
    if placeholder.cut and not placeholder.spec:
        return SlicePart(placeholder, place, placeholder.cut, least=least, most=most)
    first = re.fullmatch(r"\.([1-9][0-9]*)", placeholder.spec)
    if first and not placeholder.cut:
        return SlicePart(placeholder, place, slice(None, int(first[1])), least=least, most=most)
    if not placeholder.spec:
        return TextPart(placeholder, place, least=least, most=most)
    raise TemplateError(
        "template-spec",
        f"{place.where}: {placeholder} is no way to write str in a key.",
        expected="Text is {field}, its first characters {field:.2}, a slice {field[-3:]}, or, last, {field:*}.",
        fix=f"write {{{placeholder.field}}}, or declare {placeholder.field!r} with the type that the format is for.",
    )


def _rest_part(placeholder: Placeholder, place: PartContext, least: int, most: int | None) -> Part:
    if place.last:
        return RestPart(placeholder, place, least=least, most=most)
    raise TemplateError(
        "template-rest-not-last",
        f"{place.where}: {placeholder} takes the rest of the key, and something follows it.",
        fix=f"move {placeholder} to the end, or write {{{placeholder.field}}}.",
    )


def _refuse_type(placeholder: Placeholder, kind: Any, place: PartContext) -> NoReturn:
    field = placeholder.field
    near = did_you_mean(kind, NAMED_TYPES) if isinstance(kind, str) else ""
    fix = f"give {field!r} one of these types, or make a computed field of one."
    if kind is float:
        fix = f"use int, or Decimal with a scale such as {{{field}:010.2f}}: floats have no exact text."
    elif near:
        fix = f"did you mean {near!r}?"
    raise TemplateError(
        "template-float" if kind is float else "template-type",
        f"{place.where}: {placeholder} takes field {field!r} of type {type_name(kind)}, which cannot stand in a key.",
        expected="Keys hold str, int, Decimal, date, datetime, UUID, ULID, Enum, Literal, bytes, and bool with texts.",
        fix=fix,
    )
