"""DeleteItem: serialisation, validation, behaviour."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pksk.client import ServiceError
from tests.engine.operations.items import ABSENT, KEY, PREFIX, Item, Items
from tests.engine.state.catalogues import ARN, NAME, defined

INVALID = "One or more parameter values were invalid: "
MISMATCH = "The provided key element does not match the schema"
RETURN_VALUES = "ReturnValues can only be ALL_OLD or NONE"

# Serialisation.


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"TableName": True}, "TRUE_VALUE cannot be converted to String"),
        ({"Key": 5}, "Unexpected field type"),
        ({"Key": {"pk": {"B": "x"}}}, "Base64 encoded length is expected a multiple of 4 bytes but found: 1"),
        ({"Expected": []}, None),
        ({"ExpressionAttributeValues": {":v": 5}}, "Unexpected value type in payload"),
        ({"ReturnValues": {}}, "Start of structure or map found where not expected"),
    ],
)
def test_a_member_of_another_type_cannot_be_read(members: dict[str, Any], words: str | None) -> None:
    code, message = Items().error_of("DeleteItem", **{"Key": KEY, **members})

    assert code == "SerializationException"
    assert words is None or message == words


def test_a_delete_answers_an_empty_structure() -> None:
    body = json.dumps({"TableName": NAME, "Key": KEY}).encode()

    assert Items().engine.answer("DeleteItem", body) == (200, b"{}")


# Validation of members.


@pytest.mark.parametrize(
    ("members", "words"),
    [
        (
            {"TableName": None, "Key": None},
            "2 validation errors detected: "
            "Value at 'TableName' failed to satisfy constraint: Member must not be null; "
            "Value at 'Key' failed to satisfy constraint: Member must not be null",
        ),
        (
            {"TableName": "", "ReturnValues": "x"},
            f"{PREFIX}Value at 'TableName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1",
        ),
        (
            {"TableName": "a*", "ReturnValues": "x", "ReturnItemCollectionMetrics": "y"},
            "3 validation errors detected: Value at 'TableName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 3; Failed to satisfy constraint: "
            "Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]; "
            "Failed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]",
        ),
        (
            {"ReturnValuesOnConditionCheckFailure": "UPDATED_OLD"},
            f"{PREFIX}Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]",
        ),
    ],
)
def test_all_broken_constraints_are_in_one_message(members: dict[str, Any], words: str) -> None:
    assert Items().invalid("DeleteItem", **{"Key": KEY, **members}) == words


# Validation before the table is looked for.


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        ({"NULL": False}, f"{PREFIX}{INVALID}Null attribute value types must have the value of true"),
        ({"NS": []}, f"{PREFIX}{INVALID}An number set  may not be empty"),
        ({"N": "x"}, f"{PREFIX}The parameter cannot be converted to a numeric value: x"),
    ],
)
def test_a_key_with_an_invalid_value_is_rejected(value: Item, words: str) -> None:
    assert Items().invalid("DeleteItem", TableName=ABSENT, Key={"pk": value}) == words


def test_a_key_without_a_name_is_rejected() -> None:
    words = Items().invalid("DeleteItem", TableName=ABSENT, Key={"": {"S": "a"}})

    assert words == f"{PREFIX}Empty attribute name"


@pytest.mark.parametrize("returned", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_a_delete_returns_all_old_or_nothing(returned: str) -> None:
    words = Items().invalid("DeleteItem", TableName=ABSENT, Key=KEY, ReturnValues=returned)

    assert words == PREFIX + RETURN_VALUES


@pytest.mark.parametrize(
    ("members", "words"),
    [
        (
            {"ConditionExpression": "a = b", "Expected": {}, "ConditionalOperator": "OR"},
            "Can not use both expression and non-expression parameters in the same request: Non-expression "
            "parameters: {Expected, ConditionalOperator} Expression parameters: {ConditionExpression}",
        ),
        (
            {"ExpressionAttributeValues": {":a": {"S": "a"}}},
            "ExpressionAttributeValues can only be specified when using expressions: "
            "ConditionExpression is null",
        ),
        (
            {"ConditionExpression": "a", "ExpressionAttributeValues": {}},
            "ExpressionAttributeValues must not be empty",
        ),
        (
            {"ConditionExpression": "(a = b"},
            'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "b"',
        ),
        (
            {"ConditionExpression": "((a = b))"},
            "Invalid ConditionExpression: The expression has redundant parentheses;",
        ),
        (
            {"ConditionExpression": "exists(a)"},
            "Invalid ConditionExpression: Invalid function name; function: exists",
        ),
        (
            {"ConditionExpression": "a < :v", "ExpressionAttributeValues": {":v": {"L": []}}},
            "Invalid ConditionExpression: Incorrect operand type for operator or function; "
            "operator or function: <, operand type: L",
        ),
        (
            {
                "ConditionExpression": "a = :v",
                "ExpressionAttributeValues": {":v": {"S": "v"}, ":w": {"S": "w"}},
            },
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}",
        ),
        (
            {"Expected": {"a": {"Exists": True}}},
            f"{INVALID}Value must be provided when Exists is true for Attribute: a",
        ),
        (
            {"Expected": {"a": {"Exists": False, "Value": {"S": "x"}}}},
            f"{INVALID}Value cannot be used when Exists is false for Attribute: a",
        ),
    ],
)
def test_a_bad_condition_is_rejected_behind_the_prefix(members: dict[str, Any], words: str) -> None:
    assert Items().invalid("DeleteItem", TableName=ABSENT, Key=KEY, **members) == PREFIX + words


# Faults in the order in which DynamoDB tells them: each request has this fault and all that follow.
ORDER: list[tuple[dict[str, Any], str]] = [
    ({"Expected": {"a": {}}}, "Can not use both expression and non-expression parameters"),
    ({"ExpressionAttributeNames": {"a": "a"}}, "contains invalid key"),
    ({"ExpressionAttributeValues": {":v": {}}}, "ExpressionAttributeValues contains invalid value"),
    ({"Key": {"a": {}}}, "Supplied AttributeValue is empty"),
    ({"ReturnValues": "ALL_NEW"}, RETURN_VALUES),
    ({"ConditionExpression": "a = "}, "Syntax error"),
]


@pytest.mark.parametrize("place", range(len(ORDER)))
def test_errors_of_a_request_have_an_order(place: int) -> None:
    request: dict[str, Any] = {"Key": KEY}
    for members, _ in reversed(ORDER[place:]):
        request |= members

    assert ORDER[place][1] in Items().invalid("DeleteItem", TableName=ABSENT, **request)


def test_a_missing_table_is_an_error() -> None:
    assert Items().error_of("DeleteItem", TableName=ABSENT, Key={}) == (
        "ResourceNotFoundException",
        "Requested resource not found",
    )


# Validation against the table.


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ({}, MISMATCH),
        ({"pk": {"S": "a"}}, MISMATCH),
        ({"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"S": "a"}}, MISMATCH),
        ({"pk": {"S": "a"}, "x": {"S": "1"}}, MISMATCH),
        ({"pk": {"N": "1"}, "sk": {"S": "1"}}, MISMATCH),
        (
            {"pk": {"S": "a"}, "sk": {"S": ""}},
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
            "contain an empty string value. Key: sk",
        ),
        (
            {"pk": {"S": "a" * 2049}, "sk": {"S": "1"}},
            f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes",
        ),
        (
            {"pk": {"S": "a"}, "sk": {"S": "é" * 513}},
            f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
        ),
    ],
)
def test_a_key_that_does_not_match_the_table_is_rejected_without_the_prefix(key: Item, words: str) -> None:
    assert Items("pk", "sk").invalid("DeleteItem", Key=key) == words


# Behaviour.


def test_a_delete_takes_one_item_and_leaves_its_neighbours() -> None:
    items = Items("pk", "sk", AttributeDefinitions=defined("pk", sk="N"))
    keys = [{**KEY, "sk": {"N": str(number)}} for number in range(3)]
    for key in keys:
        items.put(key)
    items.delete(keys[1])

    assert items.call("Scan")["Items"] == [keys[0], keys[2]]


def test_a_delete_may_be_done_again() -> None:
    items = Items()
    items.put(KEY)

    assert [items.delete() for _ in range(2)] == [{}, {}]
    assert items.get() is None


def test_equal_numbers_delete_the_same_item() -> None:
    items = Items(AttributeDefinitions=defined(pk="N"))
    items.put({"pk": {"N": "100"}})
    items.delete({"pk": {"N": "1e2"}})

    assert items.call("Scan")["Count"] == 0


def test_all_old_returns_the_item_that_was_deleted() -> None:
    items = Items()
    old = {**KEY, "ns": {"NS": ["1", "2"]}, "m": {"M": {"a": {"S": ""}}}}
    items.put(old)

    assert items.delete(ReturnValues="ALL_OLD") == {"Attributes": old}
    assert items.delete(ReturnValues="ALL_OLD") == {}


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("attribute_exists(n)", True),
        ("n > :v", False),
        ("n = :v", True),
        ("n IN (:v) AND size(pk) = :v", True),
        ("attribute_exists(gone)", False),
    ],
)
def test_a_delete_depends_on_its_condition(condition: str, holds: bool) -> None:
    items = Items()
    items.put({**KEY, "n": {"N": "1"}})
    request: dict[str, Any] = {"ConditionExpression": condition}
    if ":v" in condition:
        request["ExpressionAttributeValues"] = {":v": {"N": "1"}}

    if holds:
        items.delete(**request)
    else:
        error = ("ConditionalCheckFailedException", "The conditional request failed")
        assert items.error_of("DeleteItem", Key=KEY, **request) == error
    assert (items.get() is None) is holds


def test_a_condition_on_a_missing_item_sees_no_attributes() -> None:
    items = Items()

    assert items.delete(ConditionExpression="attribute_not_exists(pk)") == {}
    assert items.error_of("DeleteItem", Key=KEY, ConditionExpression="attribute_exists(pk)")[0] == (
        "ConditionalCheckFailedException"
    )


def test_a_failed_condition_returns_the_item_where_it_is_requested() -> None:
    items = Items()
    items.put({**KEY, "n": {"N": "1"}})

    with pytest.raises(ServiceError) as caught:
        items.delete(
            ConditionExpression="attribute_not_exists(n)", ReturnValuesOnConditionCheckFailure="ALL_OLD"
        )

    assert caught.value.fields == {"Item": {**KEY, "n": {"N": "1"}}}


@pytest.mark.parametrize(
    ("expected", "holds"),
    [
        ({"n": {"Value": {"N": "1"}}}, True),
        ({"n": {"Exists": False}}, False),
        ({"n": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "0"}, {"N": "2"}]}}, True),
        ({"n": {"ComparisonOperator": "NE", "Value": {"N": "1"}}}, False),
    ],
)
def test_a_delete_expects_in_the_legacy_way(expected: dict[str, Any], holds: bool) -> None:
    items = Items()
    items.put({**KEY, "n": {"N": "1"}})

    if holds:
        items.delete(Expected=expected)
    else:
        assert items.error_of("DeleteItem", Key=KEY, Expected=expected)[0] == (
            "ConditionalCheckFailedException"
        )
    assert (items.get() is None) is holds


@pytest.mark.parametrize(("size", "units"), [(0, 1.0), (1024, 1.0), (1025, 2.0), (409_600, 400.0)])
def test_a_delete_costs_the_item_that_was_there(size: int, units: float) -> None:
    items = Items()
    if size:
        items.put({**KEY, "a": {"S": "x" * (size - 4)}})

    assert items.delete(ReturnConsumedCapacity="TOTAL") == {
        "ConsumedCapacity": {"TableName": NAME, "CapacityUnits": units}
    }


def test_a_table_may_be_named_by_its_arn() -> None:
    items = Items()
    items.put(KEY)

    assert items.delete(TableName=ARN, ReturnConsumedCapacity="INDEXES") == {
        "ConsumedCapacity": {"TableName": ARN, "CapacityUnits": 1.0, "Table": {"CapacityUnits": 1.0}}
    }
    assert items.get() is None
