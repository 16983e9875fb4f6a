"""Source of a function that makes plain entities of items: each value is read as the type that it must have."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from pksk.model.storing.compiled import Unusual
from pksk.model.storing.plain_fields import plain_type
from pksk.values.decode import decode_value

if TYPE_CHECKING:
    from pksk.model.declaring.attributes import Field
    from pksk.model.storing.items import Items

__all__ = ["plain_lines", "plain_names"]

# For each type: the member of the wire value w, whether the quick way holds for its content c, the value that it then
# stands for, and what reads it otherwise.
_READ: dict[type, tuple[str, str, str, str]] = {
    str: ("S", "type(c) is str and (c.isascii() or c.encode())", "c", "unusual(w)"),
    int: ("N", "type(c) is str and c.isdigit() and c.isascii() and len(c) <= 38", "int(c)", "whole(w)"),
    bool: ("BOOL", "type(c) is bool", "c", "unusual(w)"),
    date: ("S", "type(c) is str and len(c) == 10 and c[4] == '-' == c[7]", "day(c)", "unusual(w)"),
    Decimal: (
        "N",
        "type(c) is str and len(c) <= 38 and c.isascii() and "
        "(c.isdigit() or (c.replace('.', '', 1).isdigit() and c[-1] not in '0.'))",
        "Decimal(c)",
        "decimal(w)",
    ),
}


def plain_names(items: Items) -> dict[str, Any]:
    """The objects that the source names."""
    return {
        "Decimal": Decimal,
        "ENTITY": items.entity,
        "GIVEN": set(items.fields),
        "MISSING": object(),
        "carefully": items.read,
        "day": date.fromisoformat,
        "decimal": _decimal,
        "new": object.__new__,
        "put": object.__setattr__,
        "unusual": _unusual,
        "whole": _whole,
    }


def plain_lines(items: Items) -> list[str]:
    """The lines of a function `read(item)`; what is unusual is handed to the careful way."""
    fields = [(attribute, items.fields[name]) for attribute, name in items.names.items()]
    leading = list(takewhile(lambda each: _is_stored(items, each[1]), fields))
    lines = ["given = GIVEN.copy()", "values = {"]
    lines += [
        f"    {each.name!r}: {_value(each, f'(w := item[{attribute!r}])')}," for attribute, each in leading
    ]
    lines.append("}")
    for attribute, each in fields[len(leading) :]:
        lines += _field(items, each, attribute)
    lines += [
        "made = new(ENTITY)",
        "put(made, '__dict__', values)",
        "put(made, '__pydantic_fields_set__', given)",
        "put(made, '__pydantic_extra__', None)",
        "put(made, '__pydantic_private__', None)",
        "return made",
    ]
    inner = [f"        {line}" for line in lines]
    return ["def read(item):", "    try:", *inner, "    except Exception:", "        return carefully(item)"]


def _is_stored(items: Items, each: Field) -> bool:
    """Whether every item that this entity has written holds the field; of those that do not, the careful way reads."""
    if each.name in items.in_key:
        return True
    return each.name not in {name for name, _ in items.nones} and not (
        each.default is None and not each.required
    )


def _field(items: Items, each: Field, attribute: str) -> list[str]:
    if _is_stored(items, each):
        return [f"values[{each.name!r}] = {_value(each, f'(w := item[{attribute!r}])')}"]
    # What an item does not hold was not given to the entity either, unless nothing at all is how None is stored.
    told = [] if each.required else [f"    given.discard({each.name!r})"]
    return [
        f"if (w := item.get({attribute!r}, MISSING)) is MISSING:",
        f"    values[{each.name!r}] = None",
        *told,
        "else:",
        f"    values[{each.name!r}] = {_value(each, 'w')}",
    ]


def _value(each: Field, wire: str) -> str:
    """The expression of a field's value, whose wire value is given by an expression that binds w."""
    kind = plain_type(each)
    assert kind is not None
    member, test, quick, otherwise = _READ[kind]
    bound = test.replace("type(c)", f"type(c := w[{member!r}])", 1)
    if each.nullable:
        return f"None if {wire} == {{'NULL': True}} else {quick} if len(w) == 1 and {bound} else {otherwise}"
    return f"{quick} if len({wire}) == 1 and {bound} else {otherwise}"


def _unusual(wire: Mapping[str, Any]) -> Any:
    raise Unusual(wire)


def _whole(wire: Mapping[str, Any]) -> int:
    value = decode_value(wire, 0)
    return value if type(value) is int else _unusual(wire)


def _decimal(wire: Mapping[str, Any]) -> Decimal:
    value = decode_value(wire, 0)
    if type(value) is int:
        return Decimal(value)
    return value if type(value) is Decimal else _unusual(wire)
