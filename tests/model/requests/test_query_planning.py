"""What reviewers found wrong with reads, each as it was found."""

from __future__ import annotations

import pickle
import types
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

import pytest
from pydantic import AfterValidator, AwareDatetime, BaseModel, StringConstraints

from pksk import (
    GSI,
    LSI,
    Attribute,
    DesignError,
    Entity,
    ExpressionError,
    F,
    Key,
    PkskError,
    Shard,
    Table,
    begins,
    between,
    collect,
    gt,
)
from pksk.model import BoundKey
from pksk.schema import B
from tests.model.table_model import Shelf


def shelf_of(table: Table, *entities: Any) -> Shelf:
    made = Shelf(table)
    for each in entities:
        made.put(type(each).__pksk__.to_item(each))
    return made


def test_binary_keys_are_bytes_for_boto3() -> None:
    class Blob(Entity, table=Table("blobs", sk=B("b"))):
        id: str
        b: bytes
        primary = Key("BLOB#{id}", "{b}")

    assert Blob.primary.get(id="1", b=b"x").request["Key"]["b"] == {"B": b"x"}
    assert Blob.primary(id="1", b=b"x").plan.requests[0]["ExpressionAttributeValues"][":v1"] == {"B": b"x"}


def test_a_family_in_an_index_without_the_discriminator_is_told_apart_after_hydration_or_refused() -> None:
    table = Table("animals", indexes=[GSI("by-n", pk="g1", sk="g2", projection="keys")])

    class Animal(Entity, table=table):
        id: str
        n: int
        primary = Key("A#{id}", "X")
        by_n = Key("N#{n:03d}", "{id}", index="by-n")

    class Dog(Animal, table=table):
        pass

    class Cat(Animal, table=table):
        pass

    class Nothing(BaseModel):
        pass

    shelf = shelf_of(table, Dog(id="1", n=1), Cat(id="2", n=1))

    assert len(shelf.answer(Dog.by_n(n=1).hydrate().plan)) == 1
    with pytest.raises(DesignError, match="Only this attribute distinguishes"):
        _ = Dog.by_n(n=1).into(Nothing).plan


def test_an_entity_whose_plain_fields_are_the_keys_of_an_index_is_left_out() -> None:
    table = Table("mixed", indexes=[GSI("by-status", pk="status", sk="sk")])

    class Ticket(Entity, table=table):
        id: str
        status: str
        primary = Key("T#{id}", "META")

    class Order(Entity, table=table):
        id: str
        status: str
        primary = Key("O#{id}", "META")
        by_status = Key("{status}", index="by-status")

    shelf = shelf_of(table, Ticket(id="1", status="x"), Order(id="1", status="x"))

    assert [item["type"]["S"] for item in shelf.answer(Order.by_status(status="x").plan)] == ["Order"]


class Row(Entity, table=Table("rows", indexes=[GSI("by-note", pk="g1", sk="g2")])):
    c: str
    n: int
    note: str | None = None
    total: int = 0
    flag: bool = False
    other: UUID | None = None
    at: AwareDatetime = datetime(2025, 1, 1, tzinfo=UTC)
    ratio: float = 0.5
    primary = Key("C#{c}", "{n:03d}")
    by_note = Key("N#{note}", "{n:03d}", index="by-note")


def test_none_is_what_is_absent() -> None:
    shelf = shelf_of(Row.__pksk__.table, Row(c="1", n=1), Row(c="1", n=2, note="x"))

    assert len(shelf.answer(Row.where(c="1", note=None).plan)) == 1
    assert len(shelf.answer(Row.primary(c="1").filter(F.note == None).plan)) == 1  # noqa: E711
    assert len(shelf.answer(Row.primary(c="1").filter(F.note != None).plan)) == 1  # noqa: E711


