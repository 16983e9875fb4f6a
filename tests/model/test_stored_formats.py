"""Stored values keep their type and format: a field reads no other, and writes an unchanged value back as it was."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Network, IPv6Address
from typing import Annotated, Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ByteSize,
    Field,
    IPvAnyAddress,
    NaiveDatetime,
)

from pksk import (
    TTL,
    Attribute,
    Created,
    CustomFormat,
    DesignError,
    Entity,
    InvalidValue,
    Key,
    N,
    Stored,
    Table,
    Unique,
    Updated,
    Version,
)
from pksk.model.markers.stored import coarser
from pksk.values import from_wire, to_wire
from pksk.values.wire import normalize_wire
from tests.model.field_types import EXACT
from tests.model.test_compiled_functions import ANY_WIRE, WIRES, check_read, check_written
from tests.model.test_items import entity_of

WEST = timezone(timedelta(hours=-8))
NOON = datetime(2025, 1, 2, 4, 30, tzinfo=WEST)
CENTS = CustomFormat(
    "N",
    store=lambda euros: int(euros * 100),
    read=lambda number: Decimal(number) / 100,
    name="cents",
    ordered=True,
)
# For each format: how NOON is stored, and a time that it cannot hold.
FORMATS: dict[str, tuple[dict[str, str], timedelta | None]] = {
    "epoch-seconds": ({"N": "1735821000"}, timedelta(milliseconds=1)),
    "epoch-milliseconds": ({"N": "1735821000000"}, timedelta(microseconds=1)),
    "iso-minutes": ({"S": "2025-01-02T12:30Z"}, timedelta(seconds=1)),
    "iso-seconds": ({"S": "2025-01-02T12:30:00Z"}, timedelta(milliseconds=1)),
    "iso-milliseconds": ({"S": "2025-01-02T12:30:00.000Z"}, timedelta(microseconds=1)),
    "iso-microseconds": ({"S": "2025-01-02T12:30:00.000000Z"}, None),
    "iso-offset": ({"S": "2025-01-02T04:30:00-08:00"}, None),
}
NAMES: list[Any] = list(FORMATS)


def marked(marker: Stored, kind: Any = datetime) -> Any:
    return entity_of(Annotated[kind, marker])


def written(made: Any, value: Any) -> Any:
    return made(id="1", field=value).to_item()["field"]


def is_readable(name: str, other: str) -> bool:
    """Whether a value in the other format is also one in the first."""
    if name == "iso-offset":
        return other.startswith("iso") and other != "iso-minutes"
    # Seconds are few milliseconds, of 1970.
    return name == other or (name, other) == ("epoch-milliseconds", "epoch-seconds")


def read(made: Any, wire: Any) -> Any:
    return made.from_item({"id": {"S": "1"}, "field": wire}).field


@pytest.mark.parametrize("name", NAMES)
def test_a_time_is_stored_in_its_format_and_read_back_as_the_same_instant(name: Any) -> None:
    made = marked(Stored(name))

    assert written(made, NOON) == FORMATS[name][0]
    assert read(made, FORMATS[name][0]) == NOON
    check_written(made(id="1", field=NOON))
    check_read(made, {"id": {"S": "1"}, "field": FORMATS[name][0]})


@pytest.mark.parametrize("name", [name for name in NAMES if FORMATS[name][1]])
def test_a_time_that_is_finer_than_its_format_raises(name: Any) -> None:
    finer = NOON + timedelta(seconds=1, milliseconds=1, microseconds=1)
    with pytest.raises(InvalidValue, match=r"^Made\.field: .* is finer than its stored format") as caught:
        written(marked(Stored(name)), finer)

    assert caught.value.code == "stored-value"
    call = re.search(r"value\.replace\(.*?\)", caught.value.fix)
    assert call
    coarse = eval(call.group(), {"value": finer})
    assert coarse == coarser(finer, name.partition("-")[2])
    assert written(marked(Stored(name)), coarse)


@pytest.mark.parametrize("name", NAMES)
def test_a_time_without_a_zone_raises(name: Any) -> None:
    with pytest.raises(InvalidValue, match=r"^Made\.field: .* has no zone"):
        written(marked(Stored(name)), datetime(2025, 1, 1))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", NAMES)
def test_a_value_in_another_format_is_unreadable_and_both_are_named(name: Any, other: Any) -> None:
    if is_readable(name, other):
        return
    with pytest.raises(InvalidValue, match=r"^Made\.field is stored as .*, and the field holds ") as caught:
        read(marked(Stored(name)), FORMATS[other][0])

    assert caught.value.code == "entity-format"
    assert f"like {other}" in caught.value.problem


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", NAMES)
def test_a_further_format_is_read_and_written_back_until_the_value_changes(name: Any, other: Any) -> None:
    if name != other and name.startswith("epoch") and other.startswith("epoch"):
        with pytest.raises(DesignError, match="a number does not say whether it is seconds or milliseconds"):
            Stored(name, reads=[other])
        return
    made = marked(Stored(name, reads=[other]))
    entity = made.from_item({**made(id="1", field=NOON).to_item(), "field": FORMATS[other][0]})

    assert entity.field == NOON
    assert entity.to_item()["field"] == FORMATS[other][0]
    later = entity.model_copy(update={"field": NOON.astimezone(UTC) + timedelta(hours=1)})
    assert later.to_item()["field"] == written(made, NOON.astimezone(UTC) + timedelta(hours=1))


CONTAINERS: list[tuple[Callable[[Any], Any], Any, Callable[[Any], Any]]] = [
    (lambda kind: list[kind], [NOON], lambda wire: {"L": [wire]}),  # type: ignore[valid-type]
    (lambda kind: dict[str, kind], {"a": NOON}, lambda wire: {"M": {"a": wire}}),  # type: ignore[valid-type]
    (lambda kind: set[kind], {NOON}, lambda wire: {f"{next(iter(wire))}S": list(wire.values())}),  # type: ignore[valid-type]
    (lambda kind: tuple[int, kind], (1, NOON), lambda wire: {"L": [{"N": "1"}, wire]}),  # type: ignore[valid-type]
    (lambda kind: tuple[kind, ...], (NOON, NOON), lambda wire: {"L": [wire, wire]}),  # type: ignore[valid-type]
    (lambda kind: list[kind | None], [None, NOON], lambda wire: {"L": [{"NULL": True}, wire]}),  # type: ignore[valid-type]
    (lambda kind: dict[str, list[kind]] | None, {"a": [NOON]}, lambda wire: {"M": {"a": {"L": [wire]}}}),  # type: ignore[valid-type]
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("number", range(len(CONTAINERS)))
def test_a_format_works_inside_lists_maps_and_sets(name: Any, number: int) -> None:
    kind, value, wire = CONTAINERS[number]
    made: Any = entity_of(kind(Annotated[datetime, Stored(name)]))
    stored = wire(FORMATS[name][0])

    assert written(made, value) == stored
    assert read(made, stored) == value
    for other in (each for each in NAMES if not is_readable(name, each)):
        with pytest.raises(InvalidValue) as caught:
            read(made, wire(FORMATS[other][0]))
        assert caught.value.code == "entity-format"


@pytest.mark.parametrize("number", range(len(CONTAINERS)))
@pytest.mark.parametrize(
    ("name", "other"),
    [("epoch-seconds", "iso-seconds"), ("iso-seconds", "epoch-seconds"), ("iso-minutes", "iso-offset")],
)
def test_further_formats_are_read_inside_lists_maps_and_sets(number: int, name: Any, other: Any) -> None:
    kind, value, wire = CONTAINERS[number]
    made: Any = entity_of(kind(Annotated[datetime, Stored(name, reads=[other])]))
    stored = wire(FORMATS[other][0])

    entity = made.from_item({**made(id="1", field=value).to_item(), "field": stored})

    assert entity.field == value
    assert entity.to_item()["field"] == stored
    assert written(made, value) == wire(FORMATS[name][0])


class Leg(BaseModel):
    at: Annotated[datetime, Stored("epoch-seconds", reads=["iso-seconds"])]
    legs: list[Leg] = Field(default_factory=list)


def test_a_format_works_in_recursive_models_and_unchanged_fields_keep_other_formats() -> None:
    made: Any = entity_of(Leg)
    inner = {"M": {"at": {"S": "2025-01-02T12:30:00Z"}, "legs": {"L": []}}}
    wire = {"M": {"at": {"N": "1735821000"}, "legs": {"L": [inner]}}}

    assert written(made, Leg(at=NOON, legs=[Leg(at=NOON)]))["M"]["legs"]["L"][0]["M"]["at"] == {
        "N": "1735821000"
    }
    assert read(made, wire) == Leg(at=NOON, legs=[Leg(at=NOON)])
    entity = made.from_item({**made(id="1", field=Leg(at=NOON)).to_item(), "field": wire})
    assert entity.to_item()["field"] == wire
    with pytest.raises(InvalidValue, match=r"^Made\.field\.legs\[0\]\.at is stored as 'x' \(S\)"):
        read(made, {"M": {"at": {"N": "1"}, "legs": {"L": [{"M": {"at": {"S": "x"}, "legs": {"L": []}}}]}}})


def test_a_custom_format_stores_and_reads_with_its_functions() -> None:
    made = marked(Stored(CENTS), Decimal)

    assert written(made, Decimal("12.30")) == {"N": "1230"}
    assert read(made, {"N": "1230"}) == Decimal("12.3")
    with pytest.raises(
        InvalidValue, match=r"^Made\.field: Decimal\('0\.001'\) would be read back as Decimal\('0'\)"
    ):
        written(made, Decimal("0.001"))
    with pytest.raises(
        InvalidValue, match=r"^Made\.field is stored as '12' \(S\), and the field holds cents \(N\)"
    ):
        read(made, {"S": "12"})


def test_a_custom_format_may_read_others() -> None:
    euros = CustomFormat("S", store=str, read=Decimal, name="euros")
    made = marked(Stored(CENTS, reads=[euros]), Decimal)
    entity = made.from_item({**made(id="1", field=Decimal(1)).to_item(), "field": {"S": "12.30"}})

    assert entity.field == Decimal("12.30")
    assert entity.to_item()["field"] == {"S": "12.30"}
    assert entity.model_copy(update={"field": Decimal(2)}).to_item()["field"] == {"N": "200"}


def test_a_custom_format_whose_functions_fail_raises_with_the_field() -> None:
    wrong_type = CustomFormat("S", store=lambda _: 5, read=lambda text: text, name="broken")
    failing = CustomFormat("N", store=lambda value: value / 0, read=lambda number: number, name="failing")

    with pytest.raises(InvalidValue, match=r"^Made\.field: broken stores 1 as N, and is declared as S"):
        written(marked(Stored(wrong_type), int), 1)
    with pytest.raises(InvalidValue, match=r"^Made\.field: 1 cannot be stored in failing: ZeroDivisionError"):
        written(marked(Stored(failing), int), 1)


@given(st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=st.timezones()))
def test_equal_instants_are_equal_texts(value: datetime) -> None:
    made: Any = entity_of(AwareDatetime)

    assert written(made, value) == written(made, value.astimezone(UTC))
    assert read(made, written(made, value)) == value.astimezone(UTC)


@given(*[st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=st.timezones())] * 2)
def test_texts_of_instants_sort_by_time(one: datetime, other: datetime) -> None:
    made: Any = entity_of(AwareDatetime)
    earlier = one.astimezone(UTC) < other.astimezone(UTC)

    assert (written(made, one)["S"] < written(made, other)["S"]) is earlier


def test_a_time_in_a_repeated_hour_is_one_instant() -> None:
    late = datetime(2025, 10, 26, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Paris"))

    assert written(entity_of(AwareDatetime), late) == {"S": "2025-10-26T01:30:00.000000Z"}
    assert written(entity_of(list[AwareDatetime]), [late]) == {"L": [{"S": "2025-10-26T01:30:00.000000Z"}]}


PLAIN: list[Any] = [
    datetime, datetime | None, list[datetime], dict[str, datetime], dict[datetime, str], set[datetime],
    tuple[int, datetime], list[tuple[str, list[datetime]]], Annotated[datetime, Field(description="x")],
]  # fmt: skip


@pytest.mark.parametrize("kind", PLAIN, ids=range(len(PLAIN)))
def test_a_datetime_that_may_have_a_zone_or_none_is_rejected(kind: Any) -> None:
    with pytest.raises(DesignError, match=r"^Made\.field: .*\n.* may have a zone or none") as caught:
        entity_of(kind)

    assert caught.value.code == "entity-field-type"
    assert "AwareDatetime" in caught.value.fix


def test_a_plain_datetime_in_a_nested_model_is_named() -> None:
    class Stop(BaseModel):
        at: datetime

    with pytest.raises(DesignError, match=r"Stop\.at is a datetime, which may have a zone or none"):
        entity_of(list[Stop])


def test_markers_of_times_say_that_a_plain_datetime_has_a_zone() -> None:
    class Login(Entity, table=Table("logins", ttl="expires")):
        id: str
        created: Annotated[datetime | None, Created()] = None
        updated: Annotated[datetime | None, Updated()] = None
        expires: Annotated[datetime | None, TTL()] = None
        primary = Key("LOGIN#{id}", "META")

    item = Login(id="1", created=NOON, updated=NOON, expires=NOON).to_item()

    assert item["created"] == item["updated"] == {"S": "2025-01-02T12:30:00.000000Z"}
    assert item["expires"] == {"N": "1735821000"}
    with pytest.raises(InvalidValue, match="has no zone"):
        Login(id="1", created=datetime(2025, 1, 1)).to_item()
    for name, wire in {"created": {"N": "1735821000"}, "expires": {"S": "2025-01-02T12:30:00Z"}}.items():
        with pytest.raises(InvalidValue, match=rf"^Login\.{name} is stored as .*, and the field holds"):
            Login.from_item({**item, name: wire})


def test_an_expiry_may_read_further_formats() -> None:
    class Login(Entity, table=Table("logins", ttl="expires")):
        id: str
        expires: Annotated[datetime, TTL(), Stored("epoch-seconds", reads=["iso-seconds"])]
        primary = Key("LOGIN#{id}", "META")

    item = Login(id="1", expires=NOON).to_item()
    old = Login.from_item({**item, "expires": {"S": "2025-01-02T12:30:00Z"}})

    assert item["expires"] == {"N": "1735821000"}
    assert old.to_item()["expires"] == {"S": "2025-01-02T12:30:00Z"}
    with pytest.raises(InvalidValue, match="finer than its stored format"):
        Login(id="1", expires=NOON + timedelta(milliseconds=1)).to_item()


class Stop(BaseModel):
    at: Annotated[datetime, Stored("epoch-seconds")]


class Halt(BaseModel):
    kind: int


REJECTED: list[tuple[Any, str, str]] = [
    (Annotated[str, Stored("epoch-seconds")], "entity-field-type", "is a format of times with a zone"),
    (Annotated[date, Stored("iso-seconds")], "entity-field-type", "is a format of times with a zone"),
    (
        Annotated[NaiveDatetime, Stored("iso-seconds")],
        "entity-field-type",
        "is a format of times with a zone",
    ),
    (Annotated[list[datetime], Stored("iso-seconds")], "entity-field-type", "beside the datetime itself"),
    (dict[Annotated[datetime, Stored("iso-seconds")], int], "entity-field-type", "keys of a map"),
    (
        list[Annotated[datetime, Stored("epoch-seconds")] | str],
        "marker-misplaced",
        "beside one type of several",
    ),
    (list[Stop | Halt], "entity-field-type", "inside a union"),
    (Annotated[datetime, Stored], "marker-misplaced", "Stored is a class here, not an object"),
    (list[Annotated[datetime, Stored]], "marker-misplaced", "Stored is a class here, not an object"),
    (Annotated[int, Version(), Stored(CENTS)], "marker-clash", "Version"),
    (Annotated[datetime, TTL(), Stored("epoch-milliseconds")], "marker-clash", "TTL"),
]


@pytest.mark.parametrize(("kind", "code", "message"), REJECTED, ids=range(len(REJECTED)))
def test_a_marker_where_it_means_nothing_is_rejected(kind: Any, code: str, message: str) -> None:
    default = 0 if "Version" in str(kind) else ...
    with pytest.raises(DesignError) as caught:

        class Made(Entity, table=Table("made", ttl="field")):
            id: str
            field: kind = default
            primary = Key("E#{id}", "META")

    assert caught.value.code == code
    assert message in str(caught.value)


@pytest.mark.parametrize("wrong", ["epoch", "", None, 5, ["iso-seconds"]])
def test_an_unknown_format_raises(wrong: Any) -> None:
    with pytest.raises(DesignError) as caught:
        Stored(wrong)
    with pytest.raises(DesignError):
        Stored("epoch-seconds", reads=[wrong])

    assert caught.value.code == "stored-format"


def test_a_near_name_of_a_format_is_suggested() -> None:
    with pytest.raises(DesignError, match="did you mean 'epoch-seconds'"):
        Stored("epoch-second")  # type: ignore[arg-type]


# Values of one type in an attribute of another, which Pydantic would convert.
LENIENT: list[tuple[Any, dict[str, Any]]] = [
    (int, {"S": "5"}), (int, {"BOOL": True}), (Decimal, {"S": "1.5"}), (float, {"S": "1.5"}), (float, {"BOOL": True}),
    (bool, {"S": "true"}), (bool, {"N": "1"}), (str, {"B": "eA=="}), (bytes, {"S": "x"}), (str, {"N": "5"}),
    (date, {"S": "2025-01-01T00:00:00"}), (date, {"N": "1735689600"}), (date, {"S": "1735689600"}),
    (AwareDatetime, {"N": "1735689600"}), (AwareDatetime, {"S": "2025-01-01T00:00:00Z"}),
    (AwareDatetime, {"S": "2025-01-01T00:00:00+01:00"}), (AwareDatetime, {"S": "1735689600"}),
    (AwareDatetime, {"S": "2025-01-01 00:00:00.000000Z"}), (NaiveDatetime, {"S": "2025-01-01"}),
    (NaiveDatetime, {"N": "1735689600"}), (NaiveDatetime, {"S": "2025-01-01 00:00:00"}),
    (NaiveDatetime, {"S": "2025-01-01T00:00:00.5"}), (time, {"S": "12:30"}), (time, {"N": "45000"}),
    (timedelta, {"N": "60"}), (timedelta, {"S": "00:01:00"}), (UUID, {"S": "00000000000040008000000000000000"}),
    (UUID, {"S": "0000000A-0000-4000-8000-00000000000A"}), (UUID, {"B": "AAAAAAAAQACAAAAAAAAAAA=="}),
    (list[int], {"NS": ["1"]}), (list[int], {"L": [{"S": "1"}]}), (set[int], {"L": [{"N": "1"}]}),
    (set[int], {"SS": ["1"]}), (tuple[int, ...], {"NS": ["1"]}),
    (dict[str, int], {"M": {"a": {"S": "1"}}}), (dict[str, date], {"M": {"a": {"S": "2025-01-01T00:00:00"}}}),
    (list[AwareDatetime], {"L": [{"N": "1735689600"}]}), (int | None, {"S": "5"}), (int, {"NULL": True}),
    (date | None, {"S": "2025-01-01T00:00:00"}), (dict[str, list[bool]], {"M": {"a": {"L": [{"N": "1"}]}}}),
    (Annotated[int, AfterValidator(lambda value: value)], {"S": "5"}),
    (IPv4Address, {"N": "5"}), (IPv6Address | None, {"BOOL": True}), (IPv4Network, {"N": "5"}),
    (IPvAnyAddress, {"N": "5"}),    (list[IPv4Address], {"L": [{"N": "5"}]}), (ByteSize, {"S": "1KB"}),
    (complex, {"N": "5"}), (Fraction, {"N": "0.5"}),
    (Sequence[int], {"L": [{"S": "5"}]}), (Sequence[bool], {"L": [{"N": "1"}]}), (Sequence[int] | None, {"SS": ["5"]}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "wire"), LENIENT, ids=range(len(LENIENT)))
def test_a_stored_value_is_never_converted_from_another_type_or_format(kind: Any, wire: Any) -> None:
    made: Any = entity_of(kind)
    with pytest.raises(InvalidValue, match=r"^Made\.field.* is stored as .*, and the field holds ") as caught:
        read(made, wire)

    assert caught.value.code == "entity-format"
    check_read(made, {"id": {"S": "1"}, "field": wire})


# Maps with names that are not written as their keys are: two of them could mean one key.
NAMED: list[tuple[Any, str]] = [
    (dict[int, int], "01"), (dict[int, int], " 1"), (dict[int, int], "1.0"), (dict[int, int], "-0"),
    (dict[Annotated[int, Field(ge=0)], int], "+1"), (dict[bool, int], "yes"), (dict[bool, int], "1"),
    (dict[date, int], "1735689600"), (dict[date, int], "2025-01-01T00:00:00"), (dict[time, int], "12:30"),
    (dict[AwareDatetime, int], "2025-01-01T00:00:00Z"), (dict[AwareDatetime, int], "1735689600"),
    (dict[NaiveDatetime, int], "2025-01-01"), (dict[UUID, int], "00000000000040008000000000000000"),
    (dict[str, dict[int, int]], "01"), (list[dict[int, int]] | None, "01"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "name"), NAMED, ids=range(len(NAMED)))
def test_a_name_of_a_map_is_never_converted_from_another_format(kind: Any, name: str) -> None:
    made: Any = entity_of(kind)
    wire: Any = {"M": {name: {"N": "1"}, "1": {"N": "2"}}}
    wire = {"M": {"a": wire}} if kind == dict[str, dict[int, int]] else wire
    wire = {"L": [wire]} if kind == list[dict[int, int]] | None else wire
    with pytest.raises(
        InvalidValue, match=r"^Made\.field.* is stored with the name .*, and its names are "
    ) as caught:
        read(made, wire)

    assert caught.value.code == "entity-format"
    assert repr(name) in caught.value.problem


def test_a_validator_before_the_type_may_accept_anything_and_the_value_stays_as_it_was() -> None:
    made: Any = entity_of(Annotated[int, BeforeValidator(int)])
    entity = made.from_item({**made(id="1", field=5).to_item(), "field": {"S": "5"}})

    assert entity.field == 5
    assert entity.to_item()["field"] == {"S": "5"}
    assert entity.model_copy(update={"field": 6}).to_item()["field"] == {"N": "6"}


def test_an_empty_list_is_read_as_an_empty_set_and_stays_one_until_it_changes() -> None:
    made: Any = entity_of(set[str])
    entity = made.from_item({**made(id="1", field={"a"}).to_item(), "field": {"L": []}})

    assert entity.field == set()
    assert entity.to_item()["field"] == {"L": []}
    assert entity.model_copy(update={"field": {"a"}}).to_item()["field"] == {"SS": ["a"]}


def test_a_value_that_is_finer_than_the_format_that_is_written_stays_until_it_changes() -> None:
    made = marked(Stored("epoch-seconds", reads=["iso-milliseconds"]))
    stored = {**made(id="1", field=NOON).to_item(), "field": {"S": "2025-01-02T12:30:00.250Z"}}
    entity = made.from_item(stored)

    assert entity.field.microsecond == 250_000
    assert entity.to_item() == stored
    with pytest.raises(InvalidValue, match="finer"):
        entity.model_copy(update={"field": entity.field + timedelta(seconds=1)}).to_item()


FLOATS: list[tuple[Any, Callable[[str], Any]]] = [
    (float, lambda number: {"N": number}),
    (list[float], lambda number: {"L": [{"N": "1"}, {"N": number}]}),
    (set[float], lambda number: {"NS": [number]}),
    (dict[str, float], lambda number: {"M": {"a": {"N": number}}}),
    (tuple[float, ...], lambda number: {"L": [{"N": number}]}),
    (list[list[float | None]], lambda number: {"L": [{"L": [{"NULL": True}, {"N": number}]}]}),
    (Sequence[float], lambda number: {"L": [{"N": number}]}),
]


@pytest.mark.parametrize("number", ["9007199254740993", "0.12345678901234567890123", "-123456789012345678"])
@pytest.mark.parametrize(("kind", "wire"), FLOATS, ids=range(len(FLOATS)))
def test_a_number_that_no_float_holds_exactly_stays_as_it_was_until_it_changes(
    kind: Any, wire: Callable[[str], Any], number: str
) -> None:
    made: Any = entity_of(kind)
    key = {"pk": {"S": "ID#1"}, "sk": {"S": "META"}, "type": {"S": "Made"}}
    entity = made.from_item({"id": {"S": "1"}, "field": wire(number), **key})

    assert entity.to_item()["field"] == wire(number)


def test_text_that_the_type_normalizes_stays_as_it_was_until_it_changes() -> None:
    made: Any = entity_of(Annotated[str, Field(), AfterValidator(str.lower)])
    entity = made.from_item({**made(id="1", field="a").to_item(), "field": {"S": "ABC"}})

    assert entity.field == "abc"
    assert entity.to_item()["field"] == {"S": "ABC"}
    assert entity.model_copy(update={"field": "d"}).to_item()["field"] == {"S": "d"}


@pytest.mark.parametrize("number", range(len(EXACT)))
def test_any_stored_value_is_unreadable_or_written_back_as_it_was(number: int) -> None:
    kind, values = EXACT[number]
    made: Any = entity_of(kind)
    good = made(id="1", field=values[-1]).to_item()
    for wire in [wire for wire in WIRES if isinstance(wire, dict)]:
        check_kept(made, good, wire)


@given(st.sampled_from(EXACT), ANY_WIRE)
def test_any_stored_value_of_any_type_is_unreadable_or_written_back_as_it_was(case: Any, wire: Any) -> None:
    kind, values = case
    made: Any = entity_of(kind)
    if isinstance(wire, dict):
        check_kept(made, made(id="1", field=values[-1]).to_item(), wire)


def check_kept(made: Any, good: dict[str, Any], wire: dict[str, Any]) -> None:
    try:
        expected = normal(wire)
        item = made.from_item({**good, "field": wire}).to_item()
    except Exception:  # also what types of other packages raise
        return
    assert normal(item["field"]) == expected


def normal(wire: Any) -> Any:
    """A value as DynamoDB stores it: numbers without zeros that say nothing."""
    return to_wire(from_wire(normalize_wire(wire)))


def test_a_key_attribute_of_a_number_holds_a_time() -> None:
    class Reading(Entity, table=Table("readings", pk="device", sk=N("at"))):
        device: str
        at: Annotated[datetime, Stored("epoch-milliseconds")]
        primary = Key("{device}", "{at}")

    item = Reading(device="d", at=NOON).to_item()

    assert item == {"device": {"S": "d"}, "at": {"N": "1735821000000"}, "type": {"S": "Reading"}}
    assert Reading.from_item(item).at == NOON
    with pytest.raises(DesignError, match=r"stored as ISO text .* attribute 'at' is of type N"):

        class Wrong(Entity, table=Table("readings", pk="device", sk=N("at"))):
            device: str
            at: Annotated[datetime, Stored("iso-seconds")]
            primary = Key("{device}", "{at}")


def test_text_with_an_offset_is_rejected_in_sort_keys() -> None:
    for sk in ("sk", "at"):
        with pytest.raises(DesignError) as caught:

            class Wrong(Entity, table=Table("readings", pk="device", sk=sk)):
                device: str
                at: Annotated[datetime, Stored("iso-offset")]
                primary = Key("{device}", "{at}")

        assert caught.value.code == "stored-unordered"


def test_further_formats_are_rejected_in_a_key_attribute() -> None:
    with pytest.raises(DesignError, match="a key has one format") as caught:

        class Wrong(Entity, table=Table("readings", pk="device", sk=N("at"))):
            device: str
            at: Annotated[datetime, Stored("epoch-seconds", reads=["iso-seconds"])]
            primary = Key("{device}", "{at}")

    assert caught.value.code == "stored-format"


def test_a_custom_format_that_does_not_sort_is_rejected_in_sort_keys() -> None:
    backwards = CustomFormat("N", store=lambda n: -n, read=lambda n: -n)
    with pytest.raises(DesignError, match="whose values do not sort like those of the field"):

        class Wrong(Entity, table=Table("readings", pk="device", sk=N("n"))):
            device: str
            n: Annotated[int, Stored(backwards)]
            primary = Key("{device}", "{n}")


def test_a_stored_name_and_a_unique_value_go_with_a_format() -> None:
    class Badge(Entity, table=Table("badges")):
        id: str
        printed: Annotated[datetime, Stored("epoch-seconds"), Attribute("p"), Unique()]
        primary = Key("BADGE#{id}", "META")

    assert Badge(id="1", printed=NOON).to_item()["p"] == {"N": "1735821000"}
