"""Scan: serialisation, validation, behaviour, segments and cost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pksk.capacity import paged_query_cost
from pksk.client import ServiceError
from pksk.engine import Engine, Partitioning
from pksk.engine.vectors.vector_index import VectorIndex
from pksk.partitions import segment
from pksk.schema import Table
from tests.engine.items.shelf import Item, Shelf, text
from tests.engine.operations.items import KEY, Items
from tests.engine.state.catalogues import NAME, defined, index


def error_of(shelf: Shelf, **rest: Any) -> str:
    with pytest.raises(ServiceError) as caught:
        shelf.scan(**rest)
    assert caught.value.code == "ValidationException"
    return caught.value.message or ""


def shelf_of(count: int) -> Shelf:
    shelf = Shelf()
    shelf.put(*(text(pk=f"p{number // 3}", sk=f"s{number}") for number in range(count)))
    return shelf


def all_pages(shelf: Shelf, **rest: Any) -> list[Item]:
    found: list[Item] = []
    start: dict[str, Any] = {}
    while True:
        answer = shelf.scan(**rest, **start)
        found += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return found
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def by_sort(items: list[Item]) -> list[Item]:
    return sorted(items, key=lambda item: int(item["sk"]["S"][1:]))


# Validation before the table is looked up.


@pytest.mark.parametrize(
    ("rest", "expected_message"),
    [
        (
            {"Select": "SPECIFIC_ATTRIBUTES"},
            "Must specify the AttributesToGet or ProjectionExpression when choosing to "
            "get SPECIFIC_ATTRIBUTES",
        ),
        (
            {"Select": "COUNT", "ProjectionExpression": "a"},
            "Cannot specify the ProjectionExpression when choosing to get only the Count",
        ),
        (
            {"Select": "ALL_PROJECTED_ATTRIBUTES"},
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
        ),
        (
            {"Segment": 0},
            "The TotalSegments parameter is required but was not present in the request when Segment parameter is "
            "present",
        ),
        (
            {"TotalSegments": 2},
            "The Segment parameter is required but was not present in the request when parameter TotalSegments is "
            "present",
        ),
        (
            {"Segment": 2, "TotalSegments": 2},
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            "Segment: 2 is not less than TotalSegments: 2",
        ),
        (
            {"ExclusiveStartKey": {"pk": {}}},
            "The provided starting key is invalid: Supplied AttributeValue is empty, must contain exactly one of the "
            "supported datatypes",
        ),
    ],
)
def test_a_contradictory_request_is_rejected_before_the_table_is_looked_up(
    rest: dict[str, Any], expected_message: str
) -> None:
    assert error_of(Shelf(), TableName="absent", **rest) == expected_message


# Validation against the schema.


def test_an_index_that_is_missing_is_rejected() -> None:
    assert error_of(Shelf(), IndexName="absent") == "The table does not have the specified index: absent"


def test_a_vector_index_cannot_be_scanned() -> None:
    shelf = Shelf()
    shelf.table.vectors["near"] = VectorIndex("near", 99, "v", 3, "COSINE", None, (), None)

    assert error_of(shelf, IndexName="near") == "Scan operation not supported on this index type"


def test_a_global_index_cannot_be_read_consistently() -> None:
    shelf = Shelf()
    shelf.index("global", "g:S")

    assert error_of(shelf, IndexName="global", ConsistentRead=True) == (
        "Consistent reads are not supported on global secondary indexes"
    )


def test_a_global_index_returns_only_projected_attributes() -> None:
    shelf = Shelf()
    shelf.index("some", "g:S", keeps=[])

    assert error_of(shelf, IndexName="some", Select="ALL_ATTRIBUTES") == (
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary "
        "index some because its projection type is not ALL"
    )
    assert error_of(shelf, IndexName="some", ProjectionExpression="a") == (
        "One or more parameter values were invalid: Global secondary index some does not project [a]"
    )


@pytest.mark.parametrize(
    "start", [{}, text(pk="p"), text(pk="p", sk="s", a="a"), {"pk": {"S": "p"}, "sk": {"N": "1"}}]
)
def test_a_start_key_that_does_not_match_the_key_is_rejected(start: Item) -> None:
    assert error_of(Shelf(), ExclusiveStartKey=start) == (
        "The provided starting key is invalid: The provided key element does not match the schema"
    )


def test_a_start_key_must_be_in_the_scanned_segment() -> None:
    shelf, start = Shelf(), text(pk="p", sk="s")
    position = shelf.table.layout.key_of(start)
    right = next(n for n in range(4) if segment(n, 4)[0] <= position < (segment(n, 4)[1] or b"\xff" * 9))
    wrong = (right + 1) % 4

    assert shelf.scan(Segment=right, TotalSegments=4, ExclusiveStartKey=start)["Count"] == 0
    assert error_of(shelf, Segment=wrong, TotalSegments=4, ExclusiveStartKey=start) == (
        "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct "
        f"Segment. TotalSegments: 4 Segment: {wrong}"
    )


# Results.


def test_a_scan_returns_every_item_whole() -> None:
    shelf = Shelf()
    items = [text(pk="p", sk="s0", a="x"), text(pk="q", sk="s1"), text(pk="q", sk="s2", b="y")]
    shelf.put(*items)

    answer = shelf.scan()

    assert by_sort(answer.pop("Items")) == items
    assert answer == {"Count": 3, "ScannedCount": 3}


def test_items_of_one_partition_key_are_adjacent_and_in_order() -> None:
    found = [item["pk"]["S"] + item["sk"]["S"] for item in shelf_of(9).scan()["Items"]]

    partitions = [found[0:3], found[3:6], found[6:9]]
    assert all(group == sorted(group) for group in partitions)
    assert sorted(partitions) == [
        ["p0s0", "p0s1", "p0s2"],
        ["p1s3", "p1s4", "p1s5"],
        ["p2s6", "p2s7", "p2s8"],
    ]


def test_the_filter_of_a_scan_can_use_key_attributes() -> None:
    answer = shelf_of(6).scan(FilterExpression="pk = :p", ExpressionAttributeValues={":p": {"S": "p1"}})

    assert (answer["Count"], answer["ScannedCount"]) == (3, 6)
    assert [item["sk"]["S"] for item in answer["Items"]] == ["s3", "s4", "s5"]


def test_a_legacy_filter_filters() -> None:
    conditions = {"sk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "s4"}]}}

    assert shelf_of(6).scan(ScanFilter=conditions)["Items"] == [text(pk="p1", sk="s4")]


def test_a_projection_and_a_count_return_nothing_else() -> None:
    shelf = shelf_of(1)

    assert shelf.scan(ProjectionExpression="sk")["Items"] == [text(sk="s0")]
    assert shelf.scan(AttributesToGet=["pk"])["Items"] == [text(pk="p0")]
    assert shelf.scan(Select="COUNT") == {"Count": 1, "ScannedCount": 1}


def test_a_page_that_reaches_its_limit_has_a_last_evaluated_key() -> None:
    shelf = shelf_of(3)

    assert shelf.scan(Limit=3)["LastEvaluatedKey"] == text(pk="p0", sk="s2")
    assert "LastEvaluatedKey" not in shelf.scan(Limit=4)


def test_a_scan_of_an_index_returns_the_items_with_its_key_as_projected() -> None:
    shelf = Shelf()
    shelf.index("some", "g:S", keeps=["a"])
    shelf.put(text(pk="p", sk="s0", g="g", a="a", b="b"), text(pk="p", sk="s1", a="a"))

    assert shelf.scan(IndexName="some")["Items"] == [text(pk="p", sk="s0", g="g", a="a")]


def test_the_filter_of_an_index_sees_only_projected_attributes() -> None:
    shelf = Shelf()
    shelf.index("some", "g:S", keeps=[])
    shelf.put(text(pk="p", sk="s", g="g", b="b"))

    answer = shelf.scan(
        IndexName="some", FilterExpression="b = :b", ExpressionAttributeValues={":b": {"S": "b"}}
    )

    assert (answer["Count"], answer["ScannedCount"]) == (0, 1)


def test_a_local_index_fetches_what_it_lacks_and_charges_for_it() -> None:
    shelf = Shelf()
    shelf.index("local", "pk:S", "l:S", keeps=[])
    shelf.put(text(pk="p", sk="s", l="l", b="b" * 9000))

    answer = shelf.scan(IndexName="local", ProjectionExpression="b", ReturnConsumedCapacity="INDEXES")

    assert answer["Items"] == [text(b="b" * 9000)]
    assert answer["ConsumedCapacity"] == {
        "TableName": "shelf",
        "CapacityUnits": 2,
        "Table": {"CapacityUnits": 1.5},
        "LocalSecondaryIndexes": {"local": {"CapacityUnits": 0.5}},
    }


def test_a_scan_costs_what_it_evaluates() -> None:
    shelf = Shelf()
    shelf.put(*(text(pk=f"{number:04}", sk="s", a="x" * 50) for number in range(1500)))  # 60 bytes each
    values = {":a": {"S": "y"}}

    whole = shelf.scan(ReturnConsumedCapacity="TOTAL", ConsistentRead=True)
    filtered = shelf.scan(
        ReturnConsumedCapacity="TOTAL", FilterExpression="a = :a", ExpressionAttributeValues=values
    )

    assert whole["ConsumedCapacity"] == {"TableName": "shelf", "CapacityUnits": 22}
    assert filtered["ConsumedCapacity"]["CapacityUnits"] == 11


# Segments and pages.


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(0, 40),
    total=st.integers(1, 12) | st.just(100),
    limit=st.integers(1, 10),
    index=st.sampled_from([{}, {"IndexName": "global"}, {"IndexName": "local"}]),
)
def test_the_segments_together_return_the_table(
    count: int, total: int, limit: int, index: dict[str, str]
) -> None:
    shelf = Shelf()
    shelf.index("global", "g:S")
    shelf.index("local", "pk:S", "g:S")
    items = [text(pk=f"p{n // 3}", sk=f"s{n}", g=f"g{n % 5}") for n in range(count)]
    shelf.put(*items)
    segments = [
        all_pages(shelf, Segment=number, TotalSegments=total, Limit=limit, **index) for number in range(total)
    ]

    # Neither missing nor twice, and one after the other as a scan without segments goes.
    assert by_sort([item for found in segments for item in found]) == items
    assert [item for found in segments for item in found] == all_pages(shelf, **index)


def test_there_can_be_a_million_segments() -> None:
    shelf = shelf_of(1)
    position = int.from_bytes(shelf.table.layout.key_of(text(pk="p0", sk="s0"))[:8])
    number = position * 1_000_000 >> 64

    assert shelf.scan(Segment=number, TotalSegments=1_000_000)["Count"] == 1
    assert shelf.scan(Segment=999_999 - number, TotalSegments=1_000_000)["Count"] == 0


PROVISIONED: dict[str, Any] = {
    "BillingMode": "PROVISIONED",
    "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
}


def units(items: Items, **members: Any) -> float:
    answer = items.call("Scan", ReturnConsumedCapacity="TOTAL", **members)
    return float(answer["ConsumedCapacity"]["CapacityUnits"])


@pytest.mark.every_transport
@pytest.mark.parametrize("stored", [0, 1])
def test_a_scan_of_a_new_table_on_demand_takes_the_minimum_from_each_of_four_partitions(stored: int) -> None:
    items = Items(AttributeDefinitions=defined("pk", "a"), GlobalSecondaryIndexes=[index("by-a", "a")])
    for _ in range(stored):
        items.put({**KEY, "a": {"S": "x"}})

    assert (units(items, ConsistentRead=True), units(items), units(items, IndexName="by-a")) == (4, 2, 2)
    assert [units(items, Segment=number, TotalSegments=2) for number in (0, 1)] == [1, 1]
    assert [units(items, Segment=number, TotalSegments=8) for number in range(8)] == [0.5] * 8


def test_a_scan_of_one_partition_takes_the_minimum_once() -> None:
    assert units(Items(**PROVISIONED), ConsistentRead=True) == 1


def test_a_scan_of_more_than_the_minimum_is_rounded_up_once() -> None:
    items = Items()
    for number in range(10):
        items.put({"pk": {"S": str(number)}, "a": {"S": "x" * 5000}})

    assert (units(items), units(items, ConsistentRead=True)) == (6.5, 13)


def test_a_statement_without_a_key_takes_as_many_units_as_a_scan() -> None:
    items = Items()
    items.put(KEY)

    answer = items.engine.call(
        "ExecuteStatement", {"Statement": f'SELECT * FROM "{NAME}"', "ReturnConsumedCapacity": "TOTAL"}
    )

    assert answer["ConsumedCapacity"]["CapacityUnits"] == 2


@given(st.integers(0, 12), st.integers(1, 5), st.integers(1, 6))
def test_pages_of_small_items_take_the_minimum_from_each_partition_and_twice_where_a_page_ends(
    count: int, limit: int, partitions: int
) -> None:
    items = Items(engine=Engine.open(partitioning=Partitioning(partitions=partitions)))
    for number in range(count):
        items.put({"pk": {"S": str(number)}})
    pages, total = 0, 0.0
    start: dict[str, Any] | None = {}
    while start is not None:
        answer = items.call("Scan", Limit=limit, ReturnConsumedCapacity="TOTAL", **start)
        pages, total = pages + 1, total + answer["ConsumedCapacity"]["CapacityUnits"]
        last = answer.get("LastEvaluatedKey")
        start = {"ExclusiveStartKey": last} if last else None

    assert total == (partitions + pages - 1) / 2
    assert (
        total
        == paged_query_cost(
            Table("orders", sk=None),
            None,
            [{"pk": {"S": str(number)}} for number in range(count)],
            page_items=limit,
            partitions=partitions,
        ).read
    )