def test_buckets_are_read_backwards_where_rows_are() -> None:
    class Event(Entity, table=Table("events")):
        day: date
        id: str
        primary = Key("L#{day:%Y-%m}", "{day}#{id}")

    shelf = shelf_of(Event.__pksk__.table, *(Event(day=date(2025, month, 1), id="x") for month in (1, 2, 3)))
    year = Event.primary(day=between(date(2025, 1, 1), date(2025, 3, 31)))

    assert [item["sk"]["S"][:7] for item in shelf.answer(year.plan)] == ["2025-01", "2025-02", "2025-03"]
    assert [item["sk"]["S"][:7] for item in shelf.answer(year.reverse().plan)] == [
        "2025-03",
        "2025-02",
        "2025-01",
    ]


def test_rows_of_shards_are_one_order() -> None:
    class Event(Entity, table=Table("events")):
        kind: str
        n: int
        primary = Key("{shard}#{kind}", "{n:03d}", shard=Shard(4, of="n"))

    shelf = shelf_of(Event.__pksk__.table, *(Event(kind="a", n=n) for n in range(20)))
    plan = Event.primary(kind="a").reverse().plan

    assert plan.group_sizes == (4,)
    assert [int(item["n"]["N"]) for item in shelf.answer(plan)] == list(range(19, -1, -1))
    assert len(Event.primary(kind="a", n=7).plan.requests) == 1


@pytest.mark.parametrize(
    ("field", "asked"),
    [
        ("total", between(9, 1)),
        ("total", between(1, "a")),
        ("flag", gt(False)),
        ("total", begins("5")),
        ("total", "5"),
        ("n", begins(None)),  # type: ignore[arg-type]
        ("flag", "yes"),
    ],
)
def test_a_filter_that_no_row_could_pass_is_refused(field: str, asked: Any) -> None:
    with pytest.raises(PkskError) as caught:
        _ = Row.where(c="1", **{field: asked}).plan

    assert caught.value.fix


def test_a_span_of_buckets_backwards_is_refused() -> None:
    class Event(Entity, table=Table("events")):
        day: date
        id: str
        primary = Key("L#{day:%Y-%m}", "{id}")

    for first, last in ((date(2025, 5, 20), date(2025, 3, 1)), (date(2025, 3, 20), date(2025, 3, 1))):
        with pytest.raises(PkskError, match="ends before it begins"):
            Event.primary(day=between(first, last))


def test_a_collection_filters_each_entity_by_its_own_attribute() -> None:
    table = Table("orders")

    class Order(Entity, table=table):
        id: str
        total: Annotated[int, Attribute("t")] = 0
        primary = Key("O#{id}", "META")

    class Line(Entity, table=table):
        id: str
        n: int
        total: int = 0
        primary = Key("O#{id}", "LINE#{n:03d}")

    shelf = shelf_of(table, Order(id="1", total=9), Line(id="1", n=1, total=9), Line(id="1", n=2))
    both = collect(Order.primary(id="1"), Line.primary(id="1")).filter(F.total > 5)

    assert len(shelf.answer(both.plan)) == 2


class Small(BaseModel):
    c: str


def test_what_the_store_filters_by_is_read_or_refused() -> None:
    table = Table("names", indexes=[GSI("by-name", pk="g1", sk="g2", projection=["c"])])

    class Person(Entity, table=table):
        c: str
        n: int
        name: str
        at: datetime = datetime(2025, 1, 1)
        primary = Key("C#{c}", "{n:03d}")
        by_name = Key("N#{name:.2}", "{n:03d}", index="by-name")

    with pytest.raises(DesignError, match="pksk filters by 'name' after reading"):
        _ = Person.by_name(name="vancouver").into(Small).plan
    plan = Person.where(c="1", at=datetime(2025, 1, 1)).into(Small).plan

    assert "#n0" in plan.requests[0]["ProjectionExpression"]
    assert [each.field for each in plan.filters_after_reading] == ["at"]
    assert "at" in plan.requests[0]["ExpressionAttributeNames"].values()


