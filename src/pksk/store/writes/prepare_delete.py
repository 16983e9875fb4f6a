"""Prepares a deletion, with the guards that go with the item; and checks, which write nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.expressions import Compare, Condition, Path, Value
from pksk.model.writes.conditions import of_kind, on_fields, present
from pksk.store.sending.steps import Steps
from pksk.store.writes.before import read_before
from pksk.store.writes.family import Held, kind_of
from pksk.store.writes.guards import State, guard_changes
from pksk.store.writes.marks import Marks, marks_of
from pksk.store.writes.member import Asked, Meaning, Member, conditions
from pksk.store.writes.prepare_update import wire_key
from pksk.store.writes.prepared import Prepared

if TYPE_CHECKING:
    from pksk.model import Check, Delete
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["prepare_check", "prepare_delete"]


def prepare_delete(
    core: Core, delete: Delete[Any], version: int | None = None, about: Any = None
) -> Steps[Prepared]:
    """What deleting an item takes; with a `version`, only if the item still has it."""
    declaration, marks = delete.declaration, marks_of(delete.declaration)
    before: WireItem | None = None
    read: list[Condition] = []
    extras: tuple[Member, ...] = ()
    key = wire_key(delete)
    if marks.deletes_guarded:
        before = yield from read_before(core, declaration, key, None, about or delete)
        if before is not None:
            found = Held(marks_of(kind_of(declaration, before)), before)
            read = found.unchanged
            extras = tuple(guard_changes(core.clock(), State(found.marks, key, found.values), None))
        else:
            read = [present(declaration.table, absent=True)]
    asked = _asked(delete, marks, version, read, core.clock())
    # An item that is not there has no guards, and no more than that can be said of it.
    member = Member("Delete", {"TableName": delete.table_name, "Key": key, **conditions(asked)}, asked)
    return Prepared(
        delete,
        (member,),
        extras,
        before=before,
        reads=marks.deletes_guarded,
        returned={"ReturnValues": "ALL_OLD"},
    )


def _asked(
    delete: Delete[Any], marks: Marks, version: int | None, read: list[Condition], now: float
) -> tuple[Asked, ...]:
    declaration = delete.declaration
    there, alive, kind = present(declaration.table), marks.alive(now), of_kind(declaration)
    found: list[tuple[Meaning, Condition | None]] = []
    if delete.presence:
        found += [("absent", there), ("absent", alive), ("kind", kind)]
    elif kind is not None:
        found.append(("kind", present(declaration.table, absent=True) | kind))
    if version is not None and marks.version is not None:
        path = Path((marks.attribute(marks.version),))
        found.append(("version", Compare("=", path, Value({"N": str(version)}))))
    found.append(("author", on_fields(declaration, delete.condition)))
    found += [("read", each) for each in read]
    return tuple(Asked(meaning, each) for meaning, each in found if each is not None)


def prepare_check(core: Core, check: Check[Any]) -> Prepared:
    """A check as a member of a transaction."""
    declaration, marks, now = check.declaration, marks_of(check.declaration), core.clock()
    found: list[tuple[Meaning, Condition | None]]
    if check.absence:
        absent, expired = present(declaration.table, absent=True), marks.expired(now)
        found = [("present", absent if expired is None else absent | expired)]
    else:
        found = [("absent", present(declaration.table)), ("absent", marks.alive(now))]
        found += [("kind", of_kind(declaration)), ("author", on_fields(declaration, check.condition))]
    asked = tuple(Asked(meaning, each) for meaning, each in found if each is not None)
    request = {"TableName": check.table_name, "Key": wire_key(check), **conditions(asked)}
    return Prepared(check, (Member("ConditionCheck", request, asked),))
