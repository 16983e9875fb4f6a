"""Moves an item to another key, in one transaction: what refers to the old one finds nothing, and nothing is lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pksk.errors import DesignError
from pksk.expressions import evaluate
from pksk.model import Get, Put
from pksk.model.reads.placed import placed
from pksk.model.writes.conditions import present
from pksk.model.writes.facts import write_facts
from pksk.model.writes.sizes import check_item_size, surely_fits
from pksk.store.expect import expect
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.sending.diagnosis import named
from pksk.store.sending.steps import Steps
from pksk.store.writes.before import read_before
from pksk.store.writes.failure import failure, shown_key
from pksk.store.writes.family import kind_of
from pksk.store.writes.guards import State, guard_changes
from pksk.store.writes.marks import Marks, marks_of
from pksk.store.writes.member import Asked, Member, conditions
from pksk.store.writes.perform import again_while_stale, perform
from pksk.store.writes.prepare_delete import key_parts
from pksk.store.writes.prepare_put import put_member, stamped
from pksk.store.writes.prepared import Prepared
from pksk.store.writes.references import reference_checks
from pksk.store.writes.unchanged import unchanged, unknown
from pksk.values import item_size
from pksk.values.boto3_form import from_boto3

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.store.core import Core
    from pksk.values import WireItem

__all__ = ["move"]


def move(core: Core, thing: Any, changes: Mapping[str, Any]) -> Steps[Any]:
    """Change fields of an item, those of its primary key too; gives the entity as it is stored afterwards."""
    if not hasattr(type(thing), "__pksk__"):
        expect("move", thing, "get")
    put = None if isinstance(thing, Get) else Put(thing)
    declaration = thing.entity.__pksk__ if put is None else put.declaration
    key = from_key(thing.request["Key"] if put is None else _place(declaration, thing))
    marks, checked = marks_of(declaration), _checked(declaration, changes)
    version = None if put is None or marks.version is None else getattr(thing, marks.version)
    subject = Move(put or thing, declaration, frozenset(changes))
    if core.meters:
        core.meters.used(subject)

    def attempt() -> Steps[Any]:
        before = yield from read_before(core, declaration, key, None, subject)
        # What is stored may be of a subclass, with markers of its own.
        kind = declaration if before is None else kind_of(declaration, before)
        own = marks_of(kind) if kind.is_kind_of(declaration) else marks
        return (yield from _moved(core, _Moving(own, key, subject, version), before, checked))

    return (yield from again_while_stale(core, subject, attempt))


def from_key(key: Mapping[str, Any]) -> WireItem:
    """A key in DynamoDB's JSON."""
    return {name: from_boto3(wire) for name, wire in key.items()}


def _place(declaration: Declaration[Any], entity: Any) -> Mapping[str, Any]:
    """The key of the item that an entity was read from; refused where its parts do not tell, as a random shard."""
    return placed(declaration.entity, declaration.primary.name, key_parts(declaration, entity), "move")[1]


class _Moving:
    """One item that moves: its key, and the version that the caller has read, if any."""

    def __init__(self, marks: Marks, key: WireItem, subject: Move, version: int | None) -> None:
        self.marks, self.key, self.subject, self.version = marks, key, subject, version
        self.declaration = marks.declaration

    def check(self, before: WireItem | None, now: float) -> None:
        """Refuse an item that is not there, or not as it was read."""
        table, marks = self.declaration.table, self.marks
        member = Member("Delete", {"TableName": table.name, "Key": self.key})
        gone = before is None or entity_reader(self.declaration).found(before, now) is None
        if gone:
            raise failure(self.subject, member, Asked("absent", present(table)), None)
        asked = None if self.version is None or marks.version is None else marks.of_version(self.version)
        if asked is not None and not evaluate(asked, before or {}):
            raise failure(self.subject, member, Asked("version", present(table)), before)


class Move:
    """A move in messages and in estimates: the entity that it is of, and the fields that change."""

    kind = "move"

    def __init__(self, about: Any, declaration: Any, changed: frozenset[str]) -> None:
        self.entity, self.declaration, self.changed = declaration.entity, declaration, changed
        self.pattern = getattr(about, "pattern", None)


def _moved(core: Core, move: _Moving, before: WireItem | None, changes: Mapping[str, Any]) -> Steps[Any]:
    now, marks, declaration = core.clock(), move.marks, move.declaration
    move.check(before, now)
    assert before is not None
    current = entity_reader(declaration).read(before)
    made = Put(stamped(core, marks, current.model_copy(update=dict(changes))))
    key = from_key(made.item_key)
    # What the entity does not know goes with it, as an update leaves it where it is.
    item = {**unknown(declaration, before), **made.item}
    if not surely_fits(item):
        check_item_size(f"move: the item of {declaration.name}", item_size(item))
    same = tuple(Asked("read", each) for each in unchanged(marks, before))
    if key == move.key:
        members: tuple[Member, ...] = (put_member(made, same, item),)
    else:
        gone = {"TableName": declaration.table.name, "Key": move.key, **conditions(same)}
        arrived = put_member(made, (Asked("present", marks.free(now)),), item)
        members = (arrived, Member("Delete", gone, same))
    extras = _extras(move, key, current, made, changes, now)
    yield from perform(core, Prepared(move.subject, members, extras, before=before, reads=True))
    # As it is read back: the end of its time is a whole second.
    return declaration.from_item(item)


def _extras(
    move: _Moving, key: WireItem, current: Any, made: Put[Any], changes: Mapping[str, Any], now: float
) -> tuple[Member, ...]:
    marks = move.marks
    values = marks.values(made.value)
    found: list[Member] = []
    if marks.unique:
        old = State(marks, move.key, marks.values(current), found=True)
        found += guard_changes(now, old, State(marks, key, values))
    _check_own(move, reference_checks(marks, key, values, now))
    return (*found, *reference_checks(marks, key, values, now, changed=frozenset(changes)))


def _check_own(move: _Moving, references: Iterable[Member]) -> None:
    """Refuse a reference to the item itself by the key that it leaves: nothing is there afterwards."""
    table = move.declaration.table.name
    for member in references:
        if (member.request["TableName"], member.request["Key"]) == (table, move.key):
            made, field = failure(move.subject, member, member.asked[0], None), member.about["field"]
            made.problem = (
                f"{named(move.subject)}: {field} refers to the item itself, by the key {shown_key(move.key)} that it "
                "leaves."
            )
            made.fix = f"let it follow: change {field!r} as well, in the same move."
            raise made


def _checked(declaration: Any, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes as the fields hold them; refused where one is no field, or kept by the store."""
    facts, marks = write_facts(declaration), marks_of(declaration)
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
