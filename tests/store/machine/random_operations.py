"""Random operations: entities, changes and writes of few values, so that they affect the same items.

Each comes from one number. If Hypothesis drew every value, a run of many steps would exceed its limits, and runs would
be too similar.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from random import Random
from typing import Any, TypeAlias

from pksk import Entity
from tests.store.machine.model import UNIQUE, Model
from tests.store.machine.park import ENTITIES, Account, Animal, Cat, Dog, Home, Keeper, Pass, Ticket
from tests.store.machine.writes import Change, Entry, Look, Removal, When, Write

__all__ = ["RandomOperations"]

Choices: TypeAlias = Mapping[str, Sequence[Any]]

_FAMILY = (Animal, Dog, Cat)
_IDS: Choices = {"id": ("1", "2", "3")}
PARTS: Mapping[type[Entity], Choices] = {
    Keeper: {"team": ("a", "b"), "name": ("x", "y", "z")},
    Account: _IDS,
    Pass: {"id": ("1", "2")},
    Ticket: {"gate": ("n", "s"), "number": (1, 2, 3)},
    **dict.fromkeys(_FAMILY, _IDS),
}
_NUMBERS = range(4)
_ANIMAL: Choices = {"name": ("ada", "bo"), "weight": _NUMBERS, "tag": (None, "t1", "t2")}
FIELDS: Mapping[type[Entity], Choices] = {
    Keeper: {
        "city": ("oslo", "rome"),
        "shift": (None, "day", "night"),
        "rank": _NUMBERS,
        "nick": (None, "jo", "al"),
        "motto": (None, "onwards"),
        "duty": (False, True),
        "skills": (set(), {"climb"}, {"climb", "swim"}),
        "notes": ([], ["late"], ["late", "early"]),
        "home": (Home(), Home(street="Side", number=7)),
    },
    Account: {
        "email": ("a@x", "b@x", "c@x", "d@x"),
        "handle": (None, "ann", "bob"),
        "status": ("open", "shut", "closed"),
        "level": _NUMBERS,
    },
    # A time is written as seconds from now.
    Pass: {"zone": ("a", "b"), "uses": _NUMBERS, "expires": (None, -5, 30, 200)},
    Ticket: {
        "day": (date(2026, 5, 1), date(2026, 5, 2)),
        "code": (None, "c1", "c2"),
        "seat": (None, "12a", "12b"),
        "holder": (None, "1", "2", "3"),
        "via": (None, None, "1", "2"),
        "guide": (None, None, "1", "2", "3"),
        "expires": (None, -1.5, 10.5, 60, 200),
    },
    Animal: _ANIMAL,
    Dog: {**_ANIMAL, "chip": (None, "d1", "d2"), "breed": (None, "pug")},
    Cat: {**_ANIMAL, "lives": range(1, 9), "flap": (None, None, "1", "2")},
}
# The verbs that fit a field, beside set.
_VERBS: Mapping[str, tuple[str, ...]] = {
    "rank": ("add", "plus", "remove"),
    "level": ("add", "plus", "remove"),
    "uses": ("add", "remove"),
    "weight": ("add", "remove"),
    "lives": ("add", "plus", "remove"),
    "skills": ("add", "discard", "remove"),
    "notes": ("append", "remove"),
    "home": ("street", "number", "remove"),
    "email": ("set",),
}
# Verbs that need a stored value.
_INSIDE = ("plus", "street", "number")
_CONDITIONS: Mapping[type[Entity], str] = {
    Keeper: "rank",
    Account: "level",
    Pass: "uses",
    Ticket: "number",
    **dict.fromkeys(_FAMILY, "weight"),
}


class RandomOperations:
    """Random operations on the state of a model, by one number."""

    def __init__(self, random: Random, model: Model, known: float = 0.7, *, lasting: bool = False) -> None:
        self.random, self.model = random, model
        # How often an operation is on a stored item; and whether no item may expire.
        self.known, self.lasting = known, lasting

    def one_of(self, choices: Sequence[Any]) -> Any:
        return self.random.choice(choices)

    def happens(self, chance: float) -> bool:
        return self.random.random() < chance

    def item_key(self, known: float | None = None) -> tuple[type[Entity], dict[str, Any]]:
        """The entity and key of an item: mostly of a stored one, sometimes by a class that shares its key."""
        rows = list(self.model.rows.values())
        if rows and self.happens(self.known if known is None else known):
            row = self.one_of(rows)
            kind = self.one_of(_FAMILY) if isinstance(row, Animal) and self.happens(0.5) else type(row)
            return kind, {name: getattr(row, name) for name in PARTS[kind]}
        kind = self.one_of(ENTITIES)
        return kind, {name: self.one_of(values) for name, values in PARTS[kind].items()}

    def value(self, kind: type[Entity], name: str) -> Any:
        """A value for a field."""
        value = self.one_of(FIELDS[kind][name])
        if name != "expires" or value is None:
            return value
        until = self.model.now + (abs(value) if self.lasting else value)
        return datetime.fromtimestamp(until, UTC) if kind is Ticket else int(until)

    def values(self, kind: type[Entity], most: int) -> dict[str, Any]:
        """Values for some fields."""
        names = sorted(FIELDS[kind])
        some = self.random.sample(names, self.random.randint(0, min(most, len(names))))
        return {name: self.value(kind, name) for name in some}

    def entity(self, *kinds: type[Entity]) -> Entity:
        """A new entity, a stored one, or an earlier state of one; the latter two often with changes."""
        allowed = kinds or ENTITIES
        known = [row for row in self.model.rows.values() if type(row) in allowed]
        if self.happens(0.3):
            known = [row for row in self.model.seen if type(row) in allowed]
        if known and self.happens(0.6):
            row: Entity = self.one_of(known)
            return row.model_copy(update=self.values(type(row), 3))
        return self.new_entity(None, allowed)

    def trade(self) -> list[Write]:
        """Writes by which items exchange their unique values, in a circle, or take that of a deleted item."""
        holders: dict[tuple[str, str], list[Entity]] = {}
        for row in self.model.rows.values():
            for name, scope in UNIQUE.get(type(row), {}).items():
                if getattr(row, name) is not None or self.happens(0.2):
                    holders.setdefault((scope, name), []).append(row)
        several = [(name, rows) for (_, name), rows in sorted(holders.items()) if len(rows) > 1]
        if not several:
            return []
        name, rows = self.one_of(several)
        some = self.random.sample(rows, min(len(rows), self.random.randint(2, 3)))
        writes: list[Write] = []
        for row, after in zip(some, [*some[1:], *some[:1]], strict=True):
            value, kind = getattr(after, name), type(row)
            parts = {part: getattr(row, part) for part in PARTS[kind]}
            if self.happens(0.2):
                writes.append(Removal(kind, parts))
            elif self.happens(0.5):
                writes.append(Entry(row.model_copy(update={name: value})))
            else:
                writes.append(Change(kind, parts, {name: ("set", value)}))
        return writes

    def new_entity(self, known: float | None = 0.0, allowed: Sequence[type[Entity]] = ENTITIES) -> Entity:
        """A new entity, under a key that may be in use."""
        kind, parts = self.item_key(known)
        while kind not in allowed:
            kind, parts = self.item_key(known)
        email = {"email": self.value(Account, "email")} if kind is Account else {}
        return kind(**{**email, **self.values(kind, 9), **parts})

    def read_entity(self) -> Entity:
        """An entity as it is stored, or an earlier state of it."""
        rows = list(self.model.rows.values())
        known = self.model.seen if self.happens(0.3) else rows
        return self.one_of(known) if known else self.entity()

    def write(self, *verbs: str) -> Write:
        """A write by one of the verbs."""
        verb = self.one_of(verbs)
        if verb == "update":
            return self.change()
        if verb in ("put", "create"):
            entity = self.entity()
            return Entry(entity, verb == "create", None if verb == "create" else self.when(type(entity)))
        kind, parts = self.item_key()
        if verb == "delete":
            return Removal(kind, parts, self.happens(0.5), self.when(kind))
        absent = self.happens(0.4)
        return Look(kind, parts, absent, None if absent else self.when(kind))

    def when(self, kind: type[Entity]) -> When | None:
        """Mostly no condition."""
        return When(_CONDITIONS[kind], self.random.randint(1, 2)) if self.happens(0.2) else None

    def change(self) -> Change:
        """An update of an item, which creates a missing one if it is an upsert."""
        kind, parts = self.item_key()
        upsert = self.happens(0.35)
        names = self.random.sample(sorted(FIELDS[kind]), self.random.randint(1, min(4, len(FIELDS[kind]))))
        if kind is Account and upsert:
            names = list(dict.fromkeys(("email", *names)))
        changes = {name: self.verb(kind, name, upsert=upsert) for name in names}
        return Change(kind, parts, changes, upsert, self.when(kind))

    def verb(self, kind: type[Entity], name: str, *, upsert: bool) -> tuple[str, Any]:
        verbs = ("set", *_VERBS.get(name, ("remove",)))
        verb = self.one_of([each for each in verbs if each not in _INSIDE or not upsert])
        if verb == "set":
            return verb, self.value(kind, name)
        if name == "skills":
            return verb, self.one_of([{"climb"}, {"feed", "swim"}])
        values = {"append": ["more"], "street": "High", "remove": None}
        return verb, values.get(verb, self.random.randint(1, 2))

    def move(self, kind: type[Entity]) -> dict[str, Any]:
        """Changes for a move: of fields of the key, of others, or of both."""
        parts = {name: self.one_of(values) for name, values in PARTS[kind].items() if self.happens(0.6)}
        return {**parts, **self.values(kind, 3)} or {name: self.one_of(v) for name, v in PARTS[kind].items()}
