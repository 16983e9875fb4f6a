"""UpdateItem: serialisation and validation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.engine.operations.items import ABSENT, KEY, PREFIX, Item, Items, nested
from tests.engine.state.catalogues import NAME

INVALID = "One or more parameter values were invalid: "
MISMATCH = "The provided key element does not match the schema"
ONE: Item = {"N": "1"}

# Serialisation.


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"TableName": 5}, "NUMBER_VALUE cannot be converted to String"),
        ({"Key": "a"}, "Unexpected field type"),
        ({"AttributeUpdates": "a"}, "Unexpected field type"),
        ({"AttributeUpdates": {"a": "x"}}, "Unexpected value type in payload"),
        ({"AttributeUpdates": {"a": {"Value": {"S": 5}}}}, "NUMBER_VALUE cannot be converted to String"),
        ({"UpdateExpression": 5}, "NUMBER_VALUE cannot be converted to String"),
        ({"ExpressionAttributeValues": {":v": {"N": 5}}}, "NUMBER_VALUE cannot be converted to String"),
        ({"ExpressionAttributeNames": {"#a": ["a"]}}, "Unrecognized collection type class java.lang.String"),
    ],
)
def test_a_member_of_another_type_cannot_be_read(members: dict[str, Any], words: str) -> None:
    assert Items().error_of("UpdateItem", **{"Key": KEY, **members}) == ("SerializationException", words)


def test_an_update_answers_an_empty_structure() -> None:
    body = json.dumps({"TableName": NAME, "Key": KEY}).encode()

    assert Items().engine.answer("UpdateItem", body) == (200, b"{}")


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
            {"TableName": "a*", "ReturnValues": "x"},
            "2 validation errors detected: Value at 'TableName' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; "
            "Value at 'TableName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 3",
        ),
        (
            {"ReturnValues": "UPDATE_NEW", "ReturnConsumedCapacity": "x", "ReturnItemCollectionMetrics": "y"},
            f"{PREFIX}Failed to satisfy constraint: "
            "Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]",
        ),
        (
            {"AttributeUpdates": {"a": {"Action": "put", "Value": ONE}}},
            f"{PREFIX}Member must satisfy enum value set: [ADD, DELETE, PUT]' for Action",
        ),
    ],
)
def test_broken_constraints_are_reported(members: dict[str, Any], words: str) -> None:
    assert Items().invalid("UpdateItem", **{"Key": KEY, **members}) == words


# Validation before the table is looked for.


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"SS": []}, f"{PREFIX}{INVALID}An string set  may not be empty"),
        ({"NULL": False}, f"{PREFIX}{INVALID}Null attribute value types must have the value of true"),
        ({"N": "x"}, f"{PREFIX}The parameter cannot be converted to a numeric value: x"),
        ({"NS": ["1", "1"]}, f"{PREFIX}Input collection contains duplicates"),
        ({"M": {"": ONE}}, f"{PREFIX}Empty attribute name"),
        (
            nested(32),
            f"{PREFIX}Nesting Levels have exceeded supported limits: "
            "Attributes in the item have nested levels beyond supported limit",
        ),
        (
            {},
            "ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, "
            "must contain exactly one of the supported datatypes for key :v",
        ),
        (
            {"S": "a", "N": "1"},
            "ExpressionAttributeValues contains invalid value: Supplied AttributeValue has more than one "
            "datatypes set, must contain exactly one of the supported datatypes for key :v",
        ),
    ],
)
def test_a_value_that_cannot_be_stored_is_rejected(value: Item, words: str) -> None:
    request = {"UpdateExpression": "SET a = :v", "ExpressionAttributeValues": {":v": value}}

    assert Items().invalid("UpdateItem", TableName=ABSENT, Key=KEY, **request) == words


@pytest.mark.parametrize(
    ("members", "words"),
    [
        (
            {
                "UpdateExpression": "x",
                "ConditionExpression": "x",
                "AttributeUpdates": {},
                "Expected": {},
                "ConditionalOperator": "OR",
            },
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {AttributeUpdates, Expected, ConditionalOperator} "
            "Expression parameters: {UpdateExpression, ConditionExpression}",
        ),
        (
            {"ExpressionAttributeNames": {"#a": "a"}},
            "ExpressionAttributeNames can only be specified when using expressions",
        ),
        (
            {"ExpressionAttributeValues": {":v": ONE}},
            "ExpressionAttributeValues can only be specified when using expressions: "
            "UpdateExpression and ConditionExpression are null",
        ),
        (
            {"UpdateExpression": "SET a = :v", "ExpressionAttributeValues": {}},
            "ExpressionAttributeValues must not be empty",
        ),
        (
            {"UpdateExpression": "SET a = :v", "ExpressionAttributeValues": {":v": ONE, ":w": ONE}},
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}",
        ),
        (
            {
                "UpdateExpression": "SET a = :v",
                "ConditionExpression": "a =",
                "ExpressionAttributeValues": {":v": ONE, ":w": ONE},
            },
            'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "="',
        ),
        ({"UpdateExpression": ""}, "Invalid UpdateExpression: The expression can not be empty;"),
        ({"UpdateExpression": "  "}, 'Invalid UpdateExpression: Syntax error; token: "<EOF>", near: "  "'),
        (
            {"UpdateExpression": "PUT a"},
            'Invalid UpdateExpression: Syntax error; token: "PUT", near: "PUT a"',
        ),
        (
            {"UpdateExpression": "SET a = b SET c = d"},
            'Invalid UpdateExpression: The "SET" section can only be used once in an update expression;',
        ),
        (
            {"UpdateExpression": "REMOVE a.b, a"},
            "Invalid UpdateExpression: Two document paths overlap with each other; "
            "must remove or rewrite one of these paths; path one: [a, b], path two: [a]",
        ),
        (
            {"UpdateExpression": "REMOVE a.b, a[0]"},
            "Invalid UpdateExpression: Two document paths conflict with each other; "
            "must remove or rewrite one of these paths; path one: [a, b], path two: [a, [0]]",
        ),
        (
            {"UpdateExpression": "SET a = a + :v", "ExpressionAttributeValues": {":v": {"S": "x"}}},
            "Invalid UpdateExpression: Incorrect operand type for operator or function; "
            "operator or function: +, operand type: S",
        ),
        (
            {"UpdateExpression": "ADD a :v", "ExpressionAttributeValues": {":v": {"L": []}}},
            "Invalid UpdateExpression: Incorrect operand type for operator or function; "
            "operator: ADD, operand type: LIST",
        ),
        (
            {"UpdateExpression": "DELETE a :v", "ExpressionAttributeValues": {":v": {"S": "x"}}},
            "Invalid UpdateExpression: Incorrect operand type for operator or function; "
            "operator: DELETE, operand type: STRING",
        ),
        (
            {"UpdateExpression": "SET a = size(b)"},
            "Invalid UpdateExpression: The function is not allowed in an update expression; function: size",
        ),
        (
            {"UpdateExpression": "SET l[4294967295] = a"},
            "Invalid UpdateExpression: List index is not within the allowable range; index: [4294967295]",
        ),
        (
            {"UpdateExpression": "REMOVE a" + " " * 4090},
            "Invalid UpdateExpression: Expression size has exceeded the maximum allowed size;",
        ),
        (
            {"Expected": {"a": {"ComparisonOperator": "EQ"}}},
            f"{INVALID}Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a",
        ),
        (
            {"AttributeUpdates": {"a": {}}},
            f"{INVALID}Only DELETE action is allowed when no attribute value is specified",
        ),
        (
            {"AttributeUpdates": {"a": {"Action": "ADD", "Value": {"S": "x"}}}},
            f"{INVALID}ADD action is not supported for the type S",
        ),
        (
            {"AttributeUpdates": {"a": {"Action": "DELETE", "Value": {"N": "1"}}}},
            f"{INVALID}DELETE action with value is not supported for the type N",
        ),
        (
            {"AttributeUpdates": {"a": {"Value": {"SS": []}}}},
            f"{INVALID}An string set  may not be empty",
        ),
        ({"AttributeUpdates": {"": {"Value": ONE}}}, "Empty attribute name"),
    ],
)
def test_bad_parameters_are_rejected_behind_the_prefix(members: dict[str, Any], words: str) -> None:
    assert Items().invalid("UpdateItem", TableName=ABSENT, Key=KEY, **members) == PREFIX + words


# Faults in the order in which DynamoDB tells them: each request has this fault and all that follow.
ORDER: list[tuple[dict[str, Any], str]] = [
    ({"AttributeUpdates": {}}, "Can not use both expression and non-expression parameters"),
    ({"ExpressionAttributeNames": {"#a": ""}}, "Empty attribute name"),
    ({"ExpressionAttributeValues": {":v": {"N": "x"}}}, "The parameter cannot be converted"),
    ({"Key": {"a": {}}}, "Supplied AttributeValue is empty"),
    ({"UpdateExpression": "SET a ="}, 'Invalid UpdateExpression: Syntax error; token: "<EOF>"'),
    ({"ConditionExpression": "a ="}, 'Invalid ConditionExpression: Syntax error; token: "<EOF>"'),
]


@pytest.mark.parametrize("place", range(len(ORDER)))
def test_errors_of_a_request_have_an_order(place: int) -> None:
    request: dict[str, Any] = {"Key": KEY}
    for members, _ in reversed(ORDER[place:]):
        request |= members

    assert ORDER[place][1] in Items().invalid("UpdateItem", TableName=ABSENT, **request)


def test_a_missing_table_is_an_error() -> None:
    assert Items().error_of("UpdateItem", TableName=ABSENT, Key={}) == (
        "ResourceNotFoundException",
        "Requested resource not found",
    )


# Validation against the table: without the prefix.


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ({}, MISMATCH),
        ({"pk": {"S": "a"}}, MISMATCH),
        ({"pk": {"S": "a"}, "sk": {"S": "b"}, "x": {"S": "c"}}, MISMATCH),
        ({"pk": {"NULL": True}, "sk": {"S": "b"}}, MISMATCH),
        (
            {"pk": {"S": ""}, "sk": {"S": "b"}},
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
            "contain an empty string value. Key: pk",
        ),
        (
            {"pk": {"S": "a" * 2049}, "sk": {"S": "b"}},
            f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes",
        ),
        (
            {"pk": {"S": "a"}, "sk": {"S": "b" * 1025}},
            f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
        ),
    ],
)
def test_a_key_that_does_not_match_the_table_is_rejected(key: Item, words: str) -> None:
    assert Items("pk", "sk").invalid("UpdateItem", Key=key) == words


@pytest.mark.parametrize(
    "members",
    [
        {"UpdateExpression": "SET pk = a"},
        {"UpdateExpression": "REMOVE pk"},
        {"UpdateExpression": "SET b = a, pk.x = a"},
        {"UpdateExpression": "SET #k = a", "ExpressionAttributeNames": {"#k": "pk"}},
        {"AttributeUpdates": {"pk": {"Value": {"S": "a"}}}},
        {"AttributeUpdates": {"pk": {"Action": "DELETE"}}},
    ],
)
def test_the_key_of_an_item_cannot_be_updated(members: dict[str, Any]) -> None:
    items = Items()

    assert items.invalid("UpdateItem", Key=KEY, **members) == (
        f"{INVALID}Cannot update attribute pk. This attribute is part of the key"
    )
    assert items.get() is None
