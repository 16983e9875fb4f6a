"""Compiles the function that reads the items of one entity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from pksk.model.storing.compile_function import compile_function, is_plain_name
from pksk.model.storing.core_schema import wire_types, wrapped_nodes
from pksk.values.decode import decode_value
from pksk.values.numbers import parse_number

if TYPE_CHECKING:
    from pksk.model.storing.attributes import Field
    from pksk.model.storing.items import Items

# What Pydantic's node of a type may say beside its name without asking anything of values.
NEUTRAL_NODE_KEYS = frozenset(("type", "metadata", "ref", "serialization"))
# What the configuration of a model may say without touching values of these types.
NEUTRAL_CONFIG_KEYS = frozenset(
    ("title", "extra_fields_behavior", "frozen", "from_attributes", "populate_by_name")
)


Read = Callable[[Mapping[str, Any]], Any]

# What is found under each type of DynamoDB: a test of its content {c}, and the value that it then means.
# They are those of values/decode.py, for the type that a field is expected to have.
_INLINE_READ = {
    "S": ("type({get}) is str and ({c}.isascii() or {c}.encode())", "{c}"),
    "N": (
        "type({get}) is str",
        "(int({c}) if {c}.isdigit() and {c}.isascii() and len({c}) <= 38 else parse_number({c}))",
    ),
    "BOOL": ("type({get}) is bool", "{c}"),
}
# Pydantic would make the same Decimal of the int or the Decimal that parse_number gives, in two steps.
_DECIMAL = (
    "type({get}) is str",
    "(Decimal({c}) if len({c}) <= 38 and {c}.isascii() and "
    "({c}.isdigit() or ({c}.replace('.', '', 1).isdigit() and {c}[-1] not in '0.')) else parse_number({c}))",
)


def compiled_reader(items: Items) -> Read:
    """The function from an item to the entity that it holds.

    It hands everything unusual, an error included, to `Items.read`, which goes attribute by attribute. Tests hold the
    two equal. A get takes 16 to 22 % less with it, a scan 20 %; a third of that comes from decoding values inline.
    """
    # `Items.read` alone handles extra values, and a model with a `model_validate` of its own.
    if items.extra or items.own_validate or not all(map(is_plain_name, items.names)):
        return items.read
    names = {
        "Decimal": Decimal,
        "carefully": items.read,
        "decode_value": decode_value,
        **{_form_reader(name): form.read for name, form in items.stored_forms.items()},
        "parse_number": parse_number,
        "validate": items.entity.__pydantic_validator__.validate_python,
    }
    return compile_function("read", _reader_lines(items), names)  # type: ignore[no-any-return]


def _reader_lines(items: Items) -> list[str]:
    return [
        "def read(item):",
        "    try:",
        *(f"        {line}" for line in (*_fields(items), *_absent_values(items))),
        "        return validate(values, strict=False, by_alias=False, by_name=True)",
        "    except Exception:",
        "        return carefully(item)",
    ]


def _fields(items: Items) -> list[str]:
    """The values of fields, in their order, since a validator may see it."""
    always = list(
        takewhile(lambda each: _is_always_written(items, items.fields[each[1]]), items.names.items())
    )
    lines = ["values = {"]
    for attribute, name in always:
        lines.append(f"    {name!r}: {_value(items, items.fields[name], f'item[{attribute!r}]')},")
    lines.append("}")
    for attribute, name in list(items.names.items())[len(always) :]:
        if name in items.in_key:
            lines.append(f"values[{name!r}] = {_value(items, items.fields[name], f'item[{attribute!r}]')}")
            continue
        lines.append(f"if {attribute!r} in item:")
        lines.append(f"    values[{name!r}] = {_value(items, items.fields[name], f'item[{attribute!r}]')}")
    return lines


def _is_always_written(items: Items, each: Field) -> bool:
    """Whether what we write always has it; the careful way looks for it in the key."""
    return each.name in items.in_key or (each.required and not each.is_set and not each.nullable)


def _absent_values(items: Items) -> list[str]:
    """What nothing at all is read as, where it is not left to the default of the field."""
    found = [(name, "set()") for name, _ in items.sets] + [(name, "None") for name, _ in items.nones]
    return [
        line
        for name, value in found
        for line in (f"if {name!r} not in values:", f"    values[{name!r}] = {value}")
    ]


def _value(items: Items, each: Field, wire: str) -> str:
    """The expression of the value of one field, whose wire value is given by an expression."""
    quick = _inline_read(items, each)
    if quick is None:
        value = f"decode_value({wire}, 0)"
    else:
        kind, (test, result) = quick
        # A null is frequent in a nullable field, so it must not raise.
        get = f"c := w.get({kind!r})" if each.nullable else f"c := w[{kind!r}]"
        value = (
            f"{result.format(c='c')} if len(w := {wire}) == 1 and {test.format(c='c', get=get)} "
            "else decode_value(w, 0)"
        )
    return value if each.stored_form is None else f"{_form_reader(each.name)}({value})"


def _form_reader(name: str) -> str:
    return f"read_{name}"


def _inline_read(items: Items, each: Field) -> tuple[str, tuple[str, str]] | None:
    """The type that the field is stored as, and how to read it, where both are known."""
    if each.stored_form is not None:
        return each.stored_form.type, _INLINE_READ[each.stored_form.type]
    if each.schema is None:
        return None
    (kind, *more) = wire_types(*each.schema) or ("",)
    if more or kind not in _INLINE_READ:
        return None
    # A validator of the user gets the same values as without inline decoding.
    nodes = {node["type"] for node in wrapped_nodes(*each.schema)}
    decimal = nodes <= {"default", "nullable", "decimal"} and not items.is_read_back
    return kind, _DECIMAL if decimal else _INLINE_READ[kind]
