"""Runs updates: stamped, with the fields read that its index keys and guards depend on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, Final

from pksk.errors import ExpressionError, ItemUnreadable, OutcomeUnknown, StoreError
from pksk.expressions import Add, Call, Condition, Delete, Not, Path, Set, Value
from pksk.model import Update
from pksk.model.frozen_values import FrozenValues
from pksk.model.writes.item_change import ItemChange, ItemState
from pksk.model.writes.marker_rules import MarkerRules, marker_actions, marker_rules
from pksk.model.writes.prepared_write import (
    Expectation,
    ItemAction,
    PreparedWrite,
    StaleRead,
    first_failed,
    wire_key,
)
from pksk.model.writes.stored_states import state_expectations, user_expectations
from pksk.model.writes.write_conditions import same_value_conditions, user_condition
from pksk.store.argument_checks import check_flag, check_request_kind
from pksk.store.sending.diagnosis import request_name
from pksk.store.sending.steps import Steps
from pksk.store.writes.failure import failure
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
from pksk.store.writes.service_rejection import rejected_by_item

if TYPE_CHECKING:
    from pksk.store.core import Core
    from pksk.values import WireItem


# What an update has written is given back, also where it has ended the time of the item.
_BEFORE_ANY_EXPIRY: Final = -inf


def update(core: Core, write: Update[Any], *, upsert: bool = False) -> Steps[Any]:
    """Change an item; gives the entity as it is afterwards."""
    check_request_kind("update", write, "Update")
    check_flag("update", upsert=upsert)
    asked = write.upsert() if upsert else write
    if core.meters:
        core.meters.used(asked)

    def attempt() -> Steps[Any]:
        prepared = yield from prepare(core, asked)
        answer = yield from perform(core, prepared)
        item = (yield from _read_back(core, asked)) if prepared.marker_actions else answer.get("Attributes")
        found = written_entity(prepared, item, _BEFORE_ANY_EXPIRY)
        if found is None:
            raise _unknown_result(
                asked, "others have deleted the item since, or put one of another class in its place."
            )
        return found

    return (yield from retry_while_stale(core, asked, attempt))


def _read_back(core: Core, update: Update[Any]) -> Steps[WireItem | None]:
    """The item after an update by a transaction, which does not tell what it has made of it."""
    try:
        return (yield from read_current(core, update.declaration, wire_key(update.item_key), None, update))
    except StoreError as error:
        # The error itself would say that nothing was done.
        raise _unknown_result(update, f"the item could not be read afterwards: {error.problem}") from error


def _unknown_result(update: Update[Any], why: str) -> OutcomeUnknown:
    """The error for an update that was done, with an unknown result."""
    made = OutcomeUnknown(
        "store-outcome-unknown",
        f"{request_name(update)}: it was done, and {why}",
        fix="read the item; the update needs not be made again.",
    )
    made.request = update
    return made


def prepare(core: Core, update: Update[Any], about: Any = None) -> Steps[PreparedWrite]:
    """What a change of an item takes; what is read for it is read for `about`, such as its transaction."""
    try:
        return (yield from _prepare_update(core, update, about))
    except ItemUnreadable as error:
        error.request = update
        return PreparedWrite(update, (), known_error=error)
    except ExpressionError as error:
        return PreparedWrite(update, (), known_error=rejected_by_item(update, error))


def _prepare_update(core: Core, update: Update[Any], about: Any) -> Steps[PreparedWrite]:
    chosen, current, now = update, None, core.clock()
    same_kind: tuple[Condition, ...] = ()
    has_read = varies_by_entity(update.declaration)
    if has_read:
        current = yield from read_current(
            core, update.declaration, wire_key(update.item_key), None, about or update
        )
        chosen, same_kind = update_of_stored_entity(update, current, now)
    declaration, rules = chosen.declaration, marker_rules(chosen.declaration)
    # Guards and checks must have the values that are stored: defaults are drawn once for each attempt.
    chosen = chosen.replace(generated_defaults={}) if chosen.is_upsert else chosen
    made = rules.stamp_update(chosen, core.now())
    change = _change(made, rules, now, is_new=made.is_upsert)
    fields = _fields_to_read(made, rules, change)
    if fields and not has_read:
        has_read = True
        current = yield from read_current(core, declaration, wire_key(made.item_key), fields, about or update)
        same_kind = () if current is None else tuple(same_discriminator(declaration, current))
    if current is not None and not known_entity_of_item(declaration, current).is_subclass_of(declaration):
        return (yield from _prepare_for_sibling(core, update, about))
    read = _values_read(made, fields, current or {})
    made = made.replace(read_values=FrozenValues({**made.read_values, **read})) if fields else made
    expectations = _expectations(chosen, change, read)
    if has_read and current is None and not chosen.is_upsert:
        # The request cannot be made, and is not needed.
        action = ItemAction("Update", made.table_and_key, expectations)
        return PreparedWrite(update, (action,), has_read=True, is_missing=True)
    expectations = (*(Expectation("stale_read", each) for each in same_kind), *expectations)
    action = ItemAction("Update", _request(made, change, same_kind), expectations)
    return PreparedWrite(
        update,
        (action,),
        _marker_actions(made, change, current),
        current=current,
        has_read=has_read,
        repeatable=_repeatable(made),
        returned={"ReturnValues": "ALL_NEW"},
    )


def _change(update: Update[Any], rules: MarkerRules, now: float, *, is_new: bool) -> ItemChange:
    changed = None if is_new else frozenset(update.changed_fields)
    return ItemChange("upsert" if update.is_upsert else "update", rules, now, changed=changed)


def _fields_to_read(update: Update[Any], rules: MarkerRules, change: ItemChange) -> list[str]:
    """The fields that index keys and markers depend on, and those that they are copied from."""
    before, after = rules.update_fields(change)
    image = update.image
    sources = {source for name in after if name not in image.after for source in image.unread_fields(name)}
    ordered = (name for name in rules.declaration.fields if name in sources)
    return list(dict.fromkeys((*update.fields_to_read, *before, *ordered)))


def _values_read(update: Update[Any], fields: list[str], item: WireItem) -> dict[str, Any]:
    check_readable(update.declaration, item, _fields_that_count(update, fields))
    return {name: item.get(update.declaration.attribute(name)) for name in fields}


def _request(update: Update[Any], change: ItemChange, same_kind: tuple[Condition, ...]) -> Mapping[str, Any]:
    """The request, with what is known of the item as conditions."""
    expired = change.conditions.own_expired
    known = same_kind if expired is None else (*same_kind, Not(expired))
    user = _user_expectations(update, change)
    if any(each.user_condition is not None for each in user):
        # Markers change what the user's condition means.
        update, known = update.replace(condition=None), (*known, *(each.condition for each in user))
    return (update.replace(extra_conditions=known) if known else update).shared_request


def _prepare_for_sibling(core: Core, update: Update[Any], about: Any) -> Steps[PreparedWrite]:
    """Prepare an update that has found an item of a sibling: it is in the way, or has expired and so does not exist."""
    declaration, key = update.declaration, wire_key(update.item_key)
    change = _change(update, marker_rules(declaration), core.clock(), is_new=False)
    expectations = _expectations(update, change, {})
    action = ItemAction("Update", update.table_and_key, expectations)
    # The error has the whole item.
    item = yield from read_current(core, declaration, key, None, about or update)
    failed = first_failed(expectations, item)
    if failed is None or failed.reason not in ("expired", "absent", "other_entity"):
        raise StaleRead()
    if failed.reason == "expired":
        raise StaleRead((declaration, key))
    return PreparedWrite(update, (action,), known_error=failure(update, action, failed, item))


def _expectations(
    update: Update[Any], change: ItemChange, read: Mapping[str, Any]
) -> tuple[Expectation, ...]:
    """The conditions of the request one by one, to find which of them failed; the user's come before what was read."""
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


