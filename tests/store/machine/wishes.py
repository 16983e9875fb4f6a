"""Random wishes: entities, changes and writes of few values, so that they meet each other."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from hypothesis import strategies as st

from pksk import Entity
from tests.store.machine.model import Model
from tests.store.machine.park import ENTITIES, Account, Animal, Cat, Dog, Home, Keeper, Pass, Ticket
from tests.store.machine.writes import Change, Entry, Look, Removal, When, Write, address_of

__all__ = ["FIELDS", "NUMBERS", "PARTS", "entities", "kept", "moves", "writes"]

Draws = Mapping[str, st.SearchStrategy[Any]]

_IDS: Draws = {"id": st.sampled_from(["1", "2", "3"])}
PARTS: Mapping[type[Entity], Draws] = {
    Keeper: {"team": st.sampled_from(["a", "b"]), "name": st.sampled_from(["x", "y", "z"])},
    Account: _IDS,
    Pass: {"id": st.sampled_from(["1", "2"])},
    Ticket: {"gate": st.sampled_from(["n", "s"]), "number": st.integers(1, 3)},
    **dict.fromkeys((Animal, Dog, Cat), _IDS),
}
_NUMBER = st.integers(0, 3)
_SKILLS = st.sampled_from([set(), {"climb"}, {"feed"}, {"climb", "swim"}])
_MEMBERS = st.sampled_from([{"climb"}, {"feed"}, {"feed", "swim"}])


def _or_none(*texts: str) -> st.SearchStrategy[str | None]:
    return st.sampled_from([None, *texts])


_ANIMAL: Draws = {"name": st.sampled_from(["ada", "bo"]), "weight": _NUMBER, "tag": _or_none("t1", "t2")}
FIELDS: Mapping[type[Entity], Draws] = {
    Keeper: {
        "city": st.sampled_from(["oslo", "rome"]),
        "shift": _or_none("day", "night"),
        "rank": _NUMBER,
        "nick": _or_none("jo", "al"),
        "motto": _or_none("onwards"),
        "duty": st.booleans(),
        "skills": _SKILLS,
        "notes": st.lists(st.sampled_from(["late", "early"]), max_size=2),
        "home": st.builds(Home, street=st.sampled_from(["Main", "Side"]), number=_NUMBER),
    },
    Account: {
        "email": st.sampled_from(["a@x", "b@x", "c@x"]),
        "handle": _or_none("ann", "bob"),
        "status": st.sampled_from(["open", "shut", "closed"]),
        "level": _NUMBER,
    },
    # A time is drawn as seconds from now.
    Pass: {"zone": st.sampled_from(["a", "b"]), "uses": _NUMBER, "expires": st.sampled_from([None, -5, 30, 200])},
    Ticket: {
        "day": st.sampled_from([date(2026, 5, 1), date(2026, 5, 2)]),
        "code": _or_none("c1", "c2"),
        "seat": _or_none("12a", "12b"),
        "holder": _or_none("1", "2", "3"),
        "via": _or_none("1", "2"),
        "expires": st.sampled_from([None, -1.5, 10.5, 60, 200]),
    },
    Animal: _ANIMAL,
    Dog: {**_ANIMAL, "chip": _or_none("d1", "d2"), "breed": _or_none("pug")},
    Cat: {**_ANIMAL, "lives": st.integers(1, 9), "flap": _or_none("1", "2")},
}
# Fields that verbs other than set fit.
_VERBS: Mapping[str, tuple[str, ...]] = {
    "rank": ("add", "plus", "remove"),
    "level": ("add", "plus", "remove"),
    "uses": ("add", "remove"),
    "weight": ("add", "remove"),
    "lives": ("add", "plus", "remove"),
    "skills": ("add", "discard", "remove"),
    "notes": ("append", "remove"),
    "home": ("street", "number", "remove"),
    "email": (),
}
_INSIDE = ("plus", "street", "number")
NUMBERS: Mapping[type[Entity], str] = {
    Keeper: "rank",
    Account: "level",
    Pass: "uses",
    Ticket: "number",
    **dict.fromkeys((Animal, Dog, Cat), "weight"),
}
kinds = st.sampled_from(ENTITIES)


@st.composite
def entities(draw: st.DrawFn, model: Model, kind: type[Entity]) -> Entity:
    """A new entity, one that is stored, or one as it was some time ago; the latter two with changes."""
    origin = draw(st.sampled_from(["new", "new", "stored", "seen"]))
    if origin != "new":
        rows = list(model.rows.values()) if origin == "stored" else model.seen
        known = [row for row in rows if type(row) is kind]
        if known:
            return draw(st.sampled_from(known)).model_copy(update=draw(some_fields(model, kind)))
    parts = draw(st.fixed_dictionaries(dict(PARTS[kind])))
    values = draw(st.fixed_dictionaries({}, optional=dict(FIELDS[kind])))
    email = {"email": draw(FIELDS[Account]["email"])} if kind is Account else {}
    return kind(**{**email, **parts, **timed(model, kind, values)})


@st.composite
def some_fields(draw: st.DrawFn, model: Model, kind: type[Entity]) -> dict[str, Any]:
    """Values for up to three fields."""
    names = draw(st.lists(st.sampled_from(sorted(FIELDS[kind])), unique=True, max_size=3))
    return timed(model, kind, {name: draw(FIELDS[kind][name]) for name in names})


def timed(model: Model, kind: type[Entity], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values, with a time where there are seconds from now."""
    seconds = values.get("expires")
    if seconds is None:
        return dict(values)
    until: Any = int(model.now + seconds)
    if kind is Ticket:
        until = datetime.fromtimestamp(model.now + seconds, UTC)
    return {**values, "expires": until}


