"""Which operation a request asks for, and which of them are quick."""

from __future__ import annotations

from typing import Final

from pksk.engine.answers import WRITES
from pksk.engine.request import OPERATIONS

__all__ = ["QUICK", "READS", "operation_of"]

_TABLES: Final = "DynamoDB_20120810"
_STREAMS: Final = "DynamoDBStreams_20120810"
_OF_STREAMS: Final = frozenset({"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"})
# Those that never wait for somebody who writes.
READS: Final = frozenset(
    {
        "BatchGetItem",
        "DescribeTable",
        "GetItem",
        "GetRecords",
        "GetShardIterator",
        "ListTables",
        "Query",
        "Scan",
        "TransactGetItems",
    }
)
# These answer within milliseconds, and so on the event loop itself; all others might keep it waiting.
QUICK: Final = READS | WRITES
_BY_TARGET: Final[dict[bytes, str]] = {
    f"{_STREAMS if operation in _OF_STREAMS else _TABLES}.{operation}".encode(): operation
    for operation in OPERATIONS
}


def operation_of(target: bytes) -> str:
    """The operation that a header X-Amz-Target names; an empty text if there is none of that name.

    Example:
        >>> operation_of(b"DynamoDB_20120810.GetItem"), operation_of(b"DynamoDB_20120810.ListStreams")
        ('GetItem', '')
    """
    return _BY_TARGET.get(target, "")
