"""Queries over several partitions: buckets of dates, and shards."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated

import pytest
from annotated_types import Len

from pksk import GSI, Entity, Key, PkskError, Shard, Table, begins, between
from pksk.schema import N
from tests.model.table_model import shelf_of


def test_a_reversed_query_reads_buckets_backwards() -> None:
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


def test_rows_of_all_shards_come_in_order() -> None:
    class Event(Entity, table=Table("events")):
        kind: str
        n: int
        primary = Key("{shard}#{kind}", "{n:03d}", shard=Shard(4, of="n"))

    shelf = shelf_of(Event.__pksk__.table, *(Event(kind="a", n=n) for n in range(20)))
    plan = Event.primary(kind="a").reverse().plan

    assert plan.group_sizes == (4,)
    assert [int(item["n"]["N"]) for item in shelf.answer(plan)] == list(range(19, -1, -1))
    assert len(Event.primary(kind="a", n=7).plan.requests) == 1


def test_a_range_that_ends_before_it_begins_raises() -> None:
    class Event(Entity, table=Table("events")):
        day: date
        id: str
        primary = Key("L#{day:%Y-%m}", "{id}", identity="id")

    for first, last in ((date(2025, 5, 20), date(2025, 3, 1)), (date(2025, 3, 20), date(2025, 3, 1))):
        with pytest.raises(PkskError, match="ends before it begins"):
            Event.primary(day=between(first, last))


def test_a_beginning_of_a_code_of_fixed_length_finds_the_partition_of_its_first_characters() -> None:
    class Driver(Entity, table=Table("drivers")):
        cell: Annotated[str, Len(6, 6)]
        id: str
        primary = Key("{cell:.4}", "{cell}#{id}")

    for start in ("u281", "u281z"):
        (request,) = Driver.primary(cell=begins(start)).plan.requests
        assert request["ExpressionAttributeValues"][":v0"] == {"S": "u281"}


def test_a_range_of_more_than_1000_buckets_raises() -> None:
    class Event(Entity, table=Table("events")):
        day: date
        id: str
        primary = Key("{day}", "{id}")

    first = date(2025, 1, 1)
    assert len(Event.primary(day=between(first, first + timedelta(days=999))).plan.requests) == 1000
    for days in (1000, 1001, 5000):
        with pytest.raises(PkskError, match=r"1,?00\d") as caught:
            Event.primary(day=between(first, first + timedelta(days=days)))
        assert caught.value.code == "plan-fan-out"
    assert "covers more than 1000 buckets of {day}" in str(caught.value)


@pytest.mark.parametrize(
    "template", ["{day:%Y-%m}#{day:%G-%V}", "{day:%G-%V}#{day:%Y-%m}", "{day:%Y-%m}#{day:%Y-%j}"]
)
def test_a_range_over_two_buckets_of_one_date_returns_exactly_its_days(template: str) -> None:
    class Event(Entity, table=Table("events")):
        day: date
        n: int
        primary = Key(template, "{n:03d}", identity=() if "%j" in template else "n")

    days = [date(2025, 1, 1) + timedelta(days=number) for number in range(60)]
    shelf = shelf_of(Event.__pksk__.table, *(Event(day=day, n=n) for n, day in enumerate(days)))
    plan = Event.primary(day=between(days[26], days[35])).plan
    events = [Event.from_item(item) for item in shelf.answer(plan)]
    days_in_range = [
        each.day
        for each in events
        if all(condition.accepts(each.model_dump()) for condition in plan.filters_after_reading)
    ]

    assert sorted(days_in_range) == days[26:36]


def test_buckets_in_two_attributes_of_a_key_agree() -> None:
    table = Table("events", indexes=[GSI("by-month", pk=("year", "month"))])

    class Event(Entity, table=table):
        id: str
        day: date
        primary = Key("E#{id}", "META")
        by_month = Key(("{day:%Y}", "{day:%Y-%m}"), index="by-month")

    requests = Event.by_month(day=between(date(2024, 12, 1), date(2025, 1, 31))).plan.requests

    assert len(requests) == 2


def test_a_query_of_two_buckets_does_not_reuse_the_plan_of_another_query() -> None:
    class Event(Entity, table=Table("events")):
        day: date
        id: str
        primary = Key("{day:%Y-%m}", "{day}#{id}")

    events = [Event(day=date(2025, month, 1), id="x") for month in range(1, 7)]
    shelf = shelf_of(Event.__pksk__.table, *events)

    for first, last in ((1, 1), (1, 2), (4, 5), (2, 4), (3, 3), (5, 6)):
        plan = Event.primary(day=between(date(2025, first, 1), date(2025, last, 2))).plan
        assert [Event.from_item(item) for item in shelf.answer(plan)] == events[first - 1 : last]


def test_buckets_beside_a_number_in_a_key() -> None:
    table = Table("events", indexes=[GSI("by-month", pk=(N("sensor"), "month"))])

    class Event(Entity, table=table):
        sensor: int
        day: date
        primary = Key("E#{sensor}", "{day}")
        by_month = Key(("{sensor}", "{day:%Y-%m}"), index="by-month")

    shelf = shelf_of(table, *(Event(sensor=n % 3, day=date(2025, n, 1)) for n in range(1, 13)))
    plan = Event.by_month(sensor=1, day=between(date(2025, 1, 1), date(2025, 7, 31))).plan

    assert len(plan.requests) == 7
    assert [item["day"]["S"] for item in shelf.answer(plan)] == ["2025-01-01", "2025-04-01", "2025-07-01"]


def test_buckets_in_one_attribute_agree() -> None:
    class Event(Entity, table=Table("events")):
        day: date
        primary = Key("S#{day:%Y}#{day:%Y-%m}", "{day}")

    requests = Event.primary(day=between(date(2024, 12, 1), date(2025, 1, 31))).plan.requests
    partitions = [request["ExpressionAttributeValues"][":v0"]["S"] for request in requests]

    assert partitions == ["S#2024#2024-12", "S#2025#2025-01"]
