"""Turns filters into FilterExpressions where DynamoDB can apply them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, get_origin
from uuid import UUID

from pksk.errors import BoundsError
from pksk.expressions import (
    And,
    Between,
    Call,
    Compare,
    Condition,
    Or,
    Path,
    Placeholders,
    Projection,
    render,
)
from pksk.keys import Filter, Operator, Template
from pksk.keys.field_type import field_type
from pksk.model.entity_key import whole_fields
from pksk.model.fields.field_conditions import none_condition, stored_operands

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
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


def filter_condition(declaration: Declaration[Any], index: Index, unmatched: Filter) -> Condition | None:
    """The filter on the stored attribute, or None where DynamoDB cannot apply it.

    DynamoDB rejects filters on attributes of the key that is read. The text of a datetime includes its UTC
    offset, so it does not sort by time.
    """
    each = declaration.fields[unmatched.field]
    in_key = each.attribute in (*index.partition, *index.sort)
    if (
        each.computed
        or in_key
        or not index.projects(each.attribute)
        or not _sorts_when_stored(each.annotation)
    ):
        return None
    path, operator = Path((each.attribute,)), unmatched.operator
    if operator == Operator("eq", (None,)):
        return none_condition(path)
    values = stored_operands(declaration, unmatched.field, _OPERATORS[operator.name], operator.operands)
    if operator.name == "between":
        return Between(path, *values)
    if operator.name == "begins":
        return Call("begins_with", (path, *values))
    return Compare(_OPERATORS[operator.name], path, values[0])


def may_be_in_key_only(declaration: Declaration[Any], field: str) -> bool:
    """Whether items may hold a field only in their primary key, as other programs with raw keys write them.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Visit(Entity, table=Table("clinic")):
        ...     pet: str
        ...     notes: str = ""
        ...     primary = Key("pet|{pet}", "visit", codec="raw")
        >>> [may_be_in_key_only(Visit.__pksk__, field) for field in ("pet", "notes")]
        [True, False]
    """
    found = declaration.cache.get("lacking")
    if found is None:
        parts = declaration.primary.parts
        raw = any(isinstance(part.writer, Template) and part.writer.codec == "raw" for part in parts)
        found = declaration.cache["lacking"] = whole_fields(parts) if raw else set()
    return field in found


def or_attribute_missing(declaration: Declaration[Any], field: str, condition: Condition) -> Condition:
    """The condition on a field, also met if the attribute is missing: the store then checks the item's key."""
    lacking = Call("attribute_not_exists", (Path((declaration.attribute(field),)),))
    return Or((lacking, condition))


def render_expressions(
    conditions: Sequence[Condition],
    attributes: Iterable[str],
    placeholders: Placeholders,
    *,
    member: str = "FilterExpression",
) -> dict[str, Any]:
    """The filter and projection expressions of a request, with their placeholders.

    Example:
        >>> render_expressions([], ["pk", "size"], Placeholders())
        {'ProjectionExpression': 'pk, #n0', 'ExpressionAttributeNames': {'#n0': 'size'}}
    """
    made: dict[str, Any] = {}
    if conditions:
        joined = conditions[0] if len(conditions) == 1 else And(tuple(conditions))
        made[member] = render(joined, placeholders).text
    paths = tuple(Path((name,)) for name in dict.fromkeys(attributes))
    if paths:
        made["ProjectionExpression"] = render(Projection(paths), placeholders).text
    return made | placeholders.request()


def check_filter(declaration: Declaration[Any], where: str, unmatched: Filter) -> None:
    """Reject a filter that no item can meet: values of another type, or a range with its ends swapped."""
    operator = unmatched.operator
    if operator.name == "between" and _is_above(*operator.operands):
        low, high = operator.operands
        raise BoundsError(
            "bounds-backwards",
            f"{where}: between({low!r}, {high!r}) on field {unmatched.field!r} ends before it begins.",
            fix=f"write between({high!r}, {low!r}).",
        )
    if operator != Operator("eq", (None,)) and _sorts_when_stored(
        declaration.fields[unmatched.field].annotation
    ):
        stored_operands(declaration, unmatched.field, _OPERATORS[operator.name], operator.operands)


def _is_above(low: Any, high: Any) -> bool:
    try:
        return bool(low > high)
    except TypeError:
        return False


def _sorts_when_stored(annotation: Any) -> bool:
    kind = field_type(annotation).type
    if get_origin(kind) is Literal or kind in (str, int, float, Decimal, bytes, bool, UUID, date):
        return True
    return isinstance(kind, type) and issubclass(kind, Enum | str | int) and not issubclass(kind, datetime)