@st.composite
def changes(
    draw: st.DrawFn, model: Model, kind: type[Entity], *, inside: bool
) -> dict[str, tuple[str, Any]]:
    """Up to four changes, of a field each; those that need the field to be there only where it may be `inside`."""
    names = draw(st.lists(st.sampled_from(sorted(FIELDS[kind])), unique=True, min_size=1, max_size=4))
    found: dict[str, tuple[str, Any]] = {}
    for name in names:
        verbs = [each for each in _VERBS.get(name, ("remove",)) if inside or each not in _INSIDE]
        verb = draw(st.sampled_from(("set", "set", *verbs)))
        found[name] = verb, draw(_value(model, kind, name, verb))
    return found


def _value(model: Model, kind: type[Entity], name: str, verb: str) -> st.SearchStrategy[Any]:
    if verb == "set":
        return FIELDS[kind][name].map(lambda value: timed(model, kind, {name: value})[name])
    if name == "skills" and verb != "remove":
        return _MEMBERS
    return {
        "add": st.integers(1, 2),
        "plus": st.integers(1, 2),
        "number": st.integers(1, 2),
        "append": st.just(["more"]),
        "street": st.sampled_from(["High", "Low"]),
        "remove": st.none(),
    }[verb]


def whens(kind: type[Entity]) -> st.SearchStrategy[When | None]:
    """Mostly no condition."""
    return st.sampled_from([None, None, None, When(NUMBERS[kind], 1), When(NUMBERS[kind], 2)])


@st.composite
def updates(draw: st.DrawFn, model: Model, kind: type[Entity]) -> Change:
    """A change of an item, made or not made where it is not there."""
    upsert = draw(st.sampled_from([False, False, True]))
    wanted = draw(changes(model, kind, inside=not upsert))
    if kind is Account and upsert:
        wanted["email"] = "set", draw(FIELDS[Account]["email"])
    parts = draw(st.fixed_dictionaries(dict(PARTS[kind])))
    return Change(kind, parts, wanted, upsert, draw(whens(kind)))


@st.composite
def writes(draw: st.DrawFn, model: Model, *verbs: str) -> Write:
    """Any write of any entity, of the verbs that are named."""
    kind, verb = draw(kinds), draw(st.sampled_from(verbs))
    if verb == "update":
        return draw(updates(model, kind))
    if verb in ("put", "create"):
        absent = verb == "create"
        when = None if absent else draw(whens(kind))
        return Entry(draw(entities(model, kind)), absent, when)
    parts = draw(st.fixed_dictionaries(dict(PARTS[kind])))
    if verb == "delete":
        return Removal(kind, parts, draw(st.booleans()), draw(whens(kind)))
    absent = draw(st.booleans())
    return Look(kind, parts, absent, None if absent else draw(whens(kind)))


def kept(kind: type[Entity], parts: Mapping[str, Any], model: Model) -> Entity | None:
    """What stands in the model under the parts of a key."""
    return model.live(address_of(kind.primary.get(**parts).request["Key"]))  # type: ignore[attr-defined]


@st.composite
def moves(draw: st.DrawFn, model: Model, kind: type[Entity]) -> dict[str, Any]:
    """Changes for a move: of fields of the key, of others, or of both."""
    parts = {name: draw(values) for name, values in PARTS[kind].items() if draw(st.booleans())}
    others = draw(some_fields(model, kind))
    return {**parts, **others} or {name: draw(values) for name, values in PARTS[kind].items()}
