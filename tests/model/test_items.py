"""Items: a stored value is read back equal and of the same type, or raises with its field."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import InitVar, dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from ipaddress import IPv4Address
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    FutureDate,
    JsonValue,
    NaiveDatetime,
    PrivateAttr,
    SerializeAsAny,
    computed_field,
    create_model,
    field_validator,
    model_validator,
)  # fmt: skip

from pksk import TTL, Attribute, DesignError, Entity, InvalidValue, Key, Table
from tests.model import field_types
from tests.model.field_types import DAY, EXACT, ID, NOON, Inner, Kind, Level, Narrower, Plain, Wider
from tests.model.strict_equality import equal


def entity_of(kind: Any, *, strict: bool = False) -> type[Entity]:
    class Made(Entity, table=Table("made")):
        model_config = ConfigDict(arbitrary_types_allowed=True, strict=strict)
        id: str
        field: kind
        primary = Key("ID#{id}", "META")

    return Made


def there_and_back(entity: Any) -> Any:
    declaration = type(entity).__pksk__
    return declaration.from_item(declaration.to_item(entity))


def shown(case: Any) -> str:
    """A case as the name of a test, without addresses: every worker must give it the same name."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(case))


CASES = [(kind, value) for kind, values in EXACT for value in values]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    ("kind", "value"), CASES, ids=[shown(f"{n} {kind}") for n, (kind, _) in enumerate(CASES)]
)
def test_a_value_of_any_type_comes_back_as_it_was(kind: Any, value: Any, strict: bool) -> None:
    valid = entity_of(kind)(id="1", field=value).__dict__["field"]
    entity = entity_of(kind, strict=strict and kind is not complex).model_construct(id="1", field=valid)

    assert equal(there_and_back(entity), entity)


class Fractional(Enum):
    TENTH = 0.1


class Paired(Enum):
    BOTH = (1, 2)


@dataclass
class Forgetful:
    n: int
    start: InitVar[int] = 3


class Opaque:
    pass


UNFIT: list[tuple[Any, str]] = [
    (date | str, "datetime.date(2025, 1, 1) would be read back as '2025-01-01'"),
    (UUID | str, "would be read back as"), (IPv4Address | str, "IPv4Address('10.0.0.1')"),
    (timedelta | str, "timedelta"),
    (float | int, "1.0 would be read back as 1"),
    (int | float, "1.0"), (Decimal | int, "Decimal('1') would be read back as 1"), (Decimal | float, "Decimal('1')"),
    (set[str] | list[str], "set() would be read back as []"), (list[int] | tuple[int, ...], "()"),
    (NaiveDatetime | date, "datetime.date(2025, 1, 1)"), (date | NaiveDatetime, "datetime.datetime(2025, 1, 1, 0, 0)"),
    (list[date] | list[str], "[datetime.date(2025, 1, 1)]"),
    (Fractional, "<Fractional.TENTH: 0.1> could not be read back"),
    (Paired, "<Paired.BOTH: (1, 2)>"),
    (Literal[Level.LOW, field_types.Mixed.ONE], "<Mixed.ONE: 1> would be read back as"),
    (dict[tuple[int, int], str], "its keys are declared as tuple"), (dict[bytes, int], "bytes"),
    (dict[int | str, int], "{0: 1} would be read back as {'0': 1}"), (dict[Literal[1, 2], int], "{1: 1}"),
    (dict[field_types.Mixed, int], "<Mixed.ONE: 1>"), (OrderedDict[str, int], "no order"),
    (Callable[[], int], "not data"),
    (type[int], "not data"),
    (Iterable[int], "not data"), (Opaque, "no objects of class Opaque"), (FutureDate, "future"),
    (Forgetful, "Forgetful.start is a parameter of the object"), (list[date | str], "datetime.date"),
    (dict[str, float | int] | None, "1.0"),
    (BaseModel, "BaseModel has no fields"), (list[SerializeAsAny[BaseModel]], "BaseModel has no fields"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "problem"), UNFIT, ids=[shown(kind) for kind, _ in UNFIT])
def test_a_type_that_cannot_be_stored_exactly_raises_when_the_class_is_declared(
    kind: Any, problem: str
) -> None:
    with pytest.raises(DesignError) as caught:
        entity_of(kind)

    assert caught.value.code == "entity-field-type"
    assert caught.value.problem.startswith("Made.field: a field of type ")
    assert problem in caught.value.expected
    assert caught.value.fix


