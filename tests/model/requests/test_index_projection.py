"""Fields that an index does not project: hydrate, smaller models, and errors."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from pksk import GSI, LSI, DesignError, Entity, F, InvalidValue, Key, PkskError, Stored, Table, collect
from tests.model.requests.shop import ORDER, Order, shop
from tests.model.table_model import Shelf, shelf_of


class Small(BaseModel):
    day: date
    note: str = "none"


def test_a_smaller_model_reads_its_own_attributes_the_discriminator_and_the_key() -> None:
    request = Order.primary(customer="7").into(Small).plan.requests[0]

    assert request["ProjectionExpression"] == "#n0, #n1, pk, sk"
    assert request["ExpressionAttributeNames"] == {"#n0": "day", "#n1": "type"}


def test_without_a_projected_discriminator_only_the_key_is_read() -> None:
    request = Order.by_day(day=date(2025, 1, 1)).into(Small).plan.requests[0]

    assert request["ProjectionExpression"] == "#n0, pk, sk"


def test_an_index_without_the_fields_of_the_smaller_model_raises() -> None:
    class Total(BaseModel):
        total: int

    with pytest.raises(DesignError, match="does not project 'total' of Total"):
        _ = Order.by_day(day=date(2025, 1, 1)).into(Total).plan


def test_a_global_index_is_hydrated_by_the_store_and_a_local_one_by_dynamodb() -> None:
    shelf = Shelf(shop)
    shelf.put(Order.__pksk__.to_item(ORDER))
    by_day = Order.by_day(day=ORDER.day).hydrate().plan
    by_total = Order.by_total(customer="7").hydrate().plan

    assert by_day.reads_table
    assert "are read from the table, one more read for each item" in by_day.notes[0]
    assert not by_total.reads_table
    assert by_total.requests[0]["Select"] == "ALL_ATTRIBUTES"
    assert [Order.__pksk__.from_item(item) for item in shelf.answer(by_day)] == [ORDER]
    assert [Order.__pksk__.from_item(item) for item in shelf.answer(by_total)] == [ORDER]


def test_a_query_of_a_local_index_without_the_fields_raises() -> None:
    with pytest.raises(DesignError, match="does not project"):
        _ = Order.by_total(customer="7").plan


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        (
            Order.by_day(day=date(2025, 1, 1)).hydrate().filter(F.day == date(2025, 1, 1)),
            "is a key attribute of this query",
        ),
        (Order.by_day(day=date(2025, 1, 1)).hydrate().filter(F.total > 5), "it is not in index"),
    ],
)
def test_a_filter_that_dynamodb_rejects_or_never_passes_raises(query: Any, problem: str) -> None:
    with pytest.raises(DesignError, match=problem):
        _ = query.plan


def test_a_filter_on_an_unknown_field_raises_with_a_suggestion() -> None:
    with pytest.raises(InvalidValue, match="did you mean 'total'"):
        _ = Order.primary(customer="7").filter(F.totl > 5).plan


def test_a_limit_is_sent_only_if_every_row_counts() -> None:
    assert Order.primary(customer="7").limit(3).plan.requests[0]["Limit"] == 3
    assert "Limit" not in Order.primary(customer="7").filter(F.total > 5).limit(3).plan.requests[0]
    assert Order.primary(customer="7").filter(F.total > 5).limit(3).pages(50).plan.requests[0]["Limit"] == 50


def test_siblings_in_an_index_without_the_discriminator_need_hydration() -> None:
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

    class NoFields(BaseModel):
        pass

    shelf = shelf_of(table, Dog(id="1", n=1), Cat(id="2", n=1))

    assert len(shelf.answer(Dog.by_n(n=1).hydrate().plan)) == 1
    with pytest.raises(DesignError, match="Only this attribute distinguishes"):
        _ = Dog.by_n(n=1).into(NoFields).plan


@pytest.mark.parametrize(
    ("projection", "lacking"),
    [
        (["id", "status"], "'type', 'more' of Task and Big"),
        (["id", "status", "more"], "'type' of Task and Big"),
        (["id", "status", "type"], "'more' of Task and Big"),
        (["id", "status", "type", "more"], None),
    ],
    ids=["neither", "field", "discriminator", "both"],
)
def test_an_index_projects_the_discriminator_and_the_fields_of_subclasses_or_is_hydrated(
    projection: list[str], lacking: str | None
) -> None:
    table = Table("tasks", indexes=[GSI("by-status", pk="g1", projection=projection)])

    class Task(Entity, table=table):
        id: str
        status: str
        primary = Key("T#{id}", "M")
        by_status = Key("{status}", index="by-status")

    before = Task.by_status(status="open").plan if "more" not in projection else None

    class Big(Task, table=table):
        more: str = ""

    query = Task.by_status(status="open")
    assert before is None or not before.reads_table
    if lacking is None:
        assert not query.plan.reads_table
        return
    for read in (query, Task.by_status.scan()):
        with pytest.raises(DesignError, match=f"does not project {lacking}") as caught:
            _ = read.plan
        assert caught.value.code == "plan-not-projected"
    assert query.hydrate().plan.reads_table


def test_fields_filtered_after_reading_are_read() -> None:
    table = Table("names", indexes=[GSI("by-name", pk="g1", sk="g2", projection=["c"])])

    class Person(Entity, table=table):
        c: str
        n: int
        name: str
        at: Annotated[datetime, Stored("iso-offset")] = datetime(2025, 1, 1, tzinfo=UTC)
        primary = Key("C#{c}", "{n:03d}")
        by_name = Key("N#{name:.2}", "{n:03d}", index="by-name")

    class OnlyC(BaseModel):
        c: str

    with pytest.raises(DesignError, match="pksk filters by 'name' after reading"):
        _ = Person.by_name(name="vancouver").into(OnlyC).plan
    plan = Person.where(c="1", at=datetime(2025, 1, 1, tzinfo=UTC)).into(OnlyC).plan

    assert "#n0" in plan.requests[0]["ProjectionExpression"]
    assert [each.field for each in plan.filters_after_reading] == ["at"]
    assert "at" in plan.requests[0]["ExpressionAttributeNames"].values()


def test_a_hydrated_local_index_filters_only_by_projected_fields() -> None:
    """DynamoDB filters what the index holds, before it fetches the rest: it rejects other filters."""
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


def test_a_model_with_a_misspelt_field_raises_even_with_a_default() -> None:
    class Wrong(BaseModel):
        totl: int = 0

    with pytest.raises(DesignError, match="did you mean 'total'"):
        _ = Order.primary(customer="7").into(Wrong).plan
    with pytest.raises(PkskError, match="takes a Pydantic model"):
        Order.primary(customer="7").into(int)  # type: ignore[type-var]
    with pytest.raises(DesignError, match="is not a query"):
        collect(Order.primary(customer="7"), Order.primary.get(customer="7", number=1))  # type: ignore[call-overload]
