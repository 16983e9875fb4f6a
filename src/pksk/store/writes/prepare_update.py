"""Prepares an update: stamped, with the fields read that its index keys and guards depend on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pksk.errors import DesignError, ExpressionError, ItemUnreadable
from pksk.expressions import Add, Call, Condition, Delete, F, Path, Set, Value
from pksk.model import Update
from pksk.model.given import Given
from pksk.model.writes.conditions import of_kind, on_fields, present, still
from pksk.store.sending.steps import Steps
from pksk.store.writes.authored import parts_of
from pksk.store.writes.before import check_readable, field_values, read_before
from pksk.store.writes.failure import failure
from pksk.store.writes.family import as_stored, kind_of, same_word, varied
from pksk.store.writes.guards import State, guard_changes
from pksk.store.writes.marks import Marks, marks_of
from pksk.store.writes.member import Asked, Meaning, Member, failing
from pksk.store.writes.path_missing import refused_by_item
from pksk.store.writes.prepared import Prepared, Stale
from pksk.store.writes.references import reference_checks
from pksk.values.boto3_form import from_boto3

if TYPE_CHECKING:
    from pksk.model.writes.place import Place
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["prepare_update", "wire_key"]


def prepare_update(core: Core, update: Update[Any], about: Any = None) -> Steps[Prepared]:
    """What a change of an item takes; what is read for it is read for `about`, such as its transaction."""
    try:
        return (yield from _prepared(core, update, about))
    except ItemUnreadable as error:
        error.request = update
        return Prepared(update, (), refused=error)
    except ExpressionError as error:
        return Prepared(update, (), refused=refused_by_item(update, error))


def _prepared(core: Core, update: Update[Any], about: Any) -> Steps[Prepared]:
    chosen, now = update, core.clock()
    before: WireItem | None = None
    kind: tuple[Condition, ...] = ()
    looked = varied(update.declaration)
    if looked:
        before = yield from read_before(core, update.declaration, wire_key(update), None, about or update)
        chosen, kind = as_stored(update, before, now)
    marks = marks_of(chosen.declaration)
    # What guards and checks speak of is what is stored: defaults are drawn once for each attempt.
    chosen = chosen.changed(drawn={}) if chosen.upserting else chosen
    made = chosen if marks.plain else _stamped(core, marks, chosen)
    guarded = _guarded(marks, made)
    fields = dict.fromkeys((*made.needs, *guarded, *_sources(marks, made, guarded)))
    if fields and not looked:
        looked = True
        before = yield from read_before(core, made.declaration, wire_key(made), fields, about or update)
        kind = () if before is None else tuple(same_word(made.declaration, before))
    if before is not None and not kind_of(chosen.declaration, before).is_kind_of(chosen.declaration):
        return (yield from _met_another(core, update, about))
    read: dict[str, Any] = {}
    if fields:
        check_readable(made.declaration, before or {}, _left(made, fields))
        read = {name: (before or {}).get(made.declaration.attribute(name)) for name in fields}
        made = made.changed(read=Given({**made.read, **read}))
    # Where the item is known to be missing, the request cannot be made, and need not be.
    gone = looked and before is None and not chosen.upserting
    asked, alive = _asked(chosen, marks, read, now), marks.alive(now)
    known = kind if alive is None else (*kind, alive)
    author = _author(chosen, marks)
    if any(each.told is not None for each in author):
        # Asked for otherwise than it was written down.
        made, known = made.changed(condition=None), (*known, *(each.condition for each in author))
    if not gone:
        asked = (*(Asked("read", each) for each in kind), *asked)
    member = Member("Update", made.target if gone else made.changed(known=known).request, asked)
    return Prepared(
        update,
        (member,),
        () if gone else _extras(marks, made, before, now),
        before=before,
        reads=looked,
        repeatable=_repeatable(made),
        gone=gone,
        returned={"ReturnValues": "ALL_NEW"},
    )


def _met_another(core: Core, update: Update[Any], about: Any) -> Steps[Prepared]:
    """What an update comes to that has met an item of a sister class: it is in the way, or over and so not there."""
    declaration, key, now = update.declaration, wire_key(update), core.clock()
    marks = marks_of(declaration)
    asked = _asked(update, marks, {}, now)
    member = Member("Update", update.target, asked)
    # The whole of it is for the error to tell.
    item = yield from read_before(core, declaration, key, None, about or update)
    found = failing(asked, item)
    if found is None or found.meaning not in ("over", "absent", "kind"):
        raise Stale()
    if found.meaning == "over":
        raise Stale((declaration, key))
    return Prepared(update, (member,), refused=failure(update, member, found, item))


def wire_key(place: Place[Any]) -> WireItem:
    """The key of an item in DynamoDB's JSON."""
    return {name: from_boto3(wire) for name, wire in place.item_key.items()}


