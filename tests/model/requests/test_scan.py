"""Scans say that they scan."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from pksk import Entity, F, InvalidValue, Key, Table, Unique
from pksk.expressions import evaluate, parse_condition
from tests.model.requests.shop import Order


def test_a_scan_reads_the_table_and_leaves_other_entities_out() -> None:
    plan = Order.scan().filter(F.total > 5).plan

    assert plan.requests == (
        {
            "TableName": "shop",
            "FilterExpression": "NOT #n0 IN (:v0, :v1) AND #n1 > :v2",
            "ExpressionAttributeNames": {"#n0": "type", "#n1": "total"},
            "ExpressionAttributeValues": {
                ":v0": {"S": "Payment"},
                ":v1": {"S": "Profile"},
                ":v2": {"N": "5"},
            },
        },
    )
    assert plan.notes == ("reads all of table 'shop'",)


def test_segments_are_requests_of_their_own() -> None:
    plan = Order.scan().segments(3).consistently().plan

    assert [(each["Segment"], each["TotalSegments"]) for each in plan.requests] == [(0, 3), (1, 3), (2, 3)]
    assert all(each["ConsistentRead"] for each in plan.requests)


def test_pages_are_how_many_items_each_request_looks_at() -> None:
    plan = Order.scan().pages(25).segments(2).plan

    assert [each["Limit"] for each in plan.requests] == [25, 25]
    assert "Limit" not in Order.scan().plan.requests[0]
    assert Order.scan().pages(25).pages(5).filter(F.total > 5).plan.requests[0]["Limit"] == 5


@pytest.mark.parametrize("size", [0, -1, True, 2.0, "5", None])
def test_a_page_has_one_item_or_more(size: Any) -> None:
    with pytest.raises(InvalidValue, match=r"^pages\(.*a number of rows is 1 or more") as caught:
        Order.scan().pages(size)

    assert caught.value.code == "query-count"


def test_guards_of_unique_values_are_left_out_too() -> None:
    class Account(Entity, table=Table("accounts")):
        id: str
        email: Annotated[str, Unique()]
        primary = Key("ACCOUNT#{id}", "META")

    request = Account.scan().plan.requests[0]

    assert request["FilterExpression"] == "#n0 <> :v0"
    assert request["ExpressionAttributeValues"] == {":v0": {"S": "pksk:unique"}}


def test_what_says_nothing_and_what_nobody_knows_is_looked_at() -> None:
    request = Order.scan().plan.requests[0]
    left_out = parse_condition(
        request["FilterExpression"], request["ExpressionAttributeNames"], request["ExpressionAttributeValues"]
    )

    says = [{}, {"type": {"S": "Order"}}, {"type": {"S": "Gone"}}, {"type": {"N": "5"}}]
    assert all(evaluate(left_out, item) for item in says)
    assert not evaluate(left_out, {"type": {"S": "Profile"}})
    assert Order.scan().plan.has_foreign_items


def test_an_index_is_scanned_by_its_key() -> None:
    plan = Order.only_open.scan().plan

    assert plan.requests[0]["IndexName"] == "open-only"


def test_without_a_discriminator_the_store_tells_the_rows_apart() -> None:
    class Bare(Entity, table=Table("bare", discriminator=None)):
        id: str
        primary = Key("BARE#{id}", "META")

    plan = Bare.scan().plan

    assert plan.has_foreign_items
    assert "FilterExpression" not in plan.requests[0]
