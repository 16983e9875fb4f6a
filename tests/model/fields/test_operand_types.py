"""Operands that no stored value would match raise; others have the stored form of what they are compared with."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import reduce
from pathlib import Path
from types import GenericAlias
from typing import Annotated, Any, Generic, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    HttpUrl,
    NaiveDatetime,
    SecretStr,
    StringConstraints,
)
from ulid import ULID

from pksk import (
    Attribute,
    BoundsError,
    Engine,
    Entity,
    F,
    InvalidValue,
    Key,
    PkskError,
    Put,
    Store,
    Stored,
    Table,
    between,
    connect,
    gt,
    unchecked,
)  # fmt: skip
from pksk.values import from_wire, to_wire
from pksk.values.wire import normalize_wire
from tests.model.field_types import EXACT, Inner
from tests.model.test_items import entity_of

T = TypeVar("T")
NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)
ID = UUID("00000000-0000-0000-0000-00000000000a")


class Colour(Enum):
    RED = "red"


class Leg(BaseModel):
    at: Annotated[datetime, Stored("epoch-seconds")] = NOON
    name: Annotated[str, StringConstraints(to_lower=True)] = "a"
    count: int = 0
    note: str | None = None


@dataclass
class Stay:
    since: Annotated[datetime, Stored("epoch-seconds")]
    length: timedelta = timedelta(hours=1)


class Trip(Entity, table=Table("trips")):
    id: str
    count: Annotated[int, Attribute("c")] = 0
    total: int | None = None
    price: Decimal = Decimal("1.5")
    flag: bool = True
    content: bytes = b"abc"
    day: date = date(2025, 1, 1)
    at: AwareDatetime = NOON
    local: NaiveDatetime = datetime(2025, 1, 1)
    clock: time = time(12)
    minute: Annotated[datetime, Stored("iso-minutes")] = NOON
    long: timedelta = timedelta(0)
    either: AwareDatetime | NaiveDatetime = NOON
    colour: Colour = Colour.RED
    first: Leg = Leg()
    stay: Stay = Stay(NOON)
    stays: list[Stay] = Field(default_factory=list)
    legs: list[Leg] = Field(default_factory=list)
    by_name: dict[str, Leg] = Field(default_factory=dict)
    pair: tuple[int, Leg] = (0, Leg())
    counts: set[int] = Field(default_factory=set)
    ids: list[UUID] = Field(default_factory=list)
    colours: set[Colour] = Field(default_factory=set)
    days: dict[str, list[date]] = Field(default_factory=dict)
    primary = Key("TRIP#{id}", "META")


def values_of(condition: Any) -> Any:
    return Trip.scan().filter(condition).plan.requests[0].get("ExpressionAttributeValues")


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        (F.id.contains(5), "filter-value"), (F.content.contains("a"), "filter-value"),
        (F.count.contains(1), "filter-order"), (F.flag.contains(True), "filter-order"),
        (F.by_name.contains("x"), "filter-order"), (F.first.contains("at"), "filter-order"),
        (F.counts.begins("1"), "filter-order"), (F.legs > "a", "filter-order"), (F.first < "a", "filter-order"),
        (F.long > "P1D", "filter-order"), (F.first.at.begins("2025"), "filter-order"),
        (F.either < NOON, "filter-order"),
        (F.id.size() > "5", "filter-value"), (F.id.size() == None, "filter-value"),  # noqa: E711
        (F.count.size() > 1, "filter-order"), (F.id.size().is_in(1, "2"), "filter-value"),
        (F.id == F.count, "filter-value"), (F.id < F.first.count, "filter-value"),
        (F.id == F.count.size(), "filter-value"),
        (F.first.count > "x", "filter-value"), (F.legs[0].count.is_in("x"), "operand-value"),
        (F.total.is_in(None, 1), "filter-value"), (F.count.is_in([1, 2]), "filter-value"),
        (F.first.at > 5, "filter-value"), (F.legs[0].at == 5.5, "filter-value"), (F.days.a.contains(0), "filter-value"),
    ],
)  # fmt: skip
def test_an_operand_that_no_item_would_match_raises(condition: Any, code: str) -> None:
    for write in (
        lambda: Trip.scan().filter(condition).plan,
        lambda: Trip.primary.update(id="1").set(count=1).when(condition),
        lambda: Put(Trip(id="1")).when(condition),
    ):
        with pytest.raises(InvalidValue, match=r"^Trip\.") as caught:
            write()

        assert caught.value.code == code


@pytest.mark.parametrize(
    ("condition", "fix"),
    [
        (F.by_name.contains("x"), "write F.by_name['x'].exists() for a key of a map, or == for a value."),
        (F.counts.begins("1"), "use contains for a member."),
        (F.count.is_in([1, 2]), "use a value of the field's type; for one of several values, write is_in(*values)."),
        (F.total.is_in(None, 1), "use a value of the field's type; for None, write F.total == None."),
    ],
)  # fmt: skip
def test_the_fix_says_what_to_write_instead(condition: Any, fix: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        values_of(condition)

    assert caught.value.fix == fix


STAY = {"M": {"since": {"N": "1735732800"}, "length": {"S": "PT1H"}}}
LEG = {"M": {"at": {"N": "1735732800"}, "name": {"S": "a"}, "count": {"N": "0"}, "note": {"NULL": True}}}


@pytest.mark.parametrize(
    ("condition", "stored"),
    [
        (F.stay == Stay(NOON), STAY), (F.stays.contains(Stay(NOON)), STAY),
        (F.stays[0].length == timedelta(hours=1), {"S": "PT1H"}),
        (F.long == timedelta(days=400), {"S": "P1Y35D"}), (F.long.is_in("1 day"), {"S": "P1D"}),
        (F.first == Leg(), LEG), (F.legs[0] == Leg(), LEG), (F.legs.contains(Leg()), LEG), (F.pair[1] == Leg(), LEG),
        (F.by_name.a == Leg(), LEG), (F.by_name["a"].is_in(Leg()), LEG), (F.first.name == "A", {"S": "a"}),
        (F.first.name >= "AN", {"S": "an"}), (F.legs[1].name.begins("AN"), {"S": "an"}),
        (F.counts.contains("5"), {"N": "5"}), (F.ids.contains(str(ID).upper()), {"S": str(ID)}),
        (F.colours.contains(Colour.RED), {"S": "red"}), (F.colours.contains("red"), {"S": "red"}),
        (F.days.a.contains("2025-01-01"), {"S": "2025-01-01"}), (F.first.count > 1.5, {"N": "1.5"}),
        (F.first.note == None, {"NULL": True}), (F.first.at > NOON + timedelta(milliseconds=1), {"N": "1735732800"}),  # noqa: E711
        (F.id.contains(unchecked(5)), {"N": "5"}), (F.first.count > unchecked("x"), {"S": "x"}),
    ],
)  # fmt: skip
def test_an_operand_has_the_stored_form_of_the_place_it_is_compared_with(condition: Any, stored: Any) -> None:
    assert values_of(condition) == {":v0": stored}


@pytest.fixture(scope="module")
def db() -> Store:
    store = connect(Engine.open())
    store.create_tables(Trip.__pksk__.table)
    return store


LEGS = st.builds(
    Leg,
    at=st.integers(0, 99).map(lambda second: NOON + timedelta(seconds=second)),
    name=st.sampled_from("aB"),
    note=st.none() | st.just("n"),
)
STAYS = st.builds(Stay, st.just(NOON), st.timedeltas())
TRIPS = st.builds(
    Trip,
    id=st.just("1"),
    first=LEGS,
    legs=st.lists(LEGS, min_size=1, max_size=2),
    by_name=st.dictionaries(st.just("a"), LEGS, min_size=1),
    pair=st.tuples(st.integers(0, 9), LEGS),
    counts=st.sets(st.integers(0, 9), min_size=1),
    ids=st.just([ID]),
    colours=st.just({Colour.RED}),
    days=st.just({"a": [date(2025, 1, 1)]}),
    price=st.decimals(0, 9, places=2),
    long=st.timedeltas(),
    stay=STAYS,
    stays=st.lists(STAYS, min_size=1, max_size=2),
)
# For each place in an item, the condition that it holds the value that the item has there.
PLACES: list[Callable[[Trip], Any]] = [
    lambda trip: F.first == trip.first,
    lambda trip: F.legs[0] == trip.legs[0],
    lambda trip: F.legs.contains(trip.legs[-1]),
    lambda trip: F.by_name["a"] == trip.by_name["a"],
    lambda trip: F.by_name == trip.by_name,
    lambda trip: F.pair[1] == trip.pair[1],
    lambda trip: F.pair == trip.pair,
    lambda trip: F.first.at.between(trip.first.at, trip.first.at),
    lambda trip: F.first.name == trip.first.name.upper(),
    lambda trip: F.first.note == trip.first.note,
    lambda trip: F.counts == trip.counts,
    lambda trip: F.counts.contains(str(min(trip.counts))),
    lambda trip: F.ids.contains(str(trip.ids[0]).upper()),
    lambda trip: F.colours.contains(min(trip.colours, key=str).value),
    lambda trip: F.days.a[0] == trip.days["a"][0].isoformat(),
    lambda trip: F.price >= trip.price,
    lambda trip: F.legs.size() == len(trip.legs),
    lambda trip: F.minute == trip.minute,
    lambda trip: F.long == trip.long,
    lambda trip: F.stay == trip.stay,
    lambda trip: F.stays.contains(trip.stays[0]),
]


@given(TRIPS, st.sampled_from(PLACES))
def test_an_item_is_found_by_the_value_of_any_place(
    db: Store, trip: Trip, condition: Callable[[Trip], Any]
) -> None:
    db.put(trip)

    assert list(db.iter(Trip.scan().filter(condition(trip)))) == [trip]
    assert db.update(Trip.primary.update(id="1").set(flag=True).when(condition(trip))).id == "1"


@pytest.mark.parametrize(
    ("condition", "example"),
    [
        (F.at >= "x", "2025-03-01T18:30:00.000000Z"), (F.at.begins("2025-01-01 "), "2025-03-01T18:30:00.000000Z"),
        (F.at <= "2025-01-01T00:00:00Z", "2025-03-01T18:30:00.000000Z"),
        (F.local > "2025-01-01T0x", "2025-03-01T18:30:00"),
        (F.clock > "25", "18:30:00"), (F.minute.begins("2025-01-01T12:30:"), "2025-03-01T18:30Z"),
    ],
)  # fmt: skip
def test_text_that_no_stored_time_begins_with_raises(condition: Any, example: str) -> None:
    with pytest.raises(InvalidValue, match=rf"values are times such as '{example}'") as caught:
        values_of(condition)

    assert caught.value.code == "operand-value"


def test_beginnings_of_stored_times_are_bounds() -> None:
    for condition in (
        F.at >= "2025",
        F.local < "2025-01-01T",
        F.clock >= "1",
        F.minute.begins("2025-01-01T12:3"),
    ):
        assert values_of(condition)


BOUNDS = st.lists(
    st.tuples(st.sampled_from(["<", "<=", ">", ">=", "==", "between"]), st.integers(0, 4), st.integers(0, 2)),
    min_size=2,
    max_size=4,
)
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
}  # fmt: skip


@given(BOUNDS, st.sampled_from([F.price, F.first.count]))
def test_bounds_raise_exactly_if_no_number_is_between_them(
    bounds: list[tuple[str, int, int]], field: Any
) -> None:
    def holds(number: float) -> bool:
        return all(
            low <= number <= low + more if name == "between" else COMPARE[name](number, low)
            for name, low, more in bounds
        )

    conditions = [
        field.between(low, low + more) if name == "between" else COMPARE[name](field, low)
        for name, low, more in bounds
    ]
    try:
        Trip.scan().filter(reduce(operator.and_, conditions))
    except BoundsError as error:
        found: PkskError | None = error
    else:
        found = None

    assert (found is None) == any(holds(number / 2) for number in range(-1, 15))
    assert found is None or found.code == "bounds-backwards"


class Around(BaseModel, Generic[T]):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    inside: T


def element(wire: Any) -> Any:
    return wire["L"][0]


def member(wire: Any) -> Any:
    return next(iter(wire["M"].values()))


# Where a value is in an item: the type around it, the value of this type, where to find it again, and a condition.
POSITIONS: list[tuple[Any, Any, Any, Any]] = [
    (lambda kind: kind, lambda value: value, lambda wire: wire, lambda value: F.field == value),
    (lambda kind: kind, lambda value: value, lambda wire: wire, F.field.is_in),
    (lambda kind: GenericAlias(list, kind), lambda value: [value], element, F.field.contains),
    (lambda kind: GenericAlias(list, kind), lambda value: [value], element, F.field[0].is_in),
    (lambda kind: GenericAlias(dict, (str, kind)), lambda value: {"a": value}, member, F.field.a.is_in),
    (Around.__class_getitem__, lambda value: {"inside": value}, member, F.field.inside.is_in),
]
# Values that conditions do not take yet: none is compared in another form than it is stored in.
NOT_TAKEN = {"value-unknown-type", "value-empty-set", "value-set-member", "value-mixed-set", "operand-value"}
TAKEN = (
    ULID, Path, ZoneInfo, HttpUrl, SecretStr, Fraction, timedelta, UUID, date, Decimal, dict[date, str],
    dict[UUID, list[Inner]],
)  # fmt: skip
CASES = [(kind, value) for kind, values in EXACT for value in values if value is not None]


@pytest.mark.parametrize("number", range(len(POSITIONS)))
@pytest.mark.parametrize("case", range(len(CASES)))
def test_a_value_of_any_type_is_compared_in_the_form_in_which_it_is_stored(case: int, number: int) -> None:
    (kind, value), (around, wrapped, found, condition) = CASES[case], POSITIONS[number]
    try:
        made = entity_of(around(kind))
        entity: Any = made(id="1", field=wrapped(value))
        wire = found(entity.to_item()["field"])
    except (PkskError, KeyError, ValueError):  # no such field, or nothing is stored
        return
    try:
        plan = made.scan().filter(condition(value)).plan
    except PkskError as error:
        found_code = error.code
    else:
        (operand,) = plan.requests[0]["ExpressionAttributeValues"].values()
        assert normal(operand) == normal(wire)
        return

    assert found_code in NOT_TAKEN
    assert kind not in TAKEN


def normal(wire: Any) -> Any:
    return to_wire(from_wire(normalize_wire(wire)))


def test_a_range_between_two_stored_times_says_so() -> None:
    low, high = NOON + timedelta(microseconds=5), NOON + timedelta(microseconds=6)
    with pytest.raises(
        BoundsError, match=r"^Trip\.first\.at: between\(.* contains no value of epoch seconds"
    ):
        values_of(F.first.at.between(low, high))
    with pytest.raises(
        BoundsError, match=r"^Trip\.minute: .* contains no value of ISO text in UTC with minutes"
    ):
        values_of(F.minute.between(low, high))


def test_bounds_of_a_filter_and_of_where_are_held_against_each_other() -> None:
    queries: list[Callable[[], Any]] = [
        lambda: Trip.where(id="1", count=gt(5)).filter(F.count < 2),
        lambda: Trip.where(id="1", count=5).filter(F.count == 2),
        lambda: Trip.where(id="1", count=between(2, 4)).filter((F.total == 1) & (F.count > 4)),
    ]
    for query in queries:
        with pytest.raises(BoundsError, match=r"^Trip\.count: no value is both") as caught:
            _ = query().plan
        assert caught.value.code == "bounds-backwards"
    assert Trip.where(id="1", count=gt(5)).filter(F.count < 9).plan.requests