def _user_expectations(update: Update[Any], change: ItemChange) -> tuple[Expectation, ...]:
    condition = user_condition(update.declaration, update.condition)
    return tuple(user_expectations(change.kind, condition, change.conditions))


def _fields_that_count(update: Update[Any], fields: Iterable[str]) -> list[str]:
    """The fields whose stored value matters: all but those that are replaced whole."""
    used = {name for change in update.changes for name in change.reads}
    replaced = set(update.changed_fields) - used
    return [name for name in fields if name not in replaced]


def _marker_actions(
    update: Update[Any], change: ItemChange, current: WireItem | None
) -> tuple[ItemAction, ...]:
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


def _repeatable(update: Update[Any]) -> bool:
    """Whether doing it twice is the same as doing it once: nothing is counted up, and nothing appended."""
    return all(_is_repeatable_action(change.action) for change in update.changes)


def _is_repeatable_action(action: Any) -> bool:
    if isinstance(action, Add):
        return not (isinstance(action.value, Value) and action.value.kind == "N")
    if isinstance(action, Delete):
        return True
    # An element that is removed has another one in its place; one set beyond the end is appended.
    of_element = isinstance(action.path.elements[-1], int)
    return not of_element and (not isinstance(action, Set) or _is_repeatable_value(action.path, action.value))


def _is_repeatable_value(path: Path, value: object) -> bool:
    """Whether a value does not depend on what is stored, or only on whether there is one at that very place."""
    if isinstance(value, Call):
        own = value.name == "if_not_exists" and value.operands[0] == path
        return own and _is_repeatable_value(path, value.operands[1])
    return isinstance(value, Value)
