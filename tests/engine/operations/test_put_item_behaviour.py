"""PutItem: behaviour."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pksk.client import ServiceError
from tests.engine.operations.items import ABSENT, KEY, Items, indexed, nested
from tests.engine.state.catalogues import ARN, NAME, defined, index

MOST = 409_600


def test_a_put_replaces_the_whole_item() -> None:
    items = Items()
    items.put({**KEY, "a": {"S": "x"}, "b": {"S": "y"}})
    items.put({**KEY, "b": {"S": "z"}})

    assert items.get() == {**KEY, "b": {"S": "z"}}


def test_every_type_comes_back_as_it_was_put() -> None:
    item = {
        **KEY,
        "s": {"S": ""},
        "n": {"N": "-0.5"},
        "b": {"B": ""},
        "bool": {"BOOL": False},
        "null": {"NULL": True},
        "l": {"L": []},
        "m": {"M": {"l": {"L": [{"S": "é"}, {"M": {}}]}}},
        "ss": {"SS": ["", "a"]},
        "bs": {"BS": ["", "eA=="]},
    }
    items = Items()
    items.put(item)

    assert items.get() == item


def test_bytes_from_python_are_returned_as_base64() -> None:
    items = Items()
    items.put({**KEY, "b": {"B": b"\x00\xff"}, "bs": {"BS": [b"y", b"x"]}})

    assert items.get() == {**KEY, "b": {"B": "AP8="}, "bs": {"BS": ["eA==", "eQ=="]}}


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("1e3", "1000"),
        ("+5", "5"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1.e2", "100"),
        ("-0", "0"),
        ("007.10", "7.1"),
        ("1E125", "1" + "0" * 125),
        ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
    ],
)
def test_numbers_are_stored_in_one_form(given: str, stored: str) -> None:
    items = Items()
    items.put({**KEY, "n": {"N": given}})

    assert items.get() == {**KEY, "n": {"N": stored}}


def test_sets_come_back_in_order() -> None:
    items = Items()
    items.put({**KEY, "ss": {"SS": ["z", "é", "a"]}, "ns": {"NS": ["10", "9", "-1", "0.5"]}})

    assert items.get() == {**KEY, "ss": {"SS": ["a", "z", "é"]}, "ns": {"NS": ["-1", "0.5", "9", "10"]}}


def test_equal_numbers_are_one_key() -> None:
    items = Items(AttributeDefinitions=defined(pk="N"))
    items.put({"pk": {"N": "1e3"}, "a": {"S": "first"}})
    items.put({"pk": {"N": "1000.0"}, "a": {"S": "second"}})

    assert items.call("Scan")["Items"] == [{"pk": {"N": "1000"}, "a": {"S": "second"}}]


@pytest.mark.parametrize("levels", [1, 30, 31])
def test_values_nest_up_to_31_levels(levels: int) -> None:
    items = Items()
    items.put({**KEY, "a": nested(levels)})

    assert items.get() == {**KEY, "a": nested(levels)}


def test_an_item_has_at_most_409600_bytes_names_included() -> None:
    items = Items()
    # pk and a: 2 + 1 and 1 + the rest.
    items.put({**KEY, "a": {"S": "x" * 409_596}})

    assert items.invalid("PutItem", Item={**KEY, "a": {"S": "x" * 409_597}}) == (
        "Item size has exceeded the maximum allowed size"
    )


def test_an_item_that_is_too_large_is_rejected_before_the_table_is_looked_for() -> None:
    item = {**KEY, "a": {"S": "é" * 204_800}}

    assert Items().invalid("PutItem", TableName=ABSENT, Item=item) == (
        "Item size has exceeded the maximum allowed size"
    )


def test_entries_of_local_indexes_count_with_an_item_that_is_put() -> None:
    items = indexed()
    key = {**KEY, "sk": {"S": "s"}}
    # The item has 3 + 3 + 6 bytes and those of `a`, and its entry as many.
    fits = {**key, "lsiSk": {"S": "l"}, "a": {"S": "x" * (MOST // 2 - 13)}}
    items.put(fits)

    assert items.invalid("PutItem", Item={**fits, "a": {"S": "x" * (MOST // 2 - 12)}}) == (
        "Item size has exceeded the maximum allowed size"
    )
    items.put({**key, "a": {"S": "x" * (MOST // 2 - 12)}})


def test_entries_of_global_indexes_do_not_count_with_an_item() -> None:
    item = {**KEY, "sk": {"S": "s"}, "gsiPk": {"S": "g"}, "proj": {"S": "x" * 300_000}}

    assert indexed().put(item) == {}


def test_only_what_a_local_index_projects_counts() -> None:
    keys_only = index("keys", "pk", "s", Projection={"ProjectionType": "KEYS_ONLY"})
    items = Items(
        "pk", "sk", AttributeDefinitions=defined("pk", "sk", "s"), LocalSecondaryIndexes=[keys_only]
    )
    # pk, sk and s have 3 + 3 + 2 bytes, once in the item and once in the entry.
    item = {**KEY, "sk": {"S": "s"}, "s": {"S": "t"}, "a": {"S": "x" * (MOST - 17)}}
    items.put(item)

    assert items.invalid("PutItem", Item={**item, "a": {"S": "x" * (MOST - 16)}}) == (
        "Item size has exceeded the maximum allowed size"
    )


def test_all_old_returns_the_item_that_was_replaced() -> None:
    items = Items()
    old = {**KEY, "a": {"S": "x"}, "ns": {"NS": ["1", "2"]}}

    assert items.put(old, ReturnValues="ALL_OLD") == {}
    assert items.put(KEY, ReturnValues="NONE") == {}
    items.put(old)
    assert items.put(KEY, ReturnValues="ALL_OLD") == {"Attributes": old}


def test_a_put_that_may_not_overwrite_fails_with_existing_an_item() -> None:
    items = Items()
    items.put({**KEY, "a": {"S": "first"}}, ConditionExpression="attribute_not_exists(pk)")

    error = items.error_of(
        "PutItem", Item={**KEY, "a": {"S": "second"}}, ConditionExpression="attribute_not_exists(pk)"
    )

    assert error == ("ConditionalCheckFailedException", "The conditional request failed")
    assert items.get() == {**KEY, "a": {"S": "first"}}


def test_a_condition_is_checked_against_the_item_that_exists_and_not_the_new_one() -> None:
    items = Items()
    items.put({**KEY, "n": {"N": "1"}})
    values = {":one": {"N": "1.0"}}
    items.put({**KEY, "n": {"N": "2"}}, ConditionExpression="n = :one", ExpressionAttributeValues=values)

    assert items.get() == {**KEY, "n": {"N": "2"}}


@pytest.mark.parametrize(("wanted", "shown"), [("ALL_OLD", True), ("NONE", False), (None, False)])
def test_a_failed_condition_returns_the_item_where_it_is_requested(wanted: str | None, shown: bool) -> None:
    items = Items()
    stored = {**KEY, "n": {"N": "1"}, "b": {"B": "AP8="}}
    items.put(stored)

    with pytest.raises(ServiceError) as caught:
        items.put(
            KEY,
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure=wanted,
            ReturnConsumedCapacity="TOTAL",
        )

    assert caught.value.fields == ({"Item": stored} if shown else {})


def test_a_failed_condition_without_an_item_returns_none() -> None:
    with pytest.raises(ServiceError) as caught:
        Items().put(
            KEY, ConditionExpression="attribute_exists(pk)", ReturnValuesOnConditionCheckFailure="ALL_OLD"
        )

    assert (caught.value.code, caught.value.fields) == ("ConditionalCheckFailedException", {})


def test_the_error_body_of_a_failed_condition_has_the_item() -> None:
    items = Items()
    items.put(KEY)
    request = {
        "TableName": NAME,
        "Item": KEY,
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    status, body = items.engine.answer("PutItem", json.dumps(request).encode())

    assert (status, json.loads(body)) == (
        400,
        {
            "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
            "message": "The conditional request failed",
            "Item": KEY,
        },
    )


@pytest.mark.parametrize(
    ("expected", "operator", "holds"),
    [
        ({"n": {"Value": {"N": "1.0"}}}, None, True),
        ({"n": {"Value": {"N": "2"}}}, None, False),
        ({"x": {"Exists": False}}, None, True),
        ({"n": {"Exists": False}}, None, False),
        ({"n": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "0"}]}}, None, True),
        ({"x": {"ComparisonOperator": "NULL"}}, None, True),
        ({"n": {"Value": {"N": "2"}}, "x": {"Exists": False}}, "OR", True),
        ({"n": {"Value": {"N": "2"}}, "x": {"Exists": False}}, None, False),
        ({}, None, True),
    ],
)
def test_a_put_expects_in_the_legacy_way(expected: dict[str, Any], operator: str | None, holds: bool) -> None:
    items = Items()
    items.put({**KEY, "n": {"N": "1"}})
    request = {"Item": {**KEY, "new": {"BOOL": True}}, "Expected": expected, "ConditionalOperator": operator}

    if holds:
        assert items.call("PutItem", **request) == {}
    else:
        assert items.error_of("PutItem", **request)[0] == "ConditionalCheckFailedException"
    assert ("new" in (items.get() or {})) is holds


def test_a_table_may_be_named_by_its_arn() -> None:
    items = Items()

    answer = items.put(KEY, TableName=ARN, ReturnConsumedCapacity="TOTAL")

    assert answer == {"ConsumedCapacity": {"TableName": ARN, "CapacityUnits": 1.0}}
    assert items.get() == KEY
