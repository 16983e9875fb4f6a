"""Prepares an entity to be stored: stamped, guarded, with what it refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.expressions import Not, Or
from pksk.model import Put
from pksk.model.fields.field_facts import field_facts
from pksk.model.markers.marker_rules import MarkerRules, marker_rules
from pksk.model.markers.unique import ItemState, guard_changes
from pksk.model.writes.prepared_write import (
    Expectation,
    ItemAction,
    PreparedWrite,
    expectation_request,
    user_expectations,
)
from pksk.model.writes.write_conditions import existence_condition, user_condition
from pksk.store.sending.steps import Steps
from pksk.store.writes.read_current import CurrentItem, current_item
from pksk.store.writes.references import reference_checks
from pksk.values.boto3_form import from_boto3

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["prepare_put", "put_action", "stamp"]


def prepare_put(core: Core, put: Put[Any], about: Any = None) -> Steps[PreparedWrite]:
    """What storing an entity takes; what is read for it is read for `about`, such as its transaction."""
    marks = marker_rules(put.declaration)
    if marks.plain:
        asked = _expectations(marks, put, core.clock())
        return PreparedWrite(put, (put_action(put, asked),), result=put.value)
    given = put.declaration.from_item(put.item)
    made = Put(stamp(core, marks, given))
    now = core.clock()
    asked = (*_expectations(marks, put, now), *_version_expectations(marks, given, now))
    before: CurrentItem | None = None
    reads = False
    key = {name: from_boto3(wire) for name, wire in made.item_key.items()}
    if marks.replaces_guarded and not put.requires_absence:
        before = yield from current_item(core, put.declaration, key, about or put)
        asked, reads = (*asked, *_unchanged_expectations(marks, before)), True
    extras = _marker_actions(marks, key, made.value, before, now)
    # A version says nothing: whoever has read the same one writes the same next. Nor does a time of coarse steps.
    stamps = marks.updated is not None and not put.declaration.fields[marks.updated].form.altered
    return PreparedWrite(put, (put_action(made, asked),), extras, made.value, reads=reads, stamped=stamps)


def stamp(core: Core, marks: MarkerRules, entity: Entity) -> Any:
    """The entity with its version raised, and the times of its creation and of this write."""
    values: dict[str, Any] = {}
    now, check = core.now(), field_facts(marks.declaration).values
    if marks.version is not None:
        values[marks.version] = getattr(entity, marks.version) + 1
    if marks.created is not None and getattr(entity, marks.created) is None:
        values[marks.created] = check.validated(marks.created, now)
    if marks.updated is not None:
        # Through the field, whose validators may make another time of it.
        values[marks.updated] = check.validated(marks.updated, now)
    return entity.model_copy(update=values) if values else entity


def put_action(put: Put[Any], asked: tuple[Expectation, ...], item: WireItem | None = None) -> ItemAction:
    """The put of an item under these conditions; of another `item` where one is given."""
    request = {
        "TableName": put.table_name,
        "Item": put.item if item is None else item,
        **expectation_request(asked),
    }
    return ItemAction("Put", request, asked)


def _expectations(marks: MarkerRules, put: Put[Any], now: float) -> tuple[Expectation, ...]:
    found: list[Expectation] = []
    if put.requires_absence:
        found.append(Expectation("present", marks.free(now)))
    return (*found, *user_expectations(marks, user_condition(put.declaration, put.condition), now))


def _version_expectations(marks: MarkerRules, entity: Entity, now: float) -> tuple[Expectation, ...]:
    """That the stored item has the version that the entity was read with; none for one that never was."""
    if marks.version is None:
        return ()
    version, expired = getattr(entity, marks.version), marks.expired(now)
    same = marks.of_version(version, or_nothing=True)
    if isinstance(same, Or):
        return (Expectation("version", same if expired is None else Or((*same.conditions, expired))),)
    # What is over counts as nothing, which has no version, whether DynamoDB has deleted it or not.
    ended = () if expired is None else (Expectation("ended", Not(expired), told=same),)
    return (*ended, Expectation("version", same))


def _unchanged_expectations(marks: MarkerRules, before: CurrentItem | None) -> tuple[Expectation, ...]:
    """That the unique values of the stored item are those that were read, or that there is still none."""
    if before is None:
        return (Expectation("read", existence_condition(marks.declaration.table, absent=True)),)
    return tuple(Expectation("read", each) for each in before.unchanged)


def _marker_actions(
    marks: MarkerRules, key: WireItem, entity: Any, before: CurrentItem | None, now: float
) -> tuple[ItemAction, ...]:
    values = marks.values(entity)
    old = None if before is None else ItemState(before.marks, key, before.values, found=True)
    found = guard_changes(now, old, ItemState(marks, key, values))
    return (*found, *reference_checks(marks, key, values, now))
