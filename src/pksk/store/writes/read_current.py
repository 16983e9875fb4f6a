"""Reads the stored item that a write depends on, and which of the entities that share its key it is of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pksk.dataclass import dataclass
from pksk.errors import ItemUnreadable, PkskError
from pksk.expressions import Call, Compare, Condition, Path, Placeholders, Projection, Value, evaluate, render
from pksk.model.entity_of_item import entity_of_item as told_kind
from pksk.model.fields.field_facts import field_facts
from pksk.model.markers.marker_rules import MarkerRules, marker_rules
from pksk.model.unreadable_item import unreadable_item
from pksk.model.writes.prepared_write import StaleRead
from pksk.model.writes.write_conditions import existence_condition, same_value_conditions
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.sending.send import send
from pksk.store.sending.steps import Steps
from pksk.values import from_wire

if TYPE_CHECKING:
    from pksk.model import Update
    from pksk.model.declaration import Declaration
    from pksk.store.core import Core
    from pksk.values import Wire, WireItem

__all__ = [
    "CurrentItem",
    "check_readable",
    "current_item",
    "field_values",
    "known_entity_of_item",
    "read_current",
    "same_discriminator",
    "same_entity",
    "update_of_stored_entity",
    "varies_by_entity",
]


def read_current(
    core: Core, declaration: Declaration[Any], key: WireItem, fields: Iterable[str] | None, about: Any
) -> Steps[WireItem | None]:
    """The item under a key as of this moment, or None: these fields of it, its key, what it says to be, and its end.

    Without `fields`, all of it.
    """
    request: dict[str, Any] = {"TableName": declaration.table.name, "Key": key, "ConsistentRead": True}
    if fields is not None:
        table = declaration.table
        beside = (name for name in (table.discriminator, table.ttl) if name is not None)
        names = dict.fromkeys((*table.key_attributes, *map(declaration.attribute, fields), *beside))
        placeholders = Placeholders()
        text = render(Projection(tuple(Path((name,)) for name in names)), placeholders).text
        request |= {"ProjectionExpression": text, **placeholders.request()}
    item: WireItem | None = (yield from send(core, "GetItem", request, about)).get("Item")
    return item


def field_values(marks: MarkerRules, item: Mapping[str, Any], fields: Iterable[str]) -> dict[str, Any]:
    """Fields of an item as Python values; None where it does not hold one.

    What others have stored may not fit: such a value is given as it is stored, and an end of time as none, as reads
    take it.
    """
    wires = {name: item.get(marks.attribute(name)) for name in fields}
    return {name: None if wire is None else _field_value(marks, name, wire) for name, wire in wires.items()}


def _field_value(marks: MarkerRules, name: str, wire: Wire) -> Any:
    try:
        return field_facts(marks.declaration).values.read(name, wire)
    except PkskError:
        return None if name == marks.expiry else from_wire(wire)


def check_readable(declaration: Declaration[Any], item: WireItem, fields: Iterable[str]) -> None:
    """Raise `ItemUnreadable` where a field of an item does not fit its entity."""
    read, found = field_facts(declaration).values.read, {}
    for name in fields:
        wire = item.get(declaration.attribute(name))
        try:
            if wire is not None:
                read(name, wire)
        except PkskError as error:
            found[name] = error.problem
    if found:
        made = unreadable_item(declaration, item, None, found)
        made.fix = "put the item anew, delete it, or let the model accept it."
        raise made


def known_entity_of_item(declaration: Declaration[Any], item: Mapping[str, Any]) -> Declaration[Any]:
    """The entity of a family that an item is of; raises `ItemUnreadable` where it says to be something else."""
    try:
        return entity_reader(declaration).kind(dict(item))
    except ItemUnreadable as error:
        error.fix = "mend the item, or put an entity there, which replaces whatever there is."
        raise


def same_entity(declaration: Declaration[Any], item: Mapping[str, Any]) -> list[Condition]:
    """That the item is still of the class that it was read with; nothing in a family of one."""
    return same_discriminator(declaration, item) if marker_rules(declaration).kin else []


def same_discriminator(declaration: Declaration[Any], item: Mapping[str, Any]) -> list[Condition]:
    """That the item still says to be what it said; nothing where items do not say that."""
    name = declaration.table.discriminator
    if name is None:
        return []
    path = Path((name,))
    if name not in item:
        return [Call("attribute_not_exists", (path,))]
    return [Compare("=", path, Value(item[name]))]


def varies_by_entity(declaration: Declaration[Any]) -> bool:
    """Whether an update must know which subclass an item is of: where one has markers or index keys of its own."""
    marks = marker_rules(declaration)
    if not marks.kin:
        return False
    keys = {id(key.source) for key in declaration.keys.values()}
    return any(
        not marker_rules(each).asks_the_same(marks)
        or any(id(key.source) not in keys for key in each.keys.values())
        for each in marks.kin
        if each.is_kind_of(declaration)
    )


@dataclass(frozen=True)
class CurrentItem:
    """An item as it was read, with the marks of the class that it is of: what guards depend on."""

    marks: MarkerRules
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
        there = existence_condition(declaration.table)
        return [there, *same_entity(declaration, self.item), *same_value_conditions(declaration, wires)]


def current_item(
    core: Core, declaration: Declaration[Any], key: WireItem, about: Any
) -> Steps[CurrentItem | None]:
    """The item under a key with what guards it has; None where there is none."""
    marks = marker_rules(declaration)
    # Of a family, nobody knows yet which fields count.
    fields = None if marks.kin else marks.guarded
    item = yield from read_current(core, declaration, key, fields, about)
    if item is None:
        return None
    # What is of nobody's class is replaced as well; it may have taken the place of one of this class.
    return CurrentItem(marker_rules(told_kind(declaration, item) or declaration), item)


def update_of_stored_entity(
    update: Update[Any], item: WireItem | None, now: float
) -> tuple[Update[Any], tuple[Condition, ...]]:
    """An update as one of the class that the item is of, and the conditions that it still is."""
    declaration = update.declaration
    if item is None:
        return update, (existence_condition(declaration.table, absent=True),)
    kind, same = known_entity_of_item(declaration, item), tuple(same_entity(declaration, item))
    if kind is declaration or not kind.is_kind_of(declaration):
        return update, same
    over = marker_rules(kind).expired(now)
    if update.is_upsert and over is not None and evaluate(over, item):
        raise StaleRead((kind, {name: item[name] for name in declaration.table.key_attributes}))
    return update.replace(entity=kind.entity, is_upsert=False), same
