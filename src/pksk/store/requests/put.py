"""Runs puts: the stamped entity, what it expects of the stored item, and the actions of its markers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pksk.client import ServiceError
from pksk.model import Put
from pksk.model.fields.field_facts import field_facts
from pksk.model.writes.item_change import ItemChange, ItemState, write_expectations
from pksk.model.writes.marker_rules import MarkerRules, marker_actions, marker_rules
from pksk.model.writes.prepared_write import (
    Expectation,
    ItemAction,
    PreparedWrite,
    expectation_request,
    wire_key,
)
from pksk.model.writes.write_conditions import user_condition
from pksk.store.sending.send import RetriedRequest
from pksk.store.sending.steps import Call, Steps
from pksk.store.writes.perform import perform, retry_while_stale
from pksk.store.writes.read_current import current_item

if TYPE_CHECKING:
    from pksk.expressions import Condition
    from pksk.model.declaration import Declaration
    from pksk.store.core import Core
    from pksk.values import WireItem


def put(core: Core, thing: Any, when: Condition | None = None) -> Steps[Any]:
    """Store an entity, replacing any item with the same key; returns it as stored."""
    quiet = when is None and not core.meters and not core.hooks
    declaration = vars(type(thing)).get("__pksk__") if quiet else None
    if declaration is not None and marker_rules(declaration).is_empty:
        return (yield from _put_without_markers(core, declaration, thing))
    write = as_put(thing)
    return (yield from _put(core, write if when is None else write.when(when)))


def as_put(thing: Any) -> Put[Any]:
    """A Put as it is, and any entity as a Put."""
    return thing if isinstance(thing, Put) else Put(thing)


def _put_without_markers(core: Core, declaration: Declaration[Any], entity: Any) -> Steps[Any]:
    """A put without markers, conditions, meters and hooks: it takes half the time of `_put`."""
    request = {"TableName": declaration.table.name, "Item": declaration.to_item(entity)}
    try:
        yield Call("PutItem", request)
    except ServiceError as error:
        first = error
    else:
        core.quota.give_back()
        return entity
    yield from RetriedRequest(core, "PutItem", request, Put(entity)).answer(first)
    return entity


def create(core: Core, thing: Any, when: Condition | None = None) -> Steps[Any]:
    """Store an entity where there is none under its key; gives it as it is stored."""
    write = as_put(thing)
    return (yield from _put(core, (write if when is None else write.when(when)).if_absent()))


def _put(core: Core, write: Put[Any]) -> Steps[Any]:
    if core.meters:
        core.meters.used(write)

    def attempt() -> Steps[Any]:
        prepared = yield from prepare(core, write)
        yield from perform(core, prepared)
        return prepared.result

    return (yield from retry_while_stale(core, write, attempt))


def prepare(core: Core, put: Put[Any], about: Any = None) -> Steps[PreparedWrite]:
    """Prepare to store an entity; what is read first is read for `about`, such as the transaction of the put."""
    rules, declaration = marker_rules(put.declaration), put.declaration
    change = ItemChange("create" if put.requires_absence else "put", rules, core.clock())
    condition = user_condition(declaration, put.condition)
    if rules.is_empty:
        return PreparedWrite(put, (put_action(put, write_expectations(change, condition)),), result=put.value)
    given = declaration.from_item(put.item)
    stamped = Put(stamp(core, rules, given))
    key = wire_key(stamped.item_key)
    change = replace(
        change,
        expected=rules.expected(given),
        after=ItemState(rules, key, rules.values(stamped.value)),
    )
    expectations = write_expectations(change, condition)
    has_read = rules.replaces_guarded and not put.requires_absence
    if has_read:
        current = yield from current_item(core, declaration, key, about or put)
        expectations = (*expectations, *current.unchanged)
        change = replace(change, before=current.state)
    return PreparedWrite(
        put,
        (put_action(stamped, expectations),),
        marker_actions(change),
        stamped.value,
        has_read=has_read,
        is_distinguishable=rules.tells_writes_apart,
    )


def stamp(core: Core, rules: MarkerRules, entity: Any) -> Any:
    """The entity with the fields that the store sets."""
    # Through the field, whose validators may make another time of it.
    return rules.stamp(entity, core.now(), field_facts(rules.declaration).values.validated)


def put_action(
    put: Put[Any], expectations: tuple[Expectation, ...], item: WireItem | None = None
) -> ItemAction:
    """The put of an entity's item, or of another `item`."""
    item = put.item if item is None else item
    request = {"TableName": put.table_name, "Item": item, **expectation_request(expectations)}
    return ItemAction("Put", request, expectations)
