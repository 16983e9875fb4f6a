"""Conditions of PutItem and DeleteItem, which share their checks: expressions and `Expected`."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from tests.engine.operations.items import ABSENT, KEY, PREFIX, Item, Items

INVALID = "One or more parameter values were invalid: "
FAILED = ("ConditionalCheckFailedException", "The conditional request failed")
STORED: Item = {**KEY, "n": {"N": "1"}, "b": {"B": "AP8="}}

# What each operation writes.
WRITES: list[tuple[str, dict[str, Any]]] = [("PutItem", {"Item": KEY}), ("DeleteItem", {"Key": KEY})]
each_write = pytest.mark.parametrize(("operation", "write"), WRITES)


@each_write
@pytest.mark.parametrize(
    ("members", "message"),
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
        (
            {"ConditionExpression": "a = b", "Expected": {}, "ConditionalOperator": "OR"},
            "Can not use both expression and non-expression parameters in the same request: Non-expression "
            "parameters: {Expected, ConditionalOperator} Expression parameters: {ConditionExpression}",
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
def test_the_error_about_an_invalid_condition_has_the_prefix(
    operation: str, write: dict[str, Any], members: dict[str, Any], message: str
) -> None:
    assert Items().invalid(operation, TableName=ABSENT, **write, **members) == PREFIX + message


@each_write
@pytest.mark.parametrize("returned", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_return_values_are_all_old_or_none(operation: str, write: dict[str, Any], returned: str) -> None:
    message = Items().invalid(operation, TableName=ABSENT, **write, ReturnValues=returned)

    assert message == f"{PREFIX}ReturnValues can only be ALL_OLD or NONE"


@each_write
@pytest.mark.parametrize(
    ("condition", "is_true"),
    [
        ("attribute_exists(n)", True),
        ("n > :v", False),
        ("n = :v", True),
        ("n IN (:v) AND size(pk) = :v", True),
        ("attribute_exists(gone)", False),
    ],
)
def test_a_write_depends_on_its_condition(
    operation: str, write: dict[str, Any], condition: str, is_true: bool
) -> None:
    items = Items()
    items.put(STORED)
    request: dict[str, Any] = {**write, "ConditionExpression": condition}
    if ":v" in condition:
        request["ExpressionAttributeValues"] = {":v": {"N": "1.0"}}

    if is_true:
        assert items.call(operation, **request) == {}
    else:
        assert items.error_of(operation, **request) == FAILED
    assert (items.get() != STORED) is is_true


@each_write
def test_a_condition_on_a_missing_item_sees_no_attributes(operation: str, write: dict[str, Any]) -> None:
    items = Items()

    assert items.error_of(operation, **write, ConditionExpression="attribute_exists(pk)") == FAILED
    assert items.call(operation, **write, ConditionExpression="attribute_not_exists(pk)") == {}


@each_write
@pytest.mark.parametrize(("requested", "fields"), [("ALL_OLD", {"Item": STORED}), ("NONE", {}), (None, {})])
@pytest.mark.parametrize("stored", [True, False])
def test_a_failed_condition_returns_the_item_if_requested(
    operation: str, write: dict[str, Any], requested: str | None, fields: dict[str, Any], stored: bool
) -> None:
    items = Items()
    if stored:
        items.put(STORED)

    with pytest.raises(ServiceError) as raised:
        items.call(
            operation,
            **write,
            ConditionExpression="attribute_exists(gone)",
            ReturnValuesOnConditionCheckFailure=requested,
            ReturnConsumedCapacity="TOTAL",
        )

    assert (raised.value.code, raised.value.fields) == (FAILED[0], fields if stored else {})


@each_write
@pytest.mark.parametrize(
    ("expected", "operator", "is_true"),
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
        (
            {"n": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "0"}, {"N": "2"}]}},
            None,
            True,
        ),
        ({"n": {"ComparisonOperator": "NE", "Value": {"N": "1"}}}, None, False),
    ],
)
def test_expected_is_a_condition(
    operation: str, write: dict[str, Any], expected: dict[str, Any], operator: str | None, is_true: bool
) -> None:
    items = Items()
    items.put(STORED)
    request = {**write, "Expected": expected, "ConditionalOperator": operator}

    if is_true:
        assert items.call(operation, **request) == {}
    else:
        assert items.error_of(operation, **request) == FAILED
    assert (items.get() != STORED) is is_true


@pytest.mark.every_transport
@pytest.mark.parametrize("stored", [None, KEY])
@pytest.mark.parametrize("operator", ["CONTAINS", "NOT_CONTAINS"])
def test_expecting_of_a_missing_attribute_that_it_contains_or_does_not_contain_a_value_fails(
    operator: str, stored: Item | None
) -> None:
    items = Items()
    if stored is not None:
        items.put(stored)
    expected = {"absent": {"ComparisonOperator": operator, "AttributeValueList": [{"S": "x"}]}}

    for operation, members in (
        ("PutItem", {"Item": KEY}),
        ("UpdateItem", {"Key": KEY}),
        ("DeleteItem", {"Key": KEY}),
    ):
        code, _ = items.error_of(operation, **members, Expected=expected)
        assert code == "ConditionalCheckFailedException"
    assert items.get() == stored
