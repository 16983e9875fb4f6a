"""Prepares an update: stamped, with the fields read that its index keys and guards depend on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pksk.errors import DesignError, ExpressionError, ItemUnreadable
from pksk.expressions import Add, Call, Condition, Delete, F, Path, Set, Value
from pksk.model import Update
from pksk.model.frozen_values import FrozenValues
from pksk.model.markers.marker_rules import MarkerRules, marker_rules
from pksk.model.markers.unique import ItemState, guard_changes
from pksk.model.writes.prepared_write import (
    Expectation,
    FailureReason,
    ItemAction,
    PreparedWrite,
    StaleRead,
    condition_parts,
    first_failed,
)
from pksk.model.writes.write_conditions import (
    existence_condition,
    same_value_conditions,
    shared_key_condition,
    user_condition,
)
from pksk.store.sending.steps import Steps
from pksk.store.writes.failure import failure
from pksk.store.writes.read_current import (
    check_readable,
    field_values,
    known_entity_of_item,
    read_current,
    same_discriminator,
    update_of_stored_entity,
    varies_by_entity,
)
from pksk.store.writes.references import reference_checks
from pksk.store.writes.service_rejection import rejected_by_item
from pksk.values.boto3_form import from_boto3

if TYPE_CHECKING:
    from pksk.model.requests.keyed_request import KeyedRequest
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["prepare_update", "wire_key"]


def prepare_update(core: Core, update: Update[Any], about: Any = None) -> Steps[PreparedWrite]:
    """What a change of an item takes; what is read for it is read for `about`, such as its transaction."""
    try:
        return (yield from _prepare(core, update, about))
    except ItemUnreadable as error:
        error.request = update
        return PreparedWrite(update, (), refused=error)
    except ExpressionError as error:
        return PreparedWrite(update, (), refused=rejected_by_item(update, error))


def _prepare(core: Core, update: Update[Any], about: Any) -> Steps[PreparedWrite]:
    chosen, now = update, core.clock()
    before: WireItem | None = None
    kind: tuple[Condition, ...] = ()
    looked = varies_by_entity(update.declaration)
    if looked:
        before = yield from read_current(core, update.declaration, wire_key(update), None, about or update)
        chosen, kind = update_of_stored_entity(update, before, now)
    marks = marker_rules(chosen.declaration)
    # What guards and checks speak of is what is stored: defaults are drawn once for each attempt.
    chosen = chosen.replace(generated_defaults={}) if chosen.is_upsert else chosen
    made = chosen if marks.plain else _stamp(core, marks, chosen)
    guarded = _guarded_fields(marks, made)
    fields = dict.fromkeys((*made.needs, *guarded, *_marker_sources(marks, made, guarded)))
    if fields and not looked:
        looked = True
        before = yield from read_current(core, made.declaration, wire_key(made), fields, about or update)
        kind = () if before is None else tuple(same_discriminator(made.declaration, before))
    if before is not None and not known_entity_of_item(chosen.declaration, before).is_kind_of(
        chosen.declaration
    ):
        return (yield from _prepare_for_sibling(core, update, about))
    read: dict[str, Any] = {}
    if fields:
        check_readable(made.declaration, before or {}, _fields_that_count(made, fields))
        read = {name: (before or {}).get(made.declaration.attribute(name)) for name in fields}
        made = made.replace(read_values=FrozenValues({**made.read_values, **read}))
    # Where the item is known to be missing, the request cannot be made, and need not be.
    gone = looked and before is None and not chosen.is_upsert
    asked, alive = _expectations(chosen, marks, read, now), marks.alive(now)
    known = kind if alive is None else (*kind, alive)
    author = _user_conditions(chosen, marks)
    if any(each.told is not None for each in author):
        # Asked for otherwise than it was written down.
        made, known = made.replace(condition=None), (*known, *(each.condition for each in author))
    if not gone:
        asked = (*(Expectation("read", each) for each in kind), *asked)
    member = ItemAction(
        "Update", made.table_and_key if gone else made.replace(extra_conditions=known).request, asked
    )
    return PreparedWrite(
        update,
        (member,),
        () if gone else _marker_actions(marks, made, before, now),
        before=before,
        reads=looked,
        repeatable=_repeatable(made),
        gone=gone,
        returned={"ReturnValues": "ALL_NEW"},
    )


def _prepare_for_sibling(core: Core, update: Update[Any], about: Any) -> Steps[PreparedWrite]:
    """What an update comes to that has met an item of a sister class: it is in the way, or over and so not there."""
    declaration, key, now = update.declaration, wire_key(update), core.clock()
    marks = marker_rules(declaration)
    asked = _expectations(update, marks, {}, now)
    member = ItemAction("Update", update.table_and_key, asked)
    # The whole of it is for the error to tell.
    item = yield from read_current(core, declaration, key, None, about or update)
    found = first_failed(asked, item)
    if found is None or found.meaning not in ("over", "absent", "kind"):
        raise StaleRead()
    if found.meaning == "over":
        raise StaleRead((declaration, key))
    return PreparedWrite(update, (member,), refused=failure(update, member, found, item))


def wire_key(place: KeyedRequest[Any]) -> WireItem:
    """The key of an item in DynamoDB's JSON."""
    return {name: from_boto3(wire) for name, wire in place.item_key.items()}


