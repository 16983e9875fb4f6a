"""HTTP messages: requests and the limits on them, responses, and the headers for pages of other origins."""

from __future__ import annotations

import re
from functools import lru_cache
from os import urandom
from time import gmtime, time
from typing import Final, Protocol
from zlib import crc32

from pksk.client import ServiceError
from pksk.dataclass import dataclass
from pksk.engine.dispatch import WRITES
from pksk.engine.request import OPERATIONS
from pksk.errors import PkskError, quote

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


class Verify(Protocol):
    """Verifies the signature of a request."""

    def __call__(self, request: Request, /) -> ServiceError | None:
        """The error of a wrong signature, or None."""


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
    """The operation in an X-Amz-Target header; an empty text if there is no such operation."""
    return _BY_TARGET.get(target, "")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in bytes, seconds and numbers; the server rejects what exceeds them, and closes the connection.

    Example:
        >>> Limits(connections=100).body_bytes
        16777216
    """

    body_bytes: int = 16 * 1024 * 1024  # as on AWS; also of a decompressed body
    head_bytes: int = 16 * 1024  # the request line and all headers; as on AWS
    connections: int = 1000
    request_seconds: float = 30.0  # from the first byte of a request to its last
    idle_seconds: float = 300.0  # between two requests
    write_seconds: float = 30.0  # until the client reads part of its answer
    stop_seconds: float = 10.0  # for the requests that have arrived when the server stops


JSON_TYPE: Final = "application/x-amz-json-1.0"
_TOO_LARGE_STATUS: Final = 413
_REASONS: Final = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    408: "Request Timeout",
    _TOO_LARGE_STATUS: "Request Entity Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# AWS's own ids have 52 characters too.
_ID_BYTES: Final = 26
# A call of the system for each would take as long as parsing a header.
_IDS_AT_ONCE: Final = 64
_ids: Final[list[str]] = []


def http_date() -> str:
    """The Date header of a response."""
    return _format_date(int(time()))


@lru_cache(maxsize=1)
def _format_date(seconds: int) -> str:
    """A time as HTTP writes it, in any locale."""
    now = gmtime(seconds)
    day = f"{_DAYS[now.tm_wday]}, {now.tm_mday:02} {_MONTHS[now.tm_mon - 1]} {now.tm_year}"
    return f"{day} {now.tm_hour:02}:{now.tm_min:02}:{now.tm_sec:02} GMT"


def new_request_id() -> str:
    """A random id for a request, which its answer carries."""
    if not _ids:
        digits = urandom(_ID_BYTES * _IDS_AT_ONCE).hex().upper()
        _ids.extend(digits[at : at + 2 * _ID_BYTES] for at in range(0, len(digits), 2 * _ID_BYTES))
    return _ids.pop()


def response(status: int, body: bytes, headers: str = "", *, keeps_alive: bool = True) -> bytes:
    """A response with the headers that every one has; `headers` are lines, each with its end."""
    connection = "keep-alive" if keeps_alive else "close"
    head = (
        f"HTTP/1.1 {status} {_REASONS.get(status, '')}\r\nServer: pksk\r\nDate: {http_date()}\r\n"
        f"Connection: {connection}\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode("latin-1") + body


def service_response(
    status: int,
    body: bytes,
    request_id: str,
    *,
    kind: str = JSON_TYPE,
    extra: str = "",
    keeps_alive: bool = True,
) -> bytes:
    """A response of DynamoDB; the checksum is of the body as it is sent."""
    headers = (
        f"Content-Type: {kind}\r\nx-amzn-RequestId: {request_id}\r\nx-amz-crc32: {crc32(body)}\r\n{extra}"
    )
    return response(status, body, headers, keeps_alive=keeps_alive)


def plain_response(status: int, text: str, *, kind: str = "text/plain", keeps_alive: bool = True) -> bytes:
    """A text response of the server itself."""
    headers = f"Content-Type: {kind}; charset=utf-8\r\nCache-Control: no-store\r\n"
    return response(status, text.encode(), headers, keeps_alive=keeps_alive)


def rejection_response(status: int, reason: str) -> bytes:
    """The last response on a connection, which reads no more."""
    text = TOO_LARGE if status == _TOO_LARGE_STATUS else f"{reason}\n"
    return plain_response(status, text, keeps_alive=False)


NO_SUCH_PAGE: Final = "<UnknownOperationException/>\n"
TOO_LARGE: Final = "<RequestEntityTooLargeException/>\n"


def health_text(region: str) -> str:
    """The health page of a region; AWS's own ends with a space too."""
    return f"healthy: dynamodb.{region}.amazonaws.com "


_EXPOSED: Final = "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,x-amz-crc32,Date"
_MAX_AGE_SECONDS: Final = 172_800
# The header of a preflight request, and the one that answers it.
_PREFLIGHT_HEADERS: Final = (
    (b"access-control-request-headers", "Access-Control-Allow-Headers"),
    (b"access-control-request-method", "Access-Control-Allow-Methods"),
)
# As browsers send it: nothing after the port, and in lower case.
_ORIGIN: Final = re.compile(r"\*|null|[a-z][a-z0-9+.-]*://[^\sA-Z/?#@,*]+")


def checked_origin(origin: str | None) -> str | None:
    """The origin, if browsers can send it; any other would silently match no page."""
    if origin is not None and not _ORIGIN.fullmatch(origin):
        raise PkskError(
            "server-origin",
            f"{quote(origin)} is not an origin.",
            expected="An origin is http:// or https://, a host and optionally a port; or * for all.",
            fix="write --cors https://app.example, --cors '*' or --cors none.",
        )
    return origin


class Cors:
    """Allows web pages of one origin, of all with `*`, or none."""

    def __init__(self, origin: str | None) -> None:
        self.allows = origin is not None
        self._lines = (
            f"Access-Control-Allow-Origin: {origin}\r\nAccess-Control-Expose-Headers: {_EXPOSED}\r\n"
        )

    def headers(self, request: Request) -> str:
        """The header lines of a response; empty unless a web page sent the request."""
        return self._lines if self.allows and b"origin" in request.by_name else ""

    def preflight(self, request: Request) -> str:
        """The header lines that answer a preflight request; empty if the page may not send it."""
        lines = self.headers(request)
        if not lines:
            return ""
        for requested, allowed in _PREFLIGHT_HEADERS:
            value = request.by_name.get(requested)
            if value is not None:
                lines += f"{allowed}: {value.decode('latin-1')}\r\n"
        return f"{lines}Access-Control-Max-Age: {_MAX_AGE_SECONDS}\r\n"
