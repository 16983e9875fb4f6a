"""PutItem: serialisation, validation, behaviour."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pksk.engine import Engine
from tests.engine.operations.items import ABSENT, KEY, PREFIX, Item, Items, nested
from tests.engine.state.catalogues import NAME, defined

INVALID = "One or more parameter values were invalid: "
RETURN_VALUES = "ReturnValues can only be ALL_OLD or NONE"

# Serialisation.


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"TableName": 5}, "NUMBER_VALUE cannot be converted to String"),
        ({"TableName": ["t"]}, "Unrecognized collection type class java.lang.String"),
        ({"TableName": {}}, "Start of structure or map found where not expected"),
        ({"Item": "a"}, "Unexpected field type"),
        (
            {"Item": []},
            "Unrecognized collection type "
            "java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>",
        ),
        ({"Item": {"a": "x"}}, "Unexpected value type in payload"),
        ({"Item": {"a": {"S": 5}}}, "NUMBER_VALUE cannot be converted to String"),
        ({"Item": {"a": {"N": 5}}}, "NUMBER_VALUE cannot be converted to String"),
        ({"Item": {"a": {"S": True}}}, "TRUE_VALUE cannot be converted to String"),
        ({"Item": {"a": {"BOOL": "maybe"}}}, "Unexpected token received from parser"),
        ({"Item": {"a": {"NULL": 1.5}}}, "DECIMAL_VALUE cannot be converted to Boolean"),
        ({"Item": {"a": {"BOOL": []}}}, None),
        ({"Item": {"a": {"B": 5}}}, "only base-64-encoded strings are convertible to bytes"),
        (
            {"Item": {"a": {"B": "abc"}}},
            "Base64 encoded length is expected a multiple of 4 bytes but found: 3",
        ),
        ({"Item": {"a": {"B": "a*cd"}}}, "Invalid Base64 character: '*'"),
        ({"Expected": {"a": "x"}}, "Unexpected value type in payload"),
        ({"ConditionExpression": {}}, "Start of structure or map found where not expected"),
        ({"ReturnValues": 5}, "NUMBER_VALUE cannot be converted to String"),
    ],
)
def test_a_member_of_another_type_cannot_be_read(members: dict[str, Any], words: str | None) -> None:
    request = {"Item": KEY, **members}

    assert Items().error_of("PutItem", **request) == ("SerializationException", words)


def test_a_body_that_is_not_json_cannot_be_read() -> None:
    status, body = Engine.open().answer("PutItem", b"{nope")

    assert status == 400
    assert json.loads(body) == {"__type": "com.amazon.coral.service#SerializationException"}


def test_a_put_answers_an_empty_structure() -> None:
    items = Items()
    body = json.dumps({"TableName": NAME, "Item": KEY}).encode()

    assert items.engine.answer("PutItem", body) == (200, b"{}")


def test_nulls_and_unknown_members_are_ignored() -> None:
    items = Items()

    assert items.put(KEY, ConditionExpression=None, ReturnValues=None, Whatever={"x": [1]}) == {}
    assert items.get() == KEY


def test_words_for_booleans_are_read_and_stored_as_booleans() -> None:
    items = Items()
    items.put({**KEY, "t": {"BOOL": "Yes"}, "f": {"BOOL": "0"}, "n": {"NULL": "true"}})

    assert items.get() == {**KEY, "t": {"BOOL": True}, "f": {"BOOL": False}, "n": {"NULL": True}}


# Validation of members.


@pytest.mark.parametrize(
    ("members", "words"),
    [
        (
            {"TableName": None, "Item": None},
            "2 validation errors detected: "
            "Value at 'TableName' failed to satisfy constraint: Member must not be null; "
            "Value at 'Item' failed to satisfy constraint: Member must not be null",
        ),
        (
            {"TableName": ""},
            f"{PREFIX}Value at 'TableName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1",
        ),
        (
            {"TableName": "", "ReturnValues": "x"},
            f"{PREFIX}Value at 'TableName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1",
        ),
        (
            {"TableName": "ab"},
            f"{PREFIX}Value at 'TableName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 3",
        ),
        (
            {"TableName": "a*"},
            f"{PREFIX}Value at 'TableName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 3",
        ),
        (
            {"TableName": "abc*"},
            f"{PREFIX}Value at 'TableName' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
        ),
        (
            {"TableName": "a" * 256},
            f"{PREFIX}Value at 'TableName' failed to satisfy constraint: "
            "Member must have length less than or equal to 255",
        ),
        (
            {"ReturnValues": "UPDATED"},
            f"{PREFIX}Failed to satisfy constraint: "
            "Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]",
        ),
        (
            {"TableName": "a*", "ReturnValues": "x", "ReturnConsumedCapacity": "y"},
            "3 validation errors detected: Value at 'TableName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 3; "
            "Failed to satisfy constraint: "
            "Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]; "
            "Failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]",
        ),
        (
            {"ReturnItemCollectionMetrics": "x", "ReturnValuesOnConditionCheckFailure": "ALL_NEW"},
            "2 validation errors detected: "
            "Failed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]; "
            "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]",
        ),
    ],
)
def test_all_broken_constraints_are_in_one_message(members: dict[str, Any], words: str) -> None:
    assert Items().invalid("PutItem", **{"Item": KEY, **members}) == words


# Validation before the table is looked for.


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"SS": []}, f"{INVALID}An string set  may not be empty"),
        ({"NS": []}, f"{INVALID}An number set  may not be empty"),
        ({"BS": []}, f"{INVALID}Binary sets should not be empty"),
        ({"SS": ["a", "b", "a"]}, f'{INVALID}Input collection ["a", "b", "a"] contains duplicates.'),
        ({"SS": ["", ""]}, f'{INVALID}Input collection ["", ""] contains duplicates.'),
        ({"NS": ["1", "1.0"]}, "Input collection contains duplicates"),
        (
            {"BS": ["eA==", "eA=="]},
            f'{INVALID}Input collection ["eA==", "eA=="]of type BS contains duplicates.',
        ),
        ({"NULL": False}, f"{INVALID}Null attribute value types must have the value of true"),
        ({"L": [{"NULL": False}]}, f"{INVALID}Null attribute value types must have the value of true"),
        ({"N": "one"}, "The parameter cannot be converted to a numeric value: one"),
        ({"N": ""}, "The parameter cannot be converted to a numeric value"),
        ({"N": " 1"}, "The parameter cannot be converted to a numeric value:  1"),
        ({"NS": [""]}, "The parameter cannot be converted to a numeric value"),
        ({"N": "1" * 39}, "Attempting to store more than 38 significant digits in a Number"),
        (
            {"N": "1e126"},
            "Number overflow. Attempting to store a number with magnitude larger than supported range",
        ),
        (
            {"N": "-1e-131"},
            "Number underflow. Attempting to store a number with magnitude smaller than supported range",
        ),
        ({"M": {"": {"S": "x"}}}, "Empty attribute name"),
        (
            nested(32),
            "Nesting Levels have exceeded supported limits: "
            "Attributes in the item have nested levels beyond supported limit",
        ),
    ],
)
def test_a_value_that_cannot_be_stored_is_rejected_behind_the_prefix(value: Item, words: str) -> None:
    assert Items().invalid("PutItem", TableName=ABSENT, Item={"a": value}) == PREFIX + words


def test_an_attribute_without_a_name_is_rejected_behind_the_prefix() -> None:
    words = Items().invalid("PutItem", TableName=ABSENT, Item={"": {"S": "x"}})

    assert words == f"{PREFIX}Empty attribute name"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        ({"X": "y"}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        (None, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        (
            {"L": [{}]},
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
        (
            {"S": "a", "N": "1"},
            "Supplied AttributeValue has more than one datatypes set, "
            "must contain exactly one of the supported datatypes",
        ),
        ({"S": "a", "N": "x"}, "The parameter cannot be converted to a numeric value: x"),
    ],
)
def test_a_value_of_no_type_or_of_two_is_rejected_without_the_prefix(value: Any, words: str) -> None:
    assert Items().invalid("PutItem", TableName=ABSENT, Item={"a": value}) == words


def test_a_request_with_a_boolean_in_words_is_rejected_without_the_prefix_throughout() -> None:
    item = {"a": {"BOOL": "true"}, "b": {"NULL": False}}

    assert Items().invalid("PutItem", TableName=ABSENT, Item=item) == (
        f"{INVALID}Null attribute value types must have the value of true"
    )


@pytest.mark.parametrize("returned", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_a_put_returns_all_old_or_nothing(returned: str) -> None:
    words = Items().invalid("PutItem", TableName=ABSENT, Item=KEY, ReturnValues=returned)

    assert words == PREFIX + RETURN_VALUES


@pytest.mark.parametrize(
    ("members", "words"),
    [
        (
            {"ConditionExpression": "a = :v", "Expected": {"a": {"Exists": False}}},
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}",
        ),
        (
            {"ExpressionAttributeNames": {"#a": "a"}},
            "ExpressionAttributeNames can only be specified when using expressions",
        ),
        (
            {"ExpressionAttributeValues": {":a": {"S": "a"}}},
            "ExpressionAttributeValues can only be specified when using expressions: "
            "ConditionExpression is null",
        ),
        ({"ConditionExpression": ""}, "Invalid ConditionExpression: The expression can not be empty;"),
        (
            {"ConditionExpression": "a = "},
            'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "= "',
        ),
        (
            {"ConditionExpression": "attribute_exists(status)"},
            "Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: status",
        ),
        (
            {"ConditionExpression": "a = :v"},
            "Invalid ConditionExpression: An expression attribute value used in expression is not defined; "
            "attribute value: :v",
        ),
        (
            {"ConditionExpression": "#a = b"},
            "Invalid ConditionExpression: An expression attribute name used in the document path is not "
            "defined; attribute name: #a",
        ),
        (
            {"ConditionExpression": "a = b", "ExpressionAttributeNames": {"#a": "a"}},
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}",
        ),
        (
            {"ConditionExpression": "a = a"},
            "Invalid ConditionExpression: The first operand must be distinct from the remaining operands for "
            "this operator or function; operator: =, first operand: [a]",
        ),
        (
            {"ConditionExpression": "a = b" + " " * 4092},
            "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size;",
        ),
        (
            {"Expected": {"a": {}}},
            f"{INVALID}Value must be provided when Exists is null for Attribute: a",
        ),
        (
            {"ConditionalOperator": "OR"},
            "ConditionalOperator cannot be used without Filter or Expected",
        ),
        (
            {"ConditionalOperator": "OR", "Expected": {"a": {"Exists": False}}},
            "ConditionalOperator can only be used when Filter or Expected has two or more elements",
        ),
        (
            {"Expected": {"a": {"ComparisonOperator": "eq", "AttributeValueList": [{"S": "x"}]}}},
            f"{INVALID}Invalid comparison operator",
        ),
    ],
)
def test_a_bad_condition_is_rejected_behind_the_prefix(members: dict[str, Any], words: str) -> None:
    assert Items().invalid("PutItem", TableName=ABSENT, Item=KEY, **members) == PREFIX + words


# Faults in the order in which DynamoDB tells them: each request has this fault and all that follow.
ORDER: list[tuple[dict[str, Any], str]] = [
    ({"Expected": {"a": {}}}, "Can not use both expression and non-expression parameters"),
    ({"ExpressionAttributeNames": {}}, "ExpressionAttributeNames must not be empty"),
    ({"ExpressionAttributeValues": {":v": {"N": "x"}}}, "The parameter cannot be converted"),
    ({"Item": {"a": {"NULL": False}}}, "Null attribute value types must have the value of true"),
    ({"ReturnValues": "ALL_NEW"}, RETURN_VALUES),
    ({"Item": {**KEY, "b": {"S": "x" * 409_600}}}, "Item size has exceeded the maximum allowed size"),
    ({"ConditionExpression": "a = "}, "Syntax error"),
]


@pytest.mark.parametrize("place", range(len(ORDER)))
def test_errors_of_a_request_have_an_order(place: int) -> None:
    request: dict[str, Any] = {"Item": KEY}
    for members, _ in reversed(ORDER[place:]):
        request |= members

    assert ORDER[place][1] in Items().invalid("PutItem", TableName=ABSENT, **request)


def test_an_invalid_value_comes_before_an_invalid_expectation() -> None:
    words = Items().invalid("PutItem", Item={"a": {"NULL": False}}, Expected={"a": {}})

    assert words == f"{PREFIX}{INVALID}Null attribute value types must have the value of true"


def test_a_missing_table_is_an_error() -> None:
    assert Items().error_of("PutItem", TableName=ABSENT, Item={}) == (
        "ResourceNotFoundException",
        "Requested resource not found",
    )


# Validation against the table.


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({}, f"{INVALID}Missing the key pk in the item"),
        ({"pk": {"S": "a"}}, f"{INVALID}Missing the key sk in the item"),
        (
            {"pk": {"S": "a"}, "sk": {"S": "1"}},
            f"{INVALID}Type mismatch for key sk expected: N actual: S",
        ),
        (
            {"pk": {"M": {}}, "sk": {"N": "1"}},
            f"{INVALID}Type mismatch for key pk expected: S actual: M",
        ),
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
def test_an_item_that_does_not_fit_the_key_is_rejected_without_the_prefix(item: Item, words: str) -> None:
    items = Items("pk", "sk", AttributeDefinitions=defined("pk", sk="N"))

    assert items.invalid("PutItem", Item=item) == words


@pytest.mark.parametrize(
    ("kind", "longest", "too_long"),
    [("S", "é" * 1024, "é" * 1024 + "x"), ("B", b"x" * 2048, b"x" * 2049)],
)
def test_a_partition_key_has_at_most_2048_bytes(kind: str, longest: Any, too_long: Any) -> None:
    items = Items(AttributeDefinitions=defined(pk=kind))
    items.put({"pk": {kind: longest}})

    assert items.invalid("PutItem", Item={"pk": {kind: too_long}}) == (
        f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes"
    )


def test_a_sort_key_has_at_most_1024_bytes() -> None:
    items = Items("pk", "sk")
    items.put({**KEY, "sk": {"S": "x" * 1024}})

    assert items.invalid("PutItem", Item={**KEY, "sk": {"S": "x" * 1025}}) == (
        f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
    )


def test_an_empty_binary_key_is_rejected() -> None:
    items = Items(AttributeDefinitions=defined(pk="B"))

    assert items.invalid("PutItem", Item={"pk": {"B": ""}}) == (
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain "
        "an empty binary value. Key: pk"
    )
