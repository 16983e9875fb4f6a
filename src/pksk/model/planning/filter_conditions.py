"""Turns filters into FilterExpressions where DynamoDB can apply them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, get_origin
from uuid import UUID

from pksk.errors import BoundsError
from pksk.expressions import Condition, Placeholders, render, tree
from pksk.keys import Filter, Operator, Template
from pksk.keys.parts.part_types import field_type
from pksk.model.declaration import Declaration
from pksk.model.entity_key import whole_fields
from pksk.model.fields.field_conditions import none_condition, stored_operands
from pksk.model.storing.attributes import Field
from pksk.schema import Index

_OPERATORS = {
    "eq": "=",
    "lt": "<",
    "lte": "<=",
    "gt": ">",
    "gte": ">=",
    "between": "BETWEEN",
    "begins": "begins_with",
}


def filter_condition(declaration: Declaration, index: Index, unmatched: Filter) -> Condition | None:
    """The filter on the stored attribute, or None where DynamoDB cannot apply it.

    DynamoDB rejects filters on attributes of the key that is read, and not all stored values sort like the values.
    """
    each = declaration.fields[unmatched.field]
    in_key = each.attribute in (*index.partition, *index.sort)
    if each.computed or in_key or not index.projects(each.attribute) or not _sorts_when_stored(each):
        return None
    path, operator = tree.Path((each.attribute,)), unmatched.operator
    if operator == Operator("eq", (None,)):
        return none_condition(path)
    values = stored_operands(declaration, unmatched.field, _OPERATORS[operator.name], operator.operands)
    if operator.name == "between":
        return tree.Between(path, *values)
    if operator.name == "begins":
        return tree.Call("begins_with", (path, *values))
    return tree.Compare(_OPERATORS[operator.name], path, values[0])


def may_be_in_key_only(declaration: Declaration, field: str) -> bool:
    """Whether items may hold a field only in their primary key, as other programs with raw keys write them."""
    return field in declaration.once("in raw key", lambda: _fields_in_raw_key(declaration))


def _fields_in_raw_key(declaration: Declaration) -> set[str]:
    parts = declaration.primary.parts
    raw = any(isinstance(part.writer, Template) and part.writer.codec == "raw" for part in parts)
    return whole_fields(parts) if raw else set()


def or_attribute_missing(declaration: Declaration, field: str, condition: Condition) -> Condition:
    """The condition on a field, also met if the attribute is missing: the store then checks the item's key."""
    missing = tree.Call("attribute_not_exists", (tree.Path((declaration.attribute(field),)),))
    return tree.Or((missing, condition))


def render_expressions(
    conditions: Sequence[Condition],
    attributes: Iterable[str],
    placeholders: Placeholders,
    *,
    member: str = "FilterExpression",
) -> dict[str, Any]:
    """The filter and projection expressions of a request, with their placeholders."""
    members: dict[str, Any] = {}
    if conditions:
        joined = conditions[0] if len(conditions) == 1 else tree.And(tuple(conditions))
        members[member] = render(joined, placeholders).text
    paths = tuple(tree.Path((name,)) for name in dict.fromkeys(attributes))
    if paths:
        members["ProjectionExpression"] = render(tree.Projection(paths), placeholders).text
    return members | placeholders.request()


def check_filter(declaration: Declaration, where: str, unmatched: Filter) -> None:
    """Reject a filter that no item can meet: values of another type, or a range with its ends swapped."""
    operator = unmatched.operator
    if operator.name == "between" and _is_above(*operator.operands):
        low, high = operator.operands
        raise BoundsError(
            "bounds-backwards",
            f"{where}: between({low!r}, {high!r}) on field {unmatched.field!r} ends before it begins.",
            fix=f"write between({high!r}, {low!r}).",
        )
    if operator != Operator("eq", (None,)) and _sorts_when_stored(declaration.fields[unmatched.field]):
        stored_operands(declaration, unmatched.field, _OPERATORS[operator.name], operator.operands)


def _is_above(low: Any, high: Any) -> bool:
    try:
        return bool(low > high)
    except TypeError:
        return False


def _sorts_when_stored(each: Field) -> bool:
    if each.stored_form is not None:
        return each.stored_form.ordered and each.stored_form.is_one_text and each.stored_form.rounded is None
    kind = field_type(each.annotation).type
    if get_origin(kind) is Literal or kind in (str, int, float, Decimal, bytes, bool, UUID, date, datetime):
        return True
    return isinstance(kind, type) and issubclass(kind, Enum | str | int)
