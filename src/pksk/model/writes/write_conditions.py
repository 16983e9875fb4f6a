"""The conditions of writes: the user's own, on whether the item exists, and on values that were read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pksk.errors import DesignError
from pksk.expressions import And, Call, Compare, Condition, Or, Path, Placeholders, Value, render
from pksk.model.declaration import Declaration
from pksk.model.fields.condition_paths import condition_fields
from pksk.model.fields.field_conditions import condition_on_attributes, discriminator_condition
from pksk.schema import Table
from pksk.values import Wire


def user_condition(declaration: Declaration, condition: Condition | None) -> Condition | None:
    """The condition on stored attributes; raises if it names a field that is not stored."""
    if condition is None:
        return None
    on_attributes = condition_on_attributes(declaration, condition)
    for name in condition_fields(condition):
        if declaration.fields[name].computed:
            raise DesignError(
                "write-computed",
                f"A condition on {declaration.name}.{name}, which is computed and not stored.",
                fix="use the fields that it is computed from.",
            )
    return on_attributes


def check_condition(declaration: Declaration, condition: object) -> None:
    """Reject anything but a condition in `.when(...)`, also None, which every item would meet."""
    if not isinstance(condition, Condition):
        condition_on_attributes(declaration, condition)
    else:
        user_condition(declaration, condition)


def existence_condition(table: Table, *, absent: bool = False) -> Condition:
    """The condition that the item exists, or does not: every item has its partition key."""
    name = "attribute_not_exists" if absent else "attribute_exists"
    return Call(name, (Path((table.primary.partition[0],)),))


def shared_key_condition(declaration: Declaration) -> Condition | None:
    """The condition that the item is of the entity, if other entities share its key."""
    shared = any(
        other.shares_key_with(declaration) and not other.is_subclass_of(declaration)
        for other in declaration.table.entities
    )
    return discriminator_condition(declaration) if shared else None


def same_value_conditions(declaration: Declaration, read: Mapping[str, Wire | None]) -> list[Condition]:
    """The condition that fields still have the values that were read, or are still missing."""
    return [_same_value_condition(declaration, name, wire) for name, wire in read.items()]


def _same_value_condition(declaration: Declaration, name: str, wire: Wire | None) -> Condition:
    path = Path((declaration.attribute(name),))
    missing = Call("attribute_not_exists", (path,))
    if wire is None:
        return missing
    same = Compare("=", path, Value(wire))
    # The model reads both as None.
    both = "NULL" in wire and declaration.is_absent(name, None)
    return Or((missing, same)) if both else same


def join_conditions(*conditions: Condition | None) -> Condition | None:
    """All conditions joined by AND, without nesting."""
    distinct: list[Condition] = []
    for each in conditions:
        distinct += each.conditions if isinstance(each, And) else () if each is None else (each,)
    return And(tuple(distinct)) if len(distinct) > 1 else next(iter(distinct), None)


def condition_request(conditions: Iterable[Condition | None]) -> dict[str, Any]:
    """The condition members of a request; empty without a condition."""
    condition = join_conditions(*conditions)
    if condition is None:
        return {}
    placeholders = Placeholders()
    return {"ConditionExpression": render(condition, placeholders).text, **placeholders.request()}
