"""The expected content of the table, as a plain dict of entities, and the expected result of each write."""

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

# How long the engine keeps expired items: DynamoDB takes up to some days.
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

    `takes` and `gives` are the unique values that it reserves and releases, `rivals` the other owners of values that
    it reserves, `checks` the addresses that it refers to, with the entity of each.
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
    """The items of the table, expired ones included, and the last numbers of sequences."""

    def __init__(self, now: float) -> None:
        self.rows: dict[Address, Entity] = {}
        self.counters: dict[str, int] = {}
        self.seen: list[Entity] = []
        self.now = now

    def copy(self) -> Model:
        """A copy that can change independently."""
        copy = Model(self.now)
        copy.rows, copy.counters, copy.seen = dict(self.rows), dict(self.counters), list(self.seen)
        return copy

    # Time

    @property
    def moment(self) -> datetime:
        return datetime.fromtimestamp(self.now, UTC)

    def advance(self, seconds: float) -> None:
        """Advance the clock; the engine deletes items that expired long ago."""
        self.now += seconds
        self.rows = {
            address: row
            for address, row in self.rows.items()
            if (until := expiry(row)) is None or until + KEEP_SECONDS > self.now
        }

    def forget_deleted(self, stored: Collection[Address]) -> None:
        """Forget expired items that were deleted: an upsert deletes one even if it fails afterwards."""
        self.rows = {
            address: row
            for address, row in self.rows.items()
            if address in stored or not self.has_expired(row)
        }

    def has_expired(self, row: Entity) -> bool:
        until = expiry(row)
        return until is not None and until <= self.now

    def has_expired_item(self, address: Address) -> bool:
        return address in self.rows and self.has_expired(self.rows[address])

    def live(self, address: Address, kind: type[Entity] = Entity) -> Entity | None:
        row = self.rows.get(address)
        return row if row is not None and isinstance(row, kind) and not self.has_expired(row) else None

    @property
    def alive(self) -> dict[Address, Entity]:
        return {address: row for address, row in self.rows.items() if not self.has_expired(row)}

    # Expected results of writes

    def judge(self, write: Write) -> Verdict:
        if isinstance(write, Entry):
            return self._stored(write)
        if isinstance(write, Change):
            return self._changed(write)
        return self._removed(write) if isinstance(write, Removal) else self._looked_at(write)

    def judge_together(self, writes: Sequence[Write]) -> list[Verdict] | None:
        """The expected result of each write of a transaction; None if two of them cannot be in one."""
        verdicts = [self.judge(each) for each in writes]
        taken = [guard for each in verdicts for guard in each.takes]
        verdicts = [self._with_released_values(each, verdicts) for each in verdicts]
        deleted = {each.address for each in writes if isinstance(each, Removal)}
        checked = {address for each in verdicts for address in each.checks}
        if len(taken) > len(set(taken)) or deleted & checked:
            return None
        pairs = list(zip(verdicts, writes, strict=True))
        stored = {verdict.address: verdict.after for verdict, each in pairs if isinstance(each, Entry)}
        updated = {verdict.address: verdict.after for verdict, each in pairs if isinstance(each, Change)}
        return [self._with_others(each, stored, updated) for each in verdicts]

    def _with_released_values(self, verdict: Verdict, others: Sequence[Verdict]) -> Verdict:
        """The verdict, if other members of the transaction release the values that the write reserves."""
        released = {(guard, each.address) for each in others for guard in each.gives}
        violations = [UniqueViolation for rival in verdict.rivals.items() if rival not in released]
        kept = [each for each in verdict.problems if each is not UniqueViolation]
        return replace(verdict, problems=(*kept, *violations))

    def _with_others(
        self,
        verdict: Verdict,
        stored: Mapping[Address, Entity | None],
        updated: Mapping[Address, Entity | None],
    ) -> Verdict:
        """The verdict, if other members of the transaction store the items that the write refers to."""

        def is_there(address: Address, kind: type[Entity]) -> bool:
            row = stored.get(address)
            if row is not None:
                return isinstance(row, kind) and not self.has_expired(row)
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
        # An expired item counts as missing.
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
        """The result of storing an entity, with the effects of its markers."""
        holders = {guard: self._holder(guard) for guard in guards(after)}
        rivals = {
            guard: holder
            for guard, holder in holders.items()
            if holder is not None and holder not in (address, source)
        }
        taken = [UniqueViolation for _ in rivals]
        checks = references(after, changed)
        missing = [ReferenceMissing for there, kind in checks.items() if self.live(there, kind) is None]
        # Guards follow their item to another key, and have its expiry.
        if before is None or self.has_expired(before):
            touched = guards(after)
        elif source is not None or expiry(before) != expiry(after):
            touched = guards(after) | guards(before)
        else:
            touched = guards(after) ^ guards(before)
        takes, gives = frozenset(touched & guards(after)), frozenset(touched - guards(after))
        all_problems = (*problems, *taken, *missing)
        return Verdict(address, all_problems, before, after, source, takes, gives, rivals, checks)

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
        """The expected result of deleting an entity that was read."""
        address = address_of(Put(entity).item)
        before = self.rows.get(address)
        if before is not None and not isinstance(before, type(entity)):
            return Verdict(address, (ConditionFailed,))
        version = version_of(entity)
        # An expired item has no version, whether or not it is still stored.
        if version is not None and version != version_of(self.live(address)):
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
        """The expected result of moving the item at an address, read with a version or not."""
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
    """Whether the stored item has the version of the entity; for a new entity, whether there is none."""
    version, stored = version_of(entity), version_of(live)
    return version is None or (stored is None if version == 0 else stored == version)


def version_of(row: Entity | None) -> int | None:
    """The version of a row that has one."""
    # Looking up a missing attribute of an entity is slow: it searches for a similar name.
    version: int | None = None if row is None else row.__dict__.get("version")
    return version


def expiry(row: Entity) -> int | None:
    """The second at which a row expires."""
    until = row.__dict__.get("expires")
    return int(until.timestamp()) if isinstance(until, datetime) else until


def rounded(entity: Entity) -> Entity:
    """The entity as it is read back: an expiry is a whole second, and never too early."""
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
    """The addresses that a row refers to, or only those of the changed fields."""
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
