"""Moves an item to another key in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pksk.errors import DesignError, ExpressionError
from pksk.expressions import Compare, Condition, Path, Value, evaluate
from pksk.model import Get, Put
from pksk.model.fields.field_facts import field_facts
from pksk.model.item_key import resolve_item_key
from pksk.model.markers.marker_rules import MarkerRules, marker_rules
from pksk.model.markers.unique import ItemState, guard_changes
from pksk.model.requests.move import Move
from pksk.model.writes.prepared_write import Expectation, ItemAction, PreparedWrite, expectation_request
from pksk.model.writes.size_limits import check_item_size, surely_fits
from pksk.model.writes.write_conditions import condition_request, existence_condition, same_value_conditions
from pksk.store.argument_checks import check_request_kind
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.sending.diagnosis import request_name
from pksk.store.sending.steps import Steps
from pksk.store.writes.failure import failure, quoted_key
from pksk.store.writes.prepare_delete import key_parts
from pksk.store.writes.prepare_put import put_action, stamp
from pksk.store.writes.read_current import known_entity_of_item, read_current, same_entity
from pksk.store.writes.references import reference_checks
from pksk.store.writes.write import perform, retry_while_stale
from pksk.values import item_size
from pksk.values.boto3_form import from_boto3

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["move", "unknown_attributes", "whole_item_unchanged"]


def unknown_attributes(declaration: Declaration[Any], item: WireItem) -> WireItem:
    """The attributes of an item that its entity does not know: no fields, and none that it writes itself."""
    known = {each.attribute for each in declaration.fields.values() if not each.computed}
    known |= {*declaration.key_attributes, *declaration.table.key_attributes}
    return {
        name: wire
        for name, wire in item.items()
        if name not in known and name != declaration.table.discriminator
    }


def whole_item_unchanged(marks: MarkerRules, item: WireItem) -> list[Condition]:
    """That an item is there and still as it was read, with what its entity does not know.

    A version alone does not tell: an item that was deleted and made again begins with the same one. Only where all that
    an item holds is too much for an expression, it has to do, with as much else as there is room for.
    """
    found = _ordered_conditions(marks, item)
    if marks.version is None and not _fits(found):
        name, count = marks.declaration.name, len(found)
        raise DesignError(
            "store-move-too-wide",
            f"{name}: move: an item with {len(item)} attributes would be compared with what was read, in {count} "
            "conditions.",
            expected="A move loses nothing that others write meanwhile. A condition has at most 300 operators and "
            "4,096 bytes.",
            fix=f"give {name} a version, which tells as much by itself: version: Annotated[int, Version()] = 0.",
        )
    while not _fits(found):
        found = found[: len(found) * 9 // 10]
    return found


def _ordered_conditions(marks: MarkerRules, item: WireItem) -> list[Condition]:
    """All that is compared; first what tells most."""
    declaration = marks.declaration
    # Those of the primary key do not change while an item is there.
    keys = declaration.table.key_attributes
    first = [name for name in (marks.version, marks.created, marks.updated) if name is not None]
    fields = dict.fromkeys((*first, *field_facts(declaration).stored))
    wires = {name: item.get(marks.attribute(name)) for name in fields if marks.attribute(name) not in keys}
    others = [
        Compare("=", Path((name,)), Value(wire))
        for name, wire in unknown_attributes(declaration, item).items()
    ]
    there = existence_condition(declaration.table)
    return [there, *same_entity(declaration, item), *same_value_conditions(declaration, wires), *others]


def _fits(conditions: list[Condition]) -> bool:
    try:
        condition_request(conditions)
    except ExpressionError:
        return False
    return True


def move(core: Core, thing: Any, changes: Mapping[str, Any]) -> Steps[Any]:
    """Change fields of an item, those of its primary key too; gives the entity as it is stored afterwards."""
    if not hasattr(type(thing), "__pksk__"):
        check_request_kind("move", thing, "Get")
    put = None if isinstance(thing, Get) else Put(thing)
    declaration = thing.entity.__pksk__ if put is None else put.declaration
    key = key_to_wire(thing.request["Key"] if put is None else _key_of_entity(declaration, thing))
    marks, checked = marker_rules(declaration), _validated_changes(declaration, changes)
    version = None if put is None or marks.version is None else getattr(thing, marks.version)
    subject = Move(declaration.entity, frozenset(changes))
    if put is None and thing.pattern is not None:
        subject = subject.with_pattern(thing.pattern)
    if core.meters:
        core.meters.used(subject)

    def attempt() -> Steps[Any]:
        before = yield from read_current(core, declaration, key, None, subject)
        # What is stored may be of a subclass, with markers of its own.
        kind = declaration if before is None else known_entity_of_item(declaration, before)
        own = marker_rules(kind) if kind.is_kind_of(declaration) else marks
        return (yield from _move_item(core, _Moving(own, key, subject, version), before, checked))

    return (yield from retry_while_stale(core, subject, attempt))


def key_to_wire(key: Mapping[str, Any]) -> WireItem:
    """A key in DynamoDB's JSON."""
    return {name: from_boto3(wire) for name, wire in key.items()}


