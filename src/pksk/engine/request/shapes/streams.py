"""Requests about streams."""

from __future__ import annotations

from typing import Final

__all__ = ["OPERATIONS", "SHAPES"]

OPERATIONS: Final[dict[str, str]] = {
    "ListStreams": "TableName Limit:StreamsLimit ExclusiveStartStreamArn:StreamArn",
    "DescribeStream": "StreamArn! Limit:StreamsLimit ExclusiveStartShardId:ShardId ShardFilter",
    "GetShardIterator": "StreamArn! ShardId! ShardIteratorType! SequenceNumber Timestamp",
    "GetRecords": "ShardIterator! Limit:RecordsLimit",
}

SHAPES: Final[dict[str, str]] = {
    "ShardId": "string 28..65",
    "ShardIterator": "string 1..2048",
    "SequenceNumber": "string 21..40",
    "Timestamp": "timestamp",
    "StreamsLimit": "integer 1..100",
    "RecordsLimit": "integer 1..1000",
    "ShardFilter": "structure Type:ShardFilterType ShardId",
    "ShardFilterType": "enum CHILD_SHARDS",
    "ShardIteratorType": "enum AFTER_SEQUENCE_NUMBER LATEST AT_TIMESTAMP AT_SEQUENCE_NUMBER TRIM_HORIZON",
}
