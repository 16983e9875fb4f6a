"""Prepares a deletion, with the guards that go with the item; and checks, which write nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.expressions import Compare, Condition, Not, Path, Value
from pksk.model import Delete, Put
from pksk.model.writes.conditions import of_kind, on_fields, present
from pksk.store.sending.steps import Steps
from pksk.store.writes.authored import authored, parts_of
from pksk.store.writes.before import read_before
from pksk.store.writes.family import Held, kind_of
from pksk.store.writes.guards import State, guard_changes
from pksk.store.writes.marks import Marks, marks_of
from pksk.store.writes.member import Asked, Meaning, Member, conditions
from pksk.store.writes.prepare_update import wire_key
from pksk.store.writes.prepared import Prepared

if TYPE_CHECKING:
    from pksk.model import Check
    from pksk.model.declaration import Declaration
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["deletion", "key_parts", "prepare_check", "prepare_delete"]


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
            extras = tuple(
                guard_changes(core.clock(), State(found.marks, key, found.values, found=True), None)
            )
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
    there, lasting, kind = present(declaration.table), marks.lasting(now), of_kind(declaration)
    found: list[tuple[Meaning, Condition | None]] = []
    if delete.presence:
        found += [("absent", there), ("absent", lasting), ("kind", kind)]
    elif kind is not None:
        found.append(("kind", marks.free(now) | kind))
    asked = [Asked(meaning, each) for meaning, each in found if each is not None]
    if version is not None and marks.version is not None:
        told = Compare("=", Path((marks.attribute(marks.version),)), Value({"N": str(version)}))
        if (expired := marks.expired(now)) is not None:
            asked.append(Asked("ended", Not(expired), told=told))
        asked.append(Asked("version", marks.of_version(version), told=told))
    asked += authored(marks, on_fields(declaration, delete.condition), now)
    return (*asked, *(Asked("read", each) for each in read))


def deletion(entity: Any) -> tuple[Delete[Any], int | None]:
    """The deletion of the item that an entity was read from, and the version that it had."""
    declaration = Put(entity).declaration
    marks = marks_of(declaration)
    write: Delete[Any] = Delete.of(
        declaration.entity, declaration.primary.name, key_parts(declaration, entity)
    )
    return write, None if marks.version is None else getattr(entity, marks.version)


def key_parts(declaration: Declaration[Any], entity: Any) -> dict[str, Any]:
    """The parts of the primary key that an entity has."""
    primary = declaration.primary
    parts = {name: getattr(entity, name) for name in primary.fields}
    if primary.shard is not None and primary.shard.of is not None:
        parts[primary.shard.of] = getattr(entity, primary.shard.of)
    return parts


def prepare_check(core: Core, check: Check[Any]) -> Prepared:
    """A check as a member of a transaction."""
    declaration, marks, now = check.declaration, marks_of(check.declaration), core.clock()
    found: list[tuple[Meaning, Condition | None]]
    if check.absence:
        found = [("present", marks.free(now))]
    else:
        found = [("absent", present(declaration.table)), ("absent", marks.lasting(now))]
        found += [("kind", of_kind(declaration))]
    author = parts_of(marks, on_fields(declaration, check.condition))
    asked = (*(Asked(meaning, each) for meaning, each in found if each is not None), *author)
    request = {"TableName": check.table_name, "Key": wire_key(check), **conditions(asked)}
    return Prepared(check, (Member("ConditionCheck", request, asked),))
