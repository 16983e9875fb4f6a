"""Requests of botocore answered by an engine, with the headers that come over the wire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from pksk.client import ServiceError
from pksk.engine.wire import error_body
from pksk.server.bodies import Unusable, read_body
from pksk.server.limits import Limits
from pksk.server.responses import JSON_TYPE, date, new_request_id
from pksk.server.targets import operation_of

from . import watching

if TYPE_CHECKING:
    from .interception import Answers

__all__ = ["AsyncBody", "Body", "answered", "headers_of", "is_for_dynamodb"]

_TARGETS: Final = (b"DynamoDB_20120810.", b"DynamoDBStreams_20120810.")
_MOST_BYTES: Final = Limits().body_bytes


class Body:
    """What botocore reads the body of an answer from."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self, *_: object, **__: object) -> Iterator[bytes]:
        """All of it at once."""
        yield self._content

    def read(self, *_: object, **__: object) -> bytes:
        """All of it."""
        return self._content


class AsyncBody:
    """The same for aiobotocore, over aiohttp and over httpx."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    async def read(self) -> bytes:
        """All of it."""
        return self._content

    aread = read


def is_for_dynamodb(headers: Any) -> bool:
    """Whether a request with these headers is for DynamoDB or its streams."""
    target = headers.get("X-Amz-Target")
    return target is not None and _bytes(target).startswith(_TARGETS)


def answered(engine: Answers, request: Any) -> tuple[int, bytes]:
    """The status and body that answer a request."""
    headers = request.headers
    operation = operation_of(_bytes(headers.get("X-Amz-Target")))
    if not operation:
        return 400, error_body(ServiceError("UnknownOperationException"))
    if operation == "DeleteTable":  # what was consumed of it goes with it
        watching.look(engine)
    body = _bytes(request.body)
    coding = headers.get("Content-Encoding")
    if coding is None:
        return engine.answer(operation, body)
    try:
        body = read_body(body, _bytes(coding), _MOST_BYTES)
    except Unusable as unusable:
        return unusable.answer
    return engine.answer(operation, body)


def headers_of(body: bytes) -> dict[str, str]:
    """The headers of an answer."""
    return {
        "Server": "pksk",
        "Date": date(),
        "Content-Type": JSON_TYPE,
        "Content-Length": str(len(body)),
        "Connection": "keep-alive",
        "x-amzn-RequestId": new_request_id(),
        "x-amz-crc32": str(crc32(body)),
    }


def _bytes(given: Any) -> bytes:
    if isinstance(given, bytes):
        return given
    if isinstance(given, str):
        return given.encode()
    if given is None:
        return b""
    return bytes(given if isinstance(given, bytearray | memoryview) else given.read())
