"""GetItem: serialisation, validation, behaviour."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.engine.operations.items import ABSENT, KEY, Item, Items
from tests.engine.state.catalogues import NAME, defined

INVALID = "One or more parameter values were invalid: "
MISMATCH = "The provided key element does not match the schema"

# Serialisation.


def test_get_item_returns_the_item_as_it_is_stored() -> None:
    items = Items()
    items.put({**KEY, "n": {"N": "1e2"}})
    status, body = items.engine.answer("GetItem", json.dumps({"TableName": NAME, "Key": KEY}).encode())

    assert (status, body) == (200, b'{"Item":{"pk":{"S":"a"},"n":{"N":"100"}}}')


def test_get_item_returns_an_empty_response_for_a_missing_item() -> None:
    body = json.dumps({"TableName": NAME, "Key": KEY, "ReturnConsumedCapacity": "NONE"}).encode()

    assert Items().engine.answer("GetItem", body) == (200, b"{}")


# Validation before the table is looked up: without a prefix.


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        (
            {"S": "a", "N": "1"},
            "Supplied AttributeValue has more than one datatypes set, "
            "must contain exactly one of the supported datatypes",
        ),
        ({"NULL": False}, f"{INVALID}Null attribute value types must have the value of true"),
        ({"SS": []}, f"{INVALID}An string set  may not be empty"),
        ({"N": "x"}, "The parameter cannot be converted to a numeric value: x"),
        ({"N": "1" * 39}, "Attempting to store more than 38 significant digits in a Number"),
    ],
)
def test_a_key_with_an_invalid_value_is_rejected(value: Item, message: str) -> None:
    assert Items().invalid("GetItem", TableName=ABSENT, Key={"pk": value}) == message


def test_a_key_without_a_name_is_rejected() -> None:
    assert Items().invalid("GetItem", TableName=ABSENT, Key={"": {"S": "a"}}) == "Empty attribute name"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"ProjectionExpression": "a", "AttributesToGet": ["a"]},
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}",
        ),
        (
            {"ExpressionAttributeNames": {"#a": "a"}},
            "ExpressionAttributeNames can only be specified when using expressions",
        ),
        (
            {"ExpressionAttributeNames": {}, "ProjectionExpression": "a"},
            "ExpressionAttributeNames must not be empty",
        ),
        (
            {"ExpressionAttributeNames": {"a": "a"}, "ProjectionExpression": "a"},
            'ExpressionAttributeNames contains invalid key: Syntax error; key: "a"',
        ),
        (
            {"ExpressionAttributeNames": {"#a": "a"}, "ProjectionExpression": "a"},
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}",
        ),
        ({"ProjectionExpression": ""}, "Invalid ProjectionExpression: The expression can not be empty;"),
        (
            {"ProjectionExpression": "a,"},
            'Invalid ProjectionExpression: Syntax error; token: "<EOF>", near: ","',
        ),
        (
            {"ProjectionExpression": "a b"},
            'Invalid ProjectionExpression: Syntax error; token: "b", near: "a b"',
        ),
        (
            {"ProjectionExpression": "#a"},
            "Invalid ProjectionExpression: An expression attribute name used in the document path is not "
            "defined; attribute name: #a",
        ),
        (
            {"ProjectionExpression": "name"},
            "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: name",
        ),
        (
            {"ProjectionExpression": "a, b, a"},
            "Invalid ProjectionExpression: Two document paths overlap with each other; "
            "must remove or rewrite one of these paths; path one: [a], path two: [a]",
        ),
        (
            {"ProjectionExpression": "a.b, a"},
            "Invalid ProjectionExpression: Two document paths overlap with each other; "
            "must remove or rewrite one of these paths; path one: [a, b], path two: [a]",
        ),
        (
            {"ProjectionExpression": "a.b, a[0]"},
            "Invalid ProjectionExpression: Two document paths conflict with each other; "
            "must remove or rewrite one of these paths; path one: [a, b], path two: [a, [0]]",
        ),
        (
            {"ProjectionExpression": "a" * 4097},
            "Invalid ProjectionExpression: Expression size has exceeded the maximum allowed size;",
        ),
        ({"AttributesToGet": ["a", "a"]}, f"{INVALID}Duplicate value in attribute name: a"),
        ({"AttributesToGet": [""]}, "Empty attribute name"),
    ],
)
def test_an_invalid_projection_is_rejected(members: dict[str, Any], message: str) -> None:
    assert Items().invalid("GetItem", TableName=ABSENT, Key=KEY, **members) == message


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"ProjectionExpression": "a", "AttributesToGet": ["a"]}, "Can not use both expression and"),
        ({"ProjectionExpression": "a,", "ExpressionAttributeNames": {}}, "must not be empty"),
        ({"ProjectionExpression": "a,"}, "Supplied AttributeValue is empty"),
        ({"AttributesToGet": ["a", "a"]}, "Supplied AttributeValue is empty"),
    ],
)
def test_placeholders_are_checked_before_the_key_and_expressions_after_it(
    members: dict[str, Any], message: str
) -> None:
    assert message in Items().invalid("GetItem", TableName=ABSENT, Key={"pk": {}}, **members)


# Validation against the table.


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ({}, MISMATCH),
        ({"pk": {"S": "a"}}, MISMATCH),
        ({"pk": {"S": "a"}, "sk": {"N": "1"}, "x": {"S": "a"}}, MISMATCH),
        ({"pk": {"S": "a"}, "x": {"N": "1"}}, MISMATCH),
        ({"pk": {"S": "a"}, "sk": {"S": "1"}}, MISMATCH),
        ({"pk": {"M": {}}, "sk": {"N": "1"}}, MISMATCH),
        (
            {"pk": {"S": ""}, "sk": {"N": "1"}},
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
            "contain an empty string value. Key: pk",
        ),
        (
            {"pk": {"S": "a" * 2049}, "sk": {"N": "1"}},
            f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes",
        ),
    ],
)
def test_a_key_that_does_not_match_the_table_is_rejected(key: Item, message: str) -> None:
    items = Items("pk", "sk", AttributeDefinitions=defined("pk", sk="N"))

    assert items.invalid("GetItem", Key=key) == message


def test_a_sort_key_that_is_too_long_is_rejected() -> None:
    items = Items("pk", "sk", AttributeDefinitions=defined("pk", sk="B"))

    assert items.get({**KEY, "sk": {"B": b"x" * 1024}}) is None
    assert items.invalid("GetItem", Key={**KEY, "sk": {"B": b"x" * 1025}}) == (
        f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
    )


# Behaviour.

STORED: Item = {
    **KEY,
    "n": {"N": "1"},
    "m": {"M": {"a": {"S": "x"}, "b": {"M": {"c": {"N": "2"}, "d": {"N": "3"}}}}},
    "l": {"L": [{"S": "zero"}, {"S": "one"}, {"M": {"k": {"S": "two"}, "j": {"S": "2"}}}]},
}


def stored() -> Items:
    items = Items()
    items.put(STORED)
    return items


def test_equal_numbers_find_the_same_item() -> None:
    items = Items(AttributeDefinitions=defined(pk="N"))
    items.put({"pk": {"N": "1000"}})

    assert items.get({"pk": {"N": "1e3"}}) == {"pk": {"N": "1000"}}


@pytest.mark.parametrize("consistent", [True, False, "true", "No"])
def test_reads_of_the_table_see_the_last_write(consistent: Any) -> None:
    assert stored().call("GetItem", Key=KEY, ConsistentRead=consistent) == {"Item": STORED}


@pytest.mark.parametrize(
    ("projection", "item"),
    [
        ("n", {"n": {"N": "1"}}),
        ("n, gone", {"n": {"N": "1"}}),
        ("m.a", {"m": {"M": {"a": {"S": "x"}}}}),
        ("m.b.c, m.a", {"m": {"M": {"b": {"M": {"c": {"N": "2"}}}, "a": {"S": "x"}}}}),
        ("l[1]", {"l": {"L": [{"S": "one"}]}}),
        ("l[2].j, l[0]", {"l": {"L": [{"S": "zero"}, {"M": {"j": {"S": "2"}}}]}}),
        ("l[2].k, l[2].j", {"l": {"L": [{"M": {"k": {"S": "two"}, "j": {"S": "2"}}}]}}),
        ("l[7]", {}),
        ("m.gone", {}),
        ("gone", {}),
    ],
)
def test_a_projection_returns_only_what_it_names(projection: str, item: Item) -> None:
    assert stored().get(ProjectionExpression=projection) == item


def test_placeholders_can_name_any_attribute() -> None:
    items = Items()
    items.put({**KEY, "a.b": {"S": "x"}, "status": {"S": "y"}})

    item = items.get(
        ProjectionExpression="#dotted, #s", ExpressionAttributeNames={"#dotted": "a.b", "#s": "status"}
    )

    assert item == {"a.b": {"S": "x"}, "status": {"S": "y"}}


def test_attributes_to_get_are_top_level_attributes_whatever_their_names() -> None:
    items = Items()
    items.put({**KEY, "m": STORED["m"], "m.a": {"S": "dotted"}, "status": {"S": "y"}})

    assert items.get(AttributesToGet=["m.a", "status", "missing"]) == {
        "m.a": {"S": "dotted"},
        "status": {"S": "y"},
    }


def test_a_projection_of_a_missing_item_returns_no_item() -> None:
    assert Items().call("GetItem", Key=KEY, ProjectionExpression="a") == {}


@pytest.mark.parametrize(
    ("size", "consistent", "units"),
    [
        (0, False, 0.5),
        (0, True, 1.0),
        (4096, False, 0.5),
        (4096, True, 1.0),
        (4097, False, 1.0),
        (4097, True, 2.0),
        (409_600, True, 100.0),
    ],
)
def test_a_read_costs_the_whole_item_whatever_is_projected(size: int, consistent: bool, units: float) -> None:
    items = Items()
    if size:
        items.put({**KEY, "a": {"S": "x" * (size - 4)}})

    for projected in ({}, {"ProjectionExpression": "pk"}):
        answer = items.call(
            "GetItem", Key=KEY, ConsistentRead=consistent, ReturnConsumedCapacity="TOTAL", **projected
        )
        assert answer["ConsumedCapacity"] == {"TableName": NAME, "CapacityUnits": units}


def test_consumed_capacity_by_index_has_the_table_only() -> None:
    answer = Items().call("GetItem", Key=KEY, ReturnConsumedCapacity="INDEXES")

    assert answer == {
        "ConsumedCapacity": {"TableName": NAME, "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.5}}
    }
