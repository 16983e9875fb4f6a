"""Responses as bytes for the wire, and the service's words where no operation is reached."""

from __future__ import annotations

from functools import lru_cache
from os import urandom
from time import gmtime, time
from typing import Final
from zlib import crc32

JSON_TYPE: Final = "application/x-amz-json-1.0"
_TOO_LARGE_STATUS: Final = 413
_REASONS: Final = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    408: "Request Timeout",
    _TOO_LARGE_STATUS: "Request Entity Too Large",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# AWS's own ids have 52 characters too.
_ID_BYTES: Final = 26


def http_date() -> str:
    """The Date header of a response."""
    return _format_date(int(time()))


@lru_cache(maxsize=1)
def _format_date(seconds: int) -> str:
    """A time as HTTP writes it, in any locale.

    Example:
        >>> _format_date(784_111_777)
        'Sun, 06 Nov 1994 08:49:37 GMT'
    """
    now = gmtime(seconds)
    day = f"{_DAYS[now.tm_wday]}, {now.tm_mday:02} {_MONTHS[now.tm_mon - 1]} {now.tm_year}"
    return f"{day} {now.tm_hour:02}:{now.tm_min:02}:{now.tm_sec:02} GMT"


def new_request_id() -> str:
    """A random id for a request, which its answer carries.

    Example:
        >>> len(new_request_id())
        52
    """
    return urandom(_ID_BYTES).hex().upper()


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


def refusal_response(status: int, reason: str) -> bytes:
    """The last response on a connection, which reads no more."""
    text = TOO_LARGE if status == _TOO_LARGE_STATUS else f"{reason}\n"
    return plain_response(status, text, keeps_alive=False)


NO_SUCH_PAGE: Final = "<UnknownOperationException/>\n"
TOO_LARGE: Final = "<RequestEntityTooLargeException/>\n"


def health_text(region: str) -> str:
    """The health page of a region; AWS's own ends with a space too.

    Example:
        >>> health_text("eu-west-1")
        'healthy: dynamodb.eu-west-1.amazonaws.com '
    """
    return f"healthy: dynamodb.{region}.amazonaws.com "
