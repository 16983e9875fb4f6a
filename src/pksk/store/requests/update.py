"""Runs updates: stamps them, and reads the fields that index keys and guards depend on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import inf
from typing import Any, Final, cast

from pksk.errors import ExpressionError, ItemUnreadable, OutcomeUnknown, StoreError
from pksk.expressions import Action, Add, Call, Condition, Delete, Not, Path, Set, Value
from pksk.model import Update
from pksk.model.item_key import wire_key
from pksk.model.request_values import FrozenValues
from pksk.model.requests.request import Request
from pksk.model.write_rules.prepared_write import (
    Expectation,
    ItemAction,
    PreparedWrite,
    StaleRead,
    first_failed,
)
from pksk.model.write_rules.rules import ItemChange, ItemState, MarkerRules, marker_actions, marker_rules
from pksk.model.write_rules.stored_states import state_expectations, user_expectations
from pksk.model.writes.update_request import check_changes
from pksk.model.writes.write_conditions import same_value_conditions, user_condition
from pksk.sending import Core, Steps, request_name
from pksk.store.arguments import E, check_flag, check_request_kind
from pksk.store.writes.failure import failure, rejected_by_item
from pksk.store.writes.perform import perform, retry_while_stale, written_entity
from pksk.store.writes.read_current import (
    check_readable,
    field_values,
    known_entity_of_item,
    read_current,
    same_discriminator,
    update_of_stored_entity,
    varies_by_entity,
)
from pksk.values import WireItem

# An update also returns an entity whose TTL it has set to a time in the past.
_BEFORE_ANY_EXPIRY: Final = -inf


def update(core: Core, write: Update[E], *, upsert: bool = False) -> Steps[E]:
    """Update an item; returns the new entity."""
    check_request_kind("update", write, "Update")
    check_flag("update", upsert=upsert)
    write = write.upsert() if upsert else write
    if core.meters:
        core.meters.used(write)

    def attempt() -> Steps[E]:
        prepared = yield from prepare(core, write)
        answer = yield from perform(core, prepared)
        item = (yield from _read_back(core, write)) if prepared.marker_actions else answer.get("Attributes")
        entity = written_entity(prepared, item, _BEFORE_ANY_EXPIRY)
        if entity is None:
            raise _unknown_result(
                write, "another client has deleted the item since, or replaced it by one of another class."
            )
        return cast("E", entity)

    return (yield from retry_while_stale(core, write, attempt))


def _read_back(core: Core, update: Update) -> Steps[WireItem | None]:
    """The item after an update in a transaction, which does not return it."""
    try:
        return (yield from read_current(core, update.declaration, wire_key(update.item_key), None, update))
    except StoreError as error:
        # This error would mean that nothing was written.
        raise _unknown_result(update, f"the item could not be read afterwards: {error.problem}") from error


def _unknown_result(update: Update, why: str) -> OutcomeUnknown:
    """The error for an update that was applied, but whose result is unknown."""
    return OutcomeUnknown(
        "store-outcome-unknown",
        f"{request_name(update)}: the update was applied, but {why}",
        fix="read the item; do not repeat the update.",
        request=update,
    )


def prepare(core: Core, update: Update, transaction: Request | None = None) -> Steps[PreparedWrite]:
    """Prepare to update an item, as a member of a `transaction` or alone."""
    try:
        return (yield from _prepare_update(core, update, transaction))
    except ItemUnreadable as error:
        error.request = update
        return PreparedWrite(update, (), known_error=error)
    except ExpressionError as error:
        return PreparedWrite(update, (), known_error=rejected_by_item(update, error))


def _prepare_update(core: Core, update: Update, transaction: Request | None) -> Steps[PreparedWrite]:
    check_changes(update)
    entity_update, current, now = update, None, core.clock()
    same_kind: tuple[Condition, ...] = ()
    has_read = varies_by_entity(update.declaration)
    if has_read:
        current = yield from read_current(
            core, update.declaration, wire_key(update.item_key), None, transaction or update
        )
        entity_update, same_kind = update_of_stored_entity(update, current, now)
    declaration, rules = entity_update.declaration, marker_rules(entity_update.declaration)
    # Guards and checks must have the stored values, so each attempt generates defaults once.
    entity_update = entity_update.replace(generated_defaults={}) if entity_update.is_upsert else entity_update
    stamped = rules.stamp_update(entity_update, core.now())
    change = _change(stamped, rules, now, is_new=stamped.is_upsert)
    fields = _fields_to_read(stamped, rules, change)
    if fields and not has_read:
        has_read = True
        current = yield from read_current(
            core, declaration, wire_key(stamped.item_key), fields, transaction or update
        )
        same_kind = () if current is None else tuple(same_discriminator(declaration, current))
    if current is not None and not known_entity_of_item(declaration, current).is_subclass_of(declaration):
        return (yield from _prepare_for_sibling(core, update, transaction))
    read = _values_read(stamped, fields, current or {})
    stamped = (
        stamped.replace(read_values=FrozenValues({**stamped.read_values, **read})) if fields else stamped
    )
    expectations = _expectations(entity_update, change, read)
    if has_read and current is None and not entity_update.is_upsert:
        # Without the item, there is no request.
        action = ItemAction("Update", stamped.table_and_key, expectations)
        return PreparedWrite(update, (action,), has_read=True, is_missing=True)
    expectations = (*(Expectation("stale_read", each) for each in same_kind), *expectations)
    action = ItemAction("Update", _request(stamped, change, same_kind), expectations)
    return PreparedWrite(
        update,
        (action,),
        _marker_actions(stamped, change, current),
        current=current,
        has_read=has_read,
        repeatable=_repeatable(stamped),
        returned={"ReturnValues": "ALL_NEW"},
    )


def _change(update: Update, rules: MarkerRules, now: float, *, is_new: bool) -> ItemChange:
    changed = None if is_new else frozenset(update.changed_fields)
    return ItemChange("upsert" if update.is_upsert else "update", rules, now, changed=changed)


def _fields_to_read(update: Update, rules: MarkerRules, change: ItemChange) -> list[str]:
    """The fields that index keys and markers depend on, and those that they are copied from."""
    before, after = rules.update_fields(change)
    image = update.image
    sources = {source for name in after if name not in image.after for source in image.unread_fields(name)}
    ordered = (name for name in rules.declaration.fields if name in sources)
    return list(dict.fromkeys((*update.index_keys.fields_to_read, *before, *ordered)))


def _values_read(update: Update, fields: list[str], item: WireItem) -> dict[str, Any]:
    check_readable(update.declaration, item, _fields_that_matter(update, fields))
    return {name: item.get(update.declaration.attribute(name)) for name in fields}


def _request(update: Update, change: ItemChange, same_kind: tuple[Condition, ...]) -> Mapping[str, Any]:
    """The request, with conditions for what was read of the item."""
    expired = change.conditions.own_expired
    conditions = same_kind if expired is None else (*same_kind, Not(expired))
    user = _user_expectations(update, change)
    if any(each.user_condition is not None for each in user):
        # Markers change what the user's condition means.
        update, conditions = update.replace(condition=None), (*conditions, *(each.condition for each in user))
    return (update.replace(extra_conditions=conditions) if conditions else update).shared_request


def _prepare_for_sibling(core: Core, update: Update, transaction: Request | None) -> Steps[PreparedWrite]:
    """Prepare an update that has found an item of a sibling entity: it has expired, or the update fails."""
    declaration, key = update.declaration, wire_key(update.item_key)
    change = _change(update, marker_rules(declaration), core.clock(), is_new=False)
    expectations = _expectations(update, change, {})
    action = ItemAction("Update", update.table_and_key, expectations)
    # The error has the whole item.
    item = yield from read_current(core, declaration, key, None, transaction or update)
    failed = first_failed(expectations, item)
    if failed is None or failed.reason not in ("expired", "absent", "other_entity"):
        raise StaleRead()
    if failed.reason == "expired":
        raise StaleRead((declaration, key))
    return PreparedWrite(update, (action,), known_error=failure(update, action, failed, item))


def _expectations(update: Update, change: ItemChange, read: Mapping[str, Any]) -> tuple[Expectation, ...]:
    """The conditions of the request one by one, to find the failed one; the user's come first."""
    declaration = update.declaration
    user = (
        Expectation("user_condition", each) for each in same_value_conditions(declaration, update.read_values)
    )
    stale = (Expectation("stale_read", each) for each in same_value_conditions(declaration, read))
    return (
        *state_expectations(change.kind, change.conditions),
        *user,
        *_user_expectations(update, change),
        *stale,
    )


