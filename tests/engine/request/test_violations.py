"""All broken constraints are reported in one message, in the wording of the operation."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine.request import read_request
from tests.engine.request.requests import ARN, INDEX, KEY, SOUND, error_of, scan_with

AT = "Value at '{}' failed to satisfy constraint: {}".format
OLD = "Value {} at '{}' failed to satisfy constraint: {}".format
NULL = "Member must not be null"
PATTERN = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
CHOICE = "Failed to satisfy constraint: Member must satisfy enum value set: [{}]".format
AMONG = "Member must satisfy enum value set: [{}]".format
RETURN_VALUES = CHOICE("ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE")


# What the newer wording has not reached.
def capacity(value: str) -> str:
    return OLD(f"'{value}'", "returnConsumedCapacity", AMONG("INDEXES, TOTAL, NONE"))


ACTION = "1 validation error detected: Member must satisfy enum value set: [ADD, DELETE, PUT]' for Action"
METRICS = OLD("'BIG'", "returnItemCollectionMetrics", AMONG("SIZE, NONE"))
KEYS_OF_A_MAP = "Map keys must satisfy constraint: [{}]".format


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
    ("PutItem", {"TableName": None}, (OLD("null", "tableName", NULL), AT("Item", NULL))),
    ("PutItem", {"Item": KEY}, (OLD("null", "tableName", NULL),)),
    ("UpdateItem", {"Key": KEY}, (AT("TableName", NULL),)),
    ("DeleteItem", {}, (AT("TableName", NULL), AT("Key", NULL))),
    ("Query", {}, (AT("TableName", NULL),)),
    ("BatchGetItem", {}, (AT("RequestItems", NULL),)),
    ("BatchGetItem", {"RequestItems": {"abc": {}}}, (AT("RequestItems.abc.member.Keys", NULL),)),
    ("Query", scan_with(QueryFilter={"a": {}}), (AT("QueryFilter.a.member.ComparisonOperator", NULL),)),
    # Names: one fault each, the length first; UpdateItem tells all, the pattern first, and nothing else.
    # On PutItem only the empty name has the newer wording, and a wrong pattern has it on reads alone.
    ("PutItem", put(TableName=""), (AT("TableName", shortest(1)),)),
    ("PutItem", put(TableName="", **BAD), (AT("TableName", shortest(1)),)),
    ("GetItem", {"TableName": ""}, (AT("TableName", shortest(1)),)),
    ("GetItem", keyed(TableName="ab"), (AT("TableName", shortest(3)),)),
    ("DeleteItem", keyed(TableName="a;"), (AT("TableName", shortest(3)),)),
    ("Query", scan_with(TableName="a" * 256), (AT("TableName", longest(255)),)),
    ("PutItem", put(TableName="a" * 256), (OLD(f"'{'a' * 256}'", "tableName", longest(255)),)),
    ("PutItem", put(TableName="a!b"), (OLD("'a!b'", "tableName", PATTERN),)),
    ("Query", scan_with(TableName="a" * 1025), (AT("TableName", longest(1024)),)),
    ("GetItem", keyed(TableName="a/b/c"), (AT("TableName", PATTERN),)),
    ("GetItem", keyed(TableName="abc\n"), (AT("TableName", PATTERN),)),
    ("Query", scan_with(IndexName="é"), (AT("IndexName", shortest(3)),)),
    (
        "Query",
        scan_with(TableName=";", IndexName=";"),
        (AT("TableName", shortest(3)), AT("IndexName", shortest(3))),
    ),
    (
        "PutItem",
        put(TableName="ab", ReturnValues="X"),
        (OLD("'ab'", "tableName", shortest(3)), RETURN_VALUES),
    ),
    (
        "DeleteItem",
        keyed(TableName=";;;", ReturnValues="X"),
        (OLD("';;;'", "tableName", PATTERN), RETURN_VALUES),
    ),
    ("DeleteItem", keyed(TableName="a" * 256), (AT("TableName", longest(255)),)),
    (
        "UpdateItem",
        keyed(TableName=";", **BAD),
        (OLD("';'", "tableName", PATTERN), OLD("';'", "tableName", shortest(3))),
    ),
    ("UpdateItem", keyed(TableName="ab"), (AT("TableName", shortest(3)),)),
    ("UpdateItem", keyed(TableName="", **BAD), (AT("TableName", shortest(1)),)),
    # Choices: all of them, but only the first on UpdateItem
    ("PutItem", put(**BAD), (capacity("SOME"), RETURN_VALUES, METRICS)),
    ("DeleteItem", keyed(**BAD), (capacity("SOME"), RETURN_VALUES, METRICS)),
    ("UpdateItem", keyed(**BAD), (RETURN_VALUES,)),
    ("UpdateItem", keyed(ReturnConsumedCapacity="total"), (capacity("total"),)),
    ("GetItem", keyed(ReturnConsumedCapacity=""), (capacity(""),)),
    ("DeleteItem", keyed(ReturnValuesOnConditionCheckFailure="OLD"), (CHOICE("ALL_OLD, NONE"),)),
    ("DeleteItem", keyed(ConditionalOperator="NOT"), (CHOICE("ALL, OR"),)),
    (
        "Query",
        scan_with(Select="ALL"),
        (
            OLD(
                "'ALL'",
                "select",
                AMONG("SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES"),
            ),
        ),
    ),
    # Bounds
    ("Query", scan_with(Limit=0), (AT("Limit", least(1)),)),
    ("Query", scan_with(Limit=-5), (AT("Limit", least(1)),)),
    (
        "GetItem",
        keyed(AttributesToGet=[], ReturnConsumedCapacity="X"),
        (AT("AttributesToGet", shortest(1)), capacity("X")),
    ),
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
        {"RequestItems": {"abc": {"Keys": [KEY], "AttributesToGet": []}}},
        (AT("RequestItems.abc.member.AttributesToGet", shortest(1)),),
    ),
    (
        "BatchGetItem",
        {"RequestItems": {f"abc{number}": {"Keys": [KEY]} for number in range(101)}},
        (AT("RequestItems", longest(100)),),
    ),
    (
        "BatchGetItem",
        {"RequestItems": {"ab": {"Keys": [KEY]}}, "ReturnConsumedCapacity": "X"},
        (
            OLD(
                """'{"ab":{"Keys":[{"pk":{"S":"a"}}]}}'""",
                "requestItems",
                KEYS_OF_A_MAP(f"{longest(255)}, {shortest(3)}, {PATTERN}"),
            ),
            capacity("X"),
        ),
    ),
]

OLDER: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    # An update without a key
    (
        "UpdateItem",
        {"TableName": "", **BAD, "ConditionalOperator": "XOR"},
        (
            capacity("SOME"),
            OLD("''", "tableName", shortest(1)),
            OLD("'ALL'", "returnValues", AMONG("ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW")),
            OLD("'XOR'", "conditionalOperator", AMONG("OR, AND")),
            METRICS,
            OLD("null", "key", NULL),
        ),
    ),
    # Scans of this region
    ("Scan", scan_with(TableName="a" * 1025), (OLD(f"'{'a' * 1025}'", "tableName", longest(1024)),)),
    ("Scan", scan_with(Limit=0), (OLD("'0'", "limit", least(1)),)),
    (
        "Scan",
        scan_with(Segment=1_000_000, TotalSegments=1_000_001),
        (
            OLD("'1000001'", "totalSegments", most(1_000_000)),
            OLD("'1000000'", "segment", most(999_999)),
        ),
    ),
    (
        "Scan",
        scan_with(Segment=-1, TotalSegments=0),
        (OLD("'0'", "totalSegments", least(1)), OLD("'-1'", "segment", least(0))),
    ),
    # Tables
    ("DescribeTable", {"TableName": "abc;"}, (OLD("'abc;'", "tableName", PATTERN),)),
    (
        "DescribeTable",
        {"TableName": ""},
        (OLD("''", "tableName", shortest(3)), OLD("''", "tableName", PATTERN)),
    ),
    ("CreateTable", {"TableName": "ab"}, (OLD("'ab'", "tableName", shortest(3)),)),
    ("DeleteTable", {"TableName": "a" * 256}, (OLD(f"'{'a' * 256}'", "tableName", longest(255)),)),
    (
        "ListTables",
        {"ExclusiveStartTableName": ""},
        (
            OLD("''", "exclusiveStartTableName", PATTERN),
            OLD("''", "exclusiveStartTableName", shortest(3)),
        ),
    ),
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
            OLD("'-1'", "provisionedThroughput.writeCapacityUnits", least(1)),
            OLD("'0'", "provisionedThroughput.readCapacityUnits", least(1)),
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
            OLD("null", "attributeDefinitions.1.member.attributeType", NULL),
            OLD("null", "attributeDefinitions.1.member.attributeName", NULL),
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
        (OLD("''", "resourceArn", shortest(1)),),
    ),
    ("UpdateTimeToLive", {"TableName": "abc"}, (OLD("null", "timeToLiveSpecification", NULL),)),
    # Transactions
    ("TransactGetItems", {}, (OLD("null", "transactItems", NULL),)),
    (
        "TransactGetItems",
        {"TransactItems": [{"Get": {}}, {"Get": keyed(TableName="ab")}], "ReturnConsumedCapacity": "X"},
        (
            OLD("null", "transactItems.1.member.get.key", NULL),
            OLD("null", "transactItems.1.member.get.tableName", NULL),
            OLD("'ab'", "transactItems.2.member.get.tableName", shortest(3)),
            OLD("'X'", "returnConsumedCapacity", AMONG("INDEXES, TOTAL, NONE")),
        ),
    ),
    (
        "TransactWriteItems",
        {
            "TransactItems": [
                {"Put": put(TableName="or!ders", ReturnValuesOnConditionCheckFailure="ALL_NEW")},
                {"Put": {"TableName": "orders"}},
                {"Update": keyed()},
                {"Delete": {"TableName": "orders"}},
            ]
        },
        (
            OLD("'or!ders'", "transactItems.1.member.put.tableName", PATTERN),
            OLD(
                "'ALL_NEW'",
                "transactItems.1.member.put.returnValuesOnConditionCheckFailure",
                AMONG("ALL_OLD, NONE"),
            ),
            OLD("null", "transactItems.2.member.put.item", NULL),
            OLD("null", "transactItems.3.member.update.updateExpression", NULL),
            OLD("null", "transactItems.4.member.delete.key", NULL),
        ),
    ),
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
            OLD(f"'{'t' * 37}'", "clientRequestToken", longest(36)),
            OLD("'X'", "returnConsumedCapacity", AMONG("INDEXES, TOTAL, NONE")),
            OLD("'Y'", "returnItemCollectionMetrics", AMONG("SIZE, NONE")),
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
def test_other_operations_use_the_older_wording(
    operation: str, request_: dict[str, Any], faults: tuple[str, ...]
) -> None:
    assert error_of(operation, request_) == detected(*faults)


@pytest.mark.parametrize(
    "operation", ["CreateTable", "DescribeTable", "DeleteTable", "UpdateTable", "UpdateTimeToLive"]
)
def test_operations_on_tables_report_a_missing_table_name_alone(operation: str) -> None:
    missing = "The parameter 'TableName' is required but was not present in the request"

    assert error_of(operation, {"Tags": [], "BillingMode": "X"}) == ("ValidationException", missing)


@pytest.mark.parametrize(
    ("operation", "member", "shown"),
    [
        ("RestoreTableFromBackup", "TargetTableName", "TableName"),
        ("RestoreTableToPointInTime", "TargetTableName", "TableName"),
        ("DescribeContributorInsights", "IndexName", "IndexName"),
        ("UpdateContributorInsights", "IndexName", "IndexName"),
    ],
)
def test_the_length_of_some_names_is_reported_alone(operation: str, member: str, shown: str) -> None:
    length = f"{shown} must be at least 3 characters long and at most 255 characters long"

    for name in ("", "a;", "a" * 256):
        assert error_of(operation, {"TableName": "abc", member: name}) == ("ValidationException", length)


@pytest.mark.parametrize(("operation", "region"), [("Query", "us-east-1"), ("Scan", "eu-west-2")])
def test_the_conditional_operator_of_a_read_is_reported_bare_and_alone(operation: str, region: str) -> None:
    with pytest.raises(ServiceError) as caught:
        read_request(operation, scan_with(ConditionalOperator="XOR", Select="X", Limit=0), region)

    assert caught.value.message == CHOICE("ALL, OR")


def test_the_other_region_has_the_newer_wording_of_a_scan() -> None:
    request = scan_with(Segment=-1, TotalSegments=0)
    with pytest.raises(ServiceError) as caught:
        read_request("Scan", request, "eu-central-1")

    assert caught.value.message == detected(AT("TotalSegments", least(1)), AT("Segment", least(0)))[1]


def test_a_batch_of_writes_reports_its_names_only_without_other_faults() -> None:
    request = {"RequestItems": {"a!b": [{"DeleteRequest": {"Key": KEY}}]}}

    assert error_of("BatchWriteItem", {**request, "ReturnConsumedCapacity": "X"}) == detected(capacity("X"))
    assert "Map keys must satisfy constraint" in str(error_of("BatchWriteItem", request)[1])


@pytest.mark.parametrize("action", ["put", "", "SET"])
def test_an_invalid_legacy_action_has_its_own_message(action: str) -> None:
    assert error_of("UpdateItem", keyed(AttributeUpdates={"a": {"Action": action}})) == (
        "ValidationException",
        ACTION,
    )


def test_an_unknown_comparison_is_reported_by_the_condition() -> None:
    condition = {"a": {"ComparisonOperator": "eq"}}

    assert read_request("Scan", scan_with(ScanFilter=condition))["ScanFilter"] == condition


def test_a_batch_without_writes_has_its_own_message() -> None:
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


def test_deeply_nested_values_are_echoed() -> None:
    value: dict[str, Any] = {"S": "x"}
    for _ in range(1500):
        value = {"L": [value]}

    code, message = error_of(
        "BatchWriteItem", {"RequestItems": {"a": [{"PutRequest": {"Item": {"v": value}}}]}}
    )

    assert code == "ValidationException"
    assert "l=[AttributeValue(s=null" in (message or "")
