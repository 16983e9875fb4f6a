"""Scans say that they scan."""

from __future__ import annotations

from pksk import Entity, F, Key, Table
from tests.model.reads.shop import Order


def test_a_scan_reads_the_table_and_leaves_other_entities_out() -> None:
    plan = Order.scan().filter(F.total > 5).plan

    assert plan.requests == (
        {
            "TableName": "shop",
            "FilterExpression": "#n0 = :v0 AND #n1 > :v1",
            "ExpressionAttributeNames": {"#n0": "type", "#n1": "total"},
            "ExpressionAttributeValues": {":v0": {"S": "Order"}, ":v1": {"N": "5"}},
        },
    )
    assert plan.notes == ("reads all of table 'shop'",)


def test_segments_are_requests_of_their_own() -> None:
    plan = Order.scan().segments(3).consistently().plan

    assert [(each["Segment"], each["TotalSegments"]) for each in plan.requests] == [(0, 3), (1, 3), (2, 3)]
    assert all(each["ConsistentRead"] for each in plan.requests)


def test_an_index_is_scanned_by_its_key() -> None:
    plan = Order.only_open.scan().plan

    assert plan.requests[0]["IndexName"] == "open-only"


def test_without_a_discriminator_the_store_tells_the_rows_apart() -> None:
    class Bare(Entity, table=Table("bare", discriminator=None)):
        id: str
        primary = Key("BARE#{id}", "META")

    plan = Bare.scan().plan

    assert plan.mixed
    assert "FilterExpression" not in plan.requests[0]
