"""Filters items of other entities out of a query that may read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from pksk.dataclass import dataclass
from pksk.errors import DesignError
from pksk.expressions import Condition
from pksk.keys import ScalarKey, Template
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.model.fields.field_conditions import exclude_discriminators
from pksk.model.planning.key_plan import KeyPlan
from pksk.schema import Index, Table, VectorIndex

# An entity, and its key in the index that is read.
NeighbouringKeys: TypeAlias = "list[tuple[Declaration, EntityKey | None]]"


@dataclass(frozen=True, slots=True)
class ForeignItemFilter:
    """The condition that excludes items of other entities from a query, and a note for `explain()`.

    Items without a discriminator meet the condition, so the store checks every item as well.
    """

    condition: Condition | None
    note: str


def foreign_item_filter(
    declaration: Declaration, plan: KeyPlan, index: Index, *, reads_table: bool
) -> ForeignItemFilter | None:
    """How to exclude items of other entities; None if none can be in the key range."""
    siblings = foreign_entities(declaration, plan)
    if not siblings:
        return None
    names = [other.name for other in siblings]
    others = f"may read items of {', '.join(names)} too"
    discriminator = declaration.table.discriminator
    if discriminator is not None and index.projects(discriminator):
        condition = exclude_discriminators(declaration.table, [each.tag for each in siblings])
        return ForeignItemFilter(condition, f"{others}; a filter on {discriminator!r} excludes them")
    if reads_table:
        return ForeignItemFilter(None, f"{others}; pksk skips them after reading them from the table")
    check_discriminator_projected(declaration, siblings, index)
    return ForeignItemFilter(None, f"{others}; pksk skips them by their primary key after reading")


def check_discriminator_projected(
    declaration: Declaration, entities: Sequence[Declaration], index: Index
) -> None:
    """Reject an index without the discriminator if entities share the primary key."""
    siblings = [other.name for other in entities if other.shares_key_with(declaration)]
    if siblings:
        raise DesignError(
            "plan-no-discriminator",
            f"{declaration.name}: index {index.name!r} does not project {declaration.table.discriminator!r}. "
            f"Only this attribute distinguishes {declaration.name} from {', '.join(siblings)}.",
            fix="add .hydrate(), or project the discriminator.",
        )


def foreign_entities(declaration: Declaration, plan: KeyPlan) -> list[Declaration]:
    """The other entities of the table whose items can be in the key range of a plan for this one."""
    return _within_plan(neighbouring_keys(declaration, plan.key), plan, (declaration,))


def foreign_entities_among(own: tuple[Declaration, ...], plan: KeyPlan, table: Table) -> list[Declaration]:
    """The entities other than these whose items can be in a key range that spans all of these."""
    index = table.index(plan.key.index)
    keys = [(other, key) for other in table.entities for key in _keys_in(other, index)]
    return _within_plan(keys, plan, own)


def foreign_entities_in_partition(
    declaration: Declaration, key: EntityKey, part: Mapping[str, Any]
) -> list[Declaration]:
    """The other entities of the table whose items can be in the searched part of a vector index."""
    index = declaration.table.index(key.index)
    return [
        other
        for other in declaration.table.entities
        if not other.is_subclass_of(declaration)
        if any(theirs is None or _renders_partition(theirs, part) for theirs in _keys_in(other, index))
    ]


def _renders_partition(key: EntityKey, part: Mapping[str, Any]) -> bool:
    return all(_renders(each.writer, part[each.attribute]) for each in key.partition)


def _within_plan(keys: NeighbouringKeys, plan: KeyPlan, own: tuple[Declaration, ...]) -> list[Declaration]:
    entities = {
        id(other): other
        for other, key in keys
        if not any(other.is_subclass_of(each) for each in own)
        and (key is None or (_is_in_partitions(key, plan) and _is_in_range(key, plan)))
    }
    return list(entities.values())


def neighbouring_keys(declaration: Declaration, key: EntityKey) -> NeighbouringKeys:
    """The keys of other entities in the same index that may begin with the same characters."""
    # Computed again after a further entity is declared.
    name = ("neighbouring keys", key.name, declaration.table.entity_count)
    return declaration.once(name, lambda: _find_neighbouring_keys(declaration, key))


def _find_neighbouring_keys(declaration: Declaration, key: EntityKey) -> NeighbouringKeys:
    index = declaration.table.index(key.index)
    return [
        (other, theirs)
        for other in declaration.table.entities
        if other is not declaration
        for theirs in _keys_in(other, index)
        if theirs is None or _may_share_range(key, theirs)
    ]


def _keys_in(other: Declaration, index: Index) -> list[EntityKey | None]:
    """The keys of an entity in an index; None if its plain fields are the key attributes, with any value."""
    declared = [key for key in other.keys.values() if key.index == index.name]
    if declared:
        return [*declared]
    stored = {each.attribute for each in other.fields.values() if not each.computed} | other.key_attributes
    vector = (index.attribute,) if isinstance(index, VectorIndex) else ()
    return [None] if all(name in stored for name in (*index.partition, *index.sort, *vector)) else []


def _may_share_range(mine: EntityKey, theirs: EntityKey) -> bool:
    return all(
        _may_collide(one.writer, other.writer) for one, other in zip(mine.parts, theirs.parts, strict=True)
    )


def _may_collide(mine: Template | ScalarKey, theirs: Template | ScalarKey) -> bool:
    if isinstance(mine, ScalarKey) or isinstance(theirs, ScalarKey):
        return True
    one, other = mine.literals[0], theirs.literals[0]
    return one.startswith(other) or other.startswith(one)


def _is_in_partitions(key: EntityKey, plan: KeyPlan) -> bool:
    return any(
        all(_renders(part.writer, each.attributes[part.attribute]) for part in key.partition)
        for each in plan.partitions
    )


def _renders(writer: Template | ScalarKey, value: Any) -> bool:
    return isinstance(writer, ScalarKey) or not isinstance(value, str) or writer.match(value) is not None


def _is_in_range(key: EntityKey, plan: KeyPlan) -> bool:
    writers = {part.attribute: part.writer for part in key.sort}
    for attribute, bounds in plan.sort:
        writer = writers.get(attribute)
        if (
            isinstance(writer, Template)
            and isinstance(bounds.lower or bounds.upper, str)
            and not bounds.may_contain_key_of(writer)
        ):
            return False
    return True
