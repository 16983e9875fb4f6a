"""What must be in the table, as a plain dict of entities, and what must come of each write."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import ceil
from typing import Any, TypeAlias

from pksk import Entity, Put
from pksk.errors import (
    AlreadyExists,
    ConditionFailed,
    NotFound,
    ReferenceMissing,
    StaleVersion,
    UniqueViolation,
)
from tests.store.machine.park import Account, Animal, Cat, Dog, Pass, Ticket
from tests.store.machine.writes import Address, Change, Entry, Look, Removal, Write, address_of

__all__ = ["KEEP_SECONDS", "REFERENCES", "UNIQUE", "Guard", "Model", "Problem", "Verdict", "version_of"]

# How long the engine leaves items lie whose time is over: DynamoDB takes up to some days.
KEEP_SECONDS = 100
# The entity among whose items a value is unique, by the field.
UNIQUE: Mapping[type[Entity], Mapping[str, str]] = {
    Account: {"email": "Account", "handle": "Account"},
    Ticket: {"code": "Ticket"},
    Animal: {"tag": "Animal"},
    Dog: {"tag": "Animal", "chip": "Dog"},
    Cat: {"tag": "Animal"},
}
REFERENCES: Mapping[type[Entity], Mapping[str, type[Entity]]] = {
    Ticket: {"holder": Account, "via": Pass, "guide": Dog},
    Cat: {"flap": Pass},
}
# A scope, a field and a value.
Guard: TypeAlias = tuple[str, str, Any]
Problem: TypeAlias = type[Exception]


@dataclass(frozen=True)
class Verdict:
    """The result of a write: its problems, of which the first is raised, or the entity that is there afterwards.

    `takes` and `gives` are the values that it takes and gives back, `rivals` who else holds one that it takes, `checks`
    what it refers to, for each the kind.
    """

    address: Address
    problems: tuple[Problem, ...] = ()
    before: Entity | None = None
    after: Entity | None = None
    gone: Address | None = None
    takes: frozenset[Guard] = frozenset()
    gives: frozenset[Guard] = frozenset()
    rivals: Mapping[Guard, Address] = field(default_factory=dict)
    checks: Mapping[Address, type[Entity]] = field(default_factory=dict)


class Model:
    """The items of the table, those included whose time is over, and the last numbers of sequences."""

    def __init__(self, now: float) -> None:
        self.rows: dict[Address, Entity] = {}
        self.counters: dict[str, int] = {}
        self.seen: list[Entity] = []
        self.now = now

    def copy(self) -> Model:
        """The same, to be changed by itself."""
        made = Model(self.now)
        made.rows, made.counters, made.seen = dict(self.rows), dict(self.counters), list(self.seen)
        return made

    # Time

    @property
    def moment(self) -> datetime:
        return datetime.fromtimestamp(self.now, UTC)

    def advance(self, seconds: float) -> None:
        """Let time pass, and the engine delete what is long over."""
        self.now += seconds
        self.rows = {
            address: row
            for address, row in self.rows.items()
            if (until := expiry(row)) is None or until + KEEP_SECONDS > self.now
        }

    def forget_swept(self, found: Collection[Address]) -> None:
        """Forget what was over and is gone: an upsert clears such an item away, also where it then fails."""
        self.rows = {
            address: row for address, row in self.rows.items() if address in found or not self.is_over(row)
        }

    def is_over(self, row: Entity) -> bool:
        until = expiry(row)
        return until is not None and until <= self.now

    def is_over_at(self, address: Address) -> bool:
        return address in self.rows and self.is_over(self.rows[address])

    def live(self, address: Address, kind: type[Entity] = Entity) -> Entity | None:
        row = self.rows.get(address)
        return row if row is not None and isinstance(row, kind) and not self.is_over(row) else None

    @property
    def alive(self) -> dict[Address, Entity]:
        return {address: row for address, row in self.rows.items() if not self.is_over(row)}

    # What must come of writes

    def judge(self, write: Write) -> Verdict:
        if isinstance(write, Entry):
            return self._stored(write)
        if isinstance(write, Change):
            return self._changed(write)
        return self._removed(write) if isinstance(write, Removal) else self._looked_at(write)

    def judge_together(self, found: Sequence[Write]) -> list[Verdict] | None:
        """What must come of each write of a transaction; None where two of them cannot be in one."""
        verdicts = [self.judge(each) for each in found]
        taken = [guard for each in verdicts for guard in each.takes]
        verdicts = [self._handed_over(each, verdicts) for each in verdicts]
        deleted = {each.address for each in found if isinstance(each, Removal)}
        checked = {address for each in verdicts for address in each.checks}
        if len(taken) > len(set(taken)) or deleted & checked:
            return None
        pairs = list(zip(verdicts, found, strict=True))
        stored = {verdict.address: verdict.after for verdict, each in pairs if isinstance(each, Entry)}
        updated = {verdict.address: verdict.after for verdict, each in pairs if isinstance(each, Change)}
        return [self._with_others(each, stored, updated) for each in verdicts]

    def _handed_over(self, verdict: Verdict, others: Sequence[Verdict]) -> Verdict:
        """The verdict, where others of a transaction give back what the write takes."""
        given = {(guard, each.address) for each in others for guard in each.gives}
        violations = [UniqueViolation for rival in verdict.rivals.items() if rival not in given]
        kept = [each for each in verdict.problems if each is not UniqueViolation]
        return replace(verdict, problems=(*kept, *violations))

    def _with_others(
        self,
        verdict: Verdict,
        stored: Mapping[Address, Entity | None],
        updated: Mapping[Address, Entity | None],
    ) -> Verdict:
        """The verdict, where others of a transaction store what the write refers to."""

        def is_there(address: Address, kind: type[Entity]) -> bool:
            row = stored.get(address)
            if row is not None:
                return isinstance(row, kind) and not self.is_over(row)
            if address in updated:
                # A failed update has its own error.
                after = updated[address]
                return after is None or isinstance(after, kind)
            return address in stored or self.live(address, kind) is not None

        missing = [ReferenceMissing for there, kind in verdict.checks.items() if not is_there(there, kind)]
        others = [each for each in verdict.problems if each is not ReferenceMissing]
        return replace(verdict, problems=(*others, *missing))

    def commit(self, *verdicts: Verdict) -> None:
        for each in verdicts:
            for address in (each.gone, each.address):
                if address is not None:
                    self.rows.pop(address, None)
        for each in verdicts:
            if each.after is not None:
                self.rows[each.address] = each.after
                self.seen = [*self.seen[-19:], each.after]

    def _stored(self, write: Entry) -> Verdict:
        entity, address = rounded(write.entity), write.address
        before = self.rows.get(address)
        problems: list[Problem] = []
        if write.absent and self.live(address) is not None:
            problems.append(AlreadyExists)
        # What is over counts as nothing.
        if write.when is not None and not write.when.holds(self.live(address)):
            problems.append(ConditionFailed)
        if not _has_version(entity, self.live(address)):
            problems.append(StaleVersion)
        # A create requires that there is no item, and so returns no earlier one.
        return self._arrived(address, None if write.absent else before, self.stamped(entity), problems)

    def stamped(self, entity: Entity, **changes: Any) -> Entity:
        fields = type(entity).__pydantic_fields__
        changes = dict(changes)
        if "version" in fields:
            changes["version"] = (version_of(entity) or 0) + 1
        if "updated" in fields:
            changes["updated"] = self.moment
        if "created" in fields and entity.__dict__["created"] is None:
            changes["created"] = self.moment
        return rounded(entity.model_copy(update=changes))

    def _arrived(
        self,
        address: Address,
        before: Entity | None,
        after: Entity,
        problems: Sequence[Problem],
        changed: Iterable[str] | None = None,
        source: Address | None = None,
    ) -> Verdict:
        """An entity that is to be stored, with what its markers ask for."""
        holders = {guard: self._holder(guard) for guard in guards(after)}
        rivals = {
            guard: holder
            for guard, holder in holders.items()
            if holder is not None and holder not in (address, source)
        }
        taken = [UniqueViolation for _ in rivals]
        checks = references(after, changed)
        missing = [ReferenceMissing for there, kind in checks.items() if self.live(there, kind) is None]
        # Guards go with their item: to another key, and to another end of its time. With that, they end.
        if before is None or self.is_over(before):
            touched = guards(after)
        elif source is not None or expiry(before) != expiry(after):
            touched = guards(after) | guards(before)
        else:
            touched = guards(after) ^ guards(before)
        takes, gives = frozenset(touched & guards(after)), frozenset(touched - guards(after))
        found = (*problems, *taken, *missing)
        return Verdict(address, found, before, after, source, takes, gives, rivals, checks)

    def _holder(self, guard: Guard) -> Address | None:
        return next((address for address, row in self.alive.items() if guard in guards(row)), None)

    def _changed(self, write: Change) -> Verdict:
        address = write.address
        before = self.live(address)
        problems: list[Problem] = []
        if before is None and not write.upsert:
            return Verdict(address, (NotFound,))
        if before is not None and not isinstance(before, write.kind):
            return Verdict(address, (ConditionFailed,))
        if write.when is not None and not write.when.holds(before):
            problems.append(ConditionFailed)
        start = before if before is not None else fresh(write)
        values = {name: changed(start, name, *change) for name, change in write.changes.items()}
        after = self.stamped(start, **values)
        return self._arrived(address, before, after, problems, changed=write.changes)

    def _removed(self, write: Removal) -> Verdict:
        before = self.rows.get(write.address)
        if write.present and self.live(write.address) is None:
            return Verdict(write.address, (NotFound,))
        other = before is not None and not isinstance(before, write.kind)
        live = self.live(write.address)
        if other or (write.when is not None and not write.when.holds(live)):
            return Verdict(write.address, (ConditionFailed,))
        return Verdict(write.address, (), before, None, gives=frozenset(guards(live)))

    def removed_entity(self, entity: Entity) -> Verdict:
        """What must come of the deletion of an entity that was read."""
        address = address_of(Put(entity).item)
        before = self.rows.get(address)
        if before is not None and not isinstance(before, type(entity)):
            return Verdict(address, (ConditionFailed,))
        given = version_of(entity)
        # What is over has no version any more, whether it still lies there or not.
        if given is not None and given != version_of(self.live(address)):
            return Verdict(address, (StaleVersion,))
        return Verdict(address, (), before, None)

    def _looked_at(self, write: Look) -> Verdict:
        row = self.live(write.address)
        problems: list[Problem] = []
        if write.absent:
            problems += [AlreadyExists] if row is not None else []
        elif row is None:
            problems.append(NotFound)
        elif not isinstance(row, write.kind) or (write.when is not None and not write.when.holds(row)):
            problems.append(ConditionFailed)
        return Verdict(write.address, tuple(problems), row, self.rows.get(write.address))

    def moved(
        self, kind: type[Entity], source: Address, version: int | None, changes: Mapping[str, Any]
    ) -> Verdict:
        """What must come of a move of the item at an address, read with a version or not."""
        row = self.live(source, kind)
        if row is None:
            return Verdict(source, (NotFound,))
        if version is not None and version_of(row) != version:
            return Verdict(source, (StaleVersion,))
        after = self.stamped(row, **changes)
        address = address_of(Put(after).item)
        if address == source:
            return self._arrived(address, row, after, (), changed=changes)
        problems = [AlreadyExists] if self.live(address) is not None else []
        return self._arrived(address, row, after, problems, changed=changes, source=source)


def _has_version(entity: Entity, live: Entity | None) -> bool:
    """Whether what is stored is what the entity was read from; nothing, for one that is new."""
    given, stored = version_of(entity), version_of(live)
    return given is None or (stored is None if given == 0 else stored == given)


def version_of(row: Entity | None) -> int | None:
    """The version of a row that has one."""
    # Asking an entity itself for what it lacks takes long: it looks for what was meant.
    found: int | None = None if row is None else row.__dict__.get("version")
    return found


def expiry(row: Entity) -> int | None:
    """The second at which the time of a row is over."""
    until = row.__dict__.get("expires")
    return int(until.timestamp()) if isinstance(until, datetime) else until


def rounded(entity: Entity) -> Entity:
    """The entity as it is read back: an end is a whole second, and never too early."""
    until = entity.__dict__.get("expires")
    if not isinstance(until, datetime):
        return entity
    return entity.model_copy(update={"expires": datetime.fromtimestamp(ceil(until.timestamp()), UTC)})


def guards(row: Entity | None) -> set[Guard]:
    """The unique values of a row."""
    if row is None:
        return set()
    fields = UNIQUE.get(type(row), {}).items()
    return {(scope, name, getattr(row, name)) for name, scope in fields if getattr(row, name) is not None}


def references(row: Entity, changed: Iterable[str] | None = None) -> dict[Address, type[Entity]]:
    """What a row refers to; by fields that have changed, if those are given."""
    fields = REFERENCES.get(type(row), {}).items()
    return {
        _ADDRESSES[kind](getattr(row, name)): kind
        for name, kind in fields
        if getattr(row, name) is not None and (changed is None or name in changed)
    }


_ADDRESSES: Mapping[type[Entity], Any] = {
    Account: lambda value: (f"ACCOUNT#{value}", "META"),
    Pass: lambda value: (f"PASS#{value}", "META"),
    Dog: lambda value: (f"ANIMAL#{value}", "META"),
}


def fresh(write: Change) -> Entity:
    """The entity that an upsert makes, before its changes: the key and all defaults."""
    needed = {"email": "none"} if write.kind is Account else {}
    return write.kind(**needed, **write.parts)


def changed(entity: Entity, name: str, verb: str, value: Any) -> Any:
    """What a verb makes of a field."""
    now = getattr(entity, name)
    if verb == "remove":
        return type(entity).__pydantic_fields__[name].get_default(call_default_factory=True)
    if verb in ("street", "number"):
        return now.model_copy(update={verb: value if verb == "street" else now.number + value})
    if verb == "append":
        return [*now, *value]
    if isinstance(now, set) and verb != "set":
        return now | value if verb == "add" else now - value
    return value if verb == "set" else now + value
