"""Converters for items whose fields are known: compiled once, then several times as fast."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any, Final

from pksk.errors import InvalidValue, did_you_mean, quote

from .decode import decode_value
from .encode import INT_ABOVE, INT_BELOW, encode_value, item_refusal
from .fitting import encode_as, load_as, plain_names, whole_number, whole_numbers
from .malformed import item_refusal as wire_item_refusal
from .numbers import decimal_text, parse_decimal
from .sets import binary_set, number_set, set_to_wire, string_set
from .shapes import Adapter, Shape, shape_of
from .source import Source
from .wire import WireItem

__all__ = ["Converter", "converter"]

_MISSING: Final = object()

# The names that every generated source may use.
_NAMES: Final[dict[str, Any]] = {
    "Decimal": Decimal,
    "INT_ABOVE": INT_ABOVE,
    "INT_BELOW": INT_BELOW,
    "MISSING": _MISSING,
    "UNDECLARED": LookupError,
    "a2b_base64": a2b_base64,
    "b2a_base64": b2a_base64,
    "binary_set": binary_set,
    "decimal_text": decimal_text,
    "decode_value": decode_value,
    "encode_as": encode_as,
    "encode_value": encode_value,
    "load_as": load_as,
    "number_set": number_set,
    "parse_decimal": parse_decimal,
    "plain_names": plain_names,
    "set_to_wire": set_to_wire,
    "string_set": string_set,
    "whole_number": whole_number,
    "whole_numbers": whole_numbers,
}


@dataclass(frozen=True, slots=True)
class Converter:
    """A pair of functions for items of known fields; made by ``converter``.

    ``encode`` turns a mapping of exactly these fields into a wire item. ``decode`` reads these
    fields from a wire item and leaves out what else the item holds, such as its keys; it holds
    every field to its type and trusts the service that text is text. ``source`` is the Python
    that does both.

    Example:
        >>> orders = converter({"id": str, "total": Decimal, "note": str | None})
        >>> orders.encode({"id": "o1", "total": Decimal("9.50")})
        {'id': {'S': 'o1'}, 'total': {'N': '9.5'}}
        >>> orders.decode({"pk": {"S": "O#o1"}, "id": {"S": "o1"}, "total": {"N": "9"}})
        {'id': 'o1', 'total': Decimal('9')}
    """

    encode: Callable[[Mapping[str, Any]], WireItem]
    decode: Callable[[Mapping[str, Mapping[str, Any]]], dict[str, Any]]
    fields: Mapping[str, Any]
    source: str = field(repr=False)


def converter(fields: Mapping[str, Any], *, adapters: Mapping[type, Adapter] | None = None) -> Converter:
    """A converter for items with these fields, given their types.

    Known types are str, int, Decimal, bytes, bool, and lists, dicts and sets of them. A field of
    ``X | None`` may be absent, and stays so; None is stored as NULL. Any other type goes the way
    of ``to_wire`` and ``from_wire``, unless ``adapters`` says how its values are stored.

    Example:
        >>> from datetime import date
        >>> iso = Adapter(str, store=date.isoformat, load=date.fromisoformat)
        >>> days = converter({"day": date, "tags": set[str]}, adapters={date: iso})
        >>> days.encode({"day": date(2024, 2, 29), "tags": {"leap"}})
        {'day': {'S': '2024-02-29'}, 'tags': {'SS': ['leap']}}
    """
    refusal = item_refusal(dict.fromkeys(fields) if isinstance(fields, Mapping) else fields)
    if refusal:
        raise refusal
    shapes = {str.__str__(name): shape_of(kind, adapters or {}) for name, kind in fields.items()}
    source = Source(shapes)
    names = {
        **_NAMES,
        **source.names,
        "encode_refusal": partial(_encode_refusal, shapes),
        "decode_carefully": partial(_decode_carefully, shapes),
    }
    # Only repr() of field names and text of our own enter the source.
    exec(compile(source.text, "<pksk converter>", "exec"), names)
    return Converter(names["encode"], names["decode"], dict(fields), source.text)


def _encode_refusal(shapes: Mapping[str, Shape], item: Any) -> InvalidValue | None:
    if not isinstance(item, Mapping):
        return item_refusal(item)
    for name in item:
        if name not in shapes:
            return _undeclared(name, shapes)
    for name, shape in shapes.items():
        if name in item:
            try:
                encode_as(shape, item[name], name)
            except InvalidValue as refusal:
                return refusal
        elif not shape.optional:
            return _absent(name, item)
    return None


def _decode_carefully(shapes: Mapping[str, Shape], item: Any) -> dict[str, Any]:
    """The item field by field, or the refusal of the first field that is wrong."""
    if not isinstance(item, Mapping):
        raise wire_item_refusal(item) or TypeError(item)
    absent = [name for name, shape in shapes.items() if name not in item and not shape.optional]
    if absent:
        raise _absent(absent[0], item)
    return {name: load_as(shape, item[name], name) for name, shape in shapes.items() if name in item}


def _absent(name: str, item: Mapping[str, Any]) -> InvalidValue:
    return InvalidValue(
        "value-field-missing",
        f"{name}: the field is absent.",
        expected=f"The item has: {', '.join(map(str, item)) or 'nothing'}.",
        fix=f"give {quote(name)} a value, or declare its type as 'X | None'.",
    )


def _undeclared(name: object, shapes: Mapping[str, Shape]) -> InvalidValue:
    near = did_you_mean(str(name), shapes)
    return InvalidValue(
        "value-field-unknown",
        f"{quote(name)} is not one of the declared fields.",
        expected=f"Fields are: {', '.join(shapes)}.",
        fix=f"Did you mean {quote(near)}?" if near else "declare the field, or leave it out.",
    )
