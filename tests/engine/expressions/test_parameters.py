"""Expression parameters are checked in the order of AWS, with its messages, in every operation."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine.expressions.parameters import (
    DELETE_ITEM,
    GET_ITEM,
    NO_EXPRESSIONS,
    OLDER_SCAN,
    PUT_ITEM,
    QUERY,
    SCAN,
    TRANSACT_CONDITION,
    TRANSACT_GET,
    TRANSACT_UPDATE,
    UPDATE_ITEM,
    Parameters,
)
from pksk.engine.expressions.read_expressions import read_expressions
from pksk.engine.service_errors import InvalidRequest

MIXED = "Can not use both expression and non-expression parameters in the same request: "
EXPECTED = {"a": {"Exists": False}}
KEYS = {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "x"}]}}
V = {":v": {"S": "x"}}


def message(parameters: Parameters, request: dict[str, Any]) -> str | None:
    with pytest.raises(ServiceError) as raised:
        read_expressions(request, parameters)
    assert raised.value.code == "ValidationException"
    return raised.value.message


@pytest.mark.parametrize(
    ("parameters", "request_", "listed"),
    [
        (
            PUT_ITEM,
            {"Expected": {}, "ConditionExpression": ""},
            "Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}",
        ),
        (
            DELETE_ITEM,
            {"ConditionalOperator": "OR", "Expected": {}, "ConditionExpression": "x"},
            "Non-expression parameters: {Expected, ConditionalOperator} "
            "Expression parameters: {ConditionExpression}",
        ),
        (
            UPDATE_ITEM,
            {"ConditionExpression": "x", "UpdateExpression": "x", "Expected": {}, "AttributeUpdates": {}},
            "Non-expression parameters: {AttributeUpdates, Expected} "
            "Expression parameters: {UpdateExpression, ConditionExpression}",
        ),
        (
            GET_ITEM,
            {"ProjectionExpression": "a", "AttributesToGet": ["a"], "ExpressionAttributeNames": {}},
            "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}",
        ),
        (
            GET_ITEM,
            {"ProjectionExpression": "a", "AttributesToGet": ["a"]},
            "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}",
        ),
        (
            QUERY,
            {
                "KeyConditions": {},
                "KeyConditionExpression": "a",
                "QueryFilter": {},
                "FilterExpression": "a",
                "AttributesToGet": ["a"],
                "ProjectionExpression": "a",
                "ConditionalOperator": "AND",
            },
            "Non-expression parameters: {AttributesToGet, QueryFilter, ConditionalOperator, KeyConditions} "
            "Expression parameters: {ProjectionExpression, FilterExpression, KeyConditionExpression}",
        ),
        (
            QUERY,
            {"KeyConditions": KEYS, "QueryFilter": {}, "FilterExpression": "a"},
            "Non-expression parameters: {QueryFilter} Expression parameters: {FilterExpression}",
        ),
        (
            SCAN,
            {"ScanFilter": {}, "ProjectionExpression": "a"},
            "Non-expression parameters: {ScanFilter} Expression parameters: {ProjectionExpression}",
        ),
    ],
)
def test_expressions_beside_legacy_parameters_are_rejected_by_name(
    parameters: Parameters, request_: dict[str, Any], listed: str
) -> None:
    assert message(parameters, request_) == MIXED + listed


def test_legacy_key_conditions_can_be_combined_with_expressions() -> None:
    read = read_expressions(
        {
            "KeyConditions": KEYS,
            "FilterExpression": "b = :v",
            "ProjectionExpression": "#c",
            "ExpressionAttributeNames": {"#c": "c"},
            "ExpressionAttributeValues": V,
        },
        QUERY,
    )

    assert read.key_parts is not None
    assert [(part.attribute, part.operator) for part in read.key_parts] == [("a", "=")]
    assert read.filter is not None
    assert read.filter.test({"b": {"S": "x"}})
    assert read.projection is not None


ALONE = "ExpressionAttributeNames can only be specified when using expressions"
VALUES_ALONE = "ExpressionAttributeValues can only be specified when using expressions: "


@pytest.mark.parametrize(
    ("parameters", "request_", "text"),
    [
        (GET_ITEM, {"ExpressionAttributeNames": {}}, ALONE),
        (PUT_ITEM, {"ExpressionAttributeNames": {"#a": "a"}, "ExpressionAttributeValues": V}, ALONE),
        (QUERY, {"KeyConditions": KEYS, "ExpressionAttributeNames": {"#a": "a"}}, ALONE),
        (PUT_ITEM, {"ExpressionAttributeValues": {}}, VALUES_ALONE + "ConditionExpression is null"),
        (
            UPDATE_ITEM,
            {"ExpressionAttributeValues": V},
            VALUES_ALONE + "UpdateExpression and ConditionExpression are null",
        ),
        (
            QUERY,
            {"KeyConditions": KEYS, "ProjectionExpression": "a", "ExpressionAttributeValues": V},
            VALUES_ALONE + "FilterExpression and KeyConditionExpression are null",
        ),
        (
            SCAN,
            {"ProjectionExpression": "a", "ExpressionAttributeValues": V},
            VALUES_ALONE + "FilterExpression is null",
        ),
    ],
)
def test_placeholders_without_an_expression_that_could_use_them_are_rejected(
    parameters: Parameters, request_: dict[str, Any], text: str
) -> None:
    assert message(parameters, request_) == text


@pytest.mark.parametrize("parameters", [TRANSACT_CONDITION, TRANSACT_GET])
def test_transactions_allow_placeholders_without_an_expression(parameters: Parameters) -> None:
    read = read_expressions({"ExpressionAttributeNames": {"#a": "a"}}, parameters)

    assert read == NO_EXPRESSIONS


NAMES = "ExpressionAttributeNames"
VALUES = "ExpressionAttributeValues"
LONG = "#" + "a" * 255


@pytest.mark.parametrize(
    ("names", "values", "text"),
    [
        ({}, None, "ExpressionAttributeNames must not be empty"),
        ({"#a": "a"}, {}, "ExpressionAttributeValues must not be empty"),
        ({"a": "a"}, None, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "a"'),
        ({"#": "a"}, {}, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "#"'),
        ({"": "a"}, {}, 'ExpressionAttributeNames contains invalid key: Syntax error; key: ""'),
        ({"#a-b": "a"}, {}, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "#a-b"'),
        ({"#é": "a"}, {}, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "#é"'),
        ({"#a": ""}, {}, "Empty attribute name"),
        ({"#a": "x" * 65_536}, {}, "Attribute name is too large, must be less than 65536 bytes"),
        (None, {"v": {"S": "x"}}, 'ExpressionAttributeValues contains invalid key: Syntax error; key: "v"'),
        (
            None,
            {":v": {}, ":": {}},
            'ExpressionAttributeValues contains invalid key: Syntax error; key: ":"',
        ),
    ],
)
def test_maps_of_placeholders_are_rejected_before_the_expression_is_read(
    names: Any, values: Any, text: str
) -> None:
    request = {"ConditionExpression": "not right at all ("}
    request |= {NAMES: names} if names is not None else {}
    request |= {VALUES: values} if values is not None else {}

    assert message(PUT_ITEM, request) == text


def test_a_placeholder_has_at_most_255_bytes() -> None:
    name = "#" + "a" * 254
    read_expressions({"ProjectionExpression": name, NAMES: {name: "a"}}, GET_ITEM)

    assert "too long" in (message(GET_ITEM, {"ProjectionExpression": LONG, NAMES: {LONG: "a"}}) or "")


def test_a_placeholder_of_a_value_has_at_most_255_bytes() -> None:
    name, long = ":" + "a" * 254, ":" + "a" * 255
    read_expressions({"FilterExpression": f"z = {name}", VALUES: {name: {"S": "x"}}}, SCAN)

    assert message(SCAN, {"FilterExpression": f"z = {long}", VALUES: {long: {"S": "x"}}}) == (
        "ExpressionAttributeValues contains invalid key: The expression attribute map contains a key that is "
        f'too long; key: "{long}"'
    )


def test_placeholders_have_at_most_two_megabytes_of_values() -> None:
    request = {"FilterExpression": "a = :a OR a = :b", VALUES: {":a": {"S": "x" * 2_000_000}}}

    request[VALUES] |= {":b": {"S": "y" * 97_148}}  # type: ignore[operator]
    assert read_expressions(request, SCAN).filter is not None
    request[VALUES] |= {":b": {"S": "y" * 97_149}}  # type: ignore[operator]
    assert "exceeded the maximum allowed size" in (message(SCAN, request) or "")


EMPTY_SET = "One or more parameter values were invalid: An string set  may not be empty"
TWO = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"


@pytest.mark.parametrize(
    ("parameters", "value", "text", "wrapped"),
    [
        (PUT_ITEM, {"SS": []}, EMPTY_SET, True),
        (UPDATE_ITEM, {"SS": []}, EMPTY_SET, True),
        (QUERY, {"SS": []}, EMPTY_SET, True),
        (SCAN, {"SS": []}, EMPTY_SET, True),
        (
            TRANSACT_UPDATE,
            {"SS": []},
            f"ExpressionAttributeValues contains invalid value: {EMPTY_SET} for key :v",
            False,
        ),
        (
            UPDATE_ITEM,
            {"S": "a", "N": "1"},
            f"ExpressionAttributeValues contains invalid value: {TWO} for key :v",
            False,
        ),
        (
            OLDER_SCAN,
            {"N": "1"} | {"NULL": False},
            "ExpressionAttributeValues contains invalid value: One or more parameter values were invalid: "
            "Null attribute value types must have the value of true for key :v",
            False,
        ),
    ],
)
def test_the_error_of_a_value_names_its_placeholder_except_in_the_newer_wording(
    parameters: Parameters, value: Any, text: str, wrapped: bool
) -> None:
    parameter = parameters.with_values[-1]
    with pytest.raises(ServiceError) as raised:
        read_expressions({parameter: "a = :v", VALUES: {":v": value}}, parameters)

    assert raised.value.message == text
    assert isinstance(raised.value, InvalidRequest) is wrapped


@pytest.mark.parametrize(
    ("parameters", "request_", "text"),
    [
        (
            UPDATE_ITEM,
            {"UpdateExpression": "SET a = :v", "ConditionExpression": "a =", VALUES: V | {":w": {"S": ""}}},
            'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "="',
        ),
        (
            UPDATE_ITEM,
            {"UpdateExpression": "SET a = :v", "ConditionExpression": "", VALUES: V},
            "Invalid ConditionExpression: The expression can not be empty;",
        ),
        (
            UPDATE_ITEM,
            {"UpdateExpression": "SET a = ", "ConditionExpression": "a ="},
            'Invalid UpdateExpression: Syntax error; token: "<EOF>", near: "= "',
        ),
        (
            UPDATE_ITEM,
            {
                "UpdateExpression": "SET a = contains(b, :v)",
                "ConditionExpression": "if_not_exists(b, :v) = :v",
                VALUES: V,
            },
            "Invalid ConditionExpression: The function is not allowed in a condition expression; "
            "function: if_not_exists",
        ),
        (
            TRANSACT_UPDATE,
            {
                "UpdateExpression": "SET a = contains(b, :v)",
                "ConditionExpression": "if_not_exists(b, :v) = :v",
                VALUES: V,
            },
            "Invalid UpdateExpression: The function is not allowed in an update expression; function: contains",
        ),
        (
            UPDATE_ITEM,
            {"UpdateExpression": "SET a = :v", "ConditionExpression": "a = :w", VALUES: V},
            "Invalid ConditionExpression: An expression attribute value used in expression is not defined; "
            "attribute value: :w",
        ),
        (
            PUT_ITEM,
            {"ConditionExpression": "#a = :v", VALUES: V},
            "Invalid ConditionExpression: An expression attribute name used in the document path is not defined; "
            "attribute name: #a",
        ),
        (
            SCAN,
            {"FilterExpression": "a < :v", VALUES: {":v": {"L": []}, ":w": {"S": "x"}}},
            "Invalid FilterExpression: Incorrect operand type for operator or function; "
            "operator or function: <, operand type: L",
        ),
        (
            QUERY,
            {"KeyConditionExpression": "begins_with(a, :v)", VALUES: {":v": {"N": "1"}}},
            "Invalid KeyConditionExpression: Incorrect operand type for operator or function; "
            "operator or function: begins_with, operand type: N",
        ),
        (
            QUERY,
            {"KeyConditionExpression": "a.b = :v", VALUES: V},
            "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes",
        ),
        (
            QUERY,
            {"KeyConditionExpression": "a = :v OR b = :v", VALUES: V},
            "Invalid operator used in KeyConditionExpression: OR",
        ),
        (
            QUERY,
            {
                "KeyConditionExpression": "a = :v",
                "ProjectionExpression": "b, b",
                VALUES: V | {":w": {"S": "x"}},
            },
            "Invalid ProjectionExpression: Two document paths overlap with each other; "
            "must remove or rewrite one of these paths; path one: [b], path two: [b]",
        ),
        (
            GET_ITEM,
            {"ProjectionExpression": "a" * 4097},
            "Invalid ProjectionExpression: Expression size has exceeded the maximum allowed size;",
        ),
        (
            PUT_ITEM,
            {"ConditionExpression": "a = :v", NAMES: {"#b": "b", "#c": "c"}, VALUES: V | {":w": {"S": "x"}}},
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b, #c}",
        ),
        (
            TRANSACT_CONDITION,
            {"ConditionExpression": "a = :v", VALUES: V | {":w": {"S": "x"}}},
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}",
        ),
    ],
)
def test_expressions_are_checked_in_order(
    parameters: Parameters, request_: dict[str, Any], text: str
) -> None:
    assert message(parameters, request_) == text


def test_a_request_without_expressions_has_none() -> None:
    assert read_expressions({"TableName": "orders", "Key": {}}, GET_ITEM) is NO_EXPRESSIONS


def test_a_request_is_read_the_same_the_second_time_with_other_names_and_values() -> None:
    def pairs(name: str, value: str) -> Any:
        request = {
            "KeyConditionExpression": "#p = :p AND sk BETWEEN :a AND :b",
            NAMES: {"#p": name},
            VALUES: {":p": {"S": value}, ":a": {"N": "1.0"}, ":b": {"N": "2"}},
        }
        parts = read_expressions(request, QUERY).key_parts or ()
        return [(part.attribute, [value.wire for value in part.values]) for part in parts]  # type: ignore[union-attr]

    bounds = ("sk", [{"N": "1"}, {"N": "2"}])
    assert pairs("pk", "x") == [("pk", [{"S": "x"}]), bounds]
    assert pairs("pk", "y") == [("pk", [{"S": "y"}]), bounds]
    assert pairs("id", "y") == [("id", [{"S": "y"}]), bounds]


def test_values_of_an_update_are_normalised() -> None:
    request = {"UpdateExpression": "SET a = :v", VALUES: {":v": {"NS": ["10", "9.0"]}}}
    update = read_expressions(request, UPDATE_ITEM).update

    assert update is not None
    assert update.actions[0].value.wire == {"NS": ["9", "10"]}  # type: ignore[union-attr]


def test_conditions_with_many_parentheses_are_rejected_or_evaluated() -> None:
    assert "redundant parentheses" in (
        message(PUT_ITEM, {"ConditionExpression": "(" * 2046 + "a<b" + ")" * 2046}) or ""
    )
    text = "a<b " + "or (a<b " * 149 + ")" * 149
    condition = read_expressions({"ConditionExpression": text}, PUT_ITEM).condition

    assert condition is not None
    assert condition.test({"a": {"N": "1"}, "b": {"N": "2"}})
