"""Members that break a constraint are all told in one message, in the words of their operation."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.engine.request import read_request
from tests.engine.request.requests import ARN, INDEX, KEY, SOUND, error_of, scan_with

AT = "Value at '{}' failed to satisfy constraint: {}".format
OLD = "Value {} at '{}' failed to satisfy constraint: {}".format
NULL = "Member must not be null"
PATTERN = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
CHOICE = "Failed to satisfy constraint: Member must satisfy enum value set: [{}]".format
AMONG = "Member must satisfy enum value set: [{}]".format
RETURN_VALUES = CHOICE("ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE")
CAPACITY = CHOICE("INDEXES, TOTAL, NONE")
ACTION = "1 validation error detected: Member must satisfy enum value set: [ADD, DELETE, PUT]' for Action"


def longest(length: int) -> str:
    return f"Member must have length less than or equal to {length}"


def shortest(length: int) -> str:
    return f"Member must have length greater than or equal to {length}"


def least(value: int) -> str:
    return f"Member must have value greater than or equal to {value}"


def most(value: int) -> str:
    return f"Member must have value less than or equal to {value}"


def detected(*faults: str) -> tuple[str, str]:
    errors = "error" if len(faults) == 1 else "errors"
    return "ValidationException", f"{len(faults)} validation {errors} detected: {'; '.join(faults)}"


def put(**members: Any) -> dict[str, Any]:
    return {"TableName": "orders", "Item": KEY, **members}


def keyed(**members: Any) -> dict[str, Any]:
    return {"TableName": "orders", "Key": KEY, **members}


BAD = {"ReturnValues": "ALL", "ReturnConsumedCapacity": "SOME", "ReturnItemCollectionMetrics": "BIG"}
THROUGHPUT = {"ReadCapacityUnits": 0, "WriteCapacityUnits": -1}

NEWER: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    # Members that are missing
    ("GetItem", {}, (AT("TableName", NULL), AT("Key", NULL))),
    ("PutItem", {"TableName": None}, (AT("TableName", NULL), AT("Item", NULL))),
    ("Query", {}, (AT("TableName", NULL),)),
    ("BatchGetItem", {}, (AT("RequestItems", NULL),)),
    ("BatchGetItem", {"RequestItems": {"abc": {}}}, (AT("RequestItems.abc.member.Keys", NULL),)),
    ("Query", scan_with(QueryFilter={"a": {}}), (AT("QueryFilter.a.member.ComparisonOperator", NULL),)),
    # Names: one fault each, the length first; UpdateItem tells all, the pattern first, and nothing else
    ("PutItem", put(TableName=""), (AT("TableName", shortest(1)),)),
    ("PutItem", put(TableName="", **BAD), (AT("TableName", shortest(1)),)),
    ("GetItem", {"TableName": ""}, (AT("TableName", shortest(1)),)),
    ("GetItem", keyed(TableName="ab"), (AT("TableName", shortest(3)),)),
    ("DeleteItem", keyed(TableName="a;"), (AT("TableName", shortest(3)),)),
    ("Query", scan_with(TableName="a" * 256), (AT("TableName", longest(255)),)),
    ("Scan", scan_with(TableName="a" * 1025), (AT("TableName", longest(1024)),)),
    ("GetItem", keyed(TableName="a/b/c"), (AT("TableName", PATTERN),)),
    ("GetItem", keyed(TableName="abc\n"), (AT("TableName", PATTERN),)),
    ("Query", scan_with(IndexName="é"), (AT("IndexName", shortest(3)),)),
    (
        "Query",
        scan_with(TableName=";", IndexName=";"),
        (AT("TableName", shortest(3)), AT("IndexName", shortest(3))),
    ),
    ("PutItem", put(TableName="ab", ReturnValues="X"), (AT("TableName", shortest(3)), RETURN_VALUES)),
    ("DeleteItem", keyed(TableName=";;;", ReturnValues="X"), (AT("TableName", PATTERN), RETURN_VALUES)),
    ("UpdateItem", keyed(TableName=";", **BAD), (AT("TableName", PATTERN), AT("TableName", shortest(3)))),
    ("UpdateItem", {"TableName": "", **BAD}, (AT("TableName", shortest(1)),)),
    # Choices: all of them, but only the first on UpdateItem
    ("PutItem", put(**BAD), (RETURN_VALUES, CAPACITY, CHOICE("SIZE, NONE"))),
    ("UpdateItem", keyed(**BAD), (RETURN_VALUES,)),
    ("UpdateItem", keyed(ReturnConsumedCapacity="total"), (CAPACITY,)),
    ("GetItem", keyed(ReturnConsumedCapacity=""), (CAPACITY,)),
    ("DeleteItem", keyed(ReturnValuesOnConditionCheckFailure="OLD"), (CHOICE("ALL_OLD, NONE"),)),
    ("DeleteItem", keyed(ConditionalOperator="NOT"), (CHOICE("AND, OR"),)),
    (
        "Scan",
        scan_with(Select="ALL"),
        (CHOICE("ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES, SPECIFIC_ATTRIBUTES, COUNT"),),
    ),
    # Bounds
    ("Query", scan_with(Limit=0), (AT("Limit", least(1)),)),
    ("Scan", scan_with(Limit=-5), (AT("Limit", least(1)),)),
    (
        "Scan",
        scan_with(Segment=1_000_000, TotalSegments=1_000_001),
        (AT("TotalSegments", most(1_000_000)), AT("Segment", most(999_999))),
    ),
    (
        "Scan",
        scan_with(Segment=-1, TotalSegments=0),
        (AT("TotalSegments", least(1)), AT("Segment", least(0))),
    ),
    ("GetItem", keyed(AttributesToGet=[]), (AT("AttributesToGet", shortest(1)),)),
    ("BatchGetItem", {"RequestItems": {}}, (AT("RequestItems", shortest(1)),)),
    (
        "BatchGetItem",
        {"RequestItems": {"abc": {"Keys": []}}},
        (AT("RequestItems.abc.member.Keys", shortest(1)),),
    ),
    (
        "BatchGetItem",
        {"RequestItems": {"abc": {"Keys": [KEY] * 101}}},
        (AT("RequestItems.abc.member.Keys", longest(100)),),
    ),
    (
        "BatchGetItem",
        {"RequestItems": {"ab": {"Keys": [KEY]}}},
        (
            AT(
                "RequestItems",
                f"Map keys must satisfy constraint: [{longest(255)}, {shortest(3)}, {PATTERN}]",
            ),
        ),
    ),
]

OLDER: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    # Tables
    ("DescribeTable", {"TableName": "abc;"}, (OLD("'abc;'", "tableName", PATTERN),)),
    ("ListTables", {"Limit": 0}, (OLD("'0'", "limit", least(1)),)),
    (
        "ListTables",
        {"Limit": 101, "ExclusiveStartTableName": ARN},
        (OLD(f"'{ARN}'", "exclusiveStartTableName", PATTERN), OLD("'101'", "limit", most(100))),
    ),
    (
        "CreateTable",
        {"TableName": "abc", "BillingMode": "FREE", "KeySchema": [], "ProvisionedThroughput": THROUGHPUT},
        (
            OLD("'[]'", "keySchema", shortest(1)),
            OLD("'FREE'", "billingMode", AMONG("PROVISIONED, PAY_PER_REQUEST")),
            OLD("'0'", "provisionedThroughput.readCapacityUnits", least(1)),
            OLD("'-1'", "provisionedThroughput.writeCapacityUnits", least(1)),
        ),
    ),
    (
        "CreateTable",
        {
            "TableName": "abc",
            "AttributeDefinitions": [{}, {"AttributeName": "a", "AttributeType": "SS"}],
            "KeySchema": [{"AttributeName": "", "KeyType": "SORT"}],
            "SSESpecification": {"SSEType": "NONE"},
        },
        (
            OLD("null", "attributeDefinitions.1.member.attributeName", NULL),
            OLD("null", "attributeDefinitions.1.member.attributeType", NULL),
            OLD("'SS'", "attributeDefinitions.2.member.attributeType", AMONG("B, N, S")),
            OLD("''", "keySchema.1.member.attributeName", shortest(1)),
            OLD("'SORT'", "keySchema.1.member.keyType", AMONG("HASH, RANGE")),
            OLD("'NONE'", "sSESpecification.sSEType", AMONG("AES256, KMS")),
        ),
    ),
    (
        "UpdateTable",
        {
            "TableName": "abc",
            "GlobalSecondaryIndexUpdates": [
                {"Create": {**INDEX, "IndexName": "x", "Projection": {"NonKeyAttributes": ["a", ""]}}},
                {"Delete": {}},
            ],
        },
        (
            OLD("'x'", "globalSecondaryIndexUpdates.1.member.create.indexName", shortest(3)),
            OLD(
                "'[a, ]'",
                "globalSecondaryIndexUpdates.1.member.create.projection.nonKeyAttributes",
                f"Member must satisfy constraint: [{longest(255)}, {shortest(1)}]",
            ),
            OLD("null", "globalSecondaryIndexUpdates.2.member.delete.indexName", NULL),
        ),
    ),
    (
        "TagResource",
        {"ResourceArn": "", "Tags": [{}]},
        (
            OLD("''", "resourceArn", shortest(1)),
            OLD("null", "tags.1.member.key", NULL),
            OLD("null", "tags.1.member.value", NULL),
        ),
    ),
    ("UpdateTimeToLive", {"TableName": "abc"}, (OLD("null", "timeToLiveSpecification", NULL),)),
    # Transactions
    ("TransactGetItems", {"TransactItems": []}, (OLD("'[]'", "transactItems", shortest(1)),)),
    ("TransactGetItems", {"TransactItems": [None]}, (OLD("null", "transactItems.1.member.get", NULL),)),
    (
        "TransactWriteItems",
        {
            "TransactItems": [
                {"Delete": {"TableName": "abc", "Key": KEY}},
                {"Update": {"TableName": "ab", "Key": KEY, "UpdateExpression": "REMOVE a"}},
                {"ConditionCheck": {"TableName": "abc", "Key": KEY}},
            ]
        },
        (
            OLD("'ab'", "transactItems.2.member.update.tableName", shortest(3)),
            OLD("null", "transactItems.3.member.conditionCheck.conditionExpression", NULL),
        ),
    ),
    (
        "TransactWriteItems",
        {
            "TransactItems": SOUND["TransactWriteItems"]["TransactItems"],
            "ClientRequestToken": "t" * 37,
            "ReturnConsumedCapacity": "X",
            "ReturnItemCollectionMetrics": "Y",
        },
        (
            OLD("'X'", "returnConsumedCapacity", AMONG("INDEXES, TOTAL, NONE")),
            OLD("'Y'", "returnItemCollectionMetrics", AMONG("SIZE, NONE")),
            OLD(f"'{'t' * 37}'", "clientRequestToken", longest(36)),
        ),
    ),
    # Batches of writes
    ("BatchWriteItem", {}, (OLD("null", "requestItems", NULL),)),
    (
        "BatchWriteItem",
        {"RequestItems": {"abc": [{"PutRequest": {}}, {"DeleteRequest": {}}]}},
        (
            OLD("null", "requestItems.abc.member.1.member.putRequest.item", NULL),
            OLD("null", "requestItems.abc.member.2.member.deleteRequest.key", NULL),
        ),
    ),
    (
        "BatchWriteItem",
        {"RequestItems": {"abc": []}},
        (
            OLD(
                "'{abc=[]}'",
                "requestItems",
                f"Map value must satisfy constraint: [{longest(25)}, {shortest(1)}]",
            ),
        ),
    ),
    (
        "BatchWriteItem",
        {"RequestItems": {"a": [{"DeleteRequest": {"Key": {"n": {"N": "1"}}}}]}},
        (
            OLD(
                "'{a=[WriteRequest(putRequest=null, deleteRequest=DeleteRequest(key={n=AttributeValue(s=null, "
                "n=1, b=null, sS=null, nS=null, bS=null, m=null, l=null, nULL=null, bOOL=null)}))]}'",
                "requestItems",
                f"Map keys must satisfy constraint: [{longest(255)}, {shortest(3)}, {PATTERN}]",
            ),
        ),
    ),
]


@pytest.mark.parametrize(("operation", "request_", "faults"), NEWER)
def test_operations_that_moved_use_the_newer_wording(
    operation: str, request_: dict[str, Any], faults: tuple[str, ...]
) -> None:
    assert error_of(operation, request_) == detected(*faults)


@pytest.mark.parametrize(("operation", "request_", "faults"), OLDER)
def test_the_others_keep_the_older_wording(
    operation: str, request_: dict[str, Any], faults: tuple[str, ...]
) -> None:
    assert error_of(operation, request_) == detected(*faults)


@pytest.mark.parametrize(
    ("operation", "member"),
    [
        ("CreateTable", "TableName"),
        ("DescribeTable", "TableName"),
        ("DeleteTable", "TableName"),
        ("UpdateTable", "TableName"),
        ("UpdateTimeToLive", "TableName"),
        ("ListTables", "ExclusiveStartTableName"),
    ],
)
def test_operations_on_tables_tell_of_the_name_alone_and_first(operation: str, member: str) -> None:
    length = f"{member} must be at least 3 characters long and at most 255 characters long"

    for name in ("", "a;", "ab", "a" * 256):
        assert error_of(operation, {member: name, "Limit": 0}) == ("ValidationException", length)
    if operation != "ListTables":
        missing = f"The parameter '{member}' is required but was not present in the request"
        assert error_of(operation, {}) == ("ValidationException", missing)


@pytest.mark.parametrize("action", ["put", "", "SET"])
def test_a_legacy_action_has_words_of_its_own(action: str) -> None:
    assert error_of("UpdateItem", keyed(AttributeUpdates={"a": {"Action": action}})) == (
        "ValidationException",
        ACTION,
    )


def test_an_unknown_comparison_is_reported_by_the_condition() -> None:
    condition = {"a": {"ComparisonOperator": "eq"}}

    assert read_request("Scan", scan_with(ScanFilter=condition))["ScanFilter"] == condition


def test_a_batch_without_writes_has_words_of_its_own() -> None:
    assert error_of("BatchWriteItem", {"RequestItems": {}}) == (
        "ValidationException",
        "The requestItems parameter is required for BatchWriteItem",
    )


def test_more_than_25_writes_of_a_table_are_echoed() -> None:
    writes = [{"DeleteRequest": {"Key": KEY}}] * 26

    code, message = error_of("BatchWriteItem", {"RequestItems": {"abc": writes}})

    assert code == "ValidationException"
    assert message is not None
    assert message.startswith("1 validation error detected: Value '{abc=[WriteRequest(putRequest=null, ")
    assert message.endswith(
        "]}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: "
        f"[{longest(25)}, {shortest(1)}]"
    )


def test_at_most_ten_faults_are_listed() -> None:
    schema = [{"AttributeName": "a", "KeyType": "X"}] * 12

    code, message = error_of("CreateTable", {"TableName": "abc", "KeySchema": schema})

    assert (code, (message or "").count("failed to satisfy")) == ("ValidationException", 10)
    assert (message or "").startswith("10 validation errors detected: ")


@pytest.mark.parametrize("name", ["abc", "a" * 255, "A-b_c.9", ARN, "arn:" + "x" * 1020])
def test_a_table_is_named_by_its_name_or_its_arn(name: str) -> None:
    assert read_request("DescribeTable", {"TableName": name}) == {"TableName": name}
    assert read_request("GetItem", keyed(TableName=name))["TableName"] == name
    assert read_request("BatchGetItem", {"RequestItems": {name: {"Keys": [KEY]}}})


def test_values_are_echoed_however_deep_they_are() -> None:
    value: dict[str, Any] = {"S": "x"}
    for _ in range(1500):
        value = {"L": [value]}

    code, message = error_of(
        "BatchWriteItem", {"RequestItems": {"a": [{"PutRequest": {"Item": {"v": value}}}]}}
    )

    assert code == "ValidationException"
    assert "l=[AttributeValue(s=null" in (message or "")
