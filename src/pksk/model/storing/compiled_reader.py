"""Compiles the function that reads the items of one entity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from pksk.model.storing.compile_function import NotCompiled, compile_function, is_plain_name
from pksk.model.storing.core_schema import wire_types, wrapped_nodes
from pksk.values.decode import decode_value
from pksk.values.numbers import parse_number

if TYPE_CHECKING:
    from pksk.model.storing.attributes import Field
    from pksk.model.storing.core_schema import Node
    from pksk.model.storing.items import Items

__all__ = [
    "NEUTRAL_CONFIG_KEYS",
    "NEUTRAL_NODE_KEYS",
    "Read",
    "compiled_reader",
    "is_plain_entity",
    "plain_lines",
    "plain_names",
    "plain_type",
]

# What Pydantic's node of a type may say beside its name without asking anything of values.
NEUTRAL_NODE_KEYS = frozenset(("type", "metadata", "ref", "serialization"))
_PLAIN_TYPES: dict[str, type] = {"str": str, "int": int, "bool": bool, "decimal": Decimal, "date": date}
# Defaults that nobody can change, so that all entities may share one.
_SHAREABLE = (str, int, bool, Decimal, date, type(None))
# What the configuration of a model may say without touching values of these types.
NEUTRAL_CONFIG_KEYS = frozenset(
    ("title", "extra_fields_behavior", "frozen", "from_attributes", "populate_by_name")
)


def plain_type(each: Field) -> type | None:
    """The type that all values of a field have, where nothing else is asked of them; None of any other field.

    Example:
        >>> from pydantic import BaseModel, Field as PydanticField
        >>> from pksk.model.storing.attributes import fields_of
        >>> class Order(BaseModel):
        ...     id: str
        ...     total: int = PydanticField(ge=0)
        >>> [plain_type(each) for each in fields_of(Order).values()]
        [<class 'str'>, None]
    """
    if each.schema is None or each.computed or each.has_factory:
        return None
    if not each.required and type(each.default) not in _SHAREABLE:
        return None
    node: Node = each.schema[0]
    if node["type"] == "default":
        if node.get("validate_default") or node.keys() - NEUTRAL_NODE_KEYS - {"schema", "default"}:
            return None
        node = node["schema"]
    if node["type"] == "nullable":
        if node.keys() - NEUTRAL_NODE_KEYS - {"schema"}:
            return None
        node = node["schema"]
    return _PLAIN_TYPES.get(node["type"]) if not node.keys() - NEUTRAL_NODE_KEYS else None


def is_plain_entity(items: Items) -> bool:
    """Whether nothing but the types of its fields decides what an entity is, so that Pydantic need not make it."""
    entity: Any = items.entity
    schema = entity.__pydantic_core_schema__
    inner = schema.get("schema", {})
    return (
        schema["type"] == "model"
        and inner.get("type") == "model-fields"
        and not schema.keys() - NEUTRAL_NODE_KEYS - {"cls", "schema", "config", "custom_init", "root_model"}
        and not (schema.get("custom_init") or schema.get("root_model"))
        and not inner.keys() - NEUTRAL_NODE_KEYS - {"fields", "model_name", "computed_fields"}
        and not schema.get("config", {}).keys() - NEUTRAL_CONFIG_KEYS
        and not entity.__private_attributes__
        and entity.model_post_init is BaseModel.model_post_init
        and "__init__" not in _own_names(entity)
        and "__new__" not in _own_names(entity)
        and all(plain_type(each) is not None for each in items.fields.values())
    )


def _own_names(entity: type[BaseModel]) -> set[str]:
    """The names that classes between an entity and Pydantic's own define."""
    classes = entity.__mro__[: entity.__mro__.index(BaseModel)]
    return {name for each in classes if each.__module__ != "pksk.model.entity" for name in vars(each)}


# For each type: the member of the wire value w, whether the quick way holds for its content c, the value that it then
# stands for, and what reads it otherwise.
_PLAIN_READ: dict[type, tuple[str, str, str, str]] = {
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
        "unusual": _not_compiled,
        "whole": _whole_number,
    }


