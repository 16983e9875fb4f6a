"""Prepares an entity to be stored: stamped, guarded, with what it refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.expressions import Not, Or
from pksk.model import Put
from pksk.model.writes.conditions import on_fields, present
from pksk.model.writes.facts import write_facts
from pksk.store.sending.steps import Steps
from pksk.store.writes.authored import authored
from pksk.store.writes.family import Held, held
from pksk.store.writes.guards import State, guard_changes
from pksk.store.writes.marks import Marks, marks_of
from pksk.store.writes.member import Asked, Member, conditions
from pksk.store.writes.prepared import Prepared
from pksk.store.writes.references import reference_checks
from pksk.values.boto3_form import from_boto3

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["prepare_put", "put_member", "stamped"]


def prepare_put(core: Core, put: Put[Any], about: Any = None) -> Steps[Prepared]:
    """What storing an entity takes; what is read for it is read for `about`, such as its transaction."""
    marks = marks_of(put.declaration)
    if marks.plain:
        asked = _asked(marks, put, core.clock())
        return Prepared(put, (put_member(put, asked),), result=put.value)
    given = put.declaration.from_item(put.item)
    made = Put(stamped(core, marks, given))
    now = core.clock()
    asked = (*_asked(marks, put, now), *_same_version(marks, given, now))
    before: Held | None = None
    reads = False
    key = {name: from_boto3(wire) for name, wire in made.item_key.items()}
    if marks.replaces_guarded and not put.absence:
        before = yield from held(core, put.declaration, key, about or put)
        asked, reads = (*asked, *_unchanged(marks, before)), True
    extras = _extras(marks, key, made.value, before, now)
    # A version says nothing: whoever has read the same one writes the same next. Nor does a time of coarse steps.
    stamps = marks.updated is not None and not put.declaration.fields[marks.updated].form.altered
    return Prepared(put, (put_member(made, asked),), extras, made.value, reads=reads, stamped=stamps)


def stamped(core: Core, marks: Marks, entity: Entity) -> Any:
    """The entity with its version raised, and the times of its creation and of this write."""
    values: dict[str, Any] = {}
    now, check = core.now(), write_facts(marks.declaration).values
    if marks.version is not None:
        values[marks.version] = getattr(entity, marks.version) + 1
    if marks.created is not None and getattr(entity, marks.created) is None:
        values[marks.created] = check.validated(marks.created, now)
    if marks.updated is not None:
        # Through the field, whose validators may make another time of it.
        values[marks.updated] = check.validated(marks.updated, now)
    return entity.model_copy(update=values) if values else entity


def put_member(put: Put[Any], asked: tuple[Asked, ...], item: WireItem | None = None) -> Member:
    """The put of an item under these conditions; of another `item` where one is given."""
    request = {"TableName": put.table_name, "Item": put.item if item is None else item, **conditions(asked)}
    return Member("Put", request, asked)


def _asked(marks: Marks, put: Put[Any], now: float) -> tuple[Asked, ...]:
    found: list[Asked] = []
    if put.absence:
        found.append(Asked("present", marks.free(now)))
    return (*found, *authored(marks, on_fields(put.declaration, put.condition), now))


def _same_version(marks: Marks, entity: Entity, now: float) -> tuple[Asked, ...]:
    """That the stored item has the version that the entity was read with; none for one that never was."""
    if marks.version is None:
        return ()
    version, expired = getattr(entity, marks.version), marks.expired(now)
    same = marks.of_version(version, or_nothing=True)
    if isinstance(same, Or):
        return (Asked("version", same if expired is None else Or((*same.conditions, expired))),)
    # What is over counts as nothing, which has no version, whether DynamoDB has deleted it or not.
    ended = () if expired is None else (Asked("ended", Not(expired), told=same),)
    return (*ended, Asked("version", same))


def _unchanged(marks: Marks, before: Held | None) -> tuple[Asked, ...]:
    """That the unique values of the stored item are those that were read, or that there is still none."""
    if before is None:
        return (Asked("read", present(marks.declaration.table, absent=True)),)
    return tuple(Asked("read", each) for each in before.unchanged)


def _extras(marks: Marks, key: WireItem, entity: Any, before: Held | None, now: float) -> tuple[Member, ...]:
    values = marks.values(entity)
    old = None if before is None else State(before.marks, key, before.values, found=True)
    found = guard_changes(now, old, State(marks, key, values))
    return (*found, *reference_checks(marks, key, values, now))
