"""Conditions on fields as conditions on what is stored: names, values and None as the entity stores them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin
from uuid import UUID

from pksk.errors import DesignError, ExpressionMisuse, InvalidValue, quote
from pksk.expressions import And, Between, Call, Compare, Condition, In, Not, Or, Path, Value
from pksk.keys.annotations import declared
from pksk.model.conditions.renamed import renamed
from pksk.model.declaring.wire_types import wire_types
from pksk.model.markers import TTL, Created, Updated
from pksk.values import from_wire, to_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.declaring.attributes import Field

__all__ = ["absent", "on_attributes", "stored_operands"]

_ORDERED = {"<", "<=", ">", ">=", "BETWEEN", "begins_with"}
_KINDS: dict[Any, str] = {
    str: "S", int: "N", float: "N", Decimal: "N", bytes: "B", bool: "BOOL",
    date: "S", datetime: "S", time: "S", UUID: "S",
}  # fmt: skip


def on_attributes(declaration: Declaration[Any], condition: object) -> Condition:
    """The condition on the attributes of an entity's items; a value that its field cannot hold is refused.

    Example:
        >>> from pksk import Entity, F, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     note: str | None = None
        ...     primary = Key("ORDER#{id}", "META")
        >>> from pksk.expressions import describe
        >>> describe(on_attributes(Order.__pksk__, F.note == None))
        'attribute_not_exists(note) OR note = None'
    """
    if not isinstance(condition, Condition):
        raise ExpressionMisuse(
            "filter-not-a-condition",
            f"{declaration.name}: {quote(condition)} is not a condition.",
            fix="write one with F, such as F.total > 10, F.note.exists() or (F.a == 1) & (F.b == 2).",
        )
    if isinstance(condition, And | Or):
        return type(condition)(tuple(on_attributes(declaration, each) for each in condition.conditions))
    if isinstance(condition, Not):
        return Not(on_attributes(declaration, condition.condition))
    return _leaf(declaration, condition)


def _leaf(declaration: Declaration[Any], leaf: Condition) -> Condition:
    """One comparison; where it is of a whole field with values, these are as the field is stored."""
    parts = _parts(leaf)
    if parts is None or len(parts[1].elements) > 1:
        checked: Condition = renamed(leaf, declaration.attribute)
        return checked
    operator, path, values = parts
    field = str(path.elements[0])
    stored = Path((declaration.attribute(field),))
    sources = [value.source if value.source is not None else from_wire(value.wire) for value in values]
    if sources == [None] and operator in ("=", "<>"):
        return absent(stored) if operator == "=" else Not(absent(stored))
    return _with(leaf, stored, stored_operands(declaration, field, operator, sources))


def _parts(leaf: Condition) -> tuple[str, Path, list[Value]] | None:
    """The operator, the path and the values of a comparison of one field; None of anything else."""
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


def _with(leaf: Condition, path: Path, values: Sequence[Value]) -> Condition:
    if isinstance(leaf, Compare):
        return replace(leaf, left=path, right=values[0])
    if isinstance(leaf, Between):
        return Between(path, *values)
    if isinstance(leaf, In):
        return In(path, tuple(values))
    return Call("begins_with", (path, *values))


def absent(path: Path) -> Condition:
    """That nothing is stored, or a null: both read as None."""
    return Or((Call("attribute_not_exists", (path,)), Compare("=", path, Value({"NULL": True}))))


def stored_operands(
    declaration: Declaration[Any], field: str, operator: str, sources: Sequence[Any]
) -> list[Value]:
    """Values that a field is compared with, as it is stored; refused where the comparison says nothing."""
    expected = _stored_kind(declaration, field)
    _check_order(declaration, field, operator, expected)
    if operator == "begins_with":
        wires = [to_wire(source) for source in sources]
    else:
        wires = [_stored(declaration, field, source) for source in sources]
    for source, wire in zip(sources, wires, strict=True):
        if expected and next(iter(wire)) != expected:
            _refuse_kind(declaration, field, source, expected)
    return [Value(wire) for wire in wires]


def _stored(declaration: Declaration[Any], field: str, source: Any) -> dict[str, Any]:
    from pksk.model.reads.normalised import normalised

    if declaration.fields[field].computed or source is None:
        return to_wire(source)
    return to_wire(declaration.stored_value(field, normalised(declaration, {field: source})[field]))


def _stored_kind(declaration: Declaration[Any], field: str) -> str | None:
    """The type under which DynamoDB holds a field, where it is always the same."""
    question = ("kind", field)
    if question not in declaration.remembered:
        declaration.remembered[question] = _kind_of(declaration.fields[field])
    found: str | None = declaration.remembered[question]
    return found


def _kind_of(each: Field) -> str | None:
    if any(isinstance(marker, TTL) for marker in each.markers):
        return "N"
    kind = declared(each.annotation).kind
    if get_origin(kind) is Literal:
        return _common([type(value) for value in get_args(kind)])
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _common([type(member.value) for member in kind])
    if isinstance(kind, type) and kind in _KINDS:
        return _KINDS[kind]
    (found, *more) = (wire_types(*each.schema) if each.schema else None) or ("",)
    return None if more or not found else found


def _common(kinds: Sequence[type]) -> str | None:
    found = {_KINDS.get(kind) for kind in kinds}
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
    timed = expected == "S" and declared(each.annotation).kind is datetime and not each.naive
    if timed and not any(isinstance(marker, TTL | Created | Updated) for marker in each.markers):
        raise DesignError(
            "filter-datetime",
            f"{declaration.name}.{field}: {operator} on a time, whose text holds its zone: texts of two zones do not "
            "sort in time.",
            fix="filter the rows in Python, put the time into a key, or declare the field as NaiveDatetime.",
        )


def _refuse_kind(declaration: Declaration[Any], field: str, source: Any, expected: str) -> None:
    raise InvalidValue(
        "filter-value",
        f"{declaration.name}.{field}: {quote(source)} of type {type(source).__name__} is compared with a field that is "
        f"stored as {expected}; no item would match.",
        fix="give a value of the field's own type.",
    )
