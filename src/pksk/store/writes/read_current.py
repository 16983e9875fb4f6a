"""Reads the stored item that a write depends on, and finds which entity it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pksk.dataclass import dataclass
from pksk.errors import DesignError, ExpressionError, ItemUnreadable, PkskError
from pksk.expressions import Call, Compare, Condition, Path, Placeholders, Projection, Value, evaluate, render
from pksk.model import Update
from pksk.model.declaration import Declaration
from pksk.model.entity_of_item import entity_of_item, unreadable_item
from pksk.model.fields.facts import field_facts
from pksk.model.requests.request import Request
from pksk.model.write_rules.prepared_write import Expectation, StaleRead
from pksk.model.write_rules.rules import ItemState, MarkerRules, marker_rules
from pksk.model.write_rules.stored_states import ItemConditions
from pksk.model.writes.write_conditions import condition_request, existence_condition, same_value_conditions
from pksk.sending import Core, Steps, send
from pksk.store.reads.entity_reader import entity_reader
from pksk.values import Wire, WireItem, from_wire


def read_current(
    core: Core,
    declaration: Declaration,
    key: WireItem,
    fields: Iterable[str] | None,
    request: Request | None,
) -> Steps[WireItem | None]:
    """The stored item with these fields, its key, discriminator and TTL; None if there is none.

    It is read consistently, and whole without `fields`.
    """
    parameters: dict[str, Any] = {"TableName": declaration.table.name, "Key": key, "ConsistentRead": True}
    if fields is not None:
        table = declaration.table
        beside = (name for name in (table.discriminator, table.ttl) if name is not None)
        names = dict.fromkeys((*table.key_attributes, *map(declaration.attribute, fields), *beside))
        placeholders = Placeholders()
        text = render(Projection(tuple(Path((name,)) for name in names)), placeholders).text
        parameters |= {"ProjectionExpression": text, **placeholders.request()}
    item: WireItem | None = (yield from send(core, "GetItem", parameters, request)).get("Item")
    return item


def field_values(rules: MarkerRules, item: WireItem, fields: Iterable[str]) -> dict[str, Any]:
    """Fields of an item as Python values; None for a missing one.

    A value that does not fit its field is returned as stored; a TTL that does not fit is None, as for reads.
    """
    wires = {name: item.get(rules.declaration.attribute(name)) for name in fields}
    return {name: None if wire is None else _field_value(rules, name, wire) for name, wire in wires.items()}


def _field_value(rules: MarkerRules, name: str, wire: Wire) -> Any:
    try:
        return field_facts(rules.declaration).values.read(name, wire)
    except PkskError:
        return None if name == rules.ttl else from_wire(wire)


def check_readable(declaration: Declaration, item: WireItem, fields: Iterable[str]) -> None:
    """Raise `ItemUnreadable` if a field of an item does not fit its entity."""
    read, problems = field_facts(declaration).values.read, {}
    for name in fields:
        wire = item.get(declaration.attribute(name))
        try:
            if wire is not None:
                read(name, wire)
        except PkskError as error:
            problems[name] = error.problem
    if problems:
        unreadable = unreadable_item(declaration, item, None, problems)
        unreadable.fix = "put the item again, delete it, or let the model accept it."
        raise unreadable


def known_entity_of_item(declaration: Declaration, item: WireItem) -> Declaration:
    """Which of the entities that share a key an item belongs to; raises `ItemUnreadable` if it is another one."""
    try:
        return entity_reader(declaration).declaration_of(dict(item))
    except ItemUnreadable as error:
        error.fix = "correct the item, or replace it with a put."
        raise


def same_entity(declaration: Declaration, item: WireItem) -> list[Condition]:
    """The condition that the item still belongs to the same entity; none if no other entity shares the key."""
    return same_discriminator(declaration, item) if marker_rules(declaration).siblings else []


def same_discriminator(declaration: Declaration, item: WireItem) -> list[Condition]:
    """The condition that the discriminator of the item is unchanged; none without a discriminator."""
    name = declaration.table.discriminator
    if name is None:
        return []
    path = Path((name,))
    if name not in item:
        return [Call("attribute_not_exists", (path,))]
    return [Compare("=", path, Value(item[name]))]


def unknown_attributes(declaration: Declaration, item: WireItem) -> WireItem:
    """The attributes of an item that its entity does not know: neither fields nor keys."""
    return {name: wire for name, wire in item.items() if name not in declaration.known_attributes}


def whole_item_unchanged(rules: MarkerRules, item: WireItem, verb: str = "move") -> list[Condition]:
    """The conditions that the item is as it was read, with the attributes that its entity does not know.

    A version alone does not prove this: an item that was deleted and created again starts with the same version. If
    the whole item does not fit into an expression, the version must do, with as many other attributes as fit.
    """
    conditions = _ordered_conditions(rules, item)
    if not rules.detects_changes and not _fits(conditions):
        name, count = rules.declaration.name, len(conditions)
        raise DesignError(
            "store-move-too-large",
            f"{name}: {verb}: an item with {len(item)} attributes needs {count} conditions to detect "
            "concurrent changes, which is too long for an expression.",
            expected=f"A {verb} loses no concurrent changes. A condition has at most 300 operators "
            "and 4,096 bytes.",
            fix=f"give {name} a version, which detects changes by itself: version: Annotated[int, Version()] = 0.",
        )
    while not _fits(conditions):
        conditions = conditions[: len(conditions) * 9 // 10]
    return conditions


def _ordered_conditions(rules: MarkerRules, item: WireItem) -> list[Condition]:
    """All conditions: on the existence of the item, its entity and its fields, and unknown attributes last."""
    declaration = rules.declaration
    # The primary key of an item never changes.
    keys = declaration.table.key_attributes
    fields = dict.fromkeys((*rules.store_managed, *field_facts(declaration).stored))
    attributes = {name: declaration.attribute(name) for name in fields}
    wires = {name: item.get(each) for name, each in attributes.items() if each not in keys}
    others = [
        Compare("=", Path((name,)), Value(wire))
        for name, wire in unknown_attributes(declaration, item).items()
    ]
    present = existence_condition(declaration.table)
    return [present, *same_entity(declaration, item), *same_value_conditions(declaration, wires), *others]


def _fits(conditions: Sequence[Condition]) -> bool:
    try:
        condition_request(conditions)
    except ExpressionError:
        return False
    return True


def varies_by_entity(declaration: Declaration) -> bool:
    """Whether an update depends on the subclass of the item: one has markers or index keys of its own."""
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
    """The item that is stored under a key, with the rules of its entity."""

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
        conditions = [existence_condition(declaration.table, absent=self.item is None)]
        if self.item is not None:
            wires = {name: self.item.get(declaration.attribute(name)) for name in self.rules.fields_before}
            conditions += same_entity(declaration, self.item) + same_value_conditions(declaration, wires)
        return tuple(Expectation("stale_read", each) for each in conditions)


def current_item(
    core: Core, declaration: Declaration, key: WireItem, request: Request | None, *, whole: bool = False
) -> Steps[CurrentItem]:
    """The stored item of a key: the fields that markers need, or the `whole` item, which must be of a known entity."""
    rules = marker_rules(declaration)
    # If others share the key, the item decides which fields are needed.
    fields = None if whole or rules.siblings else rules.fields_before
    item = yield from read_current(core, declaration, key, fields, request)
    if item is not None:
        # A put also replaces an item of an unknown entity; that may have replaced one of this entity.
        owner = known_entity_of_item(declaration, item) if whole else entity_of_item(declaration, item)
        rules = marker_rules(owner or declaration)
    return CurrentItem(rules, key, item)


def update_of_stored_entity(
    update: Update, item: WireItem | None, now: float
) -> tuple[Update, tuple[Condition, ...]]:
    """An update of the entity that the item belongs to, and the conditions that it still does."""
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
