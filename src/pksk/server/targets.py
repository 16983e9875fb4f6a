"""Which operation a request asks for, and which of them are quick."""

from __future__ import annotations

from typing import Final

__all__ = ["QUICK", "operation_of"]

_TABLES: Final = "DynamoDB_20120810"
_STREAMS: Final = "DynamoDBStreams_20120810"
_OF_STREAMS: Final = frozenset({"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"})
# They answer within milliseconds, and so on the event loop itself; all others might keep it waiting.
QUICK: Final = frozenset(
    {
        "BatchExecuteStatement",
        "BatchGetItem",
        "BatchWriteItem",
        "DeleteItem",
        "DescribeTable",
        "ExecuteStatement",
        "ExecuteTransaction",
        "GetItem",
        "GetRecords",
        "GetShardIterator",
        "ListTables",
        "PutItem",
        "Query",
        "Scan",
        "TransactGetItems",
        "TransactWriteItems",
        "UpdateItem",
    }
)
_known: dict[bytes, str] = {}


def operation_of(target: bytes) -> str:
    """The operation that a header X-Amz-Target names; an empty text if it is of neither service.

    Example:
        >>> operation_of(b"DynamoDB_20120810.GetItem"), operation_of(b"DynamoDB_20120810.ListStreams")
        ('GetItem', '')
    """
    try:
        return _known[target]
    except KeyError:
        service, _, operation = target.decode("latin-1").partition(".")
        if service != (_STREAMS if operation in _OF_STREAMS else _TABLES):
            return ""
        if operation in QUICK:
            _known[target] = operation
        return operation