def _stamp(core: Core, marks: MarkerRules, update: Update[Any]) -> Update[Any]:
    """The update with its version raised, and the time of this write."""
    touched, now = update.changed_fields, core.now()
    for name in (marks.version, marks.created, marks.updated):
        if name is not None and name in touched:
            asking = f"; to ask for a version, write .when(F.{name} == ...)" if name == marks.version else ""
            raise DesignError(
                "store-managed-field",
                f"{update.declaration.name}.{name} is changed by an update, and the store keeps it itself.",
                fix=f"leave {name!r} out{asking}.",
            )
    if marks.version is not None:
        update = update.add(**{marks.version: 1})
    if marks.updated is not None:
        update = update.set(**{marks.updated: now})
    if marks.created is not None and update.is_upsert:
        field = F[marks.created]
        update = update.apply(field.set(field.if_not_exists(now)))
    return update


def _expectations(
    update: Update[Any], marks: MarkerRules, read: Mapping[str, Any], now: float
) -> tuple[Expectation, ...]:
    """The conditions of the request, one by one, to tell which of them failed; what is the author's comes first."""
    declaration = update.declaration
    found: list[tuple[FailureReason, Condition | None]] = []
    kind = shared_key_condition(declaration)
    if update.is_upsert:
        found.append(("over", marks.lasting(now)))
        found.append(
            ("kind", None if kind is None else existence_condition(declaration.table, absent=True) | kind)
        )
    else:
        found += [
            ("absent", existence_condition(declaration.table)),
            ("absent", marks.lasting(now)),
            ("kind", kind),
        ]
    found += [("author", each) for each in same_value_conditions(declaration, update.read_values)]
    asked = [Expectation(meaning, each) for meaning, each in found if each is not None]
    return (
        *asked,
        *_user_conditions(update, marks),
        *(Expectation("read", each) for each in same_value_conditions(declaration, read)),
    )


def _user_conditions(update: Update[Any], marks: MarkerRules) -> list[Expectation]:
    return condition_parts(marks, user_condition(update.declaration, update.condition))


def _fields_that_count(update: Update[Any], fields: Iterable[str]) -> list[str]:
    """The fields of which a value matters that is stored: all but those that are given another one outright."""
    used = {name for change in update.changes for name in change.reads}
    replaced = set(update.changed_fields) - used
    return [name for name in fields if name not in replaced]


def _marker_sources(marks: MarkerRules, update: Update[Any], guarded: Iterable[str]) -> list[str]:
    """The fields that tell what guarded fields and changed references become: copied ones, and unchanged parts."""
    changed = frozenset(update.changed_fields)
    wanted = set(guarded) & changed
    for field in marks.references:
        parts = set(marks.declaration.reference(field).parts.values())
        if parts & changed or update.is_upsert:
            wanted |= parts
    image = update.image
    unread = frozenset[str]().union(*(image.unread(name) for name in wanted - image.after.keys()))
    return [name for name in marks.declaration.fields if name in unread]


def _marker_actions(
    marks: MarkerRules, update: Update[Any], before: WireItem | None, now: float
) -> tuple[ItemAction, ...]:
    if not marks.unique and not marks.references:
        return ()
    key = wire_key(update)
    values = {**update.image.fresh, **update.image.after} if before is None else update.image.after
    found: list[ItemAction] = []
    guarded = _guarded_fields(marks, update)
    if guarded:
        old = field_values(marks, before or {}, guarded)
        new = {name: values.get(name) for name in guarded}
        state = ItemState(marks, key, old, found=True) if before is not None else None
        found += guard_changes(now, state, ItemState(marks, key, new))
    # An item that may be made anew refers to what its key names, too.
    changed = None if update.is_upsert and before is None else frozenset(update.changed_fields)
    return (*found, *reference_checks(marks, key, values, now, changed=changed))


def _guarded_fields(marks: MarkerRules, update: Update[Any]) -> list[str]:
    """The fields of guards that an update concerns: unique ones that change, all where it may make or prolong an item.

    A guard ends with its item, so that the time of that belongs to it.
    """
    touched = set(update.changed_fields)
    if update.is_upsert or marks.expiry in touched:
        return list(marks.guarded)
    unique = [name for name in marks.unique if name in touched]
    return [*unique, *(name for name in marks.guarded if unique and name == marks.expiry)]


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