def _user_expectations(update: Update, change: ItemChange) -> tuple[Expectation, ...]:
    condition = user_condition(update.declaration, update.condition)
    return tuple(user_expectations(change.kind, condition, change.conditions))


def _fields_that_matter(update: Update, fields: Iterable[str]) -> list[str]:
    """The fields whose stored value matters: all but those that are replaced."""
    used = {name for change in update.changes for name in change.reads}
    replaced = set(update.changed_fields) - used
    return [name for name in fields if name not in replaced]


def _marker_actions(update: Update, change: ItemChange, current: WireItem | None) -> tuple[ItemAction, ...]:
    rules, is_new = change.rules, update.is_upsert and current is None
    change = _change(update, rules, change.now, is_new=is_new)
    if not any(rules.update_fields(change)):
        return ()
    image, key = update.image, wire_key(update.item_key)
    values = {**image.new_item, **image.after} if current is None else image.after
    before = None
    if current is not None:
        before = ItemState(rules, key, field_values(rules, current, rules.fields_before), is_stored=True)
    return marker_actions(replace(change, before=before, after=ItemState(rules, key, values)))


def _repeatable(update: Update) -> bool:
    """Whether applying it twice has the same effect as once: it adds to no number and appends to no list."""
    return all(_is_repeatable_action(change.action) for change in update.changes)


def _is_repeatable_action(action: Action) -> bool:
    if isinstance(action, Add):
        return not (isinstance(action.value, Value) and action.value.kind == "N")
    if isinstance(action, Delete):
        return True
    # After a removal, another element has the same index; an element set beyond the end is appended.
    of_element = isinstance(action.path.elements[-1], int)
    return not of_element and (not isinstance(action, Set) or _is_repeatable_value(action.path, action.value))


def _is_repeatable_value(path: Path, value: object) -> bool:
    """Whether a value does not depend on stored values, except on whether its own path exists."""
    if isinstance(value, Call):
        own = value.name == "if_not_exists" and value.operands[0] == path
        return own and _is_repeatable_value(path, value.operands[1])
    return isinstance(value, Value)
