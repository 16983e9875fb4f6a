"""A primary key with a part of a field is rejected, unless no item can be lost, or the author gives a reason."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timezone
from typing import Annotated, Any, Generic, NewType, TypeVar

import pytest
from annotated_types import Len
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    Field,
    NaiveDatetime,
    StringConstraints,
    ValidationError,
    computed_field,
)

from pksk import (
    GSI,
    TTL,
    Attribute,
    DesignError,
    Entity,
    InvalidValue,
    Key,
    Precision,
    Shard,
    Stored,
    Table,
    sequence,
)
from tests.model.declarations.models import entity_with


def rejection(fields: dict[str, Any], *texts: str, **options: Any) -> DesignError:
    with pytest.raises(DesignError) as caught:
        entity_with(fields, *texts, **options)
    assert caught.value.code == "entity-coarse-key"
    return caught.value


def test_a_month_of_a_day_is_rejected_with_two_items_that_would_collide() -> None:
    error = rejection({"service": str, "day": date}, "USAGE#{service}", "{day:%Y-%m}")

    assert error.problem.startswith("Made.primary: the key holds only a part of field 'day', {day:%Y-%m}")
    assert error.expected == (
        "For example, an item with service='service', day=date(2025, 3, 5) and one with service='service', "
        "day=date(2025, 3, 9) both have the key pk='USAGE#service', sk='2025-03'."
    )
    for way in ("{day}", "Precision('month')", "identity=('service',)", "one_per_bucket=('day',)"):
        assert way in error.fix


@pytest.mark.parametrize(
    ("kind", "texts", "values"),
    [
        (str, ("NAME#{field:.2}", "META"), ("'abc'", "'abx'")),
        (str, ("NAME#{field[:-1]}", "META"), ("'ab'", "'ax'")),
        (str, ("NAME#{field:.2}", "{field[-2:]}"), ("'aa'", "'aaa'")),
        (Annotated[str, Len(3, 9)], ("NAME#{field:.2}", "META"), ("'abc'", "'abx'")),
        (date, ("D#{field:%m-%d}", "META"), ("date(2025, 3, 5)", "date(2026, 3, 5)")),
        (date, ("D#{field:%Y}", "{field:%d}"), ("date(2025, 3, 5)", "date(2025, 4, 5)")),
        (date, ("D#{field:%G}", "{field:%m-%d}"), ("date(2025, 12, 29)", "date(2026, 12, 29)")),
        (Annotated[date, Precision("month")], ("D#{field:%Y}", "META"), ("date(2025, 3, 1)", "date(2025, 4, 1)")),
        (NaiveDatetime, ("D#{field:%Y-%m-%dT%H:%M}", "META"), ("12, 30)", "12, 30, 1)")),
        (AwareDatetime, ("D#{field:%Y-%m-%dT%H:%M:%SZ}", "META"), ("tzinfo=timezone.utc)", "30, 0, 1000, tzinfo")),
        (Annotated[datetime, Stored("iso-minutes")], ("D#{field:%Y-%m-%dT%H}", "META"), ("12, 30, tz", "12, 31, tz")),
        (Annotated[datetime, TTL()], ("D#{field}", "META"), ("30, 1, tzinfo", "30, 0, 1000, tzinfo")),
    ],
)  # fmt: skip
def test_the_example_has_two_values_that_differ_in_what_is_lost(
    kind: Any, texts: tuple[str, str], values: tuple[str, str]
) -> None:
    error = rejection({"field": kind}, *texts)

    assert all(each in error.expected for each in values), error.expected
    assert "both have the key pk='" in error.expected


DIGITS = Annotated[str, Field(pattern="^[0-9]{8}$")]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (DIGITS, "A#{field:.2}"), (DIGITS, "A#{field[-3:]}"),
        (Annotated[str, Field(pattern="^INV-[0-9]+$")], "A#{field:.5}"),
        (Annotated[str, StringConstraints(to_upper=True, min_length=3)], "A#{field[1:]}"),
        (Annotated[date, Field(ge=date(2026, 1, 1))], "A#{field:%Y-%m}"),
        (Annotated[AwareDatetime, Field(gt=datetime(2025, 9, 1, tzinfo=UTC))], "A#{field:%Y-%m-%d}"),
        (NewType("Day", date), "A#{field:%d}"), (Annotated[str, AfterValidator(str.title)], "A#{field:.3}"),
    ],
)  # fmt: skip
def test_the_example_has_values_that_the_field_accepts(kind: Any, text: str) -> None:
    error = rejection({"field": kind}, text, "META")
    pattern = r"For example, an item with field=(.*) and one with field=(.*) both have the key pk='(.*)', sk='META'\."
    match = re.fullmatch(pattern, error.expected)
    assert match, error.expected
    one, other = (
        eval(each, {"date": date, "datetime": datetime, "timezone": timezone}) for each in match.groups()[:2]
    )

    made = entity_with({"field": kind}, text, "META", one_per_bucket="field")
    items = [made(field=each).to_item() for each in (one, other)]

    assert [item["pk"] for item in items] == [{"S": match[3]}] * 2
    assert items[0]["field"] != items[1]["field"]


def test_without_an_example_the_error_says_to_declare_a_length() -> None:
    error = rejection({"field": Annotated[str, Field(pattern="^[a-z]{2}$")]}, "A#{field:.2}", "META")

    assert error.expected == ""
    assert "declare its length" in error.fix
    bounded = Annotated[str, Field(pattern="^[a-z]{2}$", max_length=2)]
    assert entity_with({"field": bounded}, "A#{field:.2}", "META")(field="ab").to_item()["pk"] == {
        "S": "A#ab"
    }


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (str, ("CELL#{field[:-3]}", "{field[-3:]}")),
        (str, ("CELL#{field:.2}", "{field[2:5]}#{field[5:]}")),
        (str, ("CELL#{field:.2}", "{field[1:]}")),
        (str, ("place#{field:.2}", "{field}")),
        (Annotated[str, Len(2, 2)], ("CODE#{field:.2}", "META")),
        (Annotated[str, Len(5, 5)], ("CODE#{field:.2}", "{field[-3:]}")),
        (date, ("D#{field:%Y}", "{field:%m-%d}")),
        (date, ("D#{field:%Y-%m}", "{field}")),
        (date, ("D#{field:%G-W%V}", "{field:%d}")),
        (Annotated[datetime, Stored("iso-offset")], ("D#{field:%Y-%m-%d}", "{field:%H:%M:%S.%f}")),
        (Annotated[datetime, Stored("epoch-seconds")], ("D#{field:%Y-%m-%dT%H:%M:%S}", "META")),
        (AwareDatetime, ("D#{field:%Y-%m-%d}", "{field:%H:%M:%S.%f}")),
        (NaiveDatetime, ("D#{field:%Y-%m-%d}", "{field:%H:%M:%S.%f}")),
        (Annotated[date, Precision("month")], ("D#{field:%Y-%m}", "META")),
        (Annotated[date, Precision("week")], ("D#{field:%G-W%V}", "META")),
        (Annotated[NaiveDatetime, Precision("minute")], ("D#{field:%Y-%m-%d}", "{field:%H:%M}")),
        (Annotated[datetime, TTL(), Precision("second")], ("D#{field}", "META")),
    ],
)
def test_parts_that_hold_the_whole_field_together_are_accepted(kind: Any, texts: tuple[str, str]) -> None:
    assert entity_with({"field": kind}, *texts)


def test_an_index_key_may_hold_a_part_of_a_field() -> None:
    table = Table("usage", indexes=[GSI("by-month", pk="month")])

    class Usage(Entity, table=table):
        id: str
        day: date
        primary = Key("USAGE#{id}", "META")
        by_month = Key("{day:%Y-%m}", index="by-month")

    assert Usage(id="7", day=date(2025, 3, 9)).to_item()["month"] == {"S": "2025-03"}


def test_fields_that_identify_an_item_stand_for_the_others() -> None:
    made = entity_with({"id": str, "name": str}, "{id}", "place#{name:.2}", identity=("id",))

    assert made(id="7", name="Victoria").to_item()["sk"] == {"S": "place#Vi"}


def test_one_item_for_each_bucket_is_declared() -> None:
    fields = {"service": str, "day": date}
    made = entity_with(fields, "USAGE#{service}", "{day:%Y-%m}", one_per_bucket="day")

    keys = {str(made(service="a", day=date(2025, 3, day)).to_item()["sk"]) for day in (5, 9)}
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"identity": ("day",)}, "identity names 'day', and the key holds only a part of that field"),
        ({"identity": ("note",)}, "identity names 'note', which is not a field of the key"),
        ({"one_per_bucket": ("id",)}, "one_per_bucket names 'id', which the key holds whole"),
        ({"one_per_bucket": ("dya",)}, "one_per_bucket names 'dya', which is not a field of the key"),
        ({"identity": ("id",), "one_per_bucket": ("day",)}, "identity= and one_per_bucket= are both set"),
    ],
)
def test_options_that_do_not_fit_the_key_are_rejected(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(DesignError) as caught:
        entity_with({"id": str, "day": date, "note": str}, "{id}", "{day:%Y-%m}", **options)

    assert caught.value.code == "key-option"
    assert problem in caught.value.problem


def test_a_key_that_holds_all_of_its_fields_needs_no_identity() -> None:
    with pytest.raises(DesignError, match="the key holds every field whole"):
        entity_with({"id": str, "day": date}, "{id}", "{day}", identity="id")


@pytest.mark.parametrize("option", ["identity", "one_per_bucket"])
def test_keys_of_indexes_have_no_such_options(option: str) -> None:
    options: dict[str, Any] = {option: "id"}
    with pytest.raises(DesignError, match=f"{option}=.* is on a key of index 'by-day'"):

        class Order(Entity, table=Table("shop", indexes=[GSI("by-day", pk="g1")])):
            id: str
            primary = Key("ORDER#{id}", "META")
            by_day = Key("{id:.2}", index="by-day", **options)


def test_each_subclass_is_checked_with_its_own_types() -> None:
    class Monthly(Entity):
        service: str
        month: date
        primary = Key("USAGE#{service}", "{month:%Y-%m}")

    class Usage(Monthly, table=Table("usage")):
        month: Annotated[date, Precision("month")]

    with pytest.raises(DesignError, match=r"^Cost\.primary: the key holds only a part of field 'month'"):

        class Cost(Monthly, table=Table("costs")):
            amount: int

    assert Usage.__pksk__.primary.fields == ("service", "month")


T = TypeVar("T")


class Counted(Entity, Generic[T]):
    period: T
    primary = Key("COUNT", "{period:%Y-%m}")


def test_a_generic_entity_is_checked_with_its_arguments() -> None:
    class Months(Counted[Annotated[date, Precision("month")]], table=Table("months")):
        pass

    with pytest.raises(DesignError, match=r"^Days\.primary: the key holds only a part of field 'period'"):

        class Days(Counted[date], table=Table("days")):
            pass

    assert Months(period=date(2025, 3, 1)).to_item()["sk"] == {"S": "2025-03"}


def test_a_part_of_a_computed_field_is_rejected() -> None:
    with pytest.raises(DesignError, match="only a part of field 'slug'") as caught:

        class Place(Entity, table=Table("places")):
            name: str
            primary = Key("PLACE#{slug:.2}", "META")

            @computed_field  # type: ignore[prop-decorator]
            @property
            def slug(self) -> str:
                return self.name.lower()

    assert "slug='abc' and one with slug='abx'" in caught.value.expected


def test_a_computed_time_that_may_have_a_zone_or_none_is_not_whole_in_parts_without_one() -> None:
    with pytest.raises(DesignError, match="only a part of field 'seen'") as caught:

        class Visit(Entity, table=Table("visits")):
            text: str
            primary = Key("VISIT#{seen:%Y-%m-%d}", "{seen:%H:%M:%S.%f}")

            @computed_field  # type: ignore[prop-decorator]
            @property
            def seen(self) -> datetime:
                return datetime.fromisoformat(self.text)

    assert (
        "12, 30, tzinfo=timezone.utc) and one with seen=datetime(2025, 3, 5, 12, 30)" in caught.value.expected
    )
    assert "AwareDatetime or NaiveDatetime" in caught.value.fix


def test_raw_keys_and_shards_are_checked_too() -> None:
    raw = rejection({"id": str, "rest": str}, "{id:.2}", "{rest:*}", codec="raw")
    sharded = rejection({"id": str, "at": AwareDatetime}, "{at:%Y}#{shard}", "{id}", shard=Shard(4, of="at"))

    assert "field 'id', {id:.2}" in raw.problem
    assert "pk='2025#" in sharded.expected


def test_a_field_that_is_the_key_attribute_itself_is_whole() -> None:
    table = Table("places", sk="name")

    class Place(Entity, table=table):
        name: str
        primary = Key("place#{name:.2}", "{name}")

    assert Place(name="Victoria").to_item()["name"] == {"S": "Victoria"}


def test_a_sequence_for_each_month_says_so() -> None:
    with pytest.raises(DesignError, match="only a part of field 'day'"):
        sequence("invoice::{day:%Y-%m}", table=Table("shop"))
    numbers = sequence("invoice::{day:%Y-%m}", table=Table("shop"), one_per_bucket="day")
    months = sequence("bill::{m:%Y-%m}", table=Table("shop"), m=Annotated[date, Precision("month")])

    assert numbers.take(day=date(2025, 3, 9)).request["Key"]["pk"] == {"S": "sequence::invoice::2025-03"}
    assert months.take(m=date(2025, 3, 1)).request["Key"]["pk"] == {"S": "sequence::bill::2025-03"}


class Usage(Entity, table=Table("usage")):
    service: str
    month: Annotated[date, Precision("month")]
    seen: Annotated[AwareDatetime | None, Precision("minute")] = None
    primary = Key("USAGE#{service}", "{month:%Y-%m}")


@pytest.mark.parametrize("kind", [str, int, Annotated[str, StringConstraints(pattern="^[0-9]{2}$")]])
def test_a_field_of_which_the_key_holds_only_the_shard_is_rejected(kind: Any) -> None:
    error = rejection({"id": str, "n": kind}, "A#{id}#{shard}", "META", shard=Shard(4, of="n"))

    assert error.code == "entity-coarse-key"
    assert "holds only one of 4 shards of field 'n'" in error.problem
    example = r"For example, an item with id='id', (n=.*) and one with id='id', (n=.*) both have the key pk='A#id#\d'"
    found = re.match(example, error.expected)
    assert found
    assert found[1] != found[2]
    assert error.fix == (
        "write {n} into the key as well; or choose the shard by a field of the key, such as of='id'; or if other "
        "fields identify an item, name them: identity=('id',)."
    )


@pytest.mark.parametrize(
    ("sort", "options"), [("{n}", {}), ("META", {"identity": ("id",)}), ("{id}", {"identity": ("id",)})]
)
def test_a_shard_of_a_field_that_is_in_the_key_or_identifies_nothing_is_accepted(
    sort: str, options: dict[str, Any]
) -> None:
    assert entity_with({"id": str, "n": int}, "A#{id}#{shard}", sort, shard=Shard(4, of="n"), **options)


def test_a_finer_value_is_rejected_and_never_rounded() -> None:
    with pytest.raises(ValidationError, match=r"2025-03-09 is not the start of a month\. Pass 2025-03-01"):
        Usage(service="a", month=date(2025, 3, 9))
    changed = Usage(service="a", month=date(2025, 3, 1))
    changed.month = date(2025, 3, 9)
    with pytest.raises(InvalidValue, match=r"^Usage\.month: .* is not the start of a month"):
        changed.to_item()
    with pytest.raises(InvalidValue, match="not the start of a month"):
        Usage.primary.get(service="a", month=date(2025, 3, 9))


def test_the_error_about_a_finer_value_names_the_value_to_pass() -> None:
    class Shift(BaseModel):
        start: Annotated[AwareDatetime, Precision("hour")]

    with pytest.raises(ValidationError) as caught:
        Shift(start=datetime(2025, 3, 9, 12, 30, tzinfo=UTC))

    assert "is not the start of an hour. Pass 2025-03-09T12:00:00+00:00, or give" in str(caught.value)


def test_an_entity_of_a_coarse_type_is_read_back_from_its_item_and_from_its_key() -> None:
    usage = Usage(service="a", month=date(2025, 3, 1), seen=datetime(2025, 3, 9, 12, 30, tzinfo=UTC))
    item = usage.to_item()

    assert Usage.from_item(item) == usage
    assert Usage.__pksk__.primary.pair.match(item["pk"]["S"], item["sk"]["S"]) == {
        "service": "a",
        "month": date(2025, 3, 1),
    }


def test_an_expiry_in_the_key_is_not_rounded_after_it_was_changed() -> None:
    class Session(Entity, table=Table("sessions", ttl="ends")):
        ends: Annotated[datetime, TTL(), Precision("second")]
        primary = Key("SESSION", "{ends}")

    session = Session(ends=datetime(2025, 3, 9, tzinfo=UTC))
    session.ends = session.ends.replace(microsecond=1)

    with pytest.raises(InvalidValue, match=r"^Session\.ends: .* is not the start of a second"):
        session.to_item()


def test_a_precision_holds_in_any_model() -> None:
    class Report(BaseModel):
        months: list[Annotated[date, Precision("month")]]

    assert Report(months=[date(2025, 3, 1)]).months == [date(2025, 3, 1)]
    with pytest.raises(ValidationError, match="not the start of a month"):
        Report(months=[date(2025, 3, 2)])


def test_an_attribute_name_changes_nothing_about_the_check() -> None:
    error = rejection({"day": Annotated[date, Attribute("d")]}, "D#{day:%Y}", "META")

    assert "field 'day', {day:%Y}" in error.problem
