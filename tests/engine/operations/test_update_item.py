"""UpdateItem: serialisation, validation, answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pksk.client import ServiceError
from tests.engine.operations.items import ABSENT, KEY, PREFIX, Item, Items, nested
from tests.engine.state.catalogues import NAME

INVALID = "One or more parameter values were invalid: "
MISMATCH = "The provided key element does not match the schema"
ONE: Item = {"N": "1"}

# Serialisation.


def test_an_update_returns_an_empty_response() -> None:
    body = json.dumps({"TableName": NAME, "Key": KEY}).encode()

    assert Items().engine.answer("UpdateItem", body) == (200, b"{}")


# Validation before the table is looked up.


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"SS": []}, f"{PREFIX}{INVALID}An string set  may not be empty"),
        ({"NULL": False}, f"{PREFIX}{INVALID}Null attribute value types must have the value of true"),
        ({"N": "x"}, f"{PREFIX}The parameter cannot be converted to a numeric value: x"),
        ({"NS": ["1", "1"]}, f"{PREFIX}{INVALID}Input collection contains duplicates."),
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
def test_a_value_that_cannot_be_stored_is_rejected(value: Item, text: str) -> None:
    request = {"UpdateExpression": "SET a = :v", "ExpressionAttributeValues": {":v": value}}

    assert Items().invalid("UpdateItem", TableName=ABSENT, Key=KEY, **request) == text


@pytest.mark.parametrize(
    ("members", "text"),
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
            "operator: ADD, operand type: LIST, typeSet: ALLOWED_FOR_ADD_OPERAND",
        ),
        (
            {"UpdateExpression": "DELETE a :v", "ExpressionAttributeValues": {":v": {"S": "x"}}},
            "Invalid UpdateExpression: Incorrect operand type for operator or function; "
            "operator: DELETE, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND",
        ),
        (
            {
                "UpdateExpression": "SET b = :b ADD a :v",
                "ExpressionAttributeValues": {":b": {"S": "x"}, ":v": {"BOOL": True}},
            },
            "Invalid UpdateExpression: Incorrect operand type for operator or function; "
            "operator: ADD, operand type: BOOL, typeSet: ALLOWED_FOR_ADD_OPERAND",
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
def test_errors_about_invalid_parameters_have_the_prefix(members: dict[str, Any], text: str) -> None:
    assert Items().invalid("UpdateItem", TableName=ABSENT, Key=KEY, **members) == PREFIX + text


# Errors in the order in which DynamoDB reports them: each request has this error and all that follow.
ORDER: list[tuple[dict[str, Any], str]] = [
    ({"AttributeUpdates": {}}, "Can not use both expression and non-expression parameters"),
    ({"ExpressionAttributeNames": {"#a": ""}}, "Empty attribute name"),
    ({"ExpressionAttributeValues": {":v": {"N": "x"}}}, "The parameter cannot be converted"),
    ({"Key": {"a": {}}}, "Supplied AttributeValue is empty"),
    ({"UpdateExpression": "SET a ="}, 'Invalid UpdateExpression: Syntax error; token: "<EOF>"'),
    ({"ConditionExpression": "a ="}, 'Invalid ConditionExpression: Syntax error; token: "<EOF>"'),
]


@pytest.mark.parametrize("position", range(len(ORDER)))
def test_errors_are_reported_in_the_order_of_the_service(position: int) -> None:
    request: dict[str, Any] = {"Key": KEY}
    for members, _ in reversed(ORDER[position:]):
        request |= members

    assert ORDER[position][1] in Items().invalid("UpdateItem", TableName=ABSENT, **request)


# Validation against the table: without the prefix.


@pytest.mark.parametrize(
    ("key", "text"),
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
def test_a_key_that_does_not_match_the_table_is_rejected(key: Item, text: str) -> None:
    assert Items("pk", "sk").invalid("UpdateItem", Key=key) == text


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


# ReturnValues and ReturnValuesOnConditionCheckFailure.

STORED: Item = {
    **KEY,
    "n": {"N": "1"},
    "m": {"M": {"a": {"S": "x"}, "b": {"M": {"c": {"N": "2"}, "d": {"N": "3"}}}}},
    "l": {"L": [{"S": "zero"}, {"M": {"k": {"S": "one"}, "j": {"S": "1"}}}]},
    "ns": {"NS": ["1", "2"]},
}
NINE: Item = {"N": "9"}


def answered(returned: str, expression: str | None, **values: Any) -> Any:
    """The Attributes that are answered to an update of the stored item."""
    items = Items()
    items.put(STORED)
    return items.update(expression, ReturnValues=returned, **values).get("Attributes")


@pytest.mark.parametrize(
    ("expression", "old", "new"),
    [
        ("SET n = :v", {"n": {"N": "1"}}, {"n": NINE}),
        ("SET x = :v", None, {"x": NINE}),
        ("SET m.a = :v", {"m": {"M": {"a": {"S": "x"}}}}, {"m": {"M": {"a": NINE}}}),
        (
            "SET m.b.c = :v",
            {"m": {"M": {"b": {"M": {"c": {"N": "2"}}}}}},
            {"m": {"M": {"b": {"M": {"c": NINE}}}}},
        ),
        ("SET m.x = :v", None, {"m": {"M": {"x": NINE}}}),
        ("SET l[0] = :v", {"l": {"L": [{"S": "zero"}]}}, {"l": {"L": [NINE]}}),
        ("SET l[1].k = :v", {"l": {"L": [{"M": {"k": {"S": "one"}}}]}}, {"l": {"L": [{"M": {"k": NINE}}]}}),
        ("SET l[9] = :v", None, None),
        ("SET n = n + :v REMOVE m.a", {"n": {"N": "1"}, "m": {"M": {"a": {"S": "x"}}}}, {"n": {"N": "10"}}),
        ("ADD n :v", {"n": {"N": "1"}}, {"n": {"N": "10"}}),
        ("ADD ns :s", {"ns": {"NS": ["1", "2"]}}, {"ns": {"NS": ["1", "2", "9"]}}),
        ("DELETE ns :s", {"ns": {"NS": ["1", "2"]}}, {"ns": {"NS": ["1", "2"]}}),
        ("REMOVE n", {"n": {"N": "1"}}, None),
        ("REMOVE x", None, None),
    ],
)
def test_updated_old_and_updated_new_return_the_updated_paths(
    expression: str, old: Item | None, new: Item | None
) -> None:
    values = {
        name: value for name, value in {"v": NINE, "s": {"NS": ["9"]}}.items() if f":{name}" in expression
    }

    assert answered("UPDATED_OLD", expression, **values) == old
    assert answered("UPDATED_NEW", expression, **values) == new


def test_all_old_and_all_new_return_the_whole_item() -> None:
    assert answered("ALL_OLD", "SET n = :v", v=NINE) == STORED
    assert answered("ALL_NEW", "SET n = :v", v=NINE) == {**STORED, "n": NINE}
    assert answered("NONE", "SET n = :v", v=NINE) is None


def test_an_update_without_a_change_returns_the_requested_values() -> None:
    assert answered("UPDATED_NEW", "SET n = :v", v={"N": "1.0"}) == {"n": {"N": "1"}}
    assert answered("ALL_NEW", None) == STORED
    assert answered("UPDATED_NEW", None) is None


@pytest.mark.parametrize(
    ("returned", "attributes"),
    [("ALL_OLD", None), ("UPDATED_OLD", None), ("ALL_NEW", {**KEY, "n": NINE}), ("UPDATED_NEW", {"n": NINE})],
)
def test_an_update_that_creates_an_item_has_no_old_values(returned: str, attributes: Item | None) -> None:
    answer = Items().update("SET n = :v", ReturnValues=returned, v=NINE)

    assert answer.get("Attributes") == attributes


def test_a_failed_condition_does_not_change_the_item_and_returns_it_if_requested() -> None:
    items = Items()
    items.put(STORED)

    with pytest.raises(ServiceError) as caught:
        items.update(
            "SET n = :v",
            v=NINE,
            ConditionExpression="n = :v",
            ReturnValues="ALL_NEW",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )

    assert (caught.value.code, caught.value.message) == (
        "ConditionalCheckFailedException",
        "The conditional request failed",
    )
    assert caught.value.fields == {"Item": STORED}
    assert items.get() == STORED


def test_a_condition_on_a_missing_item_sees_no_attributes() -> None:
    items = Items()
    error = items.error_of(
        "UpdateItem", Key=KEY, ConditionExpression="attribute_exists(pk)", UpdateExpression="REMOVE a"
    )

    assert error[0] == "ConditionalCheckFailedException"
    items.update("SET n = :v", v=NINE, ConditionExpression="attribute_not_exists(pk)")
    assert items.get() == {**KEY, "n": NINE}
