"""Queries and gets as values: what their requests say."""

from __future__ import annotations

from datetime import date

from pksk import GSI, Entity, F, Key, Table

shop = Table("shop", indexes=[GSI("by-day", pk="day", sk="sk", projection="keys")])


class Order(Entity, table=shop):
    customer: str
    number: int
    day: date
    total: int = 0
    primary = Key("CUST#{customer}", "ORDER#{number:06d}")
    by_day = Key("{day}", index="by-day")


def test_a_query_reads_backwards_and_consistently_where_it_is_told_to() -> None:
    request = Order.primary(customer="7").reverse().consistently().plan.requests[0]

    assert request == {
        "TableName": "shop",
        "KeyConditionExpression": "pk = :v0 AND begins_with(sk, :v1)",
        "ExpressionAttributeValues": {":v0": {"S": "CUST#7"}, ":v1": {"S": "ORDER#"}},
        "ScanIndexForward": False,
        "ConsistentRead": True,
    }


def test_a_query_is_a_value_that_nothing_changes() -> None:
    query = Order.primary(customer="7")
    query.reverse().filter(F.total > 5)

    assert query == Order.primary(customer="7")
    assert "FilterExpression" not in query.plan.requests[0]


def test_conditions_are_on_fields_and_joined() -> None:
    request = Order.primary(customer="7").filter(F.total > 5).filter(F.number < 3).plan.requests[0]

    assert request["FilterExpression"] == "#n0 > :v2 AND #n1 < :v3"
    assert request["ExpressionAttributeNames"] == {"#n0": "total", "#n1": "number"}


def test_an_index_that_lacks_fields_says_what_reading_them_takes() -> None:
    plan = Order.by_day(day=date(2025, 1, 1)).hydrate().plan

    assert plan.index == "by-day"
    assert plan.notes == ("customer, number, total are read from the table, one more read for each item",)
