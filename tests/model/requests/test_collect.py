"""Collections: several entities of one partition in one query."""

from __future__ import annotations

from datetime import date
from typing import Annotated

import pytest

from pksk import Attribute, DesignError, Entity, F, Key, Table, collect, gt
from tests.model.requests.shop import ORDER, Order, Payment, Profile, shop
from tests.model.table_model import Shelf, shelf_of


def shelf() -> Shelf:
    made = Shelf(shop)
    for number in range(3):
        made.put(Order.__pksk__.to_item(ORDER.model_copy(update={"number": number})))
    made.put(Profile.__pksk__.to_item(Profile(customer="7", name="Ann")))
    made.put(Profile.__pksk__.to_item(Profile(customer="8", name="Bob")))
    made.put(Payment.__pksk__.to_item(Payment(customer="7", number=1)))
    return made


def types_in(items: list[dict[str, dict[str, str]]]) -> list[str]:
    return [item["type"]["S"] for item in items]


def test_adjacent_entities_are_read_by_one_request() -> None:
    both = collect(Order.primary(customer="7"), Payment.primary(customer="7"))

    assert len(both.plan.requests) == 1
    assert types_in(shelf().answer(both.plan)) == ["Order", "Order", "Order", "Payment"]
    assert "Order and Payment are adjacent: one request" in both.plan.notes


def test_entities_with_another_between_them_are_read_by_two_requests() -> None:
    """PAY# lies between ORDER# and PROFILE: reading across it would pay for payments."""
    both = collect(Order.primary(customer="7"), Profile.primary(customer="7"))

    assert len(both.plan.requests) == 2
    assert types_in(shelf().answer(both.plan)) == ["Order", "Order", "Order", "Profile"]


def test_all_of_a_partition_is_one_request() -> None:
    everything = collect(
        Order.primary(customer="7"), Profile.primary(customer="7"), Payment.primary(customer="7")
    )

    assert len(everything.plan.requests) == 1
    assert types_in(shelf().answer(everything.plan)) == ["Order", "Order", "Order", "Payment", "Profile"]


def test_narrowed_queries_are_not_widened() -> None:
    both = collect(Order.primary(customer="7", number=gt(1)), Payment.primary(customer="7"))

    assert len(both.plan.requests) == 2
    assert types_in(shelf().answer(both.plan)) == ["Order", "Payment"]


def test_a_collection_is_reversed_and_filtered_as_a_whole() -> None:
    both = collect(Order.primary(customer="7"), Payment.primary(customer="7")).reverse().filter(F.number > 0)

    assert types_in(shelf().answer(both.plan)) == ["Payment", "Order", "Order"]


def test_a_collection_of_two_tables_raises() -> None:
    class Elsewhere(Entity, table=Table("elsewhere")):
        id: str
        primary = Key("E#{id}", "META")

    with pytest.raises(DesignError, match="several tables: elsewhere, shop"):
        collect(Order.primary(customer="7"), Elsewhere.primary(id="7"))


def test_a_collection_through_an_index_without_the_fields_raises() -> None:
    with pytest.raises(DesignError, match="does not project"):
        _ = collect(Order.by_day(day=date(2025, 1, 1)), Profile.primary(customer="7")).plan


def test_a_collection_filters_each_entity_by_its_own_attribute() -> None:
    table = Table("orders")

    class Bill(Entity, table=table):
        id: str
        total: Annotated[int, Attribute("t")] = 0
        primary = Key("O#{id}", "META")

    class Line(Entity, table=table):
        id: str
        n: int
        total: int = 0
        primary = Key("O#{id}", "LINE#{n:03d}")

    table_shelf = shelf_of(table, Bill(id="1", total=9), Line(id="1", n=1, total=9), Line(id="1", n=2))
    both = collect(Bill.primary(id="1"), Line.primary(id="1")).filter(F.total > 5)

    assert len(table_shelf.answer(both.plan)) == 2


def test_a_collection_of_a_base_and_its_subclass_raises() -> None:
    table = Table("animals")

    class Animal(Entity, table=table):
        id: str
        primary = Key("A#{id}", "X")

    class Dog(Animal, table=table):
        pass

    with pytest.raises(DesignError, match="Animal includes Dog"):
        collect(Animal.primary(id="1"), Dog.primary(id="1"))
