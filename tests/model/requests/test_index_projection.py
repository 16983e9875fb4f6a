"""What an index does not hold: hydrate, into, and refusals."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel

from pksk import DesignError, F, InvalidValue
from tests.model.requests.shop import ORDER, Order, shop
from tests.model.table_model import Shelf


class Small(BaseModel):
    day: date
    note: str = "none"


class Wrong(BaseModel):
    dayy: date


def test_a_smaller_model_reads_its_own_attributes_and_what_tells_entity_and_item() -> None:
    request = Order.primary(customer="7").into(Small).plan.requests[0]

    assert request["ProjectionExpression"] == "#n0, #n1, pk, sk"
    assert request["ExpressionAttributeNames"] == {"#n0": "day", "#n1": "type"}


def test_where_the_discriminator_is_not_projected_the_key_tells() -> None:
    request = Order.by_day(day=date(2025, 1, 1)).into(Small).plan.requests[0]

    assert request["ProjectionExpression"] == "#n0, pk, sk"


def test_an_index_without_the_fields_of_the_smaller_model_is_refused() -> None:
    class Total(BaseModel):
        total: int

    with pytest.raises(DesignError, match="does not project 'total' of Total"):
        _ = Order.by_day(day=date(2025, 1, 1)).into(Total).plan


def test_a_field_that_nothing_stores_is_refused_with_what_was_meant() -> None:
    with pytest.raises(DesignError, match="did you mean 'day'"):
        _ = Order.primary(customer="7").into(Wrong).plan


def test_a_global_index_is_hydrated_by_the_store_and_a_local_one_by_dynamodb() -> None:
    shelf = Shelf(shop)
    shelf.put(Order.__pksk__.to_item(ORDER))
    by_day = Order.by_day(day=ORDER.day).hydrate().plan
    by_total = Order.by_total(customer="7").hydrate().plan

    assert by_day.reads_table
    assert not by_total.reads_table
    assert by_total.requests[0]["Select"] == "ALL_ATTRIBUTES"
    assert [Order.__pksk__.from_item(item) for item in shelf.answer(by_day)] == [ORDER]
    assert [Order.__pksk__.from_item(item) for item in shelf.answer(by_total)] == [ORDER]


def test_a_local_index_without_the_fields_is_refused_too() -> None:
    with pytest.raises(DesignError, match="does not project"):
        _ = Order.by_total(customer="7").plan


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        (
            Order.by_day(day=date(2025, 1, 1)).hydrate().filter(F.day == "x"),
            "is a key attribute of this query",
        ),
        (Order.by_day(day=date(2025, 1, 1)).hydrate().filter(F.total > 5), "it is not in index"),
    ],
)
def test_a_filter_that_dynamodb_would_refuse_or_never_pass_is_refused(query: Any, problem: str) -> None:
    with pytest.raises(DesignError, match=problem):
        _ = query.plan


def test_a_filter_on_an_unknown_field_is_met_with_what_was_meant() -> None:
    with pytest.raises(InvalidValue, match="did you mean 'total'"):
        _ = Order.primary(customer="7").filter(F.totl > 5).plan


def test_a_limit_is_sent_only_where_every_row_counts() -> None:
    assert Order.primary(customer="7").limit(3).plan.requests[0]["Limit"] == 3
    assert "Limit" not in Order.primary(customer="7").filter(F.total > 5).limit(3).plan.requests[0]
    assert Order.primary(customer="7").filter(F.total > 5).limit(3).pages(50).plan.requests[0]["Limit"] == 50
