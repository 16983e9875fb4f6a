"""Moves an item to another key in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from pksk.errors import DesignError
from pksk.model import Entity, Get, Put
from pksk.model.declaration import Declaration
from pksk.model.fields.facts import field_facts
from pksk.model.item_key import resolve_item_key, wire_key
from pksk.model.requests.keyed_request import Move
from pksk.model.requests.put import declaration_to_put
from pksk.model.storing.origin import origin
from pksk.model.write_rules.prepared_write import (
    Expectation,
    ItemAction,
    PreparedWrite,
    expectation_request,
    first_failed,
)
from pksk.model.write_rules.rules import ItemChange, ItemState, marker_actions, marker_rules
from pksk.model.write_rules.stored_states import state_expectations
from pksk.model.writes.size_limits import check_item_size
from pksk.model.writes.write_conditions import existence_condition
from pksk.sending import Core, Steps, request_name
from pksk.store.arguments import E, check_request_kind
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.requests.delete import key_parts
from pksk.store.requests.put import put_action
from pksk.store.writes.failure import failure
from pksk.store.writes.perform import perform, retry_while_stale
from pksk.store.writes.read_current import (
    known_entity_of_item,
    read_current,
    unknown_attributes,
    whole_item_unchanged,
)
from pksk.values import WireItem, item_size


def move(core: Core, item: E | Get[E], changes: Mapping[str, Any]) -> Steps[E]:
    """Change fields of an item, also those of its primary key; returns the entity as it is stored afterwards."""
    if not hasattr(type(item), "__pksk__"):
        check_request_kind("move", item, "Get")
    entity = None if isinstance(item, Get) else item
    declaration = item.declaration if isinstance(item, Get) else declaration_to_put(type(item), item)
    key = item.item_key if isinstance(item, Get) else _key_of_entity(declaration, item)
    rules, checked = marker_rules(declaration), _validated_changes(declaration, changes)
    request = Move(declaration.entity, frozenset(changes))
    if isinstance(item, Get) and item.pattern is not None:
        request = request.with_pattern(item.pattern)
    if core.meters:
        core.meters.used(request)

    def attempt() -> Steps[E]:
        current = yield from read_current(core, declaration, key, None, request)
        # The item may belong to a subclass with markers of its own.
        kind = declaration if current is None else known_entity_of_item(declaration, current)
        change = ItemChange(
            "move",
            marker_rules(kind) if kind.is_subclass_of(declaration) else rules,
            core.clock(),
            changed=request.changed,
            expected={} if entity is None else rules.expected(entity),
            write=request,
            label=request_name(request),
        )
        moved = yield from _move_item(core, request, change, key, current, checked)
        return cast("E", moved)

    return (yield from retry_while_stale(core, request, attempt))


def _key_of_entity(declaration: Declaration, entity: Entity) -> WireItem:
    """The key of the item that an entity was read from; raises if the entity does not determine it (random shards)."""
    parts = key_parts(declaration, entity)
    return wire_key(resolve_item_key(declaration.entity, declaration.primary.name, parts, "move")[1])


def _move_item(
    core: Core,
    write: Move,
    change: ItemChange,
    old_key: WireItem,
    item: WireItem | None,
    values: Mapping[str, Any],
) -> Steps[Entity]:
    rules, declaration = change.rules, change.rules.declaration
    _check_current(write, change, old_key, item)
    assert item is not None
    current = entity_reader(declaration).read(item)
    put = Put(rules.stamp(current.model_copy(update=dict(values)), core.now()))
    key = wire_key(put.item_key)
    # Unknown attributes move too, as an update keeps them.
    unknown = {} if declaration.unknown == "drop" else unknown_attributes(declaration, item)
    # The origin belongs to the old key, so the put alone does not write it back.
    carried = origin(put.value)
    moved = put.item if carried is None else declaration.origins.write_back(carried, put.item)
    moved = {**unknown, **moved}
    check_item_size(f"move: the item of {declaration.name}", item_size(moved))
    unchanged = tuple(Expectation("stale_read", each) for each in whole_item_unchanged(rules, item))
    if key == old_key:
        actions: tuple[ItemAction, ...] = (put_action(put, unchanged, moved),)
    else:
        request = {"TableName": declaration.table.name, "Key": old_key, **expectation_request(unchanged)}
        to_new_key = put_action(put, tuple(state_expectations("move", change.conditions)), moved)
        actions = (to_new_key, ItemAction("Delete", request, unchanged))
    change = replace(
        change,
        before=ItemState(rules, old_key, rules.values(current), is_stored=True),
        after=ItemState(rules, key, rules.values(put.value)),
    )
    prepared = PreparedWrite(write, actions, marker_actions(change), current=item, has_read=True)
    yield from perform(core, prepared)
    # As it would be read: TTLs are whole seconds.
    return declaration.from_item(moved)


def _check_current(write: Move, change: ItemChange, key: WireItem, item: WireItem | None) -> None:
    """Raise if the item does not exist, or is not as it was read."""
    declaration = change.rules.declaration
    action = ItemAction("Delete", {"TableName": declaration.table.name, "Key": key})
    if item is None or entity_reader(declaration).live_entity(item, change.now) is None:
        absent = Expectation("absent", existence_condition(declaration.table))
        raise failure(write, action, absent, None)
    failed = first_failed(tuple(change.rules.expectations(change)), item)
    if failed is not None:
        raise failure(write, action, failed, item)


def _validated_changes(declaration: Declaration, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The validated changes; raises if one is not a field, or the store sets it."""
    facts, rules = field_facts(declaration), marker_rules(declaration)
    where = f"{declaration.name}: move"
    if not changes:
        raise DesignError(
            "store-move-no-change",
            f"{where}: it has no changes.",
            fix="pass the fields to change, with their new values.",
        )
    for name in changes:
        declaration.attribute(name)
        if declaration.fields[name].computed or name in rules.store_managed:
            raise DesignError(
                "store-managed-field",
                f"{where}: {name!r} cannot be changed: it is computed, or set by the store.",
                fix=f"leave {name!r} out.",
            )
    return {name: facts.values.validated(name, value) for name, value in changes.items()}
