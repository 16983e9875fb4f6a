"""Entities that share a primary key: which of them a stored item is of, and what that asks of a write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pksk.expressions import Call, Compare, Condition, Or, Path, Value
from pksk.model.writes.conditions import present, still
from pksk.store.sending.steps import Steps
from pksk.store.writes.before import field_values, read_before
from pksk.store.writes.marks import Marks, marks_of

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["Held", "held", "kind_of", "same_kind", "varied"]


def kind_of(declaration: Declaration[Any], item: Mapping[str, Any]) -> Declaration[Any]:
    """The entity of a family that an item is of; the one that is asked about, where nothing tells."""
    tag = item.get(declaration.table.discriminator or "", {}).get("S")
    kin = (declaration, *marks_of(declaration).kin)
    return next((each for each in kin if each.tag == tag), declaration)


def same_kind(declaration: Declaration[Any], item: Mapping[str, Any]) -> list[Condition]:
    """That the item is still of the class that it was read with; nothing in a family of one."""
    name = declaration.table.discriminator
    if name is None or not marks_of(declaration).kin:
        return []
    path = Path((name,))
    if name not in item:
        return [Call("attribute_not_exists", (path,))]
    return [Compare("=", path, Value(item[name]))]


def varied(declaration: Declaration[Any]) -> bool:
    """Whether a write through this class must know which subclass an item is of: by markers or index keys of its own."""
    marks, keys = marks_of(declaration), {id(key.source) for key in declaration.keys.values()}
    return any(
        not marks_of(each).asks_the_same(marks) or any(id(key.source) not in keys for key in each.keys.values())
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
        return field_values(self.marks.declaration, self.item, self.marks.guarded)

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
    return None if item is None else Held(marks_of(kind_of(declaration, item)), item)


def or_absent(declaration: Declaration[Any], asked: list[Condition]) -> list[Condition]:
    """Each of the conditions, or that there is no item."""
    return [Or((present(declaration.table, absent=True), each)) for each in asked]
