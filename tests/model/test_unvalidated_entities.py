"""Entities without validation: changed after they were made, or made without Pydantic's validators."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache, cached_property
from typing import Annotated, Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    NaiveDatetime,
    StringConstraints,
    computed_field,
    conlist,
    conset,
    field_validator,
    model_validator,
)

from pksk import TTL, Entity, InvalidValue, Key, Put, Table
from pksk.model.storing.round_trip import survives_round_trip
from tests.model.field_types import EXACT, Inner, Kind, Level, Mixed, Plain
from tests.model.strict_equality import equal
from tests.model.test_compiled_functions import VALUES, check_written, outcome
from tests.model.test_items import SCALARS, entity_of, typed


class Line(BaseModel):
    sku: str
    count: Annotated[int, Field(ge=1)] = 1


class Order(Entity, table=Table("orders", ttl="expires")):
    """Fields of every sort that can be spoilt after the entity was made."""

    id: str
    total: int = 0
    price: Decimal = Decimal(0)
    ratio: float = 0.5
    share: Annotated[float, Field(ge=0, le=1)] = 0.5
    name: Annotated[str, Field(max_length=5, pattern="^[a-z]*$")] = ""
    status: Literal["open", "shut"] = "open"
    kind: Kind = Kind.TENT
    mixed: Mixed | None = None
    paid: bool = False
    day: date | None = None
    at: AwareDatetime | None = None
    local: NaiveDatetime | None = None
    tags: list[str] = Field(default_factory=list)
    few: conlist(int, min_length=1, max_length=3) = Field(default_factory=lambda: [1])  # type: ignore[valid-type]
    some: conset(str, min_length=1) = Field(default_factory=lambda: {"a"})  # type: ignore[valid-type]
    line: Line = Line(sku="a")
    lines: list[Line] = Field(default_factory=list)
    by_name: dict[str, Line] = Field(default_factory=dict)
    expires: Annotated[datetime | None, TTL()] = None

    primary = Key("ORDER#{id}", "META")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def double(self) -> int:
        return self.total * 2

    @cached_property
    def label(self) -> str:
        return f"{self.id} {self.status}"


def order() -> Order:
    return Order(id="7", lines=[Line(sku="b")], by_name={"x": Line(sku="c")}, tags=["t"])


def error_of(entity: Entity) -> str:
    check_written(entity)
    with pytest.raises(InvalidValue) as caught:
        Put(entity)
    with pytest.raises(InvalidValue):
        entity.to_item()
    return caught.value.problem


WRONG: list[tuple[str, Any, str]] = [
    ("total", "many", "Order.total: 'many' does not fit: Input should be a valid integer"),
    ("total", "5", "Order.total: '5' would be read back as 5."),
    ("total", True, "Order.total: True would be read back as 1."),
    ("total", 1.5, "Order.total: 1.5 does not fit: Input should be a valid integer"),
    ("total", None, "Order.total: None does not fit: Input should be a valid integer"),
    ("price", 0.1, "Order.price: 0.1 would be read back as Decimal('0.1')."),
    ("ratio", float("nan"), "Order.ratio: nan is not a finite number"),
    ("share", 1.5, "Order.share: 1.5 does not fit: Input should be less than or equal to 1."),
    ("id", 5, "Order.id: 5 does not fit: Input should be a valid string."),
    ("name", "toolong", "Order.name: 'toolong' does not fit: String should have at most 5 characters."),
    ("name", "A", "Order.name: 'A' does not fit: String should match pattern"),
    ("status", "opne", "Order.status: 'opne' does not fit: Input should be 'open' or 'shut'."),
    ("kind", "boat", "Order.kind: 'boat' does not fit: Input should be 'tent' or 'hut'."),
    ("mixed", Mixed.NONE, "Order.mixed: <Mixed.NONE: None> would be read back as None."),
    ("mixed", 1, "Order.mixed: 1 would be read back as <Mixed.ONE: 1>."),
    ("paid", 1, "Order.paid: 1 would be read back as True."),
    ("paid", "yes", "Order.paid: 'yes' would be read back as True."),
    ("day", "2025-01-01", "Order.day: '2025-01-01' would be read back as datetime.date(2025, 1, 1)."),
    ("day", datetime(2025, 1, 1), "would be read back as datetime.date(2025, 1, 1)."),
    ("at", datetime(2025, 1, 1), "does not fit: Input should have timezone info."),
    ("local", datetime(2025, 1, 1, tzinfo=UTC), "does not fit: Input should not have timezone info."),
    ("tags", ("a",), "Order.tags: ('a',) would be read back as ['a']."),
    ("tags", "abc", "Order.tags: 'abc' does not fit: Input should be a valid list."),
    ("few", [], "Order.few: [] does not fit: List should have at least 1 item"),
    ("few", [True], "Order.few: [True] would be read back as [1]."),
    ("some", set(), "Order.some: set() does not fit: Set should have at least 1 item"),
    ("line", {"sku": "a"}, "Order.line: {'sku': 'a'} would be read back as Line(sku='a', count=1)."),
    (
        "line",
        Line.model_construct(count=1),
        "Order.line: Line(count=1) does not fit: ['sku']: Field required.",
    ),
    ("expires", 61, "Order.expires: 61 would be read back as datetime.datetime(1970, 1, 1, 0, 1, 1"),
    ("expires", datetime(2025, 1, 1), "Order.expires: datetime.datetime(2025, 1, 1, 0, 0) has no zone"),
]


@pytest.mark.parametrize(
    ("name", "value", "problem"), WRONG, ids=[f"{name} {value!r}" for name, value, _ in WRONG]
)
def test_a_value_that_was_never_validated_raises_with_its_field(name: str, value: Any, problem: str) -> None:
    assigned = order()
    setattr(assigned, name, value)

    assert problem in error_of(assigned)
    assert error_of(assigned).startswith(f"Order.{name}: ")
    assert problem in error_of(order().model_copy(update={name: value}))
    assert problem in error_of(Order.model_construct(**{**order().__dict__, name: value}))


def _spoil_line(made: Order) -> None:
    made.line.count = 0


def _misspell_inside(made: Order) -> None:
    made.lines[0] = made.lines[0].model_copy(update={"cuont": 5})


IN_PLACE: list[tuple[Callable[[Any], Any], str]] = [
    (lambda made: made.tags.append(5), "Order.tags: ['t', 5] does not fit: [1]: Input should be a valid string."),
    (lambda made: made.few.extend([1, 2, 3]), "Order.few: "),
    (lambda made: made.some.clear(), "Order.some: set() does not fit"),
    (lambda made: made.lines.append(Order(id="1")), "Order.lines: "),
    (_spoil_line, "Order.line: Line(sku='a', count=0) does not fit: ['count']: Input should be greater"),
    (lambda made: setattr(made.lines[0], "sku", 5), "[0]['sku']: Input should be a valid string."),
    (lambda made: setattr(made.by_name["x"], "count", "2"), "would be read back as {'x': Line(sku='c', count=2)}"),
    (lambda made: made.by_name.update({"y": None}), "Order.by_name: "),
    (_misspell_inside, "Order.lines: "),
    (lambda made: delattr(made, "total"), "Order.total has no value"),
]  # fmt: skip


@pytest.mark.parametrize(("spoil", "problem"), IN_PLACE, ids=[problem for _, problem in IN_PLACE])
def test_a_value_that_was_changed_in_place_raises_with_its_field(
    spoil: Callable[[Order], Any], problem: str
) -> None:
    made = order().model_copy(deep=True)
    spoil(made)

    assert problem in error_of(made)


@pytest.mark.parametrize(
    ("name", "problem"),
    [("totl", "Order has no field 'totl'."), ("double", "Order.double is a computed field, so the value"),
     ("primary", "Order has no field 'primary'.")],
)  # fmt: skip
def test_a_name_that_is_not_a_field_raises(name: str, problem: str) -> None:
    assert problem in error_of(order().model_copy(update={name: 5}))


def test_cached_and_private_values_beside_the_fields_are_ignored() -> None:
    made = order()
    assert made.label == "7 open"
    made.__dict__["_seen"] = True

    assert Order.from_item(made.to_item()) == made


@pytest.mark.parametrize(
    ("name", "value"),
    [("price", 3), ("ratio", 3), ("kind", "hut"), ("expires", datetime(2099, 1, 1, 0, 0, 0, 5, tzinfo=UTC)),
     ("some", frozenset("ab")), ("status", Kind("tent").replace("tent", "shut"))],
)  # fmt: skip
def test_an_equal_value_of_another_type_is_accepted(name: str, value: Any) -> None:
    made = order().model_copy(update={name: value})
    read = Order.from_item(made.to_item())

    assert abs(read.expires - value) < timedelta(seconds=1) if name == "expires" else read == made


def test_a_default_that_does_not_fit_raises_and_a_lax_one_does_not() -> None:
    class Loose(Entity, table=Table("loose")):
        id: str
        note: str = None  # type: ignore[assignment]
        price: Decimal = 0  # type: ignore[assignment]
        primary = Key("L#{id}", "META")

    class Wrong(Loose, table=Table("wrong")):
        count: Annotated[int, Field(gt=0)] = 0

    assert Loose.from_item(Loose(id="1").to_item()) == Loose(id="1")
    assert error_of(Wrong(id="1")).startswith("Wrong.count: 0 does not fit: Input should be greater than 0")
    with pytest.raises(InvalidValue, match=r"^Wrong\.count: 0 does not fit"):
        Wrong.primary.update(id="1").remove("count")


def test_text_limits_of_the_model_configuration_are_enforced() -> None:
    class Short(Entity, table=Table("short")):
        model_config = ConfigDict(str_max_length=3)
        id: str
        note: str = ""
        words: list[str] = Field(default_factory=list)
        primary = Key("S#{id}", "META")

    assert "at most 3 characters" in error_of(Short(id="1").model_copy(update={"note": "long"}))
    assert "at most 3 characters" in error_of(Short(id="1").model_copy(update={"words": ["long"]}))
    with pytest.raises(InvalidValue, match="at most 3 characters"):
        Short.primary.update(id="1").append(words=["long"])


class Trimmed(Entity, table=Table("trimmed")):
    """Validators of the author's: what they are to see is what they saw, and nothing twice."""

    id: str
    note: str = ""
    count: Annotated[int, Field(ge=0)] = 0
    primary = Key("T#{id}", "META")

    @field_validator("note", mode="before")
    @classmethod
    def _trim(cls, value: Any) -> Any:
        return value.strip() if isinstance(value, str) else value

    @model_validator(mode="after")
    def _agree(self) -> Trimmed:
        if self.count > 5 and not self.note:
            raise ValueError("many need a note")
        return self


