"""The list of part types; the first one that accepts the type of a field writes its placeholder."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from pksk.errors import TemplateError, did_you_mean
from pksk.keys.parse import Placeholder
from pksk.keys.parts.binary import BytesPart
from pksk.keys.parts.choices import ChoicePart
from pksk.keys.parts.identifiers import UlidPart, UuidPart
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
    BytesPart,
)

# The types that can be named as text, and float, which has an error of its own.
NAMED_TYPES: Final[dict[str, Any]] = {
    name: part.value_class for part in PART_TYPES for name in part.__dict__.get("names", ())
} | {"float": float}


def build_part(placeholder: Placeholder, declared: FieldType, context: PartContext) -> Part:
    """The part that writes a field of this type.

    Example:
        >>> from pksk.keys.delimiter import Delimiter
        >>> context = PartContext("Order.primary", Delimiter("#", raw=False), last=True)
        >>> build_part(Placeholder("n", "06d"), FieldType(int), context).encode(-5)
        '-999994'
    """
    for part_type in PART_TYPES:
        part = part_type.build(placeholder, declared, context)
        if part is not None:
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
