"""A request as it came over HTTP, and the operation that it names."""

from __future__ import annotations

from typing import Final

from pksk.dataclass import dataclass
from pksk.engine.request import OPERATIONS
from pksk.engine.shared_commit import WRITES

__all__ = ["QUICK", "READS", "Headers", "Request", "operation_of"]

# Names in small letters, in the order in which they came.
Headers = list[tuple[bytes, bytes]]


@dataclass(slots=True)
class Request:
    """The parts of a request; `target` is its path and query as they stand in the request line."""

    method: bytes
    target: bytes
    headers: Headers
    by_name: dict[bytes, bytes]  # the same; the last one where a name stands twice
    body: bytes
    began: float  # when its last byte had come
    keeps_alive: bool = True

    @property
    def path(self) -> bytes:
        """What stands before the query."""
        return self.target.partition(b"?")[0]


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
