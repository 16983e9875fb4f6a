"""Query: serialisation, validation, behaviour."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine.engine import Engine
from pksk.engine.operations.query import query
from pksk.engine.vectors.vector_index import VectorIndex
from tests.engine.items.shelf import PK, Item, Shelf, error_of, shelf_of, sorts, text

# Serialisation.


@pytest.mark.parametrize(
    ("member", "value", "words"),
    [
        ("Limit", "ten", "STRING_VALUE cannot be converted to Integer"),
        ("KeyConditionExpression", 7, "NUMBER_VALUE cannot be converted to String"),
        ("ScanIndexForward", "maybe", "Unexpected token received from parser"),
    ],
)
def test_a_member_of_another_type_cannot_be_read(member: str, value: Any, words: str) -> None:
    with Engine.open() as engine, pytest.raises(ServiceError) as caught:
        engine.call("Query", {"TableName": "absent", member: value})

    assert (caught.value.code, caught.value.message) == ("SerializationException", words)


# Validation before the table is looked for.


@pytest.mark.parametrize(
    ("select", "rest", "words"),
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
def test_a_select_that_does_not_go_with_the_rest_is_rejected_before_the_table_is_looked_for(
    select: str, rest: dict[str, Any], words: str
) -> None:
    found = error_of(Shelf(), "pk = :p", PK, TableName="absent", Select=select, **rest)

    assert found == f"1 validation error detected: {words}"


def test_attributes_to_get_with_a_select_for_all_is_rejected() -> None:
    conditions = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "p"}]}}
    with pytest.raises(ServiceError) as caught:
        Shelf().ask(query, KeyConditions=conditions, Select="ALL_ATTRIBUTES", AttributesToGet=["a"])

    assert caught.value.message == (
        "1 validation error detected: Cannot specify the AttributesToGet when choosing to get ALL_ATTRIBUTES"
    )


def test_a_query_needs_a_key_condition() -> None:
    with pytest.raises(ServiceError) as caught:
        Shelf().ask(query, TableName="absent")

    assert caught.value.message == (
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
    )


def test_a_starting_key_with_a_bad_value_is_rejected_before_the_table_is_looked_for() -> None:
    start = {"pk": {"S": "p"}, "sk": {"N": "x"}}

    assert error_of(Shelf(), "pk = :p", PK, TableName="absent", ExclusiveStartKey=start) == (
        "The provided starting key is invalid: The parameter cannot be converted to a numeric value: x"
    )


def test_a_missing_table_is_an_error() -> None:
    with pytest.raises(ServiceError) as caught:
        Shelf().query("pk = :p", PK, TableName="absent")

    assert caught.value.code == "ResourceNotFoundException"


# Validation against the schema.


@pytest.mark.parametrize(
    ("condition", "words"),
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
def test_a_key_condition_that_does_not_fit_the_key_is_rejected(condition: str, words: str) -> None:
    assert error_of(Shelf(), condition, {":s": {"S": "x"}}) == words


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
    ("condition", "words"),
    [
        ("pk = :long", "Size of hashkey has exceeded the maximum size limit of2048 bytes"),
        (
            "pk = :p AND sk = :long",
            "Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
        ),
    ],
)
def test_a_key_value_above_its_limit_is_rejected(condition: str, words: str) -> None:
    values = {":long": {"S": "x" * 2049}} | (PK if ":p " in condition else {})

    assert error_of(Shelf(), condition, values) == f"One or more parameter values were invalid: {words}"


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


def test_only_local_indexes_have_consistent_reads() -> None:
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
def test_a_filter_has_no_attributes_of_the_key_that_is_queried(condition: str, rest: dict[str, Any]) -> None:
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


def test_a_query_filter_has_no_attributes_of_the_key() -> None:
    conditions = {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "p"}]}}
    with pytest.raises(ServiceError) as caught:
        Shelf().ask(query, KeyConditions=conditions, QueryFilter=conditions)

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


# What comes back.


def test_items_come_whole_in_the_order_of_the_sort_key() -> None:
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
def test_a_condition_on_the_sort_key_gives_its_range(condition: str, found: list[str]) -> None:
    shelf = shelf_of("A", "a", "a\x00", "aa", "ab", "ab\x00", "abc", "b", "é")
    values = {**PK, ":s": {"S": "ab"}} | ({":a": {"S": "a"}} if ":a" in condition else {})

    assert sorts(shelf.query(f"pk = :p AND {condition}", values)) == found
    assert sorts(shelf.query(f"pk = :p AND {condition}", values, ScanIndexForward=False)) == found[::-1]


def test_a_filter_counts_what_it_leaves_and_what_it_saw() -> None:
    shelf = Shelf()
    shelf.put(*(text(pk="p", sk=sort, a=sort) for sort in "xyz"))

    answer = shelf.query("pk = :p", {**PK, ":a": {"S": "x"}}, FilterExpression="a > :a", Limit=2)

    assert sorts(answer) == ["y"]
    assert (answer["Count"], answer["ScannedCount"]) == (1, 2)
    assert answer["LastEvaluatedKey"] == text(pk="p", sk="y")


def test_a_filter_sees_what_the_projection_leaves_out() -> None:
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


def test_an_equal_sort_key_may_be_followed_to_its_end() -> None:
    shelf, values = shelf_of("a", "b"), {**PK, ":s": {"S": "a"}}

    answer = shelf.query("pk = :p AND sk = :s", values, Limit=1)

    assert (
        shelf.query("pk = :p AND sk = :s", values, ExclusiveStartKey=answer["LastEvaluatedKey"])["Count"] == 0
    )


@pytest.mark.parametrize(
    ("count", "size", "pages"),
    [(4, 262_144, [4]), (5, 262_144, [5, 0]), (3, 349_526, [3, 0]), (7, 349_525, [4, 3])],
)
def test_a_page_ends_with_the_item_that_takes_it_past_a_megabyte(
    count: int, size: int, pages: list[int]
) -> None:
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


def test_an_index_gives_what_it_projects() -> None:
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
def test_a_filter_goes_before_what_a_local_index_fetches(rest: dict[str, Any], found: Item) -> None:
    shelf = Shelf()
    shelf.index("local", "pk:S", "l:S", keeps=[])
    shelf.put(*(text(pk="p", sk=sort, l="l", extra=sort) for sort in "xyz"))
    values = {**PK, ":s": {"S": "y"}}

    answer = shelf.query("pk = :p", values, IndexName="local", FilterExpression="sk = :s", **rest)

    assert answer["Items"] == [found]
    assert answer["ScannedCount"] == 3