def _stamped(core: Core, marks: Marks, update: Update[Any]) -> Update[Any]:
    """The update with its version raised, and the time of this write."""
    touched, now = update.touched_fields, core.now()
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
    if marks.created is not None and update.upserting:
        field = F[marks.created]
        update = update.apply(field.set(field.if_not_exists(now)))
    return update


def _asked(update: Update[Any], marks: Marks, read: Mapping[str, Any], now: float) -> tuple[Asked, ...]:
    """The conditions of the request, one by one, to tell which of them failed; what is the author's comes first."""
    declaration = update.declaration
    found: list[tuple[Meaning, Condition | None]] = []
    kind = of_kind(declaration)
    if update.upserting:
        found.append(("over", marks.lasting(now)))
        found.append(("kind", None if kind is None else present(declaration.table, absent=True) | kind))
    else:
        found += [("absent", present(declaration.table)), ("absent", marks.lasting(now)), ("kind", kind)]
    found += [("author", each) for each in still(declaration, update.read)]
    asked = [Asked(meaning, each) for meaning, each in found if each is not None]
    return (*asked, *_author(update, marks), *(Asked("read", each) for each in still(declaration, read)))


def _author(update: Update[Any], marks: Marks) -> list[Asked]:
    return parts_of(marks, on_fields(update.declaration, update.condition))


def _left(update: Update[Any], fields: Iterable[str]) -> list[str]:
    """The fields of which a value matters that is stored: all but those that are given another one outright."""
    used = {name for change in update.changes for name in change.reads}
    replaced = set(update.touched_fields) - used
    return [name for name in fields if name not in replaced]


def _sources(marks: Marks, update: Update[Any], guarded: Iterable[str]) -> list[str]:
    """The fields that tell what guarded fields and changed references become: copied ones, and unchanged parts."""
    changed = frozenset(update.touched_fields)
    wanted = set(guarded) & changed
    for field in marks.references:
        parts = set(marks.declaration.reference(field).parts.values())
        if parts & changed or update.upserting:
            wanted |= parts
    image = update.image
    unread = frozenset[str]().union(*(image.unread(name) for name in wanted - image.after.keys()))
    return [name for name in marks.declaration.fields if name in unread]


def _extras(marks: Marks, update: Update[Any], before: WireItem | None, now: float) -> tuple[Member, ...]:
    if not marks.unique and not marks.references:
        return ()
    key = wire_key(update)
    values = {**update.image.fresh, **update.image.after} if before is None else update.image.after
    found: list[Member] = []
    guarded = _guarded(marks, update)
    if guarded:
        old = field_values(marks, before or {}, guarded)
        new = {name: values.get(name) for name in guarded}
        state = State(marks, key, old, found=True) if before is not None else None
        found += guard_changes(now, state, State(marks, key, new))
    # An item that may be made anew refers to what its key names, too.
    changed = None if update.upserting and before is None else frozenset(update.touched_fields)
    return (*found, *reference_checks(marks, key, values, now, changed=changed))


def _guarded(marks: Marks, update: Update[Any]) -> list[str]:
    """The fields of guards that an update concerns: unique ones that change, all where it may make or prolong an item.

    A guard ends with its item, so that the time of that belongs to it.
    """
    touched = set(update.touched_fields)
    if update.upserting or marks.expiry in touched:
        return list(marks.guarded)
    unique = [name for name in marks.unique if name in touched]
    return [*unique, *(name for name in marks.guarded if unique and name == marks.expiry)]


def _repeatable(update: Update[Any]) -> bool:
    """Whether doing it twice is the same as doing it once: nothing is counted up, and nothing appended."""
    return all(_is_steady(change.action) for change in update.changes)


def _is_steady(action: Any) -> bool:
    if isinstance(action, Add):
        return not (isinstance(action.value, Value) and action.value.kind == "N")
    if isinstance(action, Delete):
        return True
    # An element that is removed has another one in its place; one set beyond the end is appended.
    of_element = isinstance(action.path.elements[-1], int)
    return not of_element and (not isinstance(action, Set) or _is_steady_value(action.path, action.value))


def _is_steady_value(path: Path, value: object) -> bool:
    """Whether a value does not depend on what is stored, or only on whether there is one at that very place."""
    if isinstance(value, Call):
        own = value.name == "if_not_exists" and value.operands[0] == path
        return own and _is_steady_value(path, value.operands[1])
    return isinstance(value, Value)