@pytest.mark.parametrize(
    ("changed", "problem"),
    [({"note": " a "}, "Trimmed.note: ' a ' would be read back as 'a'."),
     ({"note": 5}, "Trimmed.note: Input should be a valid string; the item holds 5."),
     ({"count": -1}, "Trimmed.count: Input should be greater than or equal to 0; the item holds -1."),
     ({"count": 9}, "many need a note"), ({"totl": 9}, "Trimmed has no field 'totl'.")],
)  # fmt: skip
def test_validators_of_an_entity_are_enforced(changed: dict[str, Any], problem: str) -> None:
    assert problem in error_of(Trimmed(id="1").model_copy(update=changed))


def test_a_validator_that_returns_its_input_is_accepted() -> None:
    made = Trimmed(id="1", note=" a ", count=9).model_copy(update={"count": 8})

    assert Trimmed.from_item(made.to_item()) == made


LIMITED: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (Annotated[int, Field(ge=0, le=9)], st.integers(-3, 12)),
    (Annotated[str, StringConstraints(min_length=1, max_length=3)], st.text("ab1 ", max_size=5)),
    (Annotated[str, StringConstraints(strip_whitespace=True)], st.text("a ", max_size=3)),
    (Annotated[Decimal, Field(max_digits=3, decimal_places=1)], st.decimals(-200, 200, places=2)),
    (Annotated[float, Field(gt=0)], st.floats()),
    (conlist(int, max_length=2), st.lists(st.integers(-3, 3) | st.booleans(), max_size=3)),
    (conset(int, min_length=1), st.sets(st.integers(-3, 3), max_size=2)),
    (AwareDatetime | None, st.datetimes(timezones=st.none() | st.just(UTC)) | st.none()),
    (Literal["a", "b", 1], st.sampled_from(["a", "b", "c", 1, 2, True])),
]
KINDS = [*(kind for kind, _ in EXACT), *(kind for kind, _ in SCALARS), *(kind for kind, _ in LIMITED)]
OTHERS = st.one_of(
    st.sampled_from([*VALUES, *(value for _, values in EXACT for value in values)]),
    *(values for _, values in [*SCALARS, *LIMITED]),
    st.lists(st.sampled_from(VALUES), max_size=2),
    st.dictionaries(st.sampled_from(["n", "a", "day", "kind"]), st.sampled_from(VALUES), max_size=2),
    st.builds(Inner.model_construct, n=st.sampled_from(VALUES)),
    st.builds(Plain, st.sampled_from(VALUES), st.sampled_from(VALUES)),
    st.sampled_from([*Kind, *Level, *Mixed]),
)


