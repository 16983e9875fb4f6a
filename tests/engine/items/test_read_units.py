"""The units of a page of a query."""

from __future__ import annotations

from typing import Any

import pytest

from .shelf import PK, Shelf, shelf_of, text


def cost(shelf: Shelf, condition: str = "pk = :p", **rest: Any) -> Any:
    return shelf.query(condition, PK, ReturnConsumedCapacity="INDEXES", **rest)["ConsumedCapacity"]


def test_capacity_is_returned_at_the_requested_level() -> None:
    shelf = shelf_of("a")
    total = {"TableName": "shelf", "CapacityUnits": 0.5}

    assert "ConsumedCapacity" not in shelf.query("pk = :p", PK)
    assert "ConsumedCapacity" not in shelf.query("pk = :p", PK, ReturnConsumedCapacity="NONE")
    assert shelf.query("pk = :p", PK, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"] == total
    assert cost(shelf) == {**total, "Table": {"CapacityUnits": 0.5}}


def test_a_page_is_rounded_up_once_whatever_its_filter_or_projection() -> None:
    shelf = Shelf()
    shelf.put(*(text(pk="p", sk=f"{number:02}", a="x" * 1013) for number in range(40)))  # 1,021 bytes each
    values = {**PK, ":a": {"S": "y"}}

    assert cost(shelf, ConsistentRead=True)["CapacityUnits"] == 10
    assert cost(shelf)["CapacityUnits"] == 5
    filtered = shelf.query(
        "pk = :p",
        values,
        FilterExpression="a = :a",
        ProjectionExpression="sk",
        ReturnConsumedCapacity="TOTAL",
    )
    assert filtered["ConsumedCapacity"]["CapacityUnits"] == 5
    assert cost(shelf, Limit=4)["CapacityUnits"] == 0.5
    assert cost(shelf, Select="COUNT")["CapacityUnits"] == 5


def test_an_empty_page_costs_the_minimum() -> None:
    assert cost(Shelf())["CapacityUnits"] == 0.5
    assert cost(Shelf(), ConsistentRead=True)["CapacityUnits"] == 1


def test_an_index_is_charged_for_what_is_read_of_it() -> None:
    shelf = Shelf()
    shelf.index("global", "g:S", keeps=["a"])
    shelf.put(*(text(pk="p", sk=f"{number}", g="p", a="x" * 1992, b="y" * 9000) for number in range(8)))

    assert cost(shelf, "g = :p", IndexName="global") == {
        "TableName": "shelf",
        "CapacityUnits": 2,
        "Table": {"CapacityUnits": 0},
        "GlobalSecondaryIndexes": {"global": {"CapacityUnits": 2}},
    }


@pytest.mark.parametrize(
    ("size", "consistent", "fetched"), [(10, False, 1.5), (9000, False, 4.5), (9000, True, 9)]
)
def test_items_fetched_for_a_local_index_are_rounded_up_one_by_one(
    size: int, consistent: bool, fetched: float
) -> None:
    shelf = Shelf()
    shelf.index("local", "pk:S", "l:S", keeps=[])
    shelf.put(*(text(pk="p", sk=sort, l="l", a="x" * size) for sort in "abc"))
    index = 1.0 if consistent else 0.5

    assert cost(shelf, IndexName="local", Select="ALL_ATTRIBUTES", ConsistentRead=consistent) == {
        "TableName": "shelf",
        "CapacityUnits": fetched + index,
        "Table": {"CapacityUnits": fetched},
        "LocalSecondaryIndexes": {"local": {"CapacityUnits": index}},
    }
    assert cost(shelf, IndexName="local", Select="COUNT", ConsistentRead=consistent)["CapacityUnits"] == index
