"""Scans: their requests, and the items of other entities that they filter out."""

from __future__ import annotations

from types import new_class
from typing import Annotated, Any

import pytest

from pksk import Entity, F, InvalidValue, Key, Table, Unique
from pksk.expressions import evaluate, parse_condition
from tests.model.requests.shop import Order


def test_a_scan_reads_the_table_and_filters_out_other_entities() -> None:
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


def test_the_page_size_is_the_limit_of_each_request() -> None:
    plan = Order.scan().pages(25).segments(2).plan

    assert [each["Limit"] for each in plan.requests] == [25, 25]
    assert "Limit" not in Order.scan().plan.requests[0]
    assert Order.scan().pages(25).pages(5).filter(F.total > 5).plan.requests[0]["Limit"] == 5


@pytest.mark.parametrize("size", [0, -1, True, 2.0, "5", None])
def test_a_page_has_one_item_or_more(size: Any) -> None:
    with pytest.raises(InvalidValue, match=r"^pages\(.*the number of rows must be 1 or more") as caught:
        Order.scan().pages(size)

    assert caught.value.code == "query-count"


def test_a_scan_filters_out_guard_items() -> None:
    class Account(Entity, table=Table("accounts")):
        id: str
        email: Annotated[str, Unique()]
        primary = Key("ACCOUNT#{id}", "META")

    request = Account.scan().plan.requests[0]

    assert request["FilterExpression"] == "#n0 <> :v0"
    assert request["ExpressionAttributeValues"] == {":v0": {"S": "pksk:unique"}}


def test_a_scan_reads_items_without_or_with_an_unknown_discriminator() -> None:
    request = Order.scan().plan.requests[0]
    filter_condition = parse_condition(
        request["FilterExpression"], request["ExpressionAttributeNames"], request["ExpressionAttributeValues"]
    )

    items = [{}, {"type": {"S": "Order"}}, {"type": {"S": "Gone"}}, {"type": {"N": "5"}}]
    assert all(evaluate(filter_condition, item) for item in items)
    assert not evaluate(filter_condition, {"type": {"S": "Profile"}})
    assert Order.scan().plan.has_foreign_items


def test_an_index_is_scanned_by_its_key() -> None:
    plan = Order.only_open.scan().plan

    assert plan.requests[0]["IndexName"] == "open-only"


def test_without_a_discriminator_the_store_distinguishes_rows() -> None:
    class Bare(Entity, table=Table("bare", discriminator=None)):
        id: str
        primary = Key("BARE#{id}", "META")

    plan = Bare.scan().plan

    assert plan.has_foreign_items
    assert "FilterExpression" not in plan.requests[0]


def test_more_subclasses_than_one_in_condition_can_list() -> None:
    table = Table("many")

    class Base(Entity, table=table):
        id: str
        primary = Key("U#{id}", "X")

    class Other(Entity, table=table):
        id: str
        primary = Key("O#{id}", "X")

    for number in range(101):
        new_class(f"Sub{number}", (Base,), {"table": table})
    request = Other.scan().plan.requests[0]

    assert request["FilterExpression"].startswith("NOT (")
    assert request["FilterExpression"].count(" IN ") == 2
    assert len(request["ExpressionAttributeValues"]) == 102


def test_a_scan_may_filter_by_its_keys() -> None:
    class Plain(Entity, table=Table("plain", pk="id", sk=None)):
        id: str
        primary = Key("{id}")

    assert "begins_with(id" in Plain.scan().filter(F.id.begins("x")).plan.requests[0]["FilterExpression"]


def test_a_scan_has_one_to_a_million_segments() -> None:
    assert [Order.scan().segments(total).total_segments for total in (1, 1_000_000)] == [1, 1_000_000]
    for total in (0, 1_000_001, True, 2.0):
        with pytest.raises(InvalidValue, match="a scan has from 1 to 1,000,000 segments"):
            Order.scan().segments(total)  # type: ignore[arg-type]