def test_a_subclass_keeps_the_keys_of_its_base() -> None:
    table = Table("animals", indexes=[GSI("by-city", pk="g1", sk="g2"), GSI("by-size", pk="h1", sk="h2")])

    class Animal(Entity, table=table):
        id: str
        city: str
        primary = Key("A#{id}", "X")
        by_city = Key("CITY#{city}", "{id}", index="by-city")

    with pytest.raises(DesignError, match="declares another key 'by_city'"):

        class Dog(Animal, table=table):
            by_city = Key("DOG#{city}", "{id}", index="by-city")

    with pytest.raises(DesignError, match="stores field 'city' under another name"):

        class Cat(Animal, table=table):
            city: Annotated[str, Attribute("town")]

    with pytest.raises(DesignError, match="makes the key field 'city' optional"):

        class Cow(Animal, table=table):
            city: str | None = None  # type: ignore[assignment]

    class Fish(Animal, table=table):
        by_size = Key("SIZE#{id}", "{city}", index="by-size")

    assert [each.name for each in table.entities] == ["Animal", "Fish"]


def test_a_subclass_with_a_primary_key_of_its_own_is_another_entity() -> None:
    table = Table("animals")

    class Animal(Entity, table=table):
        owner: str
        name: str
        primary = Key("K#{owner}", "A#{name}")

    class Dog(Animal, table=table):
        primary = Key("K#{name}", "D#{owner}")

    shelf = shelf_of(table, Animal(owner="rex", name="tom"), Dog(owner="ann", name="rex"))

    assert [item["type"]["S"] for item in shelf.answer(Animal.primary(owner="rex").plan)] == ["Animal"]
    assert Animal.scan().plan.requests[0]["FilterExpression"] == "#n0 <> :v0"
    assert Animal.scan().plan.requests[0]["ExpressionAttributeValues"] == {":v0": {"S": "Dog"}}


@pytest.mark.parametrize(
    "template", ["{day:%Y-%m}#{day:%G-%V}", "{day:%G-%V}#{day:%Y-%m}", "{day:%Y-%m}#{day:%Y-%j}"]
)
def test_two_buckets_of_one_date_meet_where_their_spans_do(template: str) -> None:
    class Event(Entity, table=Table("events")):
        day: date
        n: int
        primary = Key(template, "{n:03d}")

    days = [date(2025, 1, 1) + timedelta(days=number) for number in range(60)]
    shelf = shelf_of(Event.__pksk__.table, *(Event(day=day, n=n) for n, day in enumerate(days)))
    plan = Event.primary(day=between(days[26], days[35])).plan
    found = [Event.from_item(item) for item in shelf.answer(plan)]
    kept = [
        each.day
        for each in found
        if all(left.accepts(each.model_dump()) for left in plan.filters_after_reading)
    ]

    assert sorted(kept) == days[26:36]


def test_buckets_in_two_attributes_agree_too() -> None:
    table = Table("events", indexes=[GSI("by-month", pk=("year", "month"))])

    class Event(Entity, table=table):
        id: str
        day: date
        primary = Key("E#{id}", "META")
        by_month = Key(("{day:%Y}", "{day:%Y-%m}"), index="by-month")

    requests = Event.by_month(day=between(date(2024, 12, 1), date(2025, 1, 31))).plan.requests

    assert len(requests) == 2


def test_a_local_index_that_fetches_everything_filters_by_what_it_holds() -> None:
    """DynamoDB filters what the index holds, before it fetches the rest: it refuses other filters."""
    table = Table("animals", indexes=[LSI("by-age", sk="l1", projection=["legs"])])

    class Animal(Entity, table=table):
        owner: str
        age: int
        legs: int = 4
        note: str = ""
        primary = Key("O#{owner}", "{age:03d}")
        by_age = Key("O#{owner}", "{age:05d}", index="by-age")

    hydrated = Animal.by_age(owner="a").hydrate()
    request = hydrated.filter(F.legs == 2).plan.requests[0]

    assert (request["Select"], request["FilterExpression"]) == ("ALL_ATTRIBUTES", "legs = :v1")
    with pytest.raises(DesignError, match="it is not in index 'by-age'"):
        _ = hydrated.filter(F.note == "q").plan


