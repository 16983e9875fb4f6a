"""A request over HTTP, and the operation that it names."""

from __future__ import annotations

from typing import Final

from pksk.dataclass import dataclass
from pksk.engine.request import OPERATIONS
from pksk.engine.shared_commit import WRITES

# With lower-case names, in the order of the request.
Headers = list[tuple[bytes, bytes]]


@dataclass(slots=True)
class Request:
    """The parts of a request; `target` is the path and query of the request line."""

    method: bytes
    target: bytes
    headers: Headers
    by_name: dict[bytes, bytes]  # the same headers; the last one of each name
    body: bytes
    received: float  # when its last byte came
    keeps_alive: bool = True

    @property
    def path(self) -> bytes:
        """The target without the query."""
        return self.target.partition(b"?")[0]


_TABLES: Final = "DynamoDB_20120810"
_STREAMS: Final = "DynamoDBStreams_20120810"
_STREAM_OPERATIONS: Final = frozenset({"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"})
# These never wait for a writer.
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
# These answer within milliseconds, on the event loop itself; others could block it.
QUICK: Final = READS | WRITES
_BY_TARGET: Final[dict[bytes, str]] = {
    f"{_STREAMS if operation in _STREAM_OPERATIONS else _TABLES}.{operation}".encode(): operation
    for operation in OPERATIONS
}


def operation_of(target: bytes) -> str:
    """The operation in an X-Amz-Target header; an empty text if there is no such operation.

    Example:
        >>> operation_of(b"DynamoDB_20120810.GetItem"), operation_of(b"DynamoDB_20120810.ListStreams")
        ('GetItem', '')
    """
    return _BY_TARGET.get(target, "")
