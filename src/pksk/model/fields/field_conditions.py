"""Translates conditions on fields into conditions on stored attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin
from uuid import UUID

from pksk.errors import DesignError, ExpressionMisuse, InvalidValue, quote
from pksk.expressions import And, Between, Call, Compare, Condition, In, Not, Or, Path, Value
from pksk.keys import Operator
from pksk.keys.field_type import field_type
from pksk.model.fields.condition_paths import rename_fields
from pksk.model.storing.core_schema import calls_user_code, wire_types, wrapped_nodes
from pksk.values import from_wire, to_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.storing.attributes import Field

_ORDERED = {"<", "<=", ">", ">=", "BETWEEN", "begins_with"}
_WIRE_TYPES: dict[Any, str] = {
    str: "S", int: "N", float: "N", Decimal: "N", bytes: "B", bool: "BOOL",
    date: "S", datetime: "S", time: "S", UUID: "S",
}  # fmt: skip


def condition_on_attributes(declaration: Declaration[Any], condition: object) -> Condition:
    """The condition on stored attributes; raises for a value that its field cannot hold.

    Example:
        >>> from pksk import Entity, F, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     note: str | None = None
        ...     primary = Key("ORDER#{id}", "META")
        >>> from pksk.expressions import describe
        >>> describe(condition_on_attributes(Order.__pksk__, F.note == None))
        'attribute_not_exists(note) OR note = None'
    """
    if not isinstance(condition, Condition):
        raise ExpressionMisuse(
            "filter-not-a-condition",
            f"{declaration.name}: {quote(condition)} is not a condition.",
            fix="write one with F, such as F.total > 10, F.note.exists() or (F.a == 1) & (F.b == 2).",
        )
    if isinstance(condition, And | Or):
        return type(condition)(
            tuple(condition_on_attributes(declaration, each) for each in condition.conditions)
        )
    if isinstance(condition, Not):
        return Not(condition_on_attributes(declaration, condition.condition))
    return _comparison_on_attribute(declaration, condition)


def _comparison_on_attribute(declaration: Declaration[Any], leaf: Condition) -> Condition:
    """One comparison; converts values that are compared with a whole field to their stored form."""
    parts = _comparison_parts(leaf)
    if parts is None or len(parts[1].elements) > 1:
        checked: Condition = rename_fields(leaf, declaration.attribute)
        return checked
    operator, path, values = parts
    field = str(path.elements[0])
    stored = Path((declaration.attribute(field),))
    sources = [value.source if value.source is not None else from_wire(value.wire) for value in values]
    if sources == [None] and operator in ("=", "<>"):
        return none_condition(stored) if operator == "=" else Not(none_condition(stored))
    return _with_operands(leaf, stored, stored_operands(declaration, field, operator, sources))


def _comparison_parts(leaf: Condition) -> tuple[str, Path, list[Value]] | None:
    """The operator, path and values of a comparison of one field; None for anything else."""
    if isinstance(leaf, Compare):
        operator, first, rest = leaf.operator, leaf.left, [leaf.right]
    elif isinstance(leaf, Between):
        operator, first, rest = "BETWEEN", leaf.operand, [leaf.low, leaf.high]
    elif isinstance(leaf, In):
        operator, first, rest = "IN", leaf.operand, list(leaf.candidates)
    elif isinstance(leaf, Call) and leaf.name == "begins_with":
        operator, (first, *rest) = leaf.name, leaf.operands
    else:
        return None
    values = [each for each in rest if isinstance(each, Value)]
    return (operator, first, values) if isinstance(first, Path) and len(values) == len(rest) else None


def _with_operands(leaf: Condition, path: Path, values: Sequence[Value]) -> Condition:
    if isinstance(leaf, Compare):
        return replace(leaf, left=path, right=values[0])
    if isinstance(leaf, Between):
        return Between(path, *values)
    if isinstance(leaf, In):
        return In(path, tuple(values))
    return Call("begins_with", (path, *values))


def none_condition(path: Path) -> Condition:
    """The condition that the attribute is missing or NULL: both are read as None."""
    return Or((Call("attribute_not_exists", (path,)), Compare("=", path, Value({"NULL": True}))))


def stored_operands(
    declaration: Declaration[Any], field: str, operator: str, sources: Sequence[Any]
) -> list[Value]:
    """The stored form of values that a field is compared with; raises if no item could match."""
    expected = _stored_type(declaration, field)
    _check_order(declaration, field, operator, expected)
    if operator == "begins_with":
        wires = [to_wire(source) for source in sources]
    else:
        wires = [_stored_operand(declaration, field, source) for source in sources]
    for source, wire in zip(sources, wires, strict=True):
        if expected and next(iter(wire)) != expected:
            _reject_type(declaration, field, source, expected)
    return [Value(wire) for wire in wires]


def _stored_operand(declaration: Declaration[Any], field: str, source: Any) -> dict[str, Any]:

    if declaration.fields[field].computed or source is None:
        return to_wire(source)
    return to_wire(declaration.stored_value(field, values_as_validated(declaration, {field: source})[field]))


def _stored_type(declaration: Declaration[Any], field: str) -> str | None:
    """The DynamoDB type of a field; None if it depends on the value."""
    cache_key = ("kind", field)
    if cache_key not in declaration.cache:
        declaration.cache[cache_key] = _type_of_field(declaration.fields[field])
    stored_type: str | None = declaration.cache[cache_key]
    return stored_type


def _type_of_field(each: Field) -> str | None:
    if each.stored_form is not None:
        return each.stored_form.type
    kind = field_type(each.annotation).type
    if get_origin(kind) is Literal:
        return _common_type([type(value) for value in get_args(kind)])
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _common_type([type(member.value) for member in kind])
    if isinstance(kind, type) and kind in _WIRE_TYPES:
        return _WIRE_TYPES[kind]
    (found, *more) = (wire_types(*each.schema) if each.schema else None) or ("",)
    return None if more or not found else found


def _common_type(kinds: Sequence[type]) -> str | None:
    found = {_WIRE_TYPES.get(kind) for kind in kinds}
    return found.pop() if len(found) == 1 else None


def _check_order(declaration: Declaration[Any], field: str, operator: str, expected: str | None) -> None:
    if operator not in _ORDERED:
        return
    each = declaration.fields[field]
    if expected == "BOOL" or (operator == "begins_with" and expected == "N"):
        raise InvalidValue(
            "filter-order",
            f"{declaration.name}.{field}: {operator} on a field that DynamoDB stores as {expected}.",
            fix="compare it with ==, or use a range for numbers.",
        )
    timed = expected == "S" and field_type(each.annotation).type is datetime and not each.naive
    # Times that the store sets are always UTC.
    if timed and not any(marker.is_store_managed for marker in each.markers):
        raise DesignError(
            "filter-datetime",
            f"{declaration.name}.{field}: {operator} on a datetime. Its text contains the zone, and "
            "texts of different zones do not sort by time.",
            fix="filter the results in Python, put the time into a key, or declare the field as NaiveDatetime.",
        )


def _reject_type(declaration: Declaration[Any], field: str, source: Any, expected: str) -> None:
    raise InvalidValue(
        "filter-value",
        f"{declaration.name}.{field}: {quote(source)} of type {type(source).__name__} is compared with a field that is "
        f"stored as {expected}; no item would match.",
        fix="use a value of the field's type.",
    )


_CHANGES = ("strip_whitespace", "to_lower", "to_upper")


def values_as_validated(declaration: Declaration[Any], given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Values of a query or condition, as the validators of their fields return them.

    A validator that lowercases a field stores lowercase keys, so queries must lowercase too. A TTL is stored in whole
    seconds. Values of other fields stay as they are.
    """
    changing = declaration.cache.get("changing")
    if changing is None:
        changing = declaration.cache["changing"] = {
            name
            for name, each in declaration.fields.items()
            if _changes_values(declaration, each) or name in declaration.rounded_sources
        }
    if changing.isdisjoint(given):
        return given
    from pksk.model.fields.field_facts import field_facts

    values = field_facts(declaration).values

    def changed(name: str, value: Any) -> Any:
        if name not in changing or value is None:
            return value
        if not isinstance(value, Operator):
            return values.validated(name, value)
        # A prefix may not be a valid value of the field.
        if value.name == "begins":
            return value
        return Operator(value.name, tuple(values.validated(name, operand) for operand in value.operands))

    return {name: changed(name, value) for name, value in given.items()}


def _changes_values(declaration: Declaration[Any], each: Field) -> bool:
    if each.schema is None or each.computed:
        return False
    node, known = each.schema
    config = declaration.entity.model_config
    trims = any(config.get(f"str_{change}") for change in _CHANGES)
    return calls_user_code(node) or any(
        (trims and part["type"] == "str") or any(part.get(change) for change in _CHANGES)
        for part in wrapped_nodes(node, known)
    )
