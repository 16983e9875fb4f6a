"""Which filters DynamoDB can apply itself, as conditions on the attributes that hold the fields."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, get_origin
from uuid import UUID

from pksk.expressions import Between, Call, Compare, Condition, Path, Value
from pksk.keys import Filter
from pksk.keys.annotations import declared
from pksk.values import to_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.schema import Index

__all__ = ["as_condition"]

_COMPARED = {"eq": "=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}


def as_condition(declaration: Declaration[Any], index: Index, left: Filter) -> Condition | None:
    """The filter on the stored attribute, or None where DynamoDB cannot apply it.

    It refuses filters on attributes of the key that is read. A datetime is stored with its offset, so its
    text does not sort in time.
    """
    each = declaration.fields[left.field]
    in_key = each.attribute in (*index.partition, *index.sort)
    if each.computed or in_key or not index.projects(each.attribute) or not _sorts_stored(each.annotation):
        return None
    path = Path((each.attribute,))
    values = [
        Value(to_wire(declaration.stored_value(left.field, operand))) for operand in left.operator.operands
    ]
    if left.operator.name == "between":
        return Between(path, values[0], values[1])
    if left.operator.name == "begins":
        return Call("begins_with", (path, values[0]))
    return Compare(_COMPARED[left.operator.name], path, values[0])


def _sorts_stored(annotation: Any) -> bool:
    kind = declared(annotation).kind
    if get_origin(kind) is Literal or kind in (str, int, float, Decimal, bytes, UUID, date):
        return True
    return isinstance(kind, type) and issubclass(kind, Enum | str | int) and not issubclass(kind, datetime)
