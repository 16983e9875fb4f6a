"""Responses as bytes for the wire, and the service's words where no operation is reached."""

from __future__ import annotations

from email.utils import formatdate
from http import HTTPStatus
from os import urandom
from time import time
from typing import Final
from zlib import crc32

__all__ = [
    "JSON_TYPE",
    "NO_SUCH_PAGE",
    "TOO_LARGE",
    "health_text",
    "http_date",
    "new_request_id",
    "plain_response",
    "refusal_response",
    "response",
    "service_response",
]

JSON_TYPE: Final = "application/x-amz-json-1.0"
_REASONS: Final = {status.value: status.phrase for status in HTTPStatus}
# What AWS writes has 52 characters too.
_ID_BYTES: Final = 26


class _Date:
    """The Date header, made once a second."""

    def __init__(self) -> None:
        self._second = 0
        self._text = ""

    def __call__(self) -> str:
        second = int(time())
        if second != self._second:
            self._second, self._text = second, formatdate(second, usegmt=True)
        return self._text


http_date: Final = _Date()


def new_request_id() -> str:
    """An identifier for a request, which its answer carries.

    Example:
        >>> len(new_request_id())
        52
    """
    return urandom(_ID_BYTES).hex().upper()


def response(status: int, body: bytes, headers: str = "", *, keeps_alive: bool = True) -> bytes:
    """An answer with the headers that every one has; `headers` are lines, each with its end."""
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
    """An answer of DynamoDB's; the checksum is over the body as it is sent."""
    headers = (
        f"Content-Type: {kind}\r\nx-amzn-RequestId: {request_id}\r\nx-amz-crc32: {crc32(body)}\r\n{extra}"
    )
    return response(status, body, headers, keeps_alive=keeps_alive)


def plain_response(status: int, text: str, *, kind: str = "text/plain", keeps_alive: bool = True) -> bytes:
    """An answer of the server's own, in words."""
    headers = f"Content-Type: {kind}; charset=utf-8\r\nCache-Control: no-store\r\n"
    return response(status, text.encode(), headers, keeps_alive=keeps_alive)


def refusal_response(status: int, reason: str) -> bytes:
    """The last answer on a connection, from which nothing further is read."""
    text = TOO_LARGE if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE else f"{reason}\n"
    return plain_response(status, text, keeps_alive=False)


NO_SUCH_PAGE: Final = "<UnknownOperationException/>\n"
TOO_LARGE: Final = "<RequestEntityTooLargeException/>\n"


def health_text(region: str) -> str:
    """What a region's endpoint says of itself; the space at its end is AWS's too.

    Example:
        >>> health_text("eu-west-1")
        'healthy: dynamodb.eu-west-1.amazonaws.com '
    """
    return f"healthy: dynamodb.{region}.amazonaws.com "