def plain_lines(items: Items) -> list[str]:
    """The lines of a function `read(item)`; what is unusual is handed to the careful way."""
    fields = [(attribute, items.fields[name]) for attribute, name in items.names.items()]
    leading = list(takewhile(lambda each: _is_always_stored(items, each[1]), fields))
    lines = ["given = GIVEN.copy()", "values = {"]
    lines += [
        f"    {each.name!r}: {_plain_value(each, f'(w := item[{attribute!r}])')},"
        for attribute, each in leading
    ]
    lines.append("}")
    for attribute, each in fields[len(leading) :]:
        lines += _plain_field(items, each, attribute)
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


def _is_always_stored(items: Items, each: Field) -> bool:
    """Whether every item that this entity has written holds the field; of those that do not, the careful way reads."""
    if each.name in items.in_key:
        return True
    return each.name not in {name for name, _ in items.nones} and not (
        each.default is None and not each.required
    )


def _plain_field(items: Items, each: Field, attribute: str) -> list[str]:
    if _is_always_stored(items, each):
        return [f"values[{each.name!r}] = {_plain_value(each, f'(w := item[{attribute!r}])')}"]
    # What an item does not hold was not given to the entity either, unless nothing at all is how None is stored.
    told = [] if each.required else [f"    given.discard({each.name!r})"]
    return [
        f"if (w := item.get({attribute!r}, MISSING)) is MISSING:",
        f"    values[{each.name!r}] = None",
        *told,
        "else:",
        f"    values[{each.name!r}] = {_plain_value(each, 'w')}",
    ]


def _plain_value(each: Field, wire: str) -> str:
    """The expression of a field's value, whose wire value is given by an expression that binds w."""
    kind = plain_type(each)
    assert kind is not None
    member, test, quick, otherwise = _PLAIN_READ[kind]
    bound = test.replace("type(c)", f"type(c := w[{member!r}])", 1)
    if each.nullable:
        return f"None if {wire} == {{'NULL': True}} else {quick} if len(w) == 1 and {bound} else {otherwise}"
    return f"{quick} if len({wire}) == 1 and {bound} else {otherwise}"


def _not_compiled(wire: Mapping[str, Any]) -> Any:
    raise NotCompiled(wire)


def _whole_number(wire: Mapping[str, Any]) -> int:
    value = decode_value(wire, 0)
    return value if type(value) is int else _not_compiled(wire)


def _decimal(wire: Mapping[str, Any]) -> Decimal:
    value = decode_value(wire, 0)
    if type(value) is int:
        return Decimal(value)
    return value if type(value) is Decimal else _not_compiled(wire)


Read = Callable[[Mapping[str, Any]], Any]

# What is found under each type of DynamoDB: a test of its content {c}, and the value that it then stands for.
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
    two equal.
    """
    # Values beside the fields, and a reading of the author's own, are the careful way's alone.
    if items.extra or items.own_validate or not all(map(is_plain_name, items.names)):
        return items.read
    if is_plain_entity(items):
        return compile_function("read", plain_lines(items), plain_names(items))  # type: ignore[no-any-return]
    names = {
        "Decimal": Decimal,
        "MISSING": object(),
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
    """The values of fields, in their order, since a validator of the author's may see it."""
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
        lines.append(f"if (w := item.get({attribute!r}, MISSING)) is not MISSING:")
        lines.append(f"    values[{name!r}] = {_value(items, items.fields[name], 'w')}")
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
    bound = wire if wire == "w" else f"(w := {wire})"
    quick = _inline_read(items, each)
    if quick is None:
        value = f"decode_value({wire}, 0)"
    else:
        kind, (test, result) = quick
        # A null must be no exception where one is likely to stand there.
        get = f"c := w.get({kind!r})" if each.nullable else f"c := w[{kind!r}]"
        value = (
            f"{result.format(c='c')} if len({bound}) == 1 and {test.format(c='c', get=get)} "
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
    # A validator of the author's is to see what it always saw.
    nodes = {node["type"] for node in wrapped_nodes(*each.schema)}
    decimal = nodes <= {"default", "nullable", "decimal"} and not items.is_read_back
    return kind, _DECIMAL if decimal else _INLINE_READ[kind]
