"""Valid requests are read; wrong JSON types are rejected with DynamoDB's messages."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from pksk.engine.request import OPERATIONS, read_request
from tests.engine.request.requests import KEY, SOUND, error_of, item_with, scan_with

STRUCTURE = "Start of structure or map found where not expected"
VALUE_MAP = (
    "Unrecognized collection type java.util.Map<java.lang.String, "
    "com.amazonaws.dynamodb.v20120810.AttributeValue>"
)


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_a_valid_request_is_returned_unchanged(operation: str) -> None:
    raw = deepcopy(SOUND[operation])

    assert read_request(operation, raw) == SOUND[operation]
    assert raw == SOUND[operation]


def test_values_that_need_no_change_are_not_copied() -> None:
    raw = SOUND["PutItem"]

    read = read_request("PutItem", raw)

    assert read is not raw
    assert all(read[name] is raw[name] for name in raw)


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_nulls_and_unknown_members_are_removed(operation: str) -> None:
    raw = {**SOUND[operation], "ReturnNothing": [1, {}], "": None, "Other": None}

    assert read_request(operation, raw) == SOUND[operation]


def test_null_members_of_structures_and_values_are_absent() -> None:
    raw = {
        "TableName": "orders",
        "Key": {"pk": {"S": "a", "N": None, "Unknown": 5}},
        "Expected": {"a": {"Exists": None, "Value": {"S": "x"}, "Unknown": 1}},
    }

    assert read_request("DeleteItem", raw) == {
        "TableName": "orders",
        "Key": {"pk": {"S": "a"}},
        "Expected": {"a": {"Value": {"S": "x"}}},
    }


def test_null_for_a_value_is_a_value_without_a_type() -> None:
    read = read_request("PutItem", item_with({"L": [None, {"M": {"b": None}}]}))

    assert read["Item"]["a"] == {"L": [{}, {"M": {"b": {}}}]}


@pytest.mark.parametrize("raw", [None, [], "", 5, True, [{}]])
def test_a_request_that_is_not_an_object_is_a_serialization_error(raw: Any) -> None:
    assert error_of("ListTables", raw) == ("SerializationException", None)


STRINGS = {
    "NUMBER_VALUE cannot be converted to String": 5,
    "DECIMAL_VALUE cannot be converted to String": 1.5,
    "TRUE_VALUE cannot be converted to String": True,
    "FALSE_VALUE cannot be converted to String": False,
    "Unrecognized collection type class java.lang.String": ["a"],
    STRUCTURE: {"a": 1},
}
BOOLEANS = {
    "Unexpected token received from parser": "maybe",
    "NUMBER_VALUE cannot be converted to Boolean": 1,
    "DECIMAL_VALUE cannot be converted to Boolean": 1.0,
    STRUCTURE: {},
    None: [],
}
INTEGERS = {
    "STRING_VALUE cannot be converted to Integer": "1",
    "TRUE_VALUE cannot be converted to Integer": True,
    "FALSE_VALUE cannot be converted to Integer": False,
    "Unrecognized collection type class java.lang.Integer": [],
    STRUCTURE: {},
}
LONGS = {
    "STRING_VALUE cannot be converted to Long": "1",
    "TRUE_VALUE cannot be converted to Long": True,
    "Unrecognized collection type class java.lang.Long": [1],
}
BLOBS = {
    "only base-64-encoded strings are convertible to bytes": 5,
    "Unrecognized collection type class java.nio.ByteBuffer": [120],
    STRUCTURE: {},
    "Base64 encoded length is expected a multiple of 4 bytes but found: 7": "U3Vubnk",
    "Invalid last non-pad Base64 character dectected": "+/+=",
    "Invalid Base64 character: '#'": "ab#d",
    "Invalid Base64 character: 'ä'": "abäd",
    "Invalid Base64 character: ' '": "ab d",
    "Invalid Base64 character: '='": "eA==eA==",
}


@pytest.mark.parametrize("message", STRINGS)
def test_only_a_string_is_a_string(message: str) -> None:
    found = STRINGS[message]

    assert error_of("DescribeTable", {"TableName": found}) == ("SerializationException", message)
    assert error_of("PutItem", item_with({"S": found})) == ("SerializationException", message)
    assert error_of("PutItem", item_with({"N": found})) == ("SerializationException", message)
    assert error_of("PutItem", item_with({"SS": ["a", found]})) == ("SerializationException", message)
    assert error_of("GetItem", {"ExpressionAttributeNames": {"#a": found}}) == (
        "SerializationException",
        message,
    )


@pytest.mark.parametrize("message", BOOLEANS)
def test_a_boolean_is_a_json_boolean_or_a_word_for_one(message: str | None) -> None:
    found = BOOLEANS[message]

    assert error_of("GetItem", {"ConsistentRead": found}) == ("SerializationException", message)
    assert error_of("PutItem", item_with({"BOOL": found})) == ("SerializationException", message)
    assert error_of("PutItem", item_with({"NULL": found})) == ("SerializationException", message)


@pytest.mark.parametrize("word", ["true", "T", "Yes", "y", "1"])
def test_words_for_true_are_read(word: str) -> None:
    assert read_request("Query", scan_with(ScanIndexForward=word))["ScanIndexForward"] is True
    assert read_request("PutItem", item_with({"BOOL": word}))["Item"]["a"] == {"BOOL": True}


@pytest.mark.parametrize("word", ["false", "F", "No", "n", "0"])
def test_words_for_false_are_read(word: str) -> None:
    assert read_request("Scan", scan_with(ConsistentRead=word))["ConsistentRead"] is False
    assert read_request("PutItem", item_with({"NULL": word}))["Item"]["a"] == {"NULL": False}


@pytest.mark.parametrize("message", INTEGERS)
def test_only_a_number_is_a_whole_number(message: str) -> None:
    assert error_of("Scan", scan_with(Limit=INTEGERS[message])) == ("SerializationException", message)


@pytest.mark.parametrize("message", LONGS)
def test_only_a_number_is_a_long_whole_number(message: str) -> None:
    throughput = {"ReadCapacityUnits": LONGS[message], "WriteCapacityUnits": 1}

    assert error_of("UpdateTable", {"ProvisionedThroughput": throughput}) == (
        "SerializationException",
        message,
    )


def test_numbers_drop_fractions_and_are_limited_to_their_bits() -> None:
    throughput = {"MaxReadRequestUnits": -(10**30), "MaxWriteRequestUnits": 1e300}

    assert read_request("Scan", scan_with(Limit=2.9))["Limit"] == 2
    assert read_request("Scan", scan_with(Limit=4_294_967_296))["Limit"] == 2**31 - 1
    assert read_request("Scan", scan_with(Limit=1e300))["Limit"] == 2**31 - 1
    assert read_request("UpdateTable", {"TableName": "abc", "OnDemandThroughput": throughput})[
        "OnDemandThroughput"
    ] == {"MaxReadRequestUnits": -(2**63), "MaxWriteRequestUnits": 2**63 - 1}


@pytest.mark.parametrize("message", BLOBS)
def test_binary_content_is_base64(message: str) -> None:
    found = BLOBS[message]

    assert error_of("PutItem", item_with({"B": found})) == ("SerializationException", message)
    assert error_of("PutItem", item_with({"BS": ["eA==", found]})) == ("SerializationException", message)


@pytest.mark.parametrize("text", ["====", "A===", "=+/=", "eB=="])
def test_base64_cannot_have_unused_bits(text: str) -> None:
    assert error_of("PutItem", item_with({"B": text})) == (
        "SerializationException",
        "Invalid last non-pad Base64 character dectected",
    )


@pytest.mark.parametrize("kind", ["SS", "NS", "BS", "L"])
@pytest.mark.parametrize(("found", "message"), [("a", "Unexpected field type"), ({}, STRUCTURE)])
def test_only_a_list_is_a_list(kind: str, found: Any, message: str) -> None:
    assert error_of("PutItem", item_with({kind: found})) == ("SerializationException", message)
    assert error_of("GetItem", {"AttributesToGet": found}) == ("SerializationException", message)


@pytest.mark.parametrize(("found", "message"), [("a", "Unexpected field type"), ([], VALUE_MAP)])
def test_only_a_map_is_a_map_of_values(found: Any, message: str) -> None:
    assert error_of("GetItem", {"TableName": "orders", "Key": found}) == ("SerializationException", message)
    assert error_of("PutItem", item_with({"M": found})) == ("SerializationException", message)
    assert error_of("BatchGetItem", {"RequestItems": {"orders": {"Keys": [found]}}}) == (
        "SerializationException",
        message,
    )


MAPS = [
    ("GetItem", "ExpressionAttributeNames", "java.lang.String"),
    ("PutItem", "Expected", "com.amazonaws.dynamodb.v20120810.ExpectedAttributeValue"),
    ("UpdateItem", "AttributeUpdates", "com.amazonaws.dynamodb.v20120810.AttributeValueUpdate"),
    ("Query", "KeyConditions", "com.amazonaws.dynamodb.v20120810.Condition"),
    ("BatchGetItem", "RequestItems", "com.amazonaws.dynamodb.v20120810.KeysAndAttributes"),
    (
        "BatchWriteItem",
        "RequestItems",
        "java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>",
    ),
]


@pytest.mark.parametrize(("operation", "member", "java_type"), MAPS)
def test_only_a_map_is_a_map(operation: str, member: str, java_type: str) -> None:
    listed = f"Unrecognized collection type java.util.Map<java.lang.String, {java_type}>"

    assert error_of(operation, {member: []}) == ("SerializationException", listed)
    assert error_of(operation, {member: 5}) == ("SerializationException", "Unexpected field type")


STRUCTURES: list[tuple[str, Any, str]] = [
    ("PutItem", item_with, "AttributeValue"),
    ("PutItem", lambda found: item_with({"L": [found]}), "AttributeValue"),
    ("DeleteItem", lambda found: {"Expected": {"a": found}}, "ExpectedAttributeValue"),
    ("CreateTable", lambda found: {"ProvisionedThroughput": found}, "ProvisionedThroughput"),
    ("CreateTable", lambda found: {"KeySchema": [found]}, "KeySchemaElement"),
    ("TransactWriteItems", lambda found: {"TransactItems": [{"Put": found}]}, "Put"),
    ("UpdateTimeToLive", lambda found: {"TimeToLiveSpecification": found}, "TimeToLiveSpecification"),
]


@pytest.mark.parametrize(("operation", "request_with", "name"), STRUCTURES)
def test_only_an_object_is_a_structure(operation: str, request_with: Any, name: str) -> None:
    listed = f"Unrecognized collection type class com.amazonaws.dynamodb.v20120810.{name}"

    assert error_of(operation, request_with([])) == ("SerializationException", listed)
    for scalar in ("a", 5, 1.5, False):
        assert error_of(operation, request_with(scalar)) == (
            "SerializationException",
            "Unexpected value type in payload",
        )


def test_types_are_checked_before_constraints() -> None:
    assert error_of("GetItem", {"TableName": "", "Key": {"pk": {"S": 5}}})[0] == "SerializationException"
    assert error_of("GetItem", {"TableName": "", "Key": KEY})[0] == "ValidationException"
