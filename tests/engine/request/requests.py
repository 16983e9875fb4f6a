"""A request of every operation with valid members, for tests to damage; its tables need not exist.

Requests that succeed are in `tests.engine.valid_requests`.
"""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine.request import read_request

__all__ = ["KEY", "SOUND", "error_of", "item_with", "scan_with"]

KEY = {"pk": {"S": "a"}}
ARN = "arn:aws:dynamodb:eu-west-1:123456789012:table/orders"
STREAM = "arn:aws:kinesis:eu-west-1:123456789012:stream/orders"

VALUES: dict[str, Any] = {
    "text": {"S": "ä"},
    "number": {"N": "1.5"},
    "binary": {"B": "eHl6"},
    "texts": {"SS": ["a", "b"]},
    "numbers": {"NS": ["1", "2"]},
    "binaries": {"BS": ["eA==", "eQ=="]},
    "map": {"M": {"inner": {"L": [{"BOOL": True}, {"M": {}}]}}},
    "list": {"L": [{"NULL": True}, {"L": []}, {"S": ""}]},
}
CONDITION = {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}
EXPRESSIONS = {"ExpressionAttributeNames": {"#a": "a"}, "ExpressionAttributeValues": {":a": {"S": "a"}}}
INDEX = {
    "IndexName": "by-day",
    "KeySchema": [{"AttributeName": "day", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a"]},
}
VECTOR_INDEX = {
    "IndexName": "by-meaning",
    "VectorAttribute": {"AttributeName": "v"},
    "Projection": {"ProjectionType": "ALL"},
    "Dimensions": 3,
    "DistanceFunction": "COSINE",
    "SearchSchema": [{"AttributeName": "pk", "SearchSchemaElementType": "HASH"}],
}
THROUGHPUT = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}

BACKUP = f"{ARN}/backup/01767225600000-0a1b2c3d"
OVERRIDES: dict[str, Any] = {
    "BillingModeOverride": "PROVISIONED",
    "GlobalSecondaryIndexOverride": [{**INDEX, "ProvisionedThroughput": THROUGHPUT}],
    "LocalSecondaryIndexOverride": [INDEX],
    "ProvisionedThroughputOverride": THROUGHPUT,
    "OnDemandThroughputOverride": {"MaxReadRequestUnits": 5},
    "SSESpecificationOverride": {"Enabled": True, "SSEType": "KMS"},
    "VectorIndexOverride": [VECTOR_INDEX],
}
STREAM_OF_TABLE = f"{ARN}/stream/2026-01-01T00:00:00.000"
SHARD = "shardId-00000001767225600000-0a1b2c3d"

SOUND: dict[str, dict[str, Any]] = {
    "ListStreams": {"TableName": "orders", "Limit": 7, "ExclusiveStartStreamArn": STREAM_OF_TABLE},
    "DescribeStream": {
        "StreamArn": STREAM_OF_TABLE,
        "Limit": 7,
        "ExclusiveStartShardId": SHARD,
        "ShardFilter": {"Type": "CHILD_SHARDS", "ShardId": SHARD},
    },
    "GetShardIterator": {
        "StreamArn": STREAM_OF_TABLE,
        "ShardId": SHARD,
        "ShardIteratorType": "AT_SEQUENCE_NUMBER",
        "SequenceNumber": "100000000000000000001",
        "Timestamp": 1767225600.5,
    },
    "GetRecords": {"ShardIterator": f"{STREAM_OF_TABLE}|1|AAAA", "Limit": 7},
    "SearchVectors": {
        "TableName": ARN,
        "IndexName": "by-meaning",
        "SearchVector": [{"N": "1"}, {"N": "0.5"}, {"N": "-2"}],
        "TopK": 7,
        "SearchConditionExpression": "#a = :a",
        "ProjectionExpression": "#a",
        "ReturnConsumedCapacity": "TOTAL",
        **EXPRESSIONS,
    },
    "PutItem": {
        "TableName": "orders",
        "Item": {**KEY, **VALUES},
        "ReturnValues": "ALL_OLD",
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnConsumedCapacity": "TOTAL",
        **EXPRESSIONS,
    },
    "GetItem": {"TableName": ARN, "Key": KEY, "ConsistentRead": True, "AttributesToGet": ["a"]},
    "UpdateItem": {
        "TableName": "orders",
        "Key": KEY,
        "AttributeUpdates": {"a": {"Value": {"S": "b"}, "Action": "PUT"}},
        "Expected": {"a": {"Exists": True, "Value": {"S": "a"}}, "b": CONDITION},
        "ConditionalOperator": "AND",
    },
    "DeleteItem": {"TableName": "orders", "Key": KEY, "ReturnItemCollectionMetrics": "SIZE"},
    "Query": {
        "TableName": "orders",
        "IndexName": "by-day",
        "KeyConditions": {"pk": CONDITION},
        "Limit": 10,
        "Select": "COUNT",
        "ScanIndexForward": False,
        "ExclusiveStartKey": KEY,
    },
    "Scan": {"TableName": "orders", "Segment": 0, "TotalSegments": 2, "ScanFilter": {"a": CONDITION}},
    "BatchGetItem": {"RequestItems": {"orders": {"Keys": [KEY], "ConsistentRead": False}}},
    "BatchWriteItem": {
        "RequestItems": {"orders": [{"PutRequest": {"Item": VALUES}}, {"DeleteRequest": {"Key": KEY}}]}
    },
    "TransactGetItems": {"TransactItems": [{"Get": {"TableName": "orders", "Key": KEY}}]},
    "TransactWriteItems": {
        "ClientRequestToken": "token",
        "TransactItems": [
            {"Put": {"TableName": "orders", "Item": {**KEY, **VALUES}, **EXPRESSIONS}},
            {"Update": {"TableName": "orders", "Key": KEY, "UpdateExpression": "REMOVE a"}},
            {"Delete": {"TableName": "orders", "Key": KEY}},
            {"ConditionCheck": {"TableName": "orders", "Key": KEY, "ConditionExpression": "a = :a"}},
        ],
    },
    "ExecuteStatement": {
        "Statement": "SELECT * FROM orders WHERE pk = ?",
        "Parameters": [{"S": "a"}],
        "ConsistentRead": True,
        "NextToken": "token",
        "Limit": 7,
        "ReturnConsumedCapacity": "TOTAL",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    },
    "BatchExecuteStatement": {
        "Statements": [{"Statement": "SELECT * FROM orders", "Parameters": list(VALUES.values())}]
    },
    "ExecuteTransaction": {
        "TransactStatements": [{"Statement": "SELECT * FROM orders", "Parameters": list(VALUES.values())}],
        "ClientRequestToken": "token",
    },
    "CreateTable": {
        "TableName": "orders",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PROVISIONED",
        "ProvisionedThroughput": THROUGHPUT,
        "LocalSecondaryIndexes": [INDEX],
        "GlobalSecondaryIndexes": [{**INDEX, "ProvisionedThroughput": THROUGHPUT}],
        "VectorIndexes": [VECTOR_INDEX],
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        "SSESpecification": {"Enabled": True, "SSEType": "KMS"},
        "Tags": [{"Key": "team", "Value": ""}],
        "TableThroughputMode": "PAY_PER_REQUEST",
    },
    "DescribeTable": {"TableName": "orders"},
    "UpdateTable": {
        "TableName": "orders",
        "GlobalSecondaryIndexUpdates": [{"Create": INDEX}, {"Delete": {"IndexName": "by-day"}}],
        "VectorIndexUpdates": [{"Create": VECTOR_INDEX}],
        "ReplicaUpdates": [{"Create": {"RegionName": "eu-west-2"}}],
        "OnDemandThroughput": {"MaxReadRequestUnits": -1},
    },
    "DeleteTable": {"TableName": "orders"},
    "ListTables": {"Limit": 100, "ExclusiveStartTableName": "orders"},
    "TagResource": {"ResourceArn": ARN, "Tags": [{"Key": "team", "Value": "a"}]},
    "UntagResource": {"ResourceArn": ARN, "TagKeys": ["team"]},
    "ListTagsOfResource": {"ResourceArn": ARN},
    "DescribeLimits": {},
    "DescribeEndpoints": {},
    "DescribeTimeToLive": {"TableName": "orders"},
    "UpdateTimeToLive": {
        "TableName": "orders",
        "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ttl"},
    },
    "CreateBackup": {"TableName": "orders", "BackupName": "nightly"},
    "DescribeBackup": {"BackupArn": BACKUP},
    "ListBackups": {
        "TableName": "orders",
        "Limit": 7,
        "TimeRangeLowerBound": 0,
        "TimeRangeUpperBound": 1767225600.5,
        "ExclusiveStartBackupArn": BACKUP,
        "BackupType": "ALL",
    },
    "DeleteBackup": {"BackupArn": BACKUP},
    "RestoreTableFromBackup": {"TargetTableName": "again", "BackupArn": BACKUP, **OVERRIDES},
    "RestoreTableToPointInTime": {
        "SourceTableArn": ARN,
        "SourceTableName": "orders",
        "TargetTableName": "again",
        "UseLatestRestorableTime": True,
        "RestoreDateTime": 1767225600.5,
        **OVERRIDES,
    },
    "DescribeContinuousBackups": {"TableName": "orders"},
    "UpdateContinuousBackups": {
        "TableName": "orders",
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 7},
    },
    "GetResourcePolicy": {"ResourceArn": ARN},
    "PutResourcePolicy": {"ResourceArn": ARN, "Policy": "{}"},
    "DeleteResourcePolicy": {"ResourceArn": ARN, "ExpectedRevisionId": "1"},
    "DescribeContributorInsights": {"TableName": "orders"},
    "UpdateContributorInsights": {"TableName": "orders", "ContributorInsightsAction": "ENABLE"},
    "ListContributorInsights": {"MaxResults": 5},
    "DescribeKinesisStreamingDestination": {"TableName": "orders"},
    "EnableKinesisStreamingDestination": {"TableName": "orders", "StreamArn": STREAM},
    "DisableKinesisStreamingDestination": {"TableName": "orders", "StreamArn": STREAM},
    "UpdateKinesisStreamingDestination": {
        "TableName": "orders",
        "StreamArn": STREAM,
        "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MICROSECOND"},
    },
}


def item_with(value: Any) -> dict[str, Any]:
    """A PutItem request with one attribute beside its key."""
    return {"TableName": "orders", "Item": {**KEY, "a": value}}


def scan_with(**members: Any) -> dict[str, Any]:
    """A Scan request with members beside the table's name."""
    return {"TableName": "orders", **members}


def error_of(operation: str, request: Any) -> tuple[str, str | None]:
    """The code and message of the error for a request."""
    with pytest.raises(ServiceError) as caught:
        read_request(operation, request)
    return caught.value.code, caught.value.message
