"""Query: serialisation, validation, behaviour."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine.operations.query import query
from pksk.engine.vectors.vector_index import VectorIndex
from tests.engine.items.shelf import PK, Item, Shelf, error_of, shelf_of, sorts, text
from tests.engine.operations.items import KEY, Items
from tests.engine.state.catalogues import defined, index

# Validation before the table is looked up.


@pytest.mark.parametrize(
    ("select", "rest", "expected_message"),
    [
        (
            "SPECIFIC_ATTRIBUTES",
            {},
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
        ),
        (
            "ALL_ATTRIBUTES",
            {"ProjectionExpression": "a"},
            "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES",
        ),
        (
            "COUNT",
            {"ProjectionExpression": "a"},
            "Cannot specify the ProjectionExpression when choosing to get only the Count",
        ),
        (
            "ALL_PROJECTED_ATTRIBUTES",
            {"ProjectionExpression": "a", "IndexName": "i"},
            "Cannot specify the ProjectionExpression when choosing to get ALL_PROJECTED_ATTRIBUTES",
        ),
        (
            "ALL_PROJECTED_ATTRIBUTES",
            {},
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
        ),
    ],
)
def test_a_conflicting_select_is_rejected_before_the_table_is_looked_up(
    select: str, rest: dict[str, Any], expected_message: str
) -> None:
    found = error_of(Shelf(), "pk = :p", PK, TableName="absent", Select=select, **rest)

    assert found == f"1 validation error detected: {expected_message}"


def test_attributes_to_get_with_a_select_for_all_is_rejected() -> None:
    conditions = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "p"}]}}
    with pytest.raises(ServiceError) as caught:
        Shelf().run(query, KeyConditions=conditions, Select="ALL_ATTRIBUTES", AttributesToGet=["a"])

    assert caught.value.message == (
        "1 validation error detected: Cannot specify the AttributesToGet when choosing to get ALL_ATTRIBUTES"
    )


def test_a_query_needs_a_key_condition() -> None:
    with pytest.raises(ServiceError) as caught:
        Shelf().run(query, TableName="absent")

    assert caught.value.message == (
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
    )


def test_a_start_key_with_an_invalid_value_is_rejected_before_the_table_is_looked_up() -> None:
    start = {"pk": {"S": "p"}, "sk": {"N": "x"}}

    assert error_of(Shelf(), "pk = :p", PK, TableName="absent", ExclusiveStartKey=start) == (
        "The parameter cannot be converted to a numeric value: x"
    )


# Validation against the schema.


@pytest.mark.parametrize(
    ("condition", "expected_message"),
    [
        ("sk = :s", "Query condition missed key schema element: pk"),
        ("extra = :s", "Query condition missed key schema element: pk"),
        ("pk = :s AND extra = :s", "Query condition missed key schema element: sk"),
        ("pk > :s", "Query key condition not supported"),
        ("begins_with(pk, :s)", "Query key condition not supported"),
        ("pk BETWEEN :s AND :s", "Query key condition not supported"),
        (
            "pk = :s AND sk = :s AND extra = :s",
            "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)",
        ),
    ],
)
def test_a_key_condition_that_does_not_fit_the_key_is_rejected(condition: str, expected_message: str) -> None:
    assert error_of(Shelf(), condition, {":s": {"S": "x"}}) == expected_message


@pytest.mark.parametrize(
    "values", [{":p": {"N": "1"}, ":s": {"S": "x"}}, {":p": {"S": "p"}, ":s": {"B": "AA=="}}]
)
def test_a_key_condition_with_a_value_of_another_type_is_rejected(values: dict[str, Any]) -> None:
    assert error_of(Shelf(), "pk = :p AND sk = :s", values) == (
        "One or more parameter values were invalid: Condition parameter type does not match schema type"
    )


@pytest.mark.parametrize(("kind", "word"), [("S", "string"), ("B", "binary")])
@pytest.mark.parametrize("condition", ["sk = :s", "sk >= :s", "begins_with(sk, :s)"])
def test_an_empty_key_value_is_rejected(condition: str, kind: str, word: str) -> None:
    shelf = Shelf(sort=f"sk:{kind}")

    assert error_of(shelf, f"pk = :p AND {condition}", {**PK, ":s": {kind: ""}}) == (
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
        f"empty {word} value. Key: sk"
    )


def test_an_empty_key_value_of_an_index_is_rejected_with_the_index() -> None:
    shelf = Shelf()
    shelf.index("titles", "title:S")

    found = error_of(shelf, "title = :n", {":n": {"S": ""}}, IndexName="titles")

    assert found == (
        "One or more parameter values are not valid. A value specified for a secondary index key is not supported. "
        "The AttributeValue for a key attribute cannot contain an empty string value. "
        "IndexName: titles, IndexKey: title"
    )


@pytest.mark.parametrize(
    ("condition", "expected_message"),
    [
        ("pk = :long", "Size of hashkey has exceeded the maximum size limit of2048 bytes"),
        (
            "pk = :p AND sk = :long",
            "Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
        ),
    ],
)
def test_a_key_value_above_its_limit_is_rejected(condition: str, expected_message: str) -> None:
    values = {":long": {"S": "x" * 2049}} | (PK if ":p " in condition else {})

    assert (
        error_of(Shelf(), condition, values)
        == f"One or more parameter values were invalid: {expected_message}"
    )


def test_an_index_that_is_missing_is_rejected() -> None:
    assert error_of(Shelf(), "pk = :p", PK, IndexName="absent") == (
        "The table does not have the specified index: absent"
    )


def test_a_vector_index_cannot_be_queried() -> None:
    shelf = Shelf()
    shelf.table.vectors["near"] = VectorIndex("near", 99, "v", 3, "COSINE", None, (), None)

    assert (
        error_of(shelf, "pk = :p", PK, IndexName="near")
        == "Query operation not supported on this index type."
    )


def test_an_index_cannot_be_read_during_its_backfill() -> None:
    shelf = Shelf()
    shelf.index("new", "g:S")
    shelf.table.backfilling = frozenset({"new"})

    assert error_of(shelf, "g = :p", PK, IndexName="new") == (
        "Cannot read from backfilling global secondary index: new"
    )


def test_only_local_indexes_can_be_read_consistently() -> None:
    shelf = Shelf()
    shelf.index("global", "g:S")
    shelf.index("local", "pk:S", "l:S")

    assert error_of(shelf, "g = :p", PK, IndexName="global", ConsistentRead=True) == (
        "Consistent reads are not supported on global secondary indexes"
    )
    assert shelf.query("pk = :p", PK, IndexName="local", ConsistentRead=True)["Count"] == 0


def test_a_global_index_returns_only_projected_attributes() -> None:
    shelf = Shelf()
    shelf.index("some", "g:S", keeps=["kept"])

    assert error_of(shelf, "g = :p", PK, IndexName="some", Select="ALL_ATTRIBUTES") == (
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary "
        "index some because its projection type is not ALL"
    )
    assert error_of(shelf, "g = :p", PK, IndexName="some", ProjectionExpression="kept, a.b, sk, c") == (
        "One or more parameter values were invalid: Global secondary index some does not project [a, c]"
    )


@pytest.mark.parametrize("rest", [{}, {"IndexName": "some"}])
@pytest.mark.parametrize("condition", ["sk = :f", "size(sk) > :n AND extra = :f", "NOT contains(sk, :f)"])
def test_a_filter_cannot_have_attributes_of_the_queried_key(condition: str, rest: dict[str, Any]) -> None:
    shelf = Shelf()
    shelf.index("some", "extra:S", "sk:S")
    values = {":p": {"S": "p"}, ":f": {"S": "f"}, ":n": {"N": "1"}}
    values = {name: value for name, value in values.items() if name == ":p" or name in condition}
    key = "extra = :p" if rest else "pk = :p"
    named = (
        "extra"
        if rest and "extra" in condition and condition.index("extra") < condition.index("sk")
        else "sk"
    )

    assert error_of(shelf, key, values, FilterExpression=condition, **rest) == (
        f"Filter Expression can only contain non-primary key attributes: Primary key attribute: {named}"
    )


def test_a_query_filter_cannot_have_attributes_of_the_key() -> None:
    conditions = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "p"}]}}
    with pytest.raises(ServiceError) as caught:
        Shelf().run(query, KeyConditions=conditions, QueryFilter=conditions)

    assert caught.value.message == (
        "QueryFilter can only contain non-primary key attributes: Primary key attribute: pk"
    )


def test_the_filter_of_an_index_can_use_table_keys_and_projected_attributes() -> None:
    shelf = Shelf()
    shelf.index("some", "g:S", keeps=[])
    shelf.put(text(pk="p", sk="s", g="g"))
    values = {":p": {"S": "g"}, ":f": {"S": "s"}}

    assert shelf.query("g = :p", values, IndexName="some", FilterExpression="sk = :f")["Count"] == 1
    assert error_of(shelf, "g = :p", values, IndexName="some", FilterExpression="sk = :f OR a = :f") == (
        "One or more parameter values were invalid: Secondary index some does not project one or more filter "
        "attributes: [a]"
    )


# Results.


def test_items_are_returned_whole_in_the_order_of_the_sort_key() -> None:
    shelf = Shelf(sort="sk:N")
    items = [
        {"pk": {"S": "p"}, "sk": {"N": number}, "a": {"L": [{"NULL": True}]}} for number in ("9", "10", "-3")
    ]
    shelf.put(*items, {"pk": {"S": "q"}, "sk": {"N": "1"}})

    answer = shelf.query("pk = :p", PK)

    assert answer == {"Count": 3, "ScannedCount": 3, "Items": [items[2], items[0], items[1]]}
    assert shelf.query("pk = :p", PK, ScanIndexForward=False)["Items"] == [items[1], items[0], items[2]]


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("sk = :s", ["ab"]),
        ("sk < :s", ["A", "a", "a\x00", "aa"]),
        ("sk <= :s", ["A", "a", "a\x00", "aa", "ab"]),
        ("sk > :s", ["ab\x00", "abc", "b", "é"]),
        (":s <= sk", ["ab", "ab\x00", "abc", "b", "é"]),
        ("sk BETWEEN :a AND :s", ["a", "a\x00", "aa", "ab"]),
        ("begins_with(sk, :s)", ["ab", "ab\x00", "abc"]),
    ],
)
def test_a_condition_on_the_sort_key_selects_a_range(condition: str, found: list[str]) -> None:
    shelf = shelf_of("A", "a", "a\x00", "aa", "ab", "ab\x00", "abc", "b", "é")
    values = {**PK, ":s": {"S": "ab"}} | ({":a": {"S": "a"}} if ":a" in condition else {})

    assert sorts(shelf.query(f"pk = :p AND {condition}", values)) == found
    assert sorts(shelf.query(f"pk = :p AND {condition}", values, ScanIndexForward=False)) == found[::-1]


def test_a_filter_returns_count_and_scanned_count() -> None:
    shelf = Shelf()
    shelf.put(*(text(pk="p", sk=sort, a=sort) for sort in "xyz"))

    answer = shelf.query("pk = :p", {**PK, ":a": {"S": "x"}}, FilterExpression="a > :a", Limit=2)

    assert sorts(answer) == ["y"]
    assert (answer["Count"], answer["ScannedCount"]) == (1, 2)
    assert answer["LastEvaluatedKey"] == text(pk="p", sk="y")


def test_a_filter_can_use_attributes_that_are_not_projected() -> None:
    shelf = Shelf()
    shelf.put(text(pk="p", sk="s", a="a", b="b"))

    answer = shelf.query(
        "pk = :p", {**PK, ":a": {"S": "a"}}, FilterExpression="a = :a", ProjectionExpression="b, c"
    )

    assert answer["Items"] == [text(b="b")]


def test_an_item_without_the_projected_attributes_is_still_returned() -> None:
    assert shelf_of("s").query("pk = :p", PK, ProjectionExpression="a")["Items"] == [{}]


def test_a_count_has_no_items() -> None:
    answer = shelf_of("a", "b").query("pk = :p", PK, Select="COUNT")

    assert answer == {"Count": 2, "ScannedCount": 2}


def test_a_filtered_count_counts_what_passes() -> None:
    shelf = Shelf()
    shelf.put(*(text(pk="p", sk=sort, a=sort) for sort in "xyz"))

    answer = shelf.query("pk = :p", {**PK, ":a": {"S": "x"}}, FilterExpression="a > :a", Select="COUNT")

    assert answer == {"Count": 2, "ScannedCount": 3}


def test_a_page_that_reaches_its_limit_has_a_last_evaluated_key() -> None:
    shelf = shelf_of("a", "b")

    answer = shelf.query("pk = :p", PK, Limit=2)

    assert answer["LastEvaluatedKey"] == text(pk="p", sk="b")
    assert shelf.query("pk = :p", PK, ExclusiveStartKey=answer["LastEvaluatedKey"]) == {
        "Count": 0,
        "ScannedCount": 0,
        "Items": [],
    }
    assert "LastEvaluatedKey" not in shelf.query("pk = :p", PK, Limit=3)


def test_a_query_for_one_item_with_a_limit_has_an_empty_last_page() -> None:
    shelf, values = shelf_of("a", "b"), {**PK, ":s": {"S": "a"}}

    answer = shelf.query("pk = :p AND sk = :s", values, Limit=1)

    assert (
        shelf.query("pk = :p AND sk = :s", values, ExclusiveStartKey=answer["LastEvaluatedKey"])["Count"] == 0
    )


@pytest.mark.every_transport
@pytest.mark.parametrize("value", ["a", "b"])
def test_a_table_without_a_sort_key_takes_no_start_key_and_returns_none(value: str) -> None:
    items = Items(AttributeDefinitions=defined("pk", "day"), GlobalSecondaryIndexes=[index("by-day", "day")])
    items.put({**KEY, "day": {"S": "d"}})
    own = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": KEY["pk"]}}
    by_day = {
        "IndexName": "by-day",
        "KeyConditionExpression": "#d = :d",
        "ExpressionAttributeNames": {"#d": "day"},
    }
    by_day["ExpressionAttributeValues"] = {":d": {"S": "d"}}

    answer = items.call("Query", **own, Limit=1)
    message = items.invalid("Query", **own, ExclusiveStartKey={"pk": {"S": value}})
    of_index = items.call("Query", **by_day, Limit=1)

    assert (answer["Count"], "LastEvaluatedKey" in answer) == (1, False)
    assert message == "The provided exclusive start key is invalid"
    assert items.call("Query", **by_day, ExclusiveStartKey=of_index["LastEvaluatedKey"])["Count"] == 0


@pytest.mark.every_transport
@pytest.mark.parametrize("condition", ["pk = :a AND pk = :a", "pk = :a AND sk > :a AND sk < :a"])
def test_two_conditions_on_one_key_are_an_invalid_key_condition_expression(condition: str) -> None:
    values = {":a": {"S": "a"}}

    assert Items("pk", "sk").invalid(
        "Query", KeyConditionExpression=condition, ExpressionAttributeValues=values
    ) == ("Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key")


@pytest.mark.parametrize(
    ("count", "size", "pages"),
    [(4, 262_144, [4]), (5, 262_144, [5, 0]), (3, 349_526, [3, 0]), (7, 349_525, [4, 3])],
)
def test_a_page_ends_with_the_item_that_exceeds_1_mb(count: int, size: int, pages: list[int]) -> None:
    shelf = Shelf()
    shelf.put(*(text(pk="p", sk=str(number), a="x" * (size - 7)) for number in range(count)))
    found: list[int] = []
    start: dict[str, Any] = {}
    while True:
        answer = shelf.query("pk = :p", PK, Select="COUNT", **start)
        found.append(answer["Count"])
        if "LastEvaluatedKey" not in answer:
            break
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    assert found == pages


def test_an_index_returns_what_it_projects() -> None:
    shelf = Shelf()
    shelf.index("some", "g:S", keeps=["kept"])
    shelf.put(text(pk="p", sk="s", g="g", kept="k", extra="o"), text(pk="p", sk="t", kept="k"))

    answer = shelf.query("g = :p", {":p": {"S": "g"}}, IndexName="some")

    assert answer["Items"] == [text(pk="p", sk="s", g="g", kept="k")]


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ({}, text(pk="p", sk="s", l="l")),
        ({"Select": "ALL_PROJECTED_ATTRIBUTES"}, text(pk="p", sk="s", l="l")),
        ({"Select": "ALL_ATTRIBUTES"}, text(pk="p", sk="s", l="l", extra="o")),
        ({"ProjectionExpression": "sk, extra"}, text(sk="s", extra="o")),
    ],
)
def test_a_local_index_fetches_from_the_table_what_it_lacks(rest: dict[str, Any], found: Item) -> None:
    shelf = Shelf()
    shelf.index("local", "pk:S", "l:S", keeps=[])
    shelf.put(text(pk="p", sk="s", l="l", extra="o"))

    assert shelf.query("pk = :p", PK, IndexName="local", **rest)["Items"] == [found]


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ({"Select": "ALL_ATTRIBUTES"}, text(pk="p", sk="y", l="l", extra="y")),
        ({"ProjectionExpression": "extra"}, text(extra="y")),
    ],
)
def test_a_filter_is_applied_before_a_local_index_fetches_items(rest: dict[str, Any], found: Item) -> None:
    shelf = Shelf()
    shelf.index("local", "pk:S", "l:S", keeps=[])
    shelf.put(*(text(pk="p", sk=sort, l="l", extra=sort) for sort in "xyz"))
    values = {**PK, ":s": {"S": "y"}}

    answer = shelf.query("pk = :p", values, IndexName="local", FilterExpression="sk = :s", **rest)

    assert answer["Items"] == [found]
    assert answer["ScannedCount"] == 3
