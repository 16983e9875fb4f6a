"""An update copies a value only into a field that can read it, and stores it as that field does."""

# ruff: noqa: RUF012 - Pydantic gives every model its own copy of a default

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from itertools import permutations
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import AwareDatetime, BaseModel, Field, RootModel

from pksk import TTL, Entity, F, InvalidValue, Key, Table, connect
from pksk.expressions import Action

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


class Colour(Enum):
    RED = "red"


class Part(BaseModel):
    at: date = date(2025, 1, 1)
    weight: float = 0.5
    hidden: str = Field(default="h", exclude=True)


class Bolt(Part):
    pitch: int = 1


class Many(RootModel[list[Part]]):
    pass


class Thing(Entity, table=Table("things", ttl="until")):
    id: str = "1"
    text: str = "x"
    short: str = Field(default="y", max_length=99)
    maybe: str | None = None
    null: str | None
    whole: int = 2_000_000_000
    part: Decimal = Decimal("1.5")
    ratio: float = 0.5
    mixed: int | str = "m"
    day: date = date(2025, 1, 1)
    time: AwareDatetime = NOON
    until: Annotated[datetime | None, TTL()] = None
    uuid: UUID = UUID(int=7)
    colour: Colour = Colour.RED
    state: Literal["red", "x"] = "x"
    size: Literal[2_000_000_000, 2_100_000_000] = 2_000_000_000
    yes: bool = True
    raw: bytes = b"x"
    words: list[str] = ["a"]
    nums: list[int] = [1]
    days: list[date] = [date(2025, 1, 1)]
    nested: list[list[int]] = [[1]]
    tags: set[str] = {"a"}
    ids: set[int] = {1}
    by: dict[str, int] = {"a": 1}
    names: dict[str, str] = {"a": "b"}
    named: dict[date, str] = {date(2025, 1, 1): "b"}
    one: Part = Part()
    bolt: Bolt = Bolt()
    other: Part | None = None
    again: AwareDatetime | None = None
    parts: list[Part] = [Part()]
    of: dict[str, Part] = {}
    many: Many = Many([Part()])

    primary = Key("THING#{id}", "META")


THE = Thing.primary.update(id="1")
FIELDS = [name for name in Thing.__pksk__.fields if name not in ("id", "null")]


def is_rejected(source: str, target: str) -> bool:
    """Whether a copy raises when it is written, also of a field that may be missing."""
    copies = F[target].set(F[source]), F[target].set(F[source].if_not_exists(F[source]))
    codes: set[str] = set()
    for copy in copies:
        try:
            codes.add(THE.apply(copy).kind)
        except InvalidValue as error:
            codes.add(error.code)
    assert len(codes) == 1
    return codes <= {"write-copy", "field-value"}


def test_every_accepted_copy_can_be_read_back() -> None:
    taken = [pair for pair in permutations(FIELDS, 2) if not is_rejected(*pair)]
    with connect("memory:") as db:
        db.create_tables(Thing.__pksk__.table)
        for source, target in taken:
            db.put(Thing(null=None, maybe="x", other=Part(), again=NOON, until=NOON))
            db.update(THE.apply(F[target].set(F[source])))

    assert len(taken) > 50


AGREE = [
    ("text", "short"), ("short", "text"), ("maybe", "text"), ("text", "maybe"), ("text", "null"), ("day", "text"),
    ("uuid", "text"), ("state", "text"), ("colour", "state"), ("colour", "text"), ("whole", "part"), ("whole", "ratio"),
    ("ratio", "part"), ("size", "whole"), ("text", "mixed"), ("whole", "mixed"),
    ("days", "words"), ("one", "other"), ("whole", "until"), ("until", "whole"), ("parts", "many"), ("named", "names"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "target"), AGREE)
def test_compatible_types_can_be_copied(source: str, target: str) -> None:
    update = THE.apply(F[target].set(F[source]))

    assert update.changed_fields == (target,)


@pytest.mark.parametrize("source", ["anything", "nothing"])
def test_a_value_of_an_unknown_type_can_be_copied(source: str) -> None:
    class Note(Entity, table=Table("notes")):
        id: str
        day: date | None = None
        anything: Any = None
        nothing: None = None
        primary = Key("NOTE#{id}", "META")

    update = Note.primary.update(id="1").apply(F.day.set(F[source]))

    assert update.changed_fields == ("day",)


def test_a_choice_that_may_be_none_can_be_copied_to_text() -> None:
    class Note(Entity, table=Table("notes")):
        id: str
        text: str = "x"
        state: Literal["red", None] = None
        primary = Key("NOTE#{id}", "META")

    update = Note.primary.update(id="1").apply(F.text.set(F.state))

    assert update.changed_fields == ("text",)


