"""Members that break a constraint: what the newer wording has not reached, operation by operation."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine

from .items import ABSENT, KEY

pytestmark = pytest.mark.every_transport

LONG = "a" * 256
NULL = "Member must not be null"
PATTERN = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
RETURN_VALUES = (
    "Failed to satisfy constraint: "
    "Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
)
BAD = {"ReturnConsumedCapacity": "X", "ReturnValues": "Y", "ReturnItemCollectionMetrics": "Z"}
NAMES = (
    "Map keys must satisfy constraint: [Member must have length less than or equal to 255, "
    f"Member must have length greater than or equal to 3, {PATTERN}]"
)


def older(member: str, value: str | None, constraint: str) -> str:
    shown = "null" if value is None else f"'{value}'"
    return f"Value {shown} at '{member}' failed to satisfy constraint: {constraint}"


def newer(member: str, constraint: str) -> str:
    return f"Value at '{member}' failed to satisfy constraint: {constraint}"


def among(member: str, value: str, choices: str) -> str:
    return older(member, value, f"Member must satisfy enum value set: [{choices}]")


def shortest(length: int) -> str:
    return f"Member must have length greater than or equal to {length}"


def longest(length: int) -> str:
    return f"Member must have length less than or equal to {length}"


CAPACITY = among("returnConsumedCapacity", "X", "INDEXES, TOTAL, NONE")
METRICS = among("returnItemCollectionMetrics", "Z", "SIZE, NONE")
PUT = {"TableName": ABSENT, "Item": KEY}
KEYED = {"TableName": ABSENT, "Key": KEY}
QUERY = {
    "TableName": ABSENT,
    "KeyConditionExpression": "pk = :p",
    "ExpressionAttributeValues": {":p": {"S": "a"}},
}

FAULTS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    # The table name on PutItem: only the empty one has the newer wording.
    ("PutItem", {"Item": KEY}, (older("tableName", None, NULL),)),
    ("PutItem", {**PUT, "TableName": LONG}, (older("tableName", LONG, longest(255)),)),
    ("PutItem", {**PUT, "TableName": "bad table!"}, (older("tableName", "bad table!", PATTERN),)),
    ("PutItem", {**PUT, "TableName": "", **BAD}, (newer("TableName", shortest(1)),)),
    # On UpdateItem and DeleteItem a bad pattern has the older wording.
    (
        "UpdateItem",
        {**KEYED, "TableName": "x!"},
        (older("tableName", "x!", PATTERN), older("tableName", "x!", shortest(3))),
    ),
    ("UpdateItem", {**KEYED, "TableName": "x!y"}, (older("tableName", "x!y", PATTERN),)),
    ("UpdateItem", {**KEYED, "TableName": LONG}, (newer("TableName", longest(255)),)),
    ("DeleteItem", {**KEYED, "TableName": "x!y"}, (older("tableName", "x!y", PATTERN),)),
    ("DeleteItem", {**KEYED, "TableName": LONG}, (newer("TableName", longest(255)),)),
    ("GetItem", {**KEYED, "TableName": "x!y"}, (newer("TableName", PATTERN),)),
    # UpdateItem without a key: all of them, in the older wording.
    (
        "UpdateItem",
        {"TableName": "", "UpdateExpression": "REMOVE a"},
        (older("tableName", "", shortest(1)), older("key", None, NULL)),
    ),
    (
        "UpdateItem",
        {"TableName": "", "ReturnConsumedCapacity": "X", "ReturnValues": "Y"},
        (
            CAPACITY,
            older("tableName", "", shortest(1)),
            among("returnValues", "Y", "ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW"),
            older("key", None, NULL),
        ),
    ),
    (
        "UpdateItem",
        {"TableName": ABSENT, "ConditionalOperator": "XOR"},
        (among("conditionalOperator", "XOR", "OR, AND"), older("key", None, NULL)),
    ),
    # Capacity, metrics and Select are worded as ever.
    ("PutItem", {**PUT, **BAD}, (CAPACITY, RETURN_VALUES, METRICS)),
    ("DeleteItem", {**KEYED, **BAD}, (CAPACITY, RETURN_VALUES, METRICS)),
    ("UpdateItem", {**KEYED, **BAD}, (RETURN_VALUES,)),
    ("UpdateItem", {**KEYED, "ReturnItemCollectionMetrics": "Z"}, (METRICS,)),
    ("GetItem", {**KEYED, "ReturnConsumedCapacity": "X"}, (CAPACITY,)),
    ("Scan", {"TableName": ABSENT, "ReturnConsumedCapacity": "X"}, (CAPACITY,)),
    (
        "Query",
        {**QUERY, "Select": "BOGUS"},
        (among("select", "BOGUS", "SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES"),),
    ),
    # Names of tables that are keys of a map.
    (
        "BatchGetItem",
        {"RequestItems": {"bad!name": {"Keys": [{"pk": {"S": "a"}}]}}},
        (older("requestItems", '{"bad!name":{"Keys":[{"pk":{"S":"a"}}]}}', NAMES),),
    ),
    (
        "BatchGetItem",
        {"RequestItems": {"bad!name": {"Keys": [{"pk": {"S": "a"}}]}}, "ReturnConsumedCapacity": "X"},
        (older("requestItems", '{"bad!name":{"Keys":[{"pk":{"S":"a"}}]}}', NAMES), CAPACITY),
    ),
    ("BatchGetItem", {"RequestItems": {}}, (newer("RequestItems", shortest(1)),)),
    (
        "BatchWriteItem",
        {"RequestItems": {"bad!name": [{"PutRequest": {"Item": KEY}}]}, "ReturnConsumedCapacity": "X"},
        (CAPACITY,),
    ),
    (
        "BatchWriteItem",
        {
            "RequestItems": {ABSENT: [{"PutRequest": {"Item": KEY}}]},
            "ReturnConsumedCapacity": "X",
            "ReturnItemCollectionMetrics": "Z",
        },
        (CAPACITY, METRICS),
    ),
    # Transactions: the token comes first.
    (
        "TransactWriteItems",
        {
            "TransactItems": [{"Put": PUT}],
            "ClientRequestToken": "x" * 37,
            "ReturnConsumedCapacity": "X",
            "ReturnItemCollectionMetrics": "Z",
        },
        (older("clientRequestToken", "x" * 37, longest(36)), CAPACITY, METRICS),
    ),
]


@pytest.mark.parametrize(("operation", "request_", "faults"), FAULTS)
def test_the_wording_of_members(operation: str, request_: dict[str, Any], faults: tuple[str, ...]) -> None:
    with pytest.raises(ServiceError) as caught:
        Engine.open().call(operation, request_)

    errors = "error" if len(faults) == 1 else "errors"
    assert (caught.value.code, caught.value.message) == (
        "ValidationException",
        f"{len(faults)} validation {errors} detected: {'; '.join(faults)}",
    )


@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem", "DeleteItem"])
def test_the_conditional_operator_of_a_write_has_the_newer_wording(operation: str) -> None:
    expected = {"a": {"Exists": False}, "b": {"Exists": False}}
    request = {**PUT, **KEYED, "Expected": expected, "ConditionalOperator": "XOR"}
    with pytest.raises(ServiceError) as caught:
        Engine.open().call(operation, request)

    assert caught.value.message == (
        "1 validation error detected: Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"
    )


def test_the_conditional_operator_of_a_query_is_reported_bare_and_alone() -> None:
    request = {
        "TableName": ABSENT,
        "KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}},
        "QueryFilter": {"b": {"ComparisonOperator": "NULL"}, "c": {"ComparisonOperator": "NULL"}},
        "ConditionalOperator": "XOR",
        "Select": "BOGUS",
    }
    with pytest.raises(ServiceError) as caught:
        Engine.open().call("Query", request)

    assert (
        caught.value.message == "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"
    )