def _key_of_entity(declaration: Declaration[Any], entity: Any) -> Mapping[str, Any]:
    """The key of the item that an entity was read from; refused where its parts do not tell, as a random shard."""
    return resolve_item_key(
        declaration.entity, declaration.primary.name, key_parts(declaration, entity), "move"
    )[1]


class _Moving:
    """One item that moves: its key, and the version that the caller has read, if any."""

    def __init__(self, marks: MarkerRules, key: WireItem, subject: Move, version: int | None) -> None:
        self.marks, self.key, self.subject, self.version = marks, key, subject, version
        self.declaration = marks.declaration

    def check(self, before: WireItem | None, now: float) -> None:
        """Refuse an item that is not there, or not as it was read."""
        table, marks = self.declaration.table, self.marks
        member = ItemAction("Delete", {"TableName": table.name, "Key": self.key})
        gone = before is None or entity_reader(self.declaration).found(before, now) is None
        if gone:
            raise failure(self.subject, member, Expectation("absent", existence_condition(table)), None)
        asked = None if self.version is None or marks.version is None else marks.of_version(self.version)
        if asked is not None and not evaluate(asked, before or {}):
            raise failure(self.subject, member, Expectation("version", existence_condition(table)), before)


def _move_item(core: Core, move: _Moving, before: WireItem | None, changes: Mapping[str, Any]) -> Steps[Any]:
    now, marks, declaration = core.clock(), move.marks, move.declaration
    move.check(before, now)
    assert before is not None
    current = entity_reader(declaration).read(before)
    made = Put(stamp(core, marks, current.model_copy(update=dict(changes))))
    key = key_to_wire(made.item_key)
    # What the entity does not know goes with it, as an update leaves it where it is.
    item = {**unknown_attributes(declaration, before), **made.item}
    if not surely_fits(item):
        check_item_size(f"move: the item of {declaration.name}", item_size(item))
    same = tuple(Expectation("read", each) for each in whole_item_unchanged(marks, before))
    if key == move.key:
        members: tuple[ItemAction, ...] = (put_action(made, same, item),)
    else:
        gone = {"TableName": declaration.table.name, "Key": move.key, **expectation_request(same)}
        arrived = put_action(made, (Expectation("present", marks.free(now)),), item)
        members = (arrived, ItemAction("Delete", gone, same))
    extras = _marker_actions(move, key, current, made, changes, now)
    yield from perform(core, PreparedWrite(move.subject, members, extras, before=before, reads=True))
    # As it is read back: the end of its time is a whole second.
    return declaration.from_item(item)


def _marker_actions(
    move: _Moving, key: WireItem, current: Any, made: Put[Any], changes: Mapping[str, Any], now: float
) -> tuple[ItemAction, ...]:
    marks = move.marks
    values = marks.values(made.value)
    found: list[ItemAction] = []
    if marks.unique:
        old = ItemState(marks, move.key, marks.values(current), found=True)
        found += guard_changes(now, old, ItemState(marks, key, values))
    _check_own(move, reference_checks(marks, key, values, now))
    return (*found, *reference_checks(marks, key, values, now, changed=frozenset(changes)))


def _check_own(move: _Moving, references: Iterable[ItemAction]) -> None:
    """Refuse a reference to the item itself by the key that it leaves: nothing is there afterwards."""
    table = move.declaration.table.name
    for member in references:
        if (member.request["TableName"], member.request["Key"]) == (table, move.key):
            made, field = failure(move.subject, member, member.asked[0], None), member.about["field"]
            made.problem = (
                f"{request_name(move.subject)}: {field} refers to the item itself, by the key {quoted_key(move.key)} that it "
                "leaves."
            )
            made.fix = f"let it follow: change {field!r} as well, in the same move."
            raise made


def _validated_changes(declaration: Any, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes as the fields hold them; refused where one is no field, or kept by the store."""
    facts, marks = field_facts(declaration), marker_rules(declaration)
    where = f"{declaration.name}: move"
    if not changes:
        raise DesignError(
            "store-move-nothing", f"{where}: nothing is changed.", fix="say which fields change."
        )
    for name in changes:
        declaration.attribute(name)
        if declaration.fields[name].computed or name in (marks.version, marks.created, marks.updated):
            raise DesignError(
                "store-managed-field",
                f"{where}: {name!r} is changed, and is computed or kept by the store itself.",
                fix=f"leave {name!r} out.",
            )
    return {name: facts.values.validated(name, value) for name, value in changes.items()}
