"""Moves an item to another key in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pksk.errors import DesignError, ExpressionError
from pksk.expressions import Compare, Condition, Path, Value
from pksk.model import Get, Put
from pksk.model.fields.field_facts import field_facts
from pksk.model.item_key import resolve_item_key
from pksk.model.requests.move import Move
from pksk.model.writes.item_change import ItemChange, ItemState
from pksk.model.writes.marker_rules import MarkerRules, marker_actions, marker_rules
from pksk.model.writes.prepared_write import (
    Expectation,
    ItemAction,
    PreparedWrite,
    expectation_request,
    first_failed,
    wire_key,
)
from pksk.model.writes.size_limits import check_item_size
from pksk.model.writes.stored_states import state_expectations
from pksk.model.writes.write_conditions import condition_request, existence_condition, same_value_conditions
from pksk.store.argument_checks import check_request_kind
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.requests.delete import key_parts
from pksk.store.requests.put import put_action, stamp
from pksk.store.sending.diagnosis import request_name
from pksk.store.sending.steps import Steps
from pksk.store.writes.failure import failure
from pksk.store.writes.perform import perform, retry_while_stale
from pksk.store.writes.read_current import known_entity_of_item, read_current, same_entity
from pksk.values import item_size

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.store.core import Core
    from pksk.values import WireItem


def unknown_attributes(declaration: Declaration[Any], item: WireItem) -> WireItem:
    """The attributes of an item that its entity does not know: no fields, and none that it writes itself."""
    known = {each.attribute for each in declaration.fields.values() if not each.computed}
    known |= {*declaration.key_attributes, *declaration.table.key_attributes}
    return {
        name: wire
        for name, wire in item.items()
        if name not in known and name != declaration.table.discriminator
    }


def whole_item_unchanged(rules: MarkerRules, item: WireItem) -> list[Condition]:
    """The item exists and is still as it was read, with the attributes that its entity does not know.

    A version alone does not prove this: an item that was deleted and created again begins with the same one. It has to
    do only if all that an item holds is too much for an expression, with as much else as there is room for.
    """
    found = _ordered_conditions(rules, item)
    if not rules.detects_changes and not _fits(found):
        name, count = rules.declaration.name, len(found)
        raise DesignError(
            "store-move-too-wide",
            f"{name}: move: an item with {len(item)} attributes would be compared with what was read, in {count} "
            "conditions.",
            expected="A move loses nothing that other clients write meanwhile. A condition has at most 300 operators "
            "and 4,096 bytes.",
            fix=f"give {name} a version, which shows as much by itself: version: Annotated[int, Version()] = 0.",
        )
    while not _fits(found):
        found = found[: len(found) * 9 // 10]
    return found


def _ordered_conditions(rules: MarkerRules, item: WireItem) -> list[Condition]:
    """All that is compared; first what shows most."""
    declaration = rules.declaration
    # Those of the primary key do not change while an item is there.
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


def _fits(conditions: list[Condition]) -> bool:
    try:
        condition_request(conditions)
    except ExpressionError:
        return False
    return True


def move(core: Core, thing: Any, changes: Mapping[str, Any]) -> Steps[Any]:
    """Change fields of an item, also those of its primary key; gives the entity as it is stored afterwards."""
    if not hasattr(type(thing), "__pksk__"):
        check_request_kind("move", thing, "Get")
    put = None if isinstance(thing, Get) else Put(thing)
    declaration = thing.entity.__pksk__ if put is None else put.declaration
    key = wire_key(thing.request["Key"] if put is None else _key_of_entity(declaration, thing))
    rules, checked = marker_rules(declaration), _validated_changes(declaration, changes)
    request, pattern = Move(declaration.entity, frozenset(changes)), None if put else thing.pattern
    request = request if pattern is None else request.with_pattern(pattern)
    if core.meters:
        core.meters.used(request)

    def attempt() -> Steps[Any]:
        current = yield from read_current(core, declaration, key, None, request)
        # What is stored may be of a subclass, with markers of its own.
        kind = declaration if current is None else known_entity_of_item(declaration, current)
        change = ItemChange(
            "move",
            marker_rules(kind) if kind.is_subclass_of(declaration) else rules,
            core.clock(),
            changed=request.changed,
            expected={} if put is None else rules.expected(thing),
            write=request,
            label=request_name(request),
        )
        return (yield from _move_item(core, change, key, current, checked))

    return (yield from retry_while_stale(core, request, attempt))


def _key_of_entity(declaration: Declaration[Any], entity: Any) -> Mapping[str, Any]:
    """The key of the item that an entity was read from; rejected if its parts do not decide it, as a random shard."""
    return resolve_item_key(
        declaration.entity, declaration.primary.name, key_parts(declaration, entity), "move"
    )[1]


def _move_item(
    core: Core, change: ItemChange, old_key: WireItem, item: WireItem | None, values: Mapping[str, Any]
) -> Steps[Any]:
    rules, declaration = change.rules, change.rules.declaration
    _check_current(change, old_key, item)
    assert item is not None
    current = entity_reader(declaration).read(item)
    made = Put(stamp(core, rules, current.model_copy(update=dict(values))))
    key = wire_key(made.item_key)
    # What the entity does not know moves too, as an update leaves it where it is.
    moved = {**unknown_attributes(declaration, item), **made.item}
    check_item_size(f"move: the item of {declaration.name}", item_size(moved))
    unchanged = tuple(Expectation("stale_read", each) for each in whole_item_unchanged(rules, item))
    if key == old_key:
        actions: tuple[ItemAction, ...] = (put_action(made, unchanged, moved),)
    else:
        request = {"TableName": declaration.table.name, "Key": old_key, **expectation_request(unchanged)}
        arrived = put_action(made, tuple(state_expectations("move", change.conditions)), moved)
        actions = (arrived, ItemAction("Delete", request, unchanged))
    change = replace(
        change,
        before=ItemState(rules, old_key, rules.values(current), is_stored=True),
        after=ItemState(rules, key, rules.values(made.value)),
    )
    prepared = PreparedWrite(change.write, actions, marker_actions(change), current=item, has_read=True)
    yield from perform(core, prepared)
    # As it is read back: the time of expiry is a whole second.
    return declaration.from_item(moved)


def _check_current(change: ItemChange, key: WireItem, item: WireItem | None) -> None:
    """Reject an item that does not exist, or is not as it was read."""
    declaration = change.rules.declaration
    action = ItemAction("Delete", {"TableName": declaration.table.name, "Key": key})
    if item is None or entity_reader(declaration).live_entity(item, change.now) is None:
        absent = Expectation("absent", existence_condition(declaration.table))
        raise failure(change.write, action, absent, None)
    failed = first_failed(tuple(change.rules.expectations(change)), item)
    if failed is not None:
        raise failure(change.write, action, failed, item)


def _validated_changes(declaration: Declaration[Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes as the fields hold them; rejected if one is not a field, or is set by the store."""
    facts, rules = field_facts(declaration), marker_rules(declaration)
    where = f"{declaration.name}: move"
    if not changes:
        raise DesignError(
            "store-move-nothing", f"{where}: nothing is changed.", fix="say which fields change."
        )
    for name in changes:
        declaration.attribute(name)
        if declaration.fields[name].computed or name in rules.store_managed:
            raise DesignError(
                "store-managed-field",
                f"{where}: {name!r} is changed, and is computed or set by the store.",
                fix=f"leave {name!r} out.",
            )
    return {name: facts.values.validated(name, value) for name, value in changes.items()}
