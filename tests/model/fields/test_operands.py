"""Operands outside the rules of their fields raise in every request; valid ones never do."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import cache
from string import ascii_lowercase, digits
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    field_validator,
)

from pksk import (
    GSI,
    BoundsError,
    Engine,
    Entity,
    F,
    InvalidValue,
    ItemUnreadable,
    Key,
    N,
    PkskError,
    Put,
    Stored,
    Table,
    VectorIndex,
    begins,
    between,
    connect,
    gt,
    gte,
    lt,
    unchecked,
)


class Status(Enum):
    OPEN = "open"
    PAID = "paid"


def _without_capitals(text: str) -> str:
    if len(text) < 2 or text != text.lower():
        raise ValueError("not two or more small letters")
    return text


_TEXT = st.text("abWZ0 ", max_size=5)
_LETTERS = digits + ascii_lowercase

# Annotations, and the values of their type, valid or not.
KINDS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "text of a length": (Annotated[str, Field(min_length=2, max_length=3)], _TEXT),
    "text of a pattern": (Annotated[str, Field(pattern="^[0-9a-z]{3}$")], _TEXT),
    "text of a pattern found anywhere": (Annotated[str, Field(pattern="[ab]0")], _TEXT),
    "Literal": (Literal["ab", "Wa", "0"], _TEXT),
    "Enum": (Status, st.sampled_from([*Status, "open", "paid", "opne", "", "x"])),
    "validator": (Annotated[str, AfterValidator(_without_capitals)], _TEXT),
    "number": (Annotated[int, Field(ge=0, le=9)], st.integers(-20, 20)),
    "multiple": (Annotated[int, Field(multiple_of=3)], st.integers(0, 20)),
    "Decimal": (
        Annotated[Decimal, Field(max_digits=3, decimal_places=1)],
        st.decimals(-2000, 2000, places=2, allow_nan=False),
    ),
    "date": (
        Annotated[date, Field(ge=date(2025, 1, 1))],
        st.dates(min_value=date(2024, 6, 1), max_value=date(2025, 6, 1)),
    ),
}
TEXTS = (
    "text of a length",
    "text of a pattern",
    "text of a pattern found anywhere",
    "Literal",
    "Enum",
    "validator",
)
ORDERED = ("number", "multiple", "Decimal", "date")
# Formats that keys need for types that sort.
SPECS = {"number": ":06d", "multiple": ":06d", "Decimal": ":08.2f"}


@cache
def _entity(kind: str) -> Any:
    """An entity with a field of this kind in every position."""
    annotation, part = KINDS[kind][0], "{value" + SPECS.get(kind, "") + "}"
    vectors = VectorIndex("near", attribute="vector", dimensions=1, pk="v1")

    class Inner(BaseModel):
        inside: annotation | None = None  # type: ignore[valid-type]

    class Item(Entity, table=Table("items", indexes=[GSI("by-value", pk="g1", sk="g2"), vectors])):
        id: str
        value: annotation  # type: ignore[valid-type]
        plain: annotation | None = None  # type: ignore[valid-type]
        listed: list[annotation] = Field(default_factory=list)  # type: ignore[valid-type]
        inner: Inner | None = None
        vector: list[float] = Field(default_factory=lambda: [1.0])

        primary = Key("{id}", f"V#{part}")
        by_value = Key(f"V#{part}", "{id}", index="by-value")
        near = Key(f"V#{part}", index="near")

    Item.kind = kind  # type: ignore[attr-defined]
    return Item


@cache
def _table(item: Any) -> Any:
    db = connect("memory:")
    db.create_tables(item.__pksk__.table)
    return db


# Every place where a value is compared for equality.
EQUALITIES: dict[str, Callable[[Any, Any], object]] = {
    "key": lambda item, value: item.primary(id="1", value=value),
    "partition key": lambda item, value: item.by_value(value=value),
    "where, in a key": lambda item, value: item.where(id="1", value=value),
    "where, as a filter": lambda item, value: item.where(id="1", plain=value),
    "get": lambda item, value: item.primary.get(id="1", value=value),
    "delete": lambda item, value: item.primary.delete(id="1", value=value),
    "check": lambda item, value: item.primary.check(id="1", value=value),
    "update": lambda item, value: item.primary.update(id="1", value=value),
    "store": lambda item, value: _table(item).get(item, id="1", value=value),
    "nearest": lambda item, value: item.near.nearest([1.0], value=value),
    "F, equal": lambda item, value: item.primary(id="1").filter(F.plain == value),
    "F, not equal": lambda item, value: item.scan().filter(F.plain != value),
    "F, not": lambda item, value: item.scan().filter(~(F.plain == value)),
    "F, and": lambda item, value: item.scan().filter((F.id == "1") & (F.plain == value)),
    "F, one of some": lambda item, value: item.scan().filter(F.plain.is_in(F.value, value)),
    "F, inside": lambda item, value: item.scan().filter(F.inner.inside == value),
    "F, an element": lambda item, value: item.scan().filter(F.listed[0] == value),
    "F, a member": lambda item, value: item.scan().filter(F.listed.contains(value)),
    "when of an update": lambda item, value: item.primary.update(**_parts(item)).when(F.plain == value),
    "when of a delete": lambda item, value: item.primary.delete(**_parts(item)).when(F.plain == value),
    "when of a put": lambda item, value: Put(_valid(item)).when(F.plain == value),
    "when of a check": lambda item, value: item.primary.check(**_parts(item)).when(F.plain == value),
}
# A value of an update is written, so it cannot be unchecked.
WRITTEN: dict[str, Callable[[Any, Any], object]] = {
    "set": lambda item, value: item.primary.update(**_parts(item)).set(plain=value),
    "apply": lambda item, value: item.primary.update(**_parts(item)).apply(F.plain.set(value)),
    "apply inside": lambda item, value: item.primary.update(**_parts(item)).apply(F.inner.inside.set(value)),
    "append": lambda item, value: item.primary.update(**_parts(item)).append(listed=[value]),
}
RANGES: dict[str, Callable[[Any, Any], object]] = {
    "key": lambda item, value: item.primary(id="1", value=gte(value)),
    "key, between": lambda item, value: item.primary(id="1", value=between(value, value)),
    "where": lambda item, value: item.where(id="1", value=lt(value)),
    "where, as a filter": lambda item, value: item.where(id="1", plain=gt(value)),
    "F": lambda item, value: item.scan().filter(F.plain < value),
    "F, between": lambda item, value: item.scan().filter(F.plain.between(value, value)),
    "F, inside": lambda item, value: item.scan().filter(F.inner.inside > value),
    "when": lambda item, value: item.primary.update(**_parts(item)).when(F.plain <= value),
}
PREFIXES: dict[str, Callable[[Any, Any], object]] = {
    "key": lambda item, value: item.primary(id="1", value=begins(value)),
    "where, as a filter": lambda item, value: item.where(id="1", plain=begins(value)),
    "F": lambda item, value: item.scan().filter(F.plain.begins(value)),
    "F, inside": lambda item, value: item.scan().filter(F.inner.inside.begins(value)),
}


EXAMPLES = {
    "text of a length": "ab", "text of a pattern": "ab0", "text of a pattern found anywhere": "a0", "Literal": "ab",
    "Enum": Status.OPEN, "validator": "ab", "number": 5, "multiple": 3, "Decimal": Decimal("1.5"),
    "date": date(2025, 2, 3),
}  # fmt: skip


def _valid(item: Any) -> Any:
    return item(id="1", value=EXAMPLES[item.kind])


def _parts(item: Any) -> dict[str, Any]:
    return {"id": "1", "value": EXAMPLES[item.kind]}


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(KINDS[kind][0])


def _is_valid(kind: str, value: Any) -> bool:
    try:
        _adapter(kind).validate_python(value)
    except ValidationError:
        return False
    return True


def _error(write: Callable[[Any, Any], object], item: Any, value: Any) -> PkskError | None:
    try:
        write(item, value)
    except PkskError as error:
        return error
    return None


# What keys reject for reasons of their own.
_OF_KEYS = {"key-empty-part", "key-not-a-choice", "bounds-unordered", "bounds-operator", "plan-empty-key"}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=150)
@given(data=st.data(), write=st.sampled_from([*EQUALITIES.values(), *WRITTEN.values()]))
def test_a_value_raises_exactly_if_it_breaks_the_rules_of_its_field(
    kind: str, write: Callable[[Any, Any], object], data: st.DataObject
) -> None:
    value, item = data.draw(KINDS[kind][1]), _entity(kind)

    error = _error(write, item, value)

    if not _is_valid(kind, value):
        assert isinstance(error, InvalidValue)
        assert error.code in {"operand-value", "field-value", *_OF_KEYS}
        assert any(name in error.problem for name in ("value", "plain", "listed", "inside"))
    elif error is not None:
        assert error.code in _OF_KEYS


@pytest.mark.parametrize("kind", TEXTS)
@settings(max_examples=150)
@given(text=st.text("abWZ0 ", max_size=4), write=st.sampled_from([*RANGES.values(), *PREFIXES.values()]))
def test_a_text_bound_raises_exactly_if_no_valid_value_begins_so(
    kind: str, write: Callable[[Any, Any], object], text: str
) -> None:
    # All texts that these rules allow, as far as they begin with this one.
    completions = ("", *_LETTERS, "00", "aa", "b0", "a0", "en", "id", "pen", "aid", "open", "paid")
    possible = any(_is_valid(kind, text + each) for each in (*completions, "aaa", "ab0"))

    error = _error(write, _entity(kind), text)

    if possible:
        assert error is None or error.code in _OF_KEYS
    else:
        assert error is not None
        assert error.code in {"operand-value", *_OF_KEYS}


@pytest.mark.parametrize("kind", ORDERED)
@settings(max_examples=50)
@given(data=st.data(), write=st.sampled_from([*RANGES.values()]))
def test_bounds_of_numbers_and_dates_are_free(
    kind: str, write: Callable[[Any, Any], object], data: st.DataObject
) -> None:
    assert _error(write, _entity(kind), data.draw(KINDS[kind][1])) is None


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=100)
@given(data=st.data(), write=st.sampled_from([*EQUALITIES.values()]))
def test_an_unchecked_value_is_accepted_wherever_it_can_be_written(
    kind: str, write: Callable[[Any, Any], object], data: st.DataObject
) -> None:
    value = data.draw(KINDS[kind][1])

    error = _error(write, _entity(kind), unchecked(value))

    assert error is None or (
        error.code in {"key-empty-part", "plan-empty-key", "key-not-a-choice"} and not value
    )


class Cell(Entity, table=Table("cells")):
    """A cell of a map, whose id is in lower case."""

    area: str
    id: Annotated[str, Field(pattern="^[0-9a-z]{3}$")]
    count: Annotated[int, Field(ge=0)] = 0
    day: date | None = None

    primary = Key("{area}", "{id}")


def test_a_range_in_the_wrong_letter_case_raises_instead_of_finding_nothing() -> None:
    with pytest.raises(InvalidValue) as caught:
        Cell.primary(area="gcpjf", id=between("W00", "WZZ"))

    assert caught.value.code == "operand-value"
    assert str(caught.value) == (
        "Cell.id: no valid value begins with 'W00': values are text that matches '^[0-9a-z]{3}$'.\n"
        "Operands of queries and conditions must obey the rules of their fields.\n"
        "Fix: give 'id' a valid value or the beginning of one; to look for items that break the rule, write "
        "unchecked('W00').  (pksk explain operand-value)"
    )


def test_the_fix_shows_a_short_value_and_no_cut_one() -> None:
    class Short(Entity, table=Table("short-texts")):
        text: Annotated[str, Field(max_length=2)]
        primary = Key("TEXT#{text}", "META")

    with pytest.raises(InvalidValue) as short:
        Short.primary.get(text="abc")
    with pytest.raises(InvalidValue, match=r"\(500 characters\) is not a valid value") as long:
        Short.primary.get(text="a" * 500)

    assert short.value.fix.endswith("write unchecked('abc').")
    assert long.value.fix.endswith("write unchecked(...).")


def test_unchecked_operands_find_items_that_break_the_rules() -> None:
    engine = Engine.open()
    db = connect(engine)
    db.create_tables(Cell.__pksk__.table)
    db.put(Cell(area="gcpjf", id="w00"))
    bad_item = {"pk": {"S": "gcpjf"}, "sk": {"S": "W00"}, "area": {"S": "gcpjf"}, "id": {"S": "W00"}}
    engine.call("PutItem", {"TableName": "cells", "Item": bad_item})
    bad = Cell.primary(area="gcpjf", id=unchecked(between("W00", "WZZ")))
    unreadable: list[Any] = []

    assert [each.id for each in db.iter(Cell.primary(area="gcpjf", id=between("w", "z")))] == ["w00"]
    assert list(db.iter(bad, unreadable=unreadable)) == []
    assert [each.key["sk"] for each in unreadable] == [{"S": "W00"}]
    with pytest.raises(ItemUnreadable, match="was done nevertheless"):
        db.delete(Cell, area="gcpjf", id=unchecked("W00"))
    assert db.get(Cell, area="gcpjf", id=unchecked("W00")) is None


class Coded(Entity, table=Table("codes", indexes=[GSI("by-level", pk="g1")])):
    """Codes of two to four letters, and levels that are named."""

    code: Annotated[str, Field(min_length=2, max_length=4)]
    level: Literal["low", "high"] = "low"

    primary = Key("CODE", "{code}")
    by_level = Key("LEVEL#{level}", index="by-level")


@pytest.mark.parametrize(
    ("query", "condition"),
    [
        (lambda: Coded.primary(code=unchecked("a")), ["CODE", "a"]),
        (lambda: Coded.primary(code=unchecked("abcdef")), ["CODE", "abcdef"]),
        (lambda: Coded.primary(code=gte(unchecked("abcdef"))), ["CODE", "abcdef"]),
        (lambda: Coded.primary(code=unchecked(between("a", unchecked("abcdef")))), ["CODE", "a", "abcdef"]),
        (lambda: Coded.by_level(level=unchecked("a#b")), ["LEVEL#a$23b"]),
        (lambda: Coded.where(level=unchecked("lost")), ["LEVEL#lost"]),
    ],
)
def test_keys_hold_unchecked_text_of_another_length_and_unknown_choices(
    query: Callable[[], Any], condition: list[str]
) -> None:
    values = query().plan.requests[0]["ExpressionAttributeValues"]

    assert list(values.values()) == [{"S": each} for each in condition]


def test_the_fix_of_an_operand_works_as_it_is_written() -> None:
    for write in (lambda code: Coded.primary(code=code), lambda code: Coded.primary.get(code=code)):
        with pytest.raises(InvalidValue, match=r"write unchecked\('a'\)"):
            write("a")

        assert write(unchecked("a")) is not None
    assert Coded.primary.get(code=unchecked("a")).request["Key"]["sk"] == {"S": "a"}


def test_the_fix_proposes_no_unchecked_value_of_a_type_that_no_key_holds() -> None:
    for value in (None, 5):
        with pytest.raises(InvalidValue) as caught:
            Coded.primary.get(code=value)

        assert caught.value.fix == "give 'code' a value that Coded accepts."


def test_an_unchecked_text_is_no_number_of_a_key_and_is_called_str() -> None:
    class Counted(Entity, table=Table("counted", sk=N("n"))):
        id: str
        n: int
        primary = Key("{id}", "{n}")

    with pytest.raises(InvalidValue, match=r"field 'n' is 'x' of type str, not int"):
        _ = Counted.primary(id="1", n=unchecked("x")).plan


def test_an_unchecked_value_is_found_under_another_type() -> None:
    plan = Cell.scan().filter(F.count == unchecked("none")).plan

    assert plan.requests[0]["ExpressionAttributeValues"] == {":v0": {"S": "none"}}


@pytest.mark.parametrize(
    "write",
    [
        lambda: Cell.primary(area="gcpjf", id=between("b", "a")),
        lambda: Cell.where(area="gcpjf", count=between(5, 1)),
        lambda: Cell.scan().filter((F.count >= 5) & (F.count < 2)),
        lambda: Cell.scan().filter(F.count > 5).filter(F.count < 2).plan,
        lambda: Cell.scan().filter((F.day > date(2025, 2, 1)) & (F.day < date(2025, 1, 1))),
    ],
)
def test_a_range_that_ends_before_it_begins_raises(write: Callable[[], object]) -> None:
    with pytest.raises(BoundsError) as caught:
        write()

    assert caught.value.code == "bounds-backwards"


def test_bounds_that_some_value_is_between_are_accepted() -> None:
    Cell.scan().filter((F.count >= 2) & (F.count <= 2))
    Cell.scan().filter((F.count < 2) | (F.count > 5))
    Cell.scan().filter((F.count > 5) & (F.id < "a"))


def test_none_raises_for_a_field_that_cannot_be_none() -> None:
    with pytest.raises(InvalidValue, match=r"Cell\.count: None is not a valid value"):
        Cell.scan().filter(F.count == None)  # noqa: E711

    for condition in (F.day == None, F.count != unchecked(None)):  # noqa: E711
        Cell.scan().filter(condition)


@pytest.mark.parametrize("bound", ["2025-13", "2025-03-01T", "March", "20250301"])
def test_text_that_no_date_begins_with_raises(bound: str) -> None:
    with pytest.raises(InvalidValue, match="values are dates such as '2025-03-01'"):
        Cell.scan().filter(F.day >= bound)

    Cell.scan().filter(F.day >= "2025-1")


class Named(Entity, table=Table("named")):
    """Names in a form that validators give them."""

    id: str
    name: Annotated[str, StringConstraints(to_lower=True, strip_whitespace=True, pattern="^[A-Za-z ]+$")]
    title: Annotated[str, AfterValidator(str.title)] = "A"
    code: str = Field("ab1", examples=["ab1"])
    size: str = ""

    primary = Key("{id}", "{name}")

    @field_validator("code")
    @classmethod
    def _ends_with_a_digit(cls, value: str) -> str:
        if not value[-1:].isdecimal():
            raise ValueError("it does not end with a digit")
        return value

    @field_validator("size")
    @classmethod
    def _depends_on_the_name(cls, value: str, info: Any) -> str:
        if value == info.data["name"]:
            raise ValueError("it is the name")
        return value


@pytest.mark.parametrize(
    ("condition", "stored"),
    [
        (F.name == " Ann ", "ann"),
        (F.name.begins(" Ann B"), "ann b"),
        (F.name >= "AN ", "an "),
        (F.title == "of mice", "Of Mice"),
        (F.title >= "of", "Of"),
        (F.title.begins("of m"), "Of M"),
        (F.code >= "ab", "ab"),
        (F.size == "x", "x"),
        (F.size.begins("x"), "x"),
    ],
)
def test_operands_have_the_form_that_validators_give_values(condition: Any, stored: str) -> None:
    plan = Named.scan().filter(condition).plan

    assert plan.requests[0]["ExpressionAttributeValues"] == {":v0": {"S": stored}}


@pytest.mark.parametrize("condition", [F.code == "ab", F.name.begins("4"), F.name.contains("-")])
def test_an_operand_that_validators_reject_raises(condition: Any) -> None:
    with pytest.raises(InvalidValue) as caught:
        Named.scan().filter(condition)

    assert caught.value.code == "operand-value"


def test_an_unchecked_part_cannot_make_a_new_item() -> None:
    update = Cell.primary.update(area="gcpjf", id=unchecked("W00")).set(count=1)
    assert update.request["Key"]["sk"] == {"S": "W00"}

    with pytest.raises(InvalidValue) as caught:
        _ = update.upsert().request
    assert caught.value.code == "field-value"


def test_an_operand_of_a_sparse_key_is_checked_when_the_class_is_created() -> None:
    with pytest.raises(PkskError, match="'opne' is not a valid value"):

        class Ticket(Entity, table=Table("tickets", indexes=[GSI("by-open", pk="g1")])):
            id: str
            status: Literal["open", "done"] = "open"

            primary = Key("{id}", "META")
            by_open = Key("OPEN#{id}", index="by-open", when=F.status == "opne")


NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)


class Moment(BaseModel):
    at: Annotated[datetime, Stored("epoch-seconds")]


class Event(Entity, table=Table("events")):
    """Times in several formats."""

    id: str
    at: Annotated[datetime, Stored("epoch-seconds")] = NOON
    utc: AwareDatetime = NOON
    times: list[Annotated[datetime, Stored("iso-seconds")]] = Field(default_factory=list)
    moment: Moment | None = None

    primary = Key("{id}", "META")


@pytest.mark.parametrize(
    ("condition", "stored"),
    [
        (F.at == NOON, {"N": "1735732800"}),
        (F.at == unchecked("noon"), {"S": "noon"}),
        (F.at == unchecked(NOON), {"N": "1735732800"}),
        (F.at > NOON + timedelta(milliseconds=5), {"N": "1735732800"}),
        (F.at >= NOON + timedelta(milliseconds=5), {"N": "1735732801"}),
        (F.utc >= "2025-01", {"S": "2025-01"}),
        (F.times.contains(NOON), {"S": "2025-01-01T12:00:00Z"}),
        (F.times[0] == NOON, {"S": "2025-01-01T12:00:00Z"}),
        (F.moment.at < NOON, {"N": "1735732800"}),
    ],
)
def test_operands_have_the_format_in_which_their_field_is_stored(condition: Any, stored: Any) -> None:
    plan = Event.scan().filter(condition).plan

    assert plan.requests[0]["ExpressionAttributeValues"] == {":v0": stored}


@pytest.mark.parametrize(
    "condition",
    [
        F.at >= "2025",
        F.at == "noon",
        F.utc > datetime(2025, 1, 1),
        F.moment.at == "noon",
        F.times.contains("noon"),
    ],
)
def test_an_operand_that_is_not_a_time_of_its_field_raises(condition: Any) -> None:
    with pytest.raises(InvalidValue) as caught:
        Event.scan().filter(condition)

    assert caught.value.code in {"operand-value", "filter-value"}
