"""Every operation on items: members of another JSON type than the request shape has."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine

NOT_TEXT = "NUMBER_VALUE cannot be converted to String"
NOT_A_FIELD = "Unexpected field type"
NOT_A_VALUE = "Unexpected value type in payload"
NOT_A_WORD = "Unexpected token received from parser"
NOT_A_NUMBER = "STRING_VALUE cannot be converted to Integer"
STRUCTURE = "Start of structure or map found where not expected"
TEXT_AS_LIST = "Unrecognized collection type class java.lang.String"
SERVICE = "com.amazonaws.dynamodb.v20120810"
MAP_OF = "Unrecognized collection type java.util.Map<java.lang.String, "
KEY = {"pk": {"S": "a"}}

INVALID: dict[str, list[tuple[dict[str, Any], str]]] = {
    "GetItem": [
        ({"TableName": 5}, NOT_TEXT),
        ({"Key": "a"}, NOT_A_FIELD),
        ({"Key": {"pk": "a"}}, NOT_A_VALUE),
        ({"Key": {"pk": {"S": 5}}}, NOT_TEXT),
        ({"ConsistentRead": "maybe"}, NOT_A_WORD),
        ({"ConsistentRead": 1}, "NUMBER_VALUE cannot be converted to Boolean"),
        ({"AttributesToGet": "a"}, NOT_A_FIELD),
        ({"AttributesToGet": [5]}, NOT_TEXT),
        ({"ProjectionExpression": ["a"]}, TEXT_AS_LIST),
        ({"ExpressionAttributeNames": {"#a": 5}}, NOT_TEXT),
    ],
    "PutItem": [
        ({"TableName": ["t"]}, TEXT_AS_LIST),
        ({"TableName": {}}, STRUCTURE),
        ({"Item": "a"}, NOT_A_FIELD),
        ({"Item": []}, f"{MAP_OF}{SERVICE}.AttributeValue>"),
        ({"Item": {"a": {"N": 5}}}, NOT_TEXT),
        ({"Item": {"a": {"S": True}}}, "TRUE_VALUE cannot be converted to String"),
        ({"Item": {"a": {"BOOL": "maybe"}}}, NOT_A_WORD),
        ({"Item": {"a": {"NULL": 1.5}}}, "DECIMAL_VALUE cannot be converted to Boolean"),
        ({"Item": {"a": {"B": 5}}}, "only base-64-encoded strings are convertible to bytes"),
        (
            {"Item": {"a": {"B": "abc"}}},
            "Base64 encoded length is expected a multiple of 4 bytes but found: 3",
        ),
        ({"Item": {"a": {"B": "a*cd"}}}, "Invalid Base64 character: '*'"),
        ({"Expected": {"a": "x"}}, NOT_A_VALUE),
        ({"ConditionExpression": {}}, STRUCTURE),
        ({"ReturnValues": 5}, NOT_TEXT),
    ],
    "UpdateItem": [
        ({"AttributeUpdates": "a"}, NOT_A_FIELD),
        ({"AttributeUpdates": {"a": "x"}}, NOT_A_VALUE),
        ({"AttributeUpdates": {"a": {"Value": {"S": 5}}}}, NOT_TEXT),
        ({"UpdateExpression": 5}, NOT_TEXT),
        ({"ExpressionAttributeValues": {":v": {"N": 5}}}, NOT_TEXT),
        ({"ExpressionAttributeNames": {"#a": ["a"]}}, TEXT_AS_LIST),
    ],
    "DeleteItem": [
        ({"TableName": True}, "TRUE_VALUE cannot be converted to String"),
        ({"Expected": []}, f"{MAP_OF}{SERVICE}.ExpectedAttributeValue>"),
        ({"ExpressionAttributeValues": {":v": 5}}, NOT_A_VALUE),
        ({"ReturnValues": {}}, STRUCTURE),
    ],
    "Query": [
        ({"Limit": "ten"}, NOT_A_NUMBER),
        ({"KeyConditionExpression": 7}, NOT_TEXT),
        ({"ScanIndexForward": "maybe"}, NOT_A_WORD),
    ],
    "Scan": [
        ({"FilterExpression": 7}, NOT_TEXT),
        ({"TotalSegments": "two"}, NOT_A_NUMBER),
    ],
    "SearchVectors": [
        ({"TopK": "7"}, NOT_A_NUMBER),
        ({"TopK": [1]}, "Unrecognized collection type class java.lang.Integer"),
        ({"SearchVector": {"N": "1"}}, STRUCTURE),
        ({"SearchVector": ["1"]}, NOT_A_VALUE),
        ({"IndexName": 7}, NOT_TEXT),
    ],
    "BatchGetItem": [
        ({"RequestItems": "orders"}, NOT_A_FIELD),
        ({"RequestItems": ["orders"]}, f"{MAP_OF}{SERVICE}.KeysAndAttributes>"),
        ({"RequestItems": {"orders": "keys"}}, NOT_A_VALUE),
        (
            {"RequestItems": {"orders": [KEY]}},
            f"Unrecognized collection type class {SERVICE}.KeysAndAttributes",
        ),
        ({"RequestItems": {"orders": {"Keys": "a"}}}, NOT_A_FIELD),
        ({"RequestItems": {"orders": {"Keys": KEY}}}, STRUCTURE),
        ({"RequestItems": {"orders": {"Keys": ["a"]}}}, NOT_A_FIELD),
        ({"RequestItems": {"orders": {"Keys": [{"pk": "a"}]}}}, NOT_A_VALUE),
        ({"RequestItems": {"orders": {"Keys": [KEY], "ConsistentRead": "perhaps"}}}, NOT_A_WORD),
        ({"RequestItems": {"orders": {"Keys": [KEY], "AttributesToGet": "a"}}}, NOT_A_FIELD),
        ({"RequestItems": {"orders": {"Keys": [KEY], "ProjectionExpression": 1}}}, NOT_TEXT),
    ],
    "BatchWriteItem": [
        ({"RequestItems": "orders"}, NOT_A_FIELD),
        ({"RequestItems": ["orders"]}, f"{MAP_OF}java.util.List<{SERVICE}.WriteRequest>>"),
        ({"RequestItems": {"orders": "puts"}}, NOT_A_FIELD),
        ({"RequestItems": {"orders": {"PutRequest": {"Item": KEY}}}}, STRUCTURE),
        ({"RequestItems": {"orders": ["put"]}}, NOT_A_VALUE),
        ({"RequestItems": {"orders": [{"PutRequest": "a"}]}}, NOT_A_VALUE),
        ({"RequestItems": {"orders": [{"PutRequest": {"Item": {"pk": {"S": 1}}}}]}}, NOT_TEXT),
        (
            {"RequestItems": {"orders": [{"DeleteRequest": {"Key": {"pk": {"B": "x"}}}}]}},
            "Base64 encoded length is expected a multiple of 4 bytes but found: 1",
        ),
    ],
    "TransactGetItems": [
        ({"TransactItems": "get"}, NOT_A_FIELD),
        ({"TransactItems": {"Get": {"Key": KEY}}}, STRUCTURE),
        ({"TransactItems": ["get"]}, NOT_A_VALUE),
        ({"TransactItems": [{"Get": "a"}]}, NOT_A_VALUE),
        ({"TransactItems": [{"Get": []}]}, f"Unrecognized collection type class {SERVICE}.Get"),
        ({"TransactItems": [{"Get": {"TableName": 5}}]}, NOT_TEXT),
        ({"TransactItems": [{"Get": {"ProjectionExpression": ["a"]}}]}, TEXT_AS_LIST),
    ],
    "TransactWriteItems": [
        ({"TransactItems": [{"Put": "a"}]}, NOT_A_VALUE),
        ({"TransactItems": [{"Delete": []}]}, f"Unrecognized collection type class {SERVICE}.Delete"),
        ({"TransactItems": [{"Put": {"TableName": 5}}]}, NOT_TEXT),
        (
            {
                "TransactItems": [
                    {"ConditionCheck": {"ExpressionAttributeValues": {":a": {"BOOL": "perhaps"}}}}
                ]
            },
            NOT_A_WORD,
        ),
        (
            {"TransactItems": [{"Update": {"ExpressionAttributeNames": ["a"]}}]},
            f"{MAP_OF}java.lang.String>",
        ),
    ],
    "ExecuteStatement": [
        ({"Statement": 5}, NOT_TEXT),
        ({"Parameters": {}}, STRUCTURE),
        ({"Parameters": ["a"]}, NOT_A_VALUE),
        ({"Parameters": [{"S": 5}]}, NOT_TEXT),
        ({"ConsistentRead": "maybe"}, NOT_A_WORD),
        ({"NextToken": []}, TEXT_AS_LIST),
    ],
}


@pytest.mark.parametrize(
    ("operation", "members", "message"),
    [(operation, *row) for operation, rows in INVALID.items() for row in rows],
)
def test_a_member_of_another_type_is_a_serialization_error(
    operation: str, members: dict[str, Any], message: str
) -> None:
    with Engine.open() as engine, pytest.raises(ServiceError) as raised:
        engine.call(operation, members)

    assert (raised.value.code, raised.value.message) == ("SerializationException", message)