def test_ranges_and_conditions_fold_as_the_model_does() -> None:
    class Team(Entity, table=Table("teams")):
        id: str
        name: Annotated[str, AfterValidator(str.lower)]
        primary = Key("T#{id}", "{name}")

    asked = Team.primary(id="1", name=between("A", "Z")).plan.requests[0]["ExpressionAttributeValues"]
    scanned = Team.scan().filter(F.name == "VAN").plan.requests[0]["ExpressionAttributeValues"]

    assert asked[":v1"] == {"S": "a"}
    assert scanned[":v0"] == {"S": "van"}


def test_warnings_of_other_models_are_let_through() -> None:
    class Odd(Entity, table=Table("odd")):
        copy: str  # type: ignore[assignment]
        primary = Key("ODD#{copy}", "META")

    with pytest.warns(UserWarning, match="shadows an attribute"):

        class Plain(BaseModel):
            copy: str  # type: ignore[assignment]


def test_a_mistyped_key_is_met_with_what_was_meant() -> None:
    with pytest.raises(AttributeError, match="Row has no 'by_notes'; did you mean 'by_note'"):
        Row.by_notes(note="x")  # type: ignore[attr-defined]


def test_a_collection_of_a_base_and_its_subclass_is_refused() -> None:
    table = Table("animals")

    class Animal(Entity, table=table):
        id: str
        primary = Key("A#{id}", "X")

    class Dog(Animal, table=table):
        pass

    with pytest.raises(DesignError, match="Animal includes Dog"):
        collect(Animal.primary(id="1"), Dog.primary(id="1"))


def test_conditions_take_the_values_of_their_fields() -> None:
    shelf = shelf_of(Row.__pksk__.table, Row(c="1", n=1, ratio=0.1))

    assert len(shelf.answer(Row.primary(c="1").filter(F.ratio == 0.1).plan)) == 1
    assert len(shelf.answer(Row.primary(c="1").filter(F.at == datetime(2025, 1, 1, tzinfo=UTC)).plan)) == 1
    with pytest.raises(DesignError, match="do not sort by time"):
        Row.primary(c="1").filter(F.at > datetime(2025, 1, 1, tzinfo=UTC))
    with pytest.raises(PkskError, match="no item would match"):
        Row.primary(c="1").filter(F.total == "5")
    with pytest.raises(PkskError, match="did you mean 'total'"):
        Row.primary(c="1").filter(F.totl == 5)


@pytest.mark.parametrize("wrong", ["x = 1", True, F.total, None, 5])
def test_what_is_no_condition_is_refused(wrong: Any) -> None:
    with pytest.raises(PkskError, match="is not a condition"):
        Row.primary(c="1").filter(wrong)


def test_requests_do_not_share_what_can_be_changed() -> None:
    condition = F.total == 5
    query = Row.primary(c="1").filter(condition)
    query.plan.requests[0]["ExpressionAttributeValues"][":v1"]["N"] = "77"
    query.plan.requests[0]["TableName"] = "other"
    Row.primary.get(c="1", n=1).request["Key"].clear()

    assert query.plan.requests[0]["ExpressionAttributeValues"][":v1"] == {"N": "5"}
    assert query.plan.requests[0]["TableName"] == "rows"
    with pytest.raises(TypeError, match="immutable"):
        query.key_queries[0].values["c"] = "2"


def test_questions_are_hashable_and_picklable_values() -> None:
    query = Row.primary(c="1").filter(F.total == 5).reverse()
    _ = query.plan

    assert len({query, Row.primary(c="1").filter(F.total == 5).reverse()}) == 1
    assert pickle.loads(pickle.dumps(query)) == query
    assert pickle.loads(pickle.dumps(Row.primary.get(c="1", n=1))) == Row.primary.get(c="1", n=1)
    assert len({Row.primary.get(c="1", n=1), Row.primary.get(c="1", n=1)}) == 1


