"""Entities that share a primary key: which of them a stored item is of, and what that asks of a write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pksk.errors import ItemUnreadable
from pksk.expressions import Call, Compare, Condition, Path, Value, evaluate
from pksk.model.told import kind_of as told_kind
from pksk.model.writes.conditions import present, still
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.sending.steps import Steps
from pksk.store.writes.before import field_values, read_before
from pksk.store.writes.marks import Marks, marks_of
from pksk.store.writes.prepared import Stale

if TYPE_CHECKING:
    from pksk.model import Update
    from pksk.model.declaration import Declaration
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["Held", "as_stored", "held", "kind_of", "same_kind", "same_word", "varied"]


def kind_of(declaration: Declaration[Any], item: Mapping[str, Any]) -> Declaration[Any]:
    """The entity of a family that an item is of; raises `ItemUnreadable` where it says to be something else."""
    try:
        return entity_reader(declaration).kind(dict(item))
    except ItemUnreadable as error:
        error.fix = "mend the item, or put an entity there, which replaces whatever there is."
        raise


def same_kind(declaration: Declaration[Any], item: Mapping[str, Any]) -> list[Condition]:
    """That the item is still of the class that it was read with; nothing in a family of one."""
    return same_word(declaration, item) if marks_of(declaration).kin else []


def same_word(declaration: Declaration[Any], item: Mapping[str, Any]) -> list[Condition]:
    """That the item still says to be what it said; nothing where items do not say that."""
    name = declaration.table.discriminator
    if name is None:
        return []
    path = Path((name,))
    if name not in item:
        return [Call("attribute_not_exists", (path,))]
    return [Compare("=", path, Value(item[name]))]


def varied(declaration: Declaration[Any]) -> bool:
    """Whether an update must know which subclass an item is of: where one has markers or index keys of its own."""
    marks = marks_of(declaration)
    if not marks.kin:
        return False
    keys = {id(key.source) for key in declaration.keys.values()}
    return any(
        not marks_of(each).asks_the_same(marks)
        or any(id(key.source) not in keys for key in each.keys.values())
        for each in marks.kin
        if each.is_kind_of(declaration)
    )


@dataclass(frozen=True)
class Held:
    """An item as it was read, with the marks of the class that it is of: what guards depend on."""

    marks: Marks
    item: WireItem

    @property
    def values(self) -> dict[str, Any]:
        """The fields that guards hold."""
        return field_values(self.marks, self.item, self.marks.guarded)

    @property
    def unchanged(self) -> list[Condition]:
        """That it is there, of the same class, and with the same unique values."""
        declaration = self.marks.declaration
        wires = {name: self.item.get(self.marks.attribute(name)) for name in self.marks.guarded}
        there = present(declaration.table)
        return [there, *same_kind(declaration, self.item), *still(declaration, wires)]


def held(core: Core, declaration: Declaration[Any], key: WireItem, about: Any) -> Steps[Held | None]:
    """The item under a key with what guards it has; None where there is none."""
    marks = marks_of(declaration)
    # Of a family, nobody knows yet which fields count.
    fields = None if marks.kin else marks.guarded
    item = yield from read_before(core, declaration, key, fields, about)
    if item is None:
        return None
    # What is of nobody's class is replaced as well; it may have taken the place of one of this class.
    return Held(marks_of(told_kind(declaration, item) or declaration), item)


def as_stored(
    update: Update[Any], item: WireItem | None, now: float
) -> tuple[Update[Any], tuple[Condition, ...]]:
    """An update as one of the class that the item is of, and the conditions that it still is."""
    declaration = update.declaration
    if item is None:
        return update, (present(declaration.table, absent=True),)
    kind, same = kind_of(declaration, item), tuple(same_kind(declaration, item))
    if kind is declaration or not kind.is_kind_of(declaration):
        return update, same
    over = marks_of(kind).expired(now)
    if update.upserting and over is not None and evaluate(over, item):
        raise Stale((kind, {name: item[name] for name in declaration.table.key_attributes}))
    return update.changed(entity=kind.entity, upserting=False), same