INEXACT: list[tuple[Any, Any, str]] = [
    (Any, 0.5, "Decimal('0.5')"), (Any, DAY, "'2025-01-01'"), (Any, (1,), "[1]"), (Any, set(), "[]"),
    (object, 0.1, "Decimal"),
    (Any, Inner(n=1), "{'n': 1"), (dict[str, Any], {"a": 0.1}, "Decimal"), (dict[Any, int], {1: 1}, "{'1': 1}"),
    (JsonValue, 0.5, "not a valid JSON value"), (Sequence[int], (1,), "[1]"),
    (re.Pattern[str], re.compile("a", re.I), "re.compile('a')"),
    (Wider | Inner, Inner(n=1), "Wider("), (Inner, Wider(n=1), "would be read back as Inner"),
    (list[Inner], [Wider(n=1)], "Made.field[0]"), (Plain, Narrower(1, DAY), "would be read back as Plain"),
    (Annotated[int, AfterValidator(lambda n: n + 1)], 1, "2 would be read back as 3"),
    (dict[int, Any] | list[int], {1: 0.5}, "Decimal"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "value", "problem"), INEXACT, ids=[shown(f"{kind} {value}") for kind, value, _ in INEXACT]
)
def test_a_value_that_would_come_back_as_another_raises_with_the_field(
    kind: Any, value: Any, problem: str
) -> None:
    made = entity_of(kind)

    with pytest.raises(InvalidValue) as caught:
        made.__pksk__.to_item(made(id="1", field=value))
    assert caught.value.code == "entity-inexact"
    assert caught.value.problem.startswith("Made.field")
    assert problem in caught.value.problem


@pytest.mark.parametrize(
    ("kind", "value"),
    [(float, float("inf")), (float, 1e308), (int, 10**40 + 1), (Decimal, Decimal("9" * 39)), (dict[str, int], {"": 1}),
     (list[float], [1.0, float("nan")]), (dict[str | None, int], {None: 1}), (str, "\ud800")],
)  # fmt: skip
def test_a_value_that_dynamodb_cannot_hold_raises_with_the_field(kind: Any, value: Any) -> None:
    made = entity_of(kind)

    with pytest.raises(InvalidValue, match=r"^Made\.field"):
        made.__pksk__.to_item(made.model_construct(id="1", field=value))


@pytest.mark.parametrize("key", [None, (1, 2)])
def test_the_error_of_a_map_key_without_a_name_says_so(key: Any) -> None:
    made = entity_of(dict[Any, int])

    with pytest.raises(
        InvalidValue, match=r"^Made\.field: .* cannot be the name of a member of a map"
    ) as caught:
        made.__pksk__.to_item(made.model_construct(id="1", field={key: 1}))
    assert caught.value.code == "entity-unstorable"


SCALARS: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (str, st.text(st.characters(exclude_categories=["Cs"]))), (int, st.integers(-(10**37), 10**37)),
    (bool, st.booleans()),
    (bytes, st.binary()), (date, st.dates()), (NaiveDatetime, st.datetimes()),
    (AwareDatetime, st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=st.timezones())),
    (timedelta, st.timedeltas()), (UUID, st.uuids()), (Kind, st.sampled_from(Kind)), (Level, st.sampled_from(Level)),
    (float, st.floats(-1e125, 1e125).filter(lambda x: x == 0 or abs(x) > 1e-125)),
    (Decimal, st.decimals(-(10**30), 10**30, places=7)), (int | str, st.integers(-9, 9) | st.text("ab1")),
]  # fmt: skip
NAMES = [(kind, values) for kind, values in SCALARS if kind not in (bytes, int | str)]


@st.composite
def typed(draw: st.DrawFn, depth: int = 3) -> tuple[Any, Any]:
    """A type and a value of it."""
    if depth == 0 or draw(st.booleans()):
        kind, values = draw(st.sampled_from(SCALARS))
        return kind, draw(values)
    shape = draw(st.sampled_from(["list", "tuple", "set", "dict", "optional", "model"]))
    if shape == "set":
        kind, values = draw(st.sampled_from(SCALARS))
        return set[kind], draw(st.sets(values, max_size=3))  # type: ignore[valid-type]
    inner, value = draw(typed(depth - 1))
    if shape == "list":
        return list[inner], [value] * draw(st.integers(0, 2))  # type: ignore[valid-type]
    if shape == "tuple":
        return tuple[inner, int], (value, 1)  # type: ignore[valid-type]
    if shape == "dict":
        name, names = draw(st.sampled_from(NAMES))
        keys = draw(st.lists(names.filter(lambda key: key != ""), max_size=2))
        return dict[name, inner], dict.fromkeys(keys, value)  # type: ignore[valid-type]
    if shape == "optional":
        return inner | None, draw(st.sampled_from([value, None]))
    model = create_model("Model", member=(inner, ...), tags=(set[str], set()))
    return model, model(member=value)


@given(typed())
def test_a_value_of_a_random_type_comes_back_as_it_was(case: tuple[Any, Any]) -> None:
    kind, value = case
    entity = entity_of(kind)(id="1", field=value)

    assert equal(there_and_back(entity), entity)


