"""Several entities in one question."""

from __future__ import annotations

from datetime import date

import pytest

from pksk import DesignError, Entity, F, Key, Table, collect, gt
from tests.model.requests.shop import ORDER, Order, Payment, Profile, shop
from tests.model.table_model import Shelf


def shelf() -> Shelf:
    made = Shelf(shop)
    for number in range(3):
        made.put(Order.__pksk__.to_item(ORDER.model_copy(update={"number": number})))
    made.put(Profile.__pksk__.to_item(Profile(customer="7", name="Ann")))
    made.put(Profile.__pksk__.to_item(Profile(customer="8", name="Bob")))
    made.put(Payment.__pksk__.to_item(Payment(customer="7", number=1)))
    return made


def types_in(found: list[dict[str, dict[str, str]]]) -> list[str]:
    return [item["type"]["S"] for item in found]


def test_neighbours_with_nothing_between_are_read_by_one_request() -> None:
    both = collect(Order.primary(customer="7"), Payment.primary(customer="7"))

    assert len(both.plan.requests) == 1
    assert types_in(shelf().answer(both.plan)) == ["Order", "Order", "Order", "Payment"]
    assert "Order and Payment are adjacent: one request" in both.plan.notes


def test_entities_with_others_between_them_are_read_one_after_the_other() -> None:
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


def test_what_is_common_is_added_to_the_whole() -> None:
    both = collect(Order.primary(customer="7"), Payment.primary(customer="7")).reverse().filter(F.number > 0)

    assert types_in(shelf().answer(both.plan)) == ["Payment", "Order", "Order"]


def test_queries_of_two_tables_are_refused() -> None:
    class Elsewhere(Entity, table=Table("elsewhere")):
        id: str
        primary = Key("E#{id}", "META")

    with pytest.raises(DesignError, match="several tables: elsewhere, shop"):
        collect(Order.primary(customer="7"), Elsewhere.primary(id="7"))


def test_a_collection_through_an_index_that_lacks_fields_is_refused_as_a_query_is() -> None:
    with pytest.raises(DesignError, match="does not project"):
        _ = collect(Order.by_day(day=date(2025, 1, 1)), Profile.primary(customer="7")).plan
