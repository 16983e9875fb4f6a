"""The DynamoDB types that fields are stored as, and which comparisons and operands suit them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, get_args, get_origin
from uuid import UUID

from pksk.errors import DesignError, InvalidValue, quote
from pksk.expressions import Call, Condition, Path, Value
from pksk.expressions.check import FIRST_OPERAND_TYPES, ORDERED_TYPES, operands_of
from pksk.expressions.literals import Unchecked
from pksk.keys.parts.part_types import field_type
from pksk.model.fields.operands import OperandRule, field_rule, inner_rule
from pksk.model.markers import StoredForm
from pksk.model.storing.attributes import Field
from pksk.model.storing.core_schema import wire_types
from pksk.values import Wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

# None if the type depends on the value.
Types = frozenset[str] | None

ORDER_OPERATORS: Final = {"<", "<=", ">", ">=", "BETWEEN", "begins_with"}
COMPARISONS: Final = {"=", "<>", "<", "<=", ">", ">=", "BETWEEN", "IN"}
_SET_TYPES: Final = frozenset(("SS", "NS", "BS"))
_WIRE_TYPES: Final[dict[type, str]] = {
    str: "S", int: "N", float: "N", Decimal: "N", bytes: "B", bool: "BOOL",
    date: "S", datetime: "S", time: "S", UUID: "S",
}  # fmt: skip


def stored_types(declaration: Declaration, field: str) -> Types:
    """The DynamoDB types of a field, without those of None."""
    return declaration.once(("stored types", field), lambda: _types_of_field(declaration.fields[field]))


def _types_of_field(each: Field) -> Types:
    if each.stored_form is not None:
        return _known({each.stored_form.type})
    kind = field_type(each.annotation).type
    if get_origin(kind) is Literal:
        return _known({_WIRE_TYPES.get(type(value)) for value in get_args(kind)})
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _known({_WIRE_TYPES.get(type(member.value)) for member in kind})
    if isinstance(kind, type) and kind in _WIRE_TYPES:
        return frozenset((_WIRE_TYPES[kind],))
    return (wire_types(*each.schema) if each.schema else None) or None


def _known(letters: set[str | None]) -> Types:
    return frozenset(str(letter) for letter in letters) if all(letters) else None


def types_at_path(declaration: Declaration, path: Path) -> Types:
    """The DynamoDB types at a path inside a field."""
    field, *inside = path.elements
    if field not in declaration.fields:
        return None
    if not inside:
        return stored_types(declaration, str(field))
    rule = inner_rule(declaration, path.elements)
    return None if rule is None else rule.types


def in_words(declaration: Declaration, path: Path) -> str:
    """A path for messages: Order.lines.0.count."""
    return ".".join((declaration.name, *map(str, path.elements)))


def check_order(where: str, operator: str, types: Types, rule: OperandRule | None) -> None:
    """Reject an order or a prefix where the stored values have none, or another one than the values."""
    if operator not in ORDER_OPERATORS:
        return
    ordered = ORDERED_TYPES - {"N"} if operator == "begins_with" else ORDERED_TYPES
    if types is not None and ordered.isdisjoint(types):
        fix = "use contains for a member." if types <= {"L", *_SET_TYPES} else "compare it with ==" + (
            ", or use a range for numbers." if types == {"N"} else "."
        )  # fmt: skip
        _reject_operator(where, operator, types, fix)
    if rule is None:
        return
    if rule.unsorted and operator != "begins_with":
        raise InvalidValue(
            "filter-order",
            f"{where}: {operator} does not work on a field of type {rule.unsorted}, whose text does not sort like its "
            "values.",
            fix="compare it with ==, or filter the results in Python; IP addresses sort in a key.",
        )
    if rule.format is not None and not rule.format.ordered:
        reject_unordered(where, operator, rule.format)


def reject_unordered(where: str, operator: str, form: StoredForm) -> NoReturn:
    """Raise the error for an order of a format that has none."""
    raise DesignError(
        "stored-unordered",
        f"{where}: {operator} does not work on {form.name}: stored values do not sort like the values themselves.",
        fix="compare it with ==, filter the results in Python, or "
        + ("declare CustomFormat(..., ordered=True) if they do." if form.is_custom else "store it in UTC."),
    )


def check_contains(where: str, types: Types, operand: Value, source: Any) -> None:
    """Reject a `contains` on a field that is neither text, a list nor a set, or of anything but a part of a text."""
    if types is None:
        return
    holders = types & FIRST_OPERAND_TYPES["contains"]
    if not holders:
        key = f"{where.partition('.')[2]}[{quote(source)}].exists()"
        fix = (
            f"write F.{key} for a key of a map, or == for a value."
            if types == {"M"}
            else "compare it with ==."
        )
        _reject_operator(where, "contains", types, fix)
    if holders <= {"S", "B"} and operand.kind not in holders:
        reject_type(where, source, "text" if holders == {"S"} else "bytes", "is looked for in")


def check_size(declaration: Declaration, leaf: Condition) -> None:
    """Reject the size of a number, and a size that is compared with anything but a number."""
    call, *others = operands_of(leaf)
    assert isinstance(call, Call)
    (path,) = call.operands
    if not isinstance(path, Path):
        return
    where, types = in_words(declaration, path), types_at_path(declaration, path)
    if types is not None and types.isdisjoint(FIRST_OPERAND_TYPES["size"]):
        _reject_operator(where, "size", types, "compare the value itself.")
    for each in others:
        if isinstance(each, Value) and each.kind != "N" and not isinstance(each.source, Unchecked):
            reject_type(f"{where}.size()", each.source, "a number", "is compared with")


def check_comparable(
    declaration: Declaration, path: Path, other: Path | Call, operator: str, *, nullable: bool
) -> None:
    """Reject a comparison of two fields of different types; if both are `nullable`, both may be NULL."""
    mine = types_at_path(declaration, path)
    theirs = types_at_path(declaration, other) if isinstance(other, Path) else frozenset("N")
    if operator in COMPARISONS and not nullable and mine and theirs and mine.isdisjoint(theirs):
        name = in_words(declaration, other) if isinstance(other, Path) else "a size"
        raise InvalidValue(
            "filter-value",
            f"{in_words(declaration, path)} {operator} {name}: DynamoDB stores them as {_listed(mine)} and "
            f"{_listed(theirs)}, which are never equal and have no order.",
            fix="compare fields of one type, or compare each with a value.",
        )


def check_type(where: str, types: Types, source: object, wire: Wire, *, inside: bool = False) -> None:
    """Reject a value of another type than the field is stored as; `inside` a map or a list, None is stored as NULL."""
    (kind,) = wire
    if types is None or kind in types or (kind == "NULL" and inside):
        return
    # A set may be a list, where DynamoDB has no such set.
    if kind == "L" and types & _SET_TYPES:
        return
    reject_type(where, source, f"a field that is stored as {_listed(types)}", "is compared with")


def check_time(where: str, rule: OperandRule, source: object) -> None:
    """Reject a number for a time, which Pydantic would take for seconds or milliseconds."""
    if rule.is_time and isinstance(source, int | float | Decimal):
        reject_type(where, source, "a time", "is compared with")


def reject_type(where: str, source: object, other: str, verb: str) -> NoReturn:
    """Raise the error for an operand of a type that no item would match."""
    more = ""
    if isinstance(source, list | tuple | set | frozenset):
        more = "; for one of several values, write is_in(*values)"
    elif source is None:
        more = f"; for None, write F.{where.partition('.')[2]} == None"
    raise InvalidValue(
        "filter-value",
        f"{where}: {quote(source)} of type {type(source).__name__} {verb} {other}; no item would match.",
        fix=f"use a value of the field's type{more}.",
    )


def _reject_operator(where: str, operator: str, types: Iterable[str], fix: str) -> NoReturn:
    raise InvalidValue(
        "filter-order",
        f"{where}: {operator} does not work on a field that DynamoDB stores as {_listed(types)}.",
        fix=fix,
    )


def _listed(types: Iterable[str]) -> str:
    return " or ".join(sorted(types))


def rule_at_path(declaration: Declaration, path: Path) -> OperandRule | None:
    """The rule for operands at a path; None if the model does not say what is there."""
    field, *inside = path.elements
    if inside:
        return inner_rule(declaration, path.elements)
    each = declaration.fields.get(str(field))
    return field_rule(declaration, str(field)) if each is not None and each.schema else None


def is_nullable(declaration: Declaration, path: Path) -> bool:
    """Whether the value at a path may be None."""
    rule = rule_at_path(declaration, path)
    return rule is None or rule.nullable