class Note(Entity, table=Table("notes", discriminator="sort")):
    """Fields with everything that a model may say about them."""

    model_config = ConfigDict(alias_generator=str.upper, frozen=True, extra="forbid")
    id: Annotated[str, Attribute("noteId")]
    text: str = Field("t", validation_alias="body", serialization_alias="BODY", exclude=True)
    made: str | None = Field(default_factory=lambda: "made")
    tags: set[str] | None = None
    words: frozenset[str] = frozenset({"a"})
    _secret: int = PrivateAttr(5)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def size(self) -> int:
        return len(self.text)

    @field_validator("text")
    @classmethod
    def trimmed(cls, text: str) -> str:
        return text.strip()

    primary = Key("NOTE#{id}", "META")


@pytest.mark.parametrize("made", [None, "x"])
@pytest.mark.parametrize("tags", [None, set(), {"a"}])
@pytest.mark.parametrize("words", [frozenset(), frozenset({"b"})])
def test_none_an_empty_set_and_a_default_stay_different(made: Any, tags: Any, words: Any) -> None:
    note = Note.model_validate({"ID": "1", "body": " x ", "MADE": made, "TAGS": tags, "WORDS": words})
    read = there_and_back(note)

    assert read == note
    assert (read.made, read.tags, read.words, read.text) == (made, tags, words, "x")


def test_an_empty_set_is_absent() -> None:
    item = Note.__pksk__.to_item(Note.model_validate({"ID": "1", "TAGS": set(), "WORDS": set()}))

    assert list(item) == ["noteId", "text", "made", "sort", "pk", "sk"]


class Loose(Entity, table=Table("loose", ttl="expires")):
    model_config = ConfigDict(extra="allow")
    id: Annotated[str, Attribute("looseId")]
    primary = Key("L#{id}", "META")


def test_extra_values_come_back() -> None:
    loose = Loose(id="1", **{"color": "red", "sizes": [1, {"a": None}]})

    assert there_and_back(loose) == loose


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [("pk", "x", "entity-unstorable"), ("type", "x", "entity-unstorable"), ("expires", 1, "entity-unstorable"),
     ("looseId", "2", "entity-unstorable"), ("x", 0.5, "entity-inexact"), ("x", DAY, "entity-inexact")],
)  # fmt: skip
def test_an_extra_value_that_would_not_come_back_raises(name: str, value: Any, code: str) -> None:
    with pytest.raises(InvalidValue, match=rf"^Loose\.{name}") as caught:
        Loose.__pksk__.to_item(Loose(id="1", **{name: value}))
    assert caught.value.code == code


def test_a_model_validator_that_changes_its_input_each_time_raises() -> None:
    class Counting(Entity, table=Table("counting")):
        id: str
        n: int = 0
        primary = Key("C#{id}", "META")

        @model_validator(mode="before")
        @classmethod
        def count(cls, values: Any) -> Any:
            return {**values, "n": values.get("n", 0) + 1}

    with pytest.raises(InvalidValue, match=r"^Counting\.n: 1 would be read back as 2\."):
        Counting.__pksk__.to_item(Counting(id="1"))


def test_a_field_that_is_the_key_itself_comes_back_from_its_text() -> None:
    class Day(Entity, table=Table("days", pk="day", sk="kind")):
        day: AwareDatetime
        kind: Kind
        primary = Key("{day}", "{kind}")

    day = Day(day=NOON, kind=Kind.HUT)

    assert equal(there_and_back(day), day)


class Session(Entity, table=Table("sessions", ttl="expires")):
    id: str
    until: Annotated[datetime | None, TTL(), Attribute("expires")] = None
    primary = Key("S#{id}", "META")


@given(st.datetimes(datetime(1970, 1, 1), datetime(9998, 1, 1), timezones=st.timezones()))
def test_an_expiry_is_whole_seconds_and_never_early(until: datetime) -> None:
    item = Session.__pksk__.to_item(Session(id="1", until=until))
    read = Session.from_item(item).until

    assert read is not None
    assert timedelta(0) <= read - until < timedelta(seconds=1)
    assert read.tzinfo is UTC
    assert item["expires"] == {"N": str(int(read.timestamp()))}


def test_an_expiry_may_be_none_and_is_an_instant() -> None:
    assert there_and_back(Session(id="1")).until is None
    with pytest.raises(InvalidValue, match=r"^Session\.until: .* has no zone"):
        Session.__pksk__.to_item(Session(id="1", until=datetime(2025, 1, 1)))


def test_a_value_of_an_update_is_checked_the_same_way() -> None:
    made = entity_of(Any)

    assert made.__pksk__.stored_value("field", [ID.hex]) == [ID.hex]
    with pytest.raises(InvalidValue, match=r"^Made\.field"):
        made.__pksk__.stored_value("field", 0.5)
    assert Session.__pksk__.stored_value("until", datetime(1970, 1, 1, 0, 1, tzinfo=UTC)) == 60


class Node(BaseModel):
    value: Any = None


def test_an_inexact_type_deep_inside_is_found() -> None:
    made = entity_of(dict[str, list[Node]])

    with pytest.raises(InvalidValue, match=r"^Made\.field"):
        made.__pksk__.to_item(made(id="1", field={"a": [Node(value=0.5)]}))
