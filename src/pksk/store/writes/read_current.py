"""Reads the stored item that a write depends on, and which of the entities that share its key it is of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pksk.dataclass import dataclass
from pksk.errors import ItemUnreadable, PkskError
from pksk.expressions import Call, Compare, Condition, Path, Placeholders, Projection, Value, evaluate, render
from pksk.model.entity_of_item import entity_of_item
from pksk.model.fields.field_facts import field_facts
from pksk.model.unreadable_item import unreadable_item
from pksk.model.writes.item_change import ItemState
from pksk.model.writes.marker_rules import MarkerRules, marker_rules
from pksk.model.writes.prepared_write import Expectation, StaleRead
from pksk.model.writes.stored_states import ItemConditions
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


def field_values(rules: MarkerRules, item: Mapping[str, Any], fields: Iterable[str]) -> dict[str, Any]:
    """Fields of an item as Python values; None where it does not hold one.

    What others have stored may not fit: such a value is given as it is stored, and an end of time as none, as reads
    take it.
    """
    wires = {name: item.get(rules.declaration.attribute(name)) for name in fields}
    return {name: None if wire is None else _field_value(rules, name, wire) for name, wire in wires.items()}


def _field_value(rules: MarkerRules, name: str, wire: Wire) -> Any:
    try:
        return field_facts(rules.declaration).values.read(name, wire)
    except PkskError:
        return None if name == rules.ttl else from_wire(wire)


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
        made.fix = "put the item again, delete it, or let the model accept it."
        raise made


def known_entity_of_item(declaration: Declaration[Any], item: Mapping[str, Any]) -> Declaration[Any]:
    """Which of the entities that share a key an item belongs to; raises `ItemUnreadable` if it is another one."""
    try:
        return entity_reader(declaration).declaration_of(dict(item))
    except ItemUnreadable as error:
        error.fix = "correct the item, or replace it with a put."
        raise


def same_entity(declaration: Declaration[Any], item: Mapping[str, Any]) -> list[Condition]:
    """The item is still of the entity that it was read as; nothing if no other entity shares the key."""
    return same_discriminator(declaration, item) if marker_rules(declaration).siblings else []


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
    rules = marker_rules(declaration)
    if not rules.siblings:
        return False
    keys = {id(key.source) for key in declaration.keys.values()}
    return any(
        not marker_rules(each).has_same_markers(rules)
        or any(id(key.source) not in keys for key in each.keys.values())
        for each in rules.siblings
        if each.is_subclass_of(declaration)
    )


@dataclass(frozen=True)
class CurrentItem:
    """What is stored under a key, with the rules of the entity that it is of."""

    rules: MarkerRules
    key: WireItem
    item: WireItem | None

    @property
    def state(self) -> ItemState | None:
        """The state before a write; None if there is no item."""
        if self.item is None:
            return None
        values = field_values(self.rules, self.item, self.rules.fields_before)
        return ItemState(self.rules, self.key, values, is_stored=True)

    @property
    def unchanged(self) -> tuple[Expectation, ...]:
        """The item still exists, is of the same entity and has the same unique values; or there is still none."""
        declaration = self.rules.declaration
        found = [existence_condition(declaration.table, absent=self.item is None)]
        if self.item is not None:
            wires = {name: self.item.get(declaration.attribute(name)) for name in self.rules.fields_before}
            found += same_entity(declaration, self.item) + same_value_conditions(declaration, wires)
        return tuple(Expectation("stale_read", each) for each in found)


def current_item(
    core: Core, declaration: Declaration[Any], key: WireItem, about: Any, *, whole: bool = False
) -> Steps[CurrentItem]:
    """The stored item of a key: the fields that markers need, or the `whole` item, which must be of a known entity."""
    rules = marker_rules(declaration)
    # If others share the key, the item decides which fields are needed.
    fields = None if whole or rules.siblings else rules.fields_before
    item = yield from read_current(core, declaration, key, fields, about)
    if item is not None:
        # A put also replaces an item of an unknown entity; that may have replaced one of this entity.
        found = known_entity_of_item(declaration, item) if whole else entity_of_item(declaration, item)
        rules = marker_rules(found or declaration)
    return CurrentItem(rules, key, item)


def update_of_stored_entity(
    update: Update[Any], item: WireItem | None, now: float
) -> tuple[Update[Any], tuple[Condition, ...]]:
    """An update as one of the class that the item is of, and the conditions that it still is."""
    declaration = update.declaration
    if item is None:
        return update, (existence_condition(declaration.table, absent=True),)
    kind, same = known_entity_of_item(declaration, item), tuple(same_entity(declaration, item))
    if kind is declaration or not kind.is_subclass_of(declaration):
        return update, same
    expired = ItemConditions(marker_rules(kind), now).expired
    if update.is_upsert and expired is not None and evaluate(expired, item):
        raise StaleRead((kind, {name: item[name] for name in declaration.table.key_attributes}))
    return update.replace(entity=kind.entity, is_upsert=False), same
