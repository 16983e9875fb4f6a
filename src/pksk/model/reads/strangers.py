"""Keeps rows of other entities out of an answer, where they can stand among those asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from pksk.errors import DesignError
from pksk.expressions import Compare, Condition, In, Or, Path, Value
from pksk.keys import ScalarKey, Template
from pksk.limits import IN_OPERANDS
from pksk.model.reads.key_plan import KeyPlan
from pksk.schema import VectorIndex
from pksk.values import WireItem, item_from_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity_key import EntityKey
    from pksk.schema import Index, Table

# An entity, and its key in the index that is read.
Near: TypeAlias = "list[tuple[Declaration[Any], EntityKey | None]]"

__all__ = [
    "Mixed",
    "check_family",
    "discriminator_condition",
    "mixed",
    "near",
    "owns",
    "strangers",
    "strangers_among",
    "strangers_near",
    "tags_of",
]


@dataclass(frozen=True, slots=True)
class Mixed:
    """Rows of other entities among those asked for: what leaves them out, and a note on it.

    Without a condition the store leaves them out, by `owns`.
    """

    condition: Condition | None
    note: str


def mixed(declaration: Declaration[Any], plan: KeyPlan, index: Index, *, hydrates: bool) -> Mixed | None:
    """What keeps rows of other entities out of the answer, or None where no such row can lie within the plan."""
    found = strangers(declaration, plan)
    if not found:
        return None
    names = [other.name for other in found]
    others = f"rows of {', '.join(names)} may lie among them"
    discriminator = declaration.table.discriminator
    if discriminator is not None and index.projects(discriminator):
        condition = discriminator_condition(declaration)
        return Mixed(condition, f"{others}; a filter on {discriminator!r} leaves them out")
    if hydrates:
        return Mixed(None, f"{others}; they are told apart once they are read from the table")
    check_family(declaration, found, index)
    return Mixed(None, f"{others}; they are told apart by their primary key, after reading")


def check_family(declaration: Declaration[Any], found: Sequence[Declaration[Any]], index: Index) -> None:
    """Those that share the primary key are told apart by the discriminator alone."""
    family = [other.name for other in found if other.shares_key_with(declaration)]
    if family:
        raise DesignError(
            "plan-family",
            f"{declaration.name}: index {index.name!r} does not project {declaration.table.discriminator!r}, by which "
            f"alone {declaration.name} and {', '.join(family)} are told apart.",
            fix="add .hydrate(), or project the discriminator.",
        )


def owns(declaration: Declaration[Any], item: WireItem) -> bool:
    """Whether an item is of this entity or of a subclass: by its discriminator, else by its primary key.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("shop")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> owns(Order.__pksk__, {"pk": {"S": "ORDER#7"}, "sk": {"S": "META"}})
        True
    """
    discriminator = declaration.table.discriminator
    if discriminator is not None and discriminator in item:
        return item[discriminator].get("S") in tags_of(declaration)
    key = item_from_wire({name: item[name] for name in declaration.table.key_attributes if name in item})
    return all(
        part.attribute in key and _renders(part.writer, key[part.attribute])
        for part in declaration.primary.parts
    )


def tags_of(declaration: Declaration[Any]) -> list[str]:
    """The discriminators of the entity and of its subclasses."""
    own = [each.tag for each in declaration.table.entities if each.is_kind_of(declaration)]
    return sorted(own) or [declaration.tag]


def discriminator_condition(declaration: Declaration[Any]) -> Condition | None:
    """The condition that an item is of this entity or of its subclasses; None in a table without discriminator."""
    discriminator = declaration.table.discriminator
    if discriminator is None:
        return None
    path = Path((discriminator,))
    values = tuple(Value({"S": name}) for name in tags_of(declaration))
    if len(values) == 1:
        return Compare("=", path, values[0])
    some = [In(path, values[start : start + IN_OPERANDS]) for start in range(0, len(values), IN_OPERANDS)]
    return some[0] if len(some) == 1 else Or(tuple(some))


def strangers(declaration: Declaration[Any], plan: KeyPlan) -> list[Declaration[Any]]:
    """The other entities of the table whose rows can lie within the plan of a question about this one."""
    return _within_plan(near(declaration, plan.key), plan, (declaration,))


def strangers_among(own: tuple[Declaration[Any], ...], plan: KeyPlan, table: Table) -> list[Declaration[Any]]:
    """The entities other than these whose rows can lie within a plan that spans all of these."""
    index = table.index(plan.key.index)
    keys = [(other, key) for other in table.entities for key in _keys_in(other, index)]
    return _within_plan(keys, plan, own)


def strangers_near(
    declaration: Declaration[Any], key: EntityKey, part: Mapping[str, Any]
) -> list[Declaration[Any]]:
    """The other entities of the table that can be in one part of a vector index."""
    index = declaration.table.index(key.index)
    return [
        other
        for other in declaration.table.entities
        if not other.is_kind_of(declaration)
        if any(theirs is None or _in_part(theirs, part) for theirs in _keys_in(other, index))
    ]


def _in_part(key: EntityKey, part: Mapping[str, Any]) -> bool:
    return all(_renders(each.writer, part[each.attribute]) for each in key.partition)


def _within_plan(keys: Near, plan: KeyPlan, own: tuple[Declaration[Any], ...]) -> list[Declaration[Any]]:
    found = {
        id(other): other
        for other, key in keys
        if not any(other.is_kind_of(each) for each in own)
        and (key is None or (_same_partition(key, plan) and _within(key, plan)))
    }
    return list(found.values())


def near(declaration: Declaration[Any], key: EntityKey) -> Near:
    """Keys of other entities in the same index that are not told apart by their first characters alone."""
    # An entity that was declared since makes the answer a new one.
    question = ("near", key.name, declaration.table.entity_count)
    if question not in declaration.remembered:
        index = declaration.table.index(key.index)
        declaration.remembered[question] = [
            (other, theirs)
            for other in declaration.table.entities
            if other is not declaration
            for theirs in _keys_in(other, index)
            if theirs is None or _may_stand_together(key, theirs)
        ]
    found: Near = declaration.remembered[question]
    return found


def _keys_in(other: Declaration[Any], index: Index) -> list[EntityKey | None]:
    """The keys of an entity in an index; None where its plain fields are the keys there, with any value."""
    declared = [key for key in other.keys.values() if key.index == index.name]
    if declared:
        return [*declared]
    stored = {each.attribute for each in other.fields.values() if not each.computed} | other.key_attributes
    vector = (index.attribute,) if isinstance(index, VectorIndex) else ()
    return [None] if all(name in stored for name in (*index.partition, *index.sort, *vector)) else []


def _may_stand_together(mine: EntityKey, theirs: EntityKey) -> bool:
    return all(
        _may_meet(one.writer, other.writer) for one, other in zip(mine.parts, theirs.parts, strict=True)
    )


def _may_meet(mine: Template | ScalarKey, theirs: Template | ScalarKey) -> bool:
    if isinstance(mine, ScalarKey) or isinstance(theirs, ScalarKey):
        return True
    one, other = mine.literals[0], theirs.literals[0]
    return one.startswith(other) or other.startswith(one)


def _same_partition(key: EntityKey, plan: KeyPlan) -> bool:
    return any(
        all(_renders(part.writer, each.attributes[part.attribute]) for part in key.partition)
        for each in plan.partitions
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