def test_one_of_several_types_can_be_copied_to_a_field_that_takes_them_all() -> None:
    class Note(Entity, table=Table("notes")):
        id: str
        mixed: int | str = 1
        wider: str | int | bytes = "x"
        primary = Key("NOTE#{id}", "META")

    update = Note.primary.update(id="1").apply(F.wider.set(F.mixed))

    assert update.changed_fields == ("wider",)
    with pytest.raises(InvalidValue, match="write-copy"):
        Note.primary.update(id="1").apply(F.mixed.set(F.wider))


def test_an_appended_list_may_be_shorter_than_the_whole_list() -> None:
    class Note(Entity, table=Table("notes")):
        id: str
        words: Annotated[list[str], Field(min_length=2)]
        primary = Key("NOTE#{id}", "META")

    update = Note.primary.update(id="1").apply(F.words.append("x"))

    assert update.changed_fields == ("words",)
    with pytest.raises(InvalidValue):
        Note.primary.update(id="1").set(words=["x"])


REJECTED: dict[str, Action] = {
    "the place that may be there": F.text.set(F.whole.if_not_exists("x")),
    "the place that is there instead": F.text.set(F.text.if_not_exists(F.whole)),
    "text": F.day.set(F.text),
    "texts": F.nums.set(F.words),
    "numbers": F.words.set(F.nums),
    "numbers that are appended": F.words.set(F.nums.append(1).value),
    "a fraction": F.whole.set(F.part + 1),
    "one of several types": F.text.set(F.mixed),
    "any text for a choice": F.state.set(F.text),
    "a choice of others": F.colour.set(F.state),
    "an object of another class": F.bolt.set(F.one),
    "an object of a subclass": F.one.set(F.bolt),
    "a map for an object": F.one.set(F.by),
    "what is stored as NULL": F.text.set(F.null),
    "a time for the end of an item": F.until.set(F.time),
    "a member": F.one.at.set(F.text),
    "of a member": F.day.set(F.one.hidden),
}


@pytest.mark.parametrize("what", REJECTED)
def test_a_copy_that_might_be_unreadable_raises(what: str) -> None:
    with pytest.raises(InvalidValue, match=r"^Thing\.primary\.update\(\)\.apply: ") as caught:
        THE.apply(REJECTED[what])

    assert caught.value.code in ("write-copy", "field-value")


def test_the_error_of_a_copy_names_both_types() -> None:
    with pytest.raises(InvalidValue) as caught:
        THE.apply(F.words.set(F.nums))

    assert str(caught.value) == (
        "Thing.primary.update().apply: nums is of type list[int], and Thing.words is list[str]: the copy might be "
        "unreadable.\n"
        "DynamoDB copies a stored value without any check or conversion.\n"
        "Fix: declare both with the same type, or read the entity and set the value.  (pksk explain write-copy)"
    )


PLACED: dict[str, tuple[Action, dict[str, Any]]] = {
    "an element": (F.parts[0].set(Part(weight=2)), {"parts": [Part(weight=2)]}),
    "a member": (F.of["k"].set(Part(at=date(2026, 1, 1))), {"of": {"k": Part(at=date(2026, 1, 1))}}),
    "a map": (F.of["k"].set({"weight": 3}), {"of": {"k": Part(weight=3)}}),
    "a list": (F.parts.append(Part(), Part(weight=1)), {"parts": [Part(), Part(), Part(weight=1)]}),
    "a list as a whole": (F.parts.set([Part(weight=1)]), {"parts": [Part(weight=1)]}),
    "in place of none": (F.other.set(F.other.if_not_exists(Part(weight=4))), {"other": Part(weight=4)}),
    "a root": (F.many.set(Many([Part(weight=4)])), {"many": Many([Part(weight=4)])}),
    "a time in place of none": (F.again.set(F.again.if_not_exists(NOON)), {"again": NOON}),
    "more time": (F.until.set(F.until + 60), {"until": NOON.replace(minute=1)}),
}


@pytest.mark.parametrize("what", PLACED)
def test_values_are_stored_as_their_field_stores_them(what: str) -> None:
    action, fields = PLACED[what]
    with connect("memory:") as db:
        db.create_tables(Thing.__pksk__.table)
        db.put(Thing(null=None, until=NOON))
        changed = db.update(THE.apply(action))

    assert changed == Thing(null=None, until=NOON).model_copy(update=fields)


def test_an_object_that_does_not_fit_its_field_raises() -> None:
    with pytest.raises(InvalidValue, match=r"Thing\.parts\.0"):
        THE.apply(F.parts[0].set(Many([])))
