"""Keeps rows of other entities out of an answer, where they can stand among those asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.expressions import Compare, Condition, In, Path, Value
from pksk.keys import ScalarKey, Template
from pksk.model.key_plan import KeyPlan

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity_key import EntityKey

__all__ = ["stranger_condition"]


def stranger_condition(declaration: Declaration[Any], plan: KeyPlan) -> tuple[Condition | None, str]:
    """A condition on the discriminator, if rows of another entity can lie within the plan, and a note on it."""
    strangers = [
        other.name
        for other in declaration.table.entities
        if not issubclass(other.entity, declaration.entity) and _can_stand_in(other, plan)
    ]
    discriminator = declaration.table.discriminator
    if not strangers:
        return None, ""
    names = ", ".join(strangers)
    if discriminator is None:
        return None, f"rows of {names} may lie among them, and the table has no discriminator to tell"
    own = sorted(
        other.name for other in declaration.table.entities if issubclass(other.entity, declaration.entity)
    )
    values = tuple(Value({"S": name}) for name in own or [declaration.name])
    path = Path((discriminator,))
    condition = Compare("=", path, values[0]) if len(values) == 1 else In(path, values)
    return condition, f"rows of {names} may lie among them; a filter on {discriminator!r} leaves them out"


def _can_stand_in(other: Declaration[Any], plan: KeyPlan) -> bool:
    return any(
        _same_partition(key, plan) and _within(key, plan)
        for key in other.keys.values()
        if key.index == plan.key.index
    )


def _same_partition(key: EntityKey, plan: KeyPlan) -> bool:
    return any(
        all(_renders(part.writer, values[part.attribute]) for part in key.partition)
        for values in plan.partitions
    )


def _renders(writer: Template | ScalarKey, value: Any) -> bool:
    return isinstance(writer, ScalarKey) or not isinstance(value, str) or writer.match(value) is not None


def _within(key: EntityKey, plan: KeyPlan) -> bool:
    writers = {part.attribute: part.writer for part in key.sort}
    for attribute, bounds in plan.sort:
        writer = writers.get(attribute)
        if (
            isinstance(writer, Template)
            and isinstance(bounds.lower or bounds.upper, str)
            and not bounds.may_hold(writer)
        ):
            return False
    return True