def test_limits_hold_on_every_way() -> None:
    class Event(Entity, table=Table("events")):
        id: str
        n: int
        primary = Key("O#{id}#{shard}", "{n:03d}", shard=Shard(2, of="n"))

    with pytest.raises(PkskError, match="2048"):
        Event.primary(id="x" * 3000)


def test_more_subclasses_than_one_in_takes() -> None:
    table = Table("many")

    class Base(Entity, table=table):
        id: str
        primary = Key("U#{id}", "X")

    class Other(Entity, table=table):
        id: str
        primary = Key("O#{id}", "X")

    for number in range(101):
        types.new_class(f"Sub{number}", (Base,), {"table": table})
    request = Other.scan().plan.requests[0]

    assert request["FilterExpression"].startswith("NOT (")
    assert request["FilterExpression"].count(" IN ") == 2
    assert len(request["ExpressionAttributeValues"]) == 102


def test_a_field_that_is_bucketed_twice_gives_no_impossible_partition() -> None:
    class Event(Entity, table=Table("events")):
        day: date
        primary = Key("S#{day:%Y}#{day:%Y-%m}", "{day}")

    requests = Event.primary(day=between(date(2024, 12, 1), date(2025, 1, 31))).plan.requests
    partitions = [request["ExpressionAttributeValues"][":v0"]["S"] for request in requests]

    assert partitions == ["S#2024#2024-12", "S#2025#2025-01"]


def test_first_characters_say_how_many_are_needed() -> None:
    class Place(Entity, table=Table("places")):
        name: str
        primary = Key("place#{name:.2}", "{name}")

    with pytest.raises(PkskError) as caught:
        Place.primary(name=begins("v"))

    assert caught.value.fix == "pass at least 2 characters."


def test_a_scan_may_filter_by_its_keys() -> None:
    class Plain(Entity, table=Table("plain", pk="id", sk=None)):
        id: str
        primary = Key("{id}")

    assert "begins_with(id" in Plain.scan().filter(F.id.begins("x")).plan.requests[0]["FilterExpression"]


def test_a_model_with_a_misspelt_field_is_refused_also_with_a_default() -> None:
    class Wrong(BaseModel):
        totl: int = 0

    with pytest.raises(DesignError, match="did you mean 'total'"):
        _ = Row.primary(c="1").into(Wrong).plan
    with pytest.raises(PkskError, match="takes a Pydantic model"):
        Row.primary(c="1").into(int)  # type: ignore[type-var]
    with pytest.raises(DesignError, match="is not a query"):
        collect(Row.primary(c="1"), Row.primary.get(c="1", n=1))  # type: ignore[call-overload]


def test_the_key_of_a_row_by_name_is_a_bound_key() -> None:
    assert BoundKey(Row, "primary")(c="1") == Row.primary(c="1")


def test_dynamodb_still_has_the_last_word_on_expressions() -> None:
    with pytest.raises(ExpressionError):
        Row.primary(c="1").filter(F.total == F.total)


def test_a_question_folds_as_the_model_does() -> None:
    class User(Entity, table=Table("users")):
        email: Annotated[str, AfterValidator(str.lower)]
        name: Annotated[str, StringConstraints(strip_whitespace=True)]
        primary = Key("U#{email}", "{name}")

    asked = User.primary(email="Bob@X.com", name=" Bob ").plan.requests[0]["ExpressionAttributeValues"]

    assert asked == {":v0": {"S": "U#bob@x.com"}, ":v1": {"S": "Bob"}}
    assert User.where(email="BOB@x.com").plan.requests[0]["ExpressionAttributeValues"][":v0"] == {
        "S": "U#bob@x.com"
    }