@cache
def made_of(number: int) -> type[Entity]:
    return entity_of(KINDS[number])


def check_true(kind: type[Entity], value: Any) -> None:
    """Any value in the field either raises or is read back."""
    entity = kind.model_construct(id="1", field=value)
    check_written(entity)
    item = outcome(lambda: kind.__pksk__.to_item(entity))
    if not isinstance(item, dict):
        assert issubclass(item[0], InvalidValue)
        assert item[1].startswith("Made")
        return
    read = kind.__pksk__.from_item(item)
    assert read == entity or equal(read, entity) or survives_round_trip(value, read.__dict__["field"])
    again = kind.__pksk__.to_item(read)
    # In a field of floats a whole number is stored to its last digit, the float that equals it by its shortest text.
    assert again == item or kind.__pksk__.from_item(again) == read


@given(st.integers(0, len(KINDS) - 1), OTHERS)
@example(KINDS.index(float), 2**55)
def test_any_value_in_a_field_of_any_type_raises_or_comes_back(number: int, value: Any) -> None:
    check_true(made_of(number), value)


@given(typed(), typed() | OTHERS.map(lambda value: (None, value)))
def test_a_value_of_one_random_type_in_a_field_of_another_raises_or_comes_back(one: Any, other: Any) -> None:
    check_true(entity_of(one[0]), other[1])


@given(st.integers(0, len(LIMITED) - 1), st.data())
def test_a_value_near_the_limits_of_a_field_raises_or_comes_back(number: int, data: st.DataObject) -> None:
    check_true(made_of(len(KINDS) - len(LIMITED) + number), data.draw(LIMITED[number][1]))


@given(st.dictionaries(st.sampled_from(sorted(Order.model_fields)), OTHERS, max_size=3))
def test_an_entity_with_any_values_raises_or_comes_back(other: dict[str, Any]) -> None:
    made = order().model_copy(update=other)
    check_written(made)
    try:
        item = made.to_item()
    except InvalidValue:
        return
    read = Order.from_item(item)
    assert all(
        survives_round_trip(made.__dict__[name], read.__dict__[name])
        for name in Order.model_fields
        if name != "expires"
    )
    assert read.to_item() == item
