"""Runs puts: the stamped entity, what it expects of the stored item, and the actions of its markers."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from pksk.client import ServiceError
from pksk.expressions import Condition
from pksk.model import Put
from pksk.model.declaration import Declaration
from pksk.model.item_key import wire_key
from pksk.model.requests.request import Request
from pksk.model.write_rules.prepared_write import Expectation, ItemAction, PreparedWrite, expectation_request
from pksk.model.write_rules.rules import ItemChange, ItemState, marker_actions, marker_rules
from pksk.model.write_rules.stored_states import write_expectations
from pksk.model.writes.write_conditions import user_condition
from pksk.sending import Call, Core, RetriedRequest, Steps
from pksk.store.arguments import E
from pksk.store.writes.perform import perform, retry_while_stale
from pksk.store.writes.read_current import current_item
from pksk.values import WireItem


def put(core: Core, entity: E | Put[E], when: Condition | None = None) -> Steps[E]:
    """Store an entity, replacing any item with the same key; returns it as stored."""
    quiet = when is None and not core.meters and not core.hooks
    declaration = vars(type(entity)).get("__pksk__") if quiet else None
    if declaration is not None and marker_rules(declaration).is_empty:
        return (yield from _put_without_markers(core, declaration, cast("E", entity)))
    write = as_put(entity)
    return (yield from _put(core, write if when is None else write.when(when)))


def as_put(entity: E | Put[E]) -> Put[E]:
    """A Put as it is, and any entity as a Put."""
    return entity if isinstance(entity, Put) else Put(entity)


def _put_without_markers(core: Core, declaration: Declaration, entity: E) -> Steps[E]:
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


def create(core: Core, entity: E | Put[E], when: Condition | None = None) -> Steps[E]:
    """Store an entity if there is no item with its key; returns it as stored."""
    write = as_put(entity)
    return (yield from _put(core, (write if when is None else write.when(when)).if_absent()))


def _put(core: Core, write: Put[E]) -> Steps[E]:
    if core.meters:
        core.meters.used(write)

    def attempt() -> Steps[E]:
        prepared = yield from prepare(core, write)
        yield from perform(core, prepared)
        return cast("E", prepared.result)

    return (yield from retry_while_stale(core, write, attempt))


def prepare(core: Core, put: Put, transaction: Request | None = None) -> Steps[PreparedWrite]:
    """Prepare to store an entity, as a member of a `transaction` or alone."""
    rules, declaration = marker_rules(put.declaration), put.declaration
    change = ItemChange("create" if put.requires_absence else "put", rules, core.clock())
    condition = user_condition(declaration, put.condition)
    if rules.is_empty:
        return PreparedWrite(put, (put_action(put, write_expectations(change, condition)),), result=put.value)
    entity = declaration.from_item(put.item)
    stamped = Put(rules.stamp(entity, core.now()))
    key = wire_key(stamped.item_key)
    change = replace(
        change,
        expected=rules.expected(entity),
        after=ItemState(rules, key, rules.values(stamped.value)),
    )
    expectations = write_expectations(change, condition)
    has_read = rules.replaces_guarded and not put.requires_absence
    if has_read:
        current = yield from current_item(core, declaration, key, transaction or put)
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


def put_action(put: Put, expectations: tuple[Expectation, ...], item: WireItem | None = None) -> ItemAction:
    """The put of an entity's item, or of another `item`."""
    item = put.item if item is None else item
    request = {"TableName": put.table_name, "Item": item, **expectation_request(expectations)}
    return ItemAction("Put", request, expectations)
