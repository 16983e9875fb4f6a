"""The type of a field, and the list of part types; the first that accepts the type writes its placeholder."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Final, NoReturn, Union, get_args, get_origin

from pksk.errors import TemplateError, did_you_mean
from pksk.keys.parse import Placeholder
from pksk.keys.parts.binary import BytesPart
from pksk.keys.parts.choices import ChoicePart
from pksk.keys.parts.identifiers import ADDRESS_NAMES, AddressPart, UlidPart, UuidPart, address_class
from pksk.keys.parts.numbers import DecimalPart, IntPart
from pksk.keys.parts.part import FieldType, Part, PartContext, type_name
from pksk.keys.parts.slices import SlicePart
from pksk.keys.parts.text import RestPart, TextPart
from pksk.keys.parts.times import DatePart, DatetimePart

# Subclasses come before their bases: an Enum may be a str or an int, a bool is an int, a datetime is a date.
PART_TYPES: Final[tuple[type[Part], ...]] = (
    ChoicePart,
    SlicePart,
    RestPart,
    TextPart,
    IntPart,
    DecimalPart,
    DatetimePart,
    DatePart,
    UuidPart,
    UlidPart,
    AddressPart,
    BytesPart,
)

# The types that can be named as text, and float, which has an error of its own.
NAMED_TYPES: Final[dict[str, Any]] = {
    name: part.value_class for part in PART_TYPES for name in part.__dict__.get("names", ())
} | {"float": float}

# Pydantic's types of times by name, as this package does not import Pydantic; and whether they have a zone.
_ZONES: Final = {"AwareDatetime": True, "NaiveDatetime": False}


def build_part(placeholder: Placeholder, declared: FieldType, context: PartContext) -> Part:
    """The part that writes a field of this type."""
    for part_type in PART_TYPES:
        part = part_type.build(placeholder, declared, context)
        if part is not None:
            part.cell_levels = declared.cell_levels
            return part
    _raise_type_error(placeholder, declared.type, context)


def _raise_type_error(placeholder: Placeholder, declared: Any, context: PartContext) -> NoReturn:
    field = placeholder.field
    near = did_you_mean(declared, NAMED_TYPES) if isinstance(declared, str) else ""
    fix = f"give {field!r} one of these types, or add a computed field of one."
    if declared is float:
        fix = f"use int, or Decimal with a scale such as {{{field}:010.2f}}: floats have no exact text."
    elif near:
        fix = f"did you mean {near!r}?"
    raise TemplateError(
        "template-float" if declared is float else "template-type",
        f"{context.where}: {placeholder} uses field {field!r} of type {type_name(declared)}, which keys cannot hold.",
        expected=f"Keys hold {', '.join(dict.fromkeys(part.takes for part in PART_TYPES))}.",
        fix=fix,
    )


def field_type(annotation: Any) -> FieldType:
    """The type that an annotation declares."""
    if isinstance(annotation, str):
        return FieldType(_type_by_name(annotation))
    if getattr(annotation, "__module__", "") == "pydantic.types" and annotation.__name__ in _ZONES:
        return FieldType(datetime, aware=_ZONES[annotation.__name__])
    if hasattr(annotation, "__supertype__"):
        return field_type(annotation.__supertype__)
    if type(annotation).__name__ == "TypeAliasType":
        return field_type(annotation.__value__)
    if get_origin(annotation) is Annotated:
        return _with_metadata(*get_args(annotation))
    if get_origin(annotation) in (Union, UnionType):
        members = get_args(annotation)
        kinds = [kind for kind in members if kind is not NoneType]
        inner = field_type(kinds[0]) if len(kinds) == 1 else FieldType(annotation)
        return replace(inner, optional=inner.optional or NoneType in members)
    return FieldType(annotation)


def _type_by_name(name: str) -> Any:
    """The type of this name; the name itself if there is none."""
    if name in ("ULID", "ulid"):
        return _ulid_class()
    return address_class(name) if name in ADDRESS_NAMES else NAMED_TYPES.get(name, name)


def _with_metadata(kind: Any, *metadata: Any) -> FieldType:
    inner = field_type(kind)
    min_length, max_length = inner.min_length, inner.max_length
    precision, aware, levels = inner.precision, inner.aware, inner.cell_levels
    for each in metadata:
        precision = getattr(each, "key_precision", None) or precision
        levels = getattr(each, "cell_levels", None) or levels
        if aware is None and getattr(each, "holds_instants", False):
            aware = True
        min_length = max(min_length, getattr(each, "min_length", None) or 0)
        limits = [limit for limit in (max_length, getattr(each, "max_length", None)) if limit is not None]
        max_length = min(limits, default=None)
    return replace(
        inner,
        min_length=min_length,
        max_length=max_length,
        precision=precision,
        aware=aware,
        cell_levels=levels,
    )


def _ulid_class() -> Any:
    from ulid import ULID

    return ULID


def guess_types(pieces: tuple[str | Placeholder, ...]) -> dict[str, Any]:
    """The types of fields without a declaration: text, unless the format is for numbers or times."""
    kinds: dict[str, Any] = {}
    for piece in pieces:
        if isinstance(piece, Placeholder):
            kinds[piece.field] = _guess_type(piece.spec) if piece.spec else kinds.get(piece.field, "str")
    return kinds


def _guess_type(spec: str) -> str:
    if re.fullmatch(r"[^%/]*d", spec):
        return "int"
    if re.fullmatch(r"[^%/]*f", spec):
        return "Decimal"
    if "%" in spec:
        return "datetime" if re.search("%[HMSf]", spec) else "date"
    return "bool" if "/" in spec else "str"
