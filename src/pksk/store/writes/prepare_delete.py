"""Prepares a deletion, with the guards that go with the item; and checks, which write nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.expressions import Compare, Condition, Not, Path, Value
from pksk.model import Delete, Put
from pksk.model.markers.marker_rules import MarkerRules, marker_rules
from pksk.model.markers.unique import ItemState, guard_changes
from pksk.model.writes.prepared_write import (
    Expectation,
    FailureReason,
    ItemAction,
    PreparedWrite,
    condition_parts,
    expectation_request,
    user_expectations,
)
from pksk.model.writes.write_conditions import existence_condition, shared_key_condition, user_condition
from pksk.store.sending.steps import Steps
from pksk.store.writes.prepare_update import wire_key
from pksk.store.writes.read_current import CurrentItem, known_entity_of_item, read_current

if TYPE_CHECKING:
    from pksk.model import Check
    from pksk.model.declaration import Declaration
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["delete_of_entity", "key_parts", "prepare_check", "prepare_delete"]


def prepare_delete(
    core: Core, delete: Delete[Any], version: int | None = None, about: Any = None
) -> Steps[PreparedWrite]:
    """What deleting an item takes; with a `version`, only if the item still has it."""
    declaration, marks = delete.declaration, marker_rules(delete.declaration)
    before: WireItem | None = None
    read: list[Condition] = []
    extras: tuple[ItemAction, ...] = ()
    key = wire_key(delete)
    if marks.deletes_guarded:
        before = yield from read_current(core, declaration, key, None, about or delete)
        if before is not None:
            found = CurrentItem(marker_rules(known_entity_of_item(declaration, before)), before)
            read = found.unchanged
            extras = tuple(
                guard_changes(core.clock(), ItemState(found.marks, key, found.values, found=True), None)
            )
        else:
            read = [existence_condition(declaration.table, absent=True)]
    asked = _expectations(delete, marks, version, read, core.clock())
    # An item that is not there has no guards, and no more than that can be said of it.
    member = ItemAction(
        "Delete", {"TableName": delete.table_name, "Key": key, **expectation_request(asked)}, asked
    )
    return PreparedWrite(
        delete,
        (member,),
        extras,
        before=before,
        reads=marks.deletes_guarded,
        returned={"ReturnValues": "ALL_OLD"},
    )


def _expectations(
    delete: Delete[Any], marks: MarkerRules, version: int | None, read: list[Condition], now: float
) -> tuple[Expectation, ...]:
    declaration = delete.declaration
    there, lasting, kind = (
        existence_condition(declaration.table),
        marks.lasting(now),
        shared_key_condition(declaration),
    )
    found: list[tuple[FailureReason, Condition | None]] = []
    if delete.requires_item:
        found += [("absent", there), ("absent", lasting), ("kind", kind)]
    elif kind is not None:
        found.append(("kind", marks.free(now) | kind))
    asked = [Expectation(meaning, each) for meaning, each in found if each is not None]
    if version is not None and marks.version is not None:
        told = Compare("=", Path((marks.attribute(marks.version),)), Value({"N": str(version)}))
        if (expired := marks.expired(now)) is not None:
            asked.append(Expectation("ended", Not(expired), told=told))
        asked.append(Expectation("version", marks.of_version(version), told=told))
    asked += user_expectations(marks, user_condition(declaration, delete.condition), now)
    return (*asked, *(Expectation("read", each) for each in read))


def delete_of_entity(entity: Any) -> tuple[Delete[Any], int | None]:
    """The deletion of the item that an entity was read from, and the version that it had."""
    declaration = Put(entity).declaration
    marks = marker_rules(declaration)
    write: Delete[Any] = Delete.for_item(
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


def prepare_check(core: Core, check: Check[Any]) -> PreparedWrite:
    """A check as a member of a transaction."""
    declaration, marks, now = check.declaration, marker_rules(check.declaration), core.clock()
    found: list[tuple[FailureReason, Condition | None]]
    if check.requires_absence:
        found = [("present", marks.free(now))]
    else:
        found = [("absent", existence_condition(declaration.table)), ("absent", marks.lasting(now))]
        found += [("kind", shared_key_condition(declaration))]
    author = condition_parts(marks, user_condition(declaration, check.condition))
    asked = (*(Expectation(meaning, each) for meaning, each in found if each is not None), *author)
    request = {"TableName": check.table_name, "Key": wire_key(check), **expectation_request(asked)}
    return PreparedWrite(check, (ItemAction("ConditionCheck", request, asked),))
