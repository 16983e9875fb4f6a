"""Renders a key part by part: the long way, which finds out and says what is wrong with a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from pksk.errors import InvalidValue, did_you_mean, quote

if TYPE_CHECKING:
    from pksk.keys.parts.part import Part
    from pksk.keys.template import Template

__all__ = ["check_mapping", "check_size", "encode_part", "refuse_unknown", "render_interpreted"]


def render_interpreted(template: Template, values: Mapping[str, Any]) -> str:
    """The key of these values, or the error that says why there is none."""
    check_mapping(template.where, values)
    pieces = [template.literals[0]]
    for part, after in zip(template.parts, template.literals[1:], strict=True):
        pieces += [encode_part(part, values), after]
    return check_size(template, "".join(pieces))


def check_mapping(where: str, values: object) -> None:
    """Refuse values that do not come by field."""
    if not isinstance(values, Mapping):
        raise InvalidValue(
            "key-wrong-type",
            f"{where}: values are {quote(values)} of type {type(values).__name__}.",
            fix="give a mapping from field to value.",
        )


def encode_part(part: Part, values: Mapping[str, Any]) -> str:
    """The text of one part, from the values by field."""
    value = values.get(part.field)
    if value is None:
        how = "is None" if part.field in values else "is missing"
        near = did_you_mean(part.field, [name for name in values if isinstance(name, str)])
        part.refuse(
            "key-missing-part",
            f"field {part.field!r} {how}, and {part.placeholder} needs it.",
            fix=f"give {part.field!r} a value"
            + (f"; did you mean {near!r}?" if near and near != part.field else "."),
        )
    return part.encode(value)


def check_size(template: Template, key: str) -> str:
    """The key, if DynamoDB would take it."""
    if not key:
        raise InvalidValue(
            "key-empty",
            f"{template.where}: the key is empty, and DynamoDB refuses empty keys.",
            fix="give the fields values, or begin the template with a literal.",
        )
    size = len(key.encode())
    if size > template.limit:
        raise InvalidValue(
            "key-too-long",
            f"{template.where}: the key {quote(key)} is {size} bytes long; a {template.role} key holds at most "
            f"{template.limit}.",
            fix="shorten the values, or keep the long one in an attribute and its hash in the key.",
        )
    return key


def refuse_unknown(template: Template, name: str) -> NoReturn:
    """Refuse a field that the template does not use."""
    near = did_you_mean(name, template.fields)
    raise InvalidValue(
        "key-unknown-part",
        f"{template.where}: field {name!r} is not a part of this key.",
        expected=f"Its parts are: {', '.join(template.fields) or 'none'}.",
        fix=f"did you mean {near!r}?" if near else "leave it out, or filter by it.",
    )
