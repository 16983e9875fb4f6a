"""Patches methods of botocore and aiobotocore while an interception is open."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from threading import RLock
from typing import Any, Final
from zlib import crc32

from pksk.client import ServiceError
from pksk.engine.service_errors import error_body
from pksk.errors import PkskError
from pksk.server.compression import UnreadableBody, read_body
from pksk.server.http import JSON_TYPE, Limits, http_date, new_request_id, operation_of

from . import engine_observer
from .scopes import Backend, Scope, scope_for

_Method = Callable[..., Any]
# The modules of aiobotocore that send requests, their classes, and their response classes.
_ASYNC: Final = (
    ("aiobotocore.httpsession", "AIOHTTPSession", "AioAWSResponse"),
    ("aiobotocore.httpxsession", "HttpxSession", "HttpxAWSResponse"),
)
_lock: Final = RLock()
_users = 0
# The original methods and ours.
_replaced: dict[tuple[type, str], tuple[_Method, _Method]] = {}


def install() -> None:
    """Patch the methods, unless they are patched already."""
    global _users  # noqa: PLW0603 - one count for the process, as there is one of each class
    auth, endpoint, session = _botocore()
    with _lock:
        _users += 1
        _replace(session, "send", _patch_send)
        _replace(endpoint, "__init__", _patch_endpoint)
        _replace(auth, "add_auth", _patch_signing)
        _replace_async()


def remove() -> None:
    """Restore the methods at the end of the last interception."""
    global _users  # noqa: PLW0603
    with _lock:
        _users -= 1
        if _users:
            return
        while _replaced:
            (owner, name), (original, ours) = _replaced.popitem()
            # Other code may have wrapped ours: then it stays, and passes all requests on.
            if vars(owner).get(name) is ours:
                setattr(owner, name, original)


def _botocore() -> tuple[type, type, type]:
    try:
        from botocore.auth import SigV4Auth
        from botocore.endpoint import Endpoint
        from botocore.httpsession import URLLib3Session
    except ImportError as error:
        raise PkskError(
            "testing-package",
            f"pksk.testing needs botocore, which cannot be imported: {error}.",
            expected="boto3, aiobotocore and libraries built on them send their requests with botocore.",
            fix="pip install boto3, or aiobotocore.",
        ) from None
    return SigV4Auth, Endpoint, URLLib3Session


def _replace(owner: type, name: str, wrapped: Callable[[_Method], _Method]) -> None:
    if (owner, name) not in _replaced:
        original = vars(owner)[name]
        ours = wraps(original)(wrapped(original))
        setattr(owner, name, ours)
        _replaced[owner, name] = original, ours


def _replace_async() -> None:
    for module, session, response in _ASYNC:
        owner = getattr(sys.modules.get(module), session, None)
        if owner is not None:
            from aiobotocore import awsrequest

            _replace(owner, "send", _patch_async_send(getattr(awsrequest, response)))


def _scope_of(request: Any) -> Scope | None:
    return scope_for(request.url) if is_for_dynamodb(request.headers) else None


def _patch_send(original: _Method) -> _Method:
    from botocore.awsrequest import AWSResponse

    def send(self: Any, request: Any) -> Any:
        scope = _scope_of(request)
        if scope is None:
            return original(self, request)
        status, body = answer_request(scope.engine, request)
        return AWSResponse(request.url, status, response_headers(body), Body(body))

    return send


def _patch_async_send(response: Callable[..., Any]) -> Callable[[_Method], _Method]:
    def wrapped(original: _Method) -> _Method:
        async def send(self: Any, request: Any) -> Any:
            scope = _scope_of(request)
            if scope is None:
                return await original(self, request)
            await _pause()
            status, body = answer_request(scope.engine, request)
            return response(request.url, status, response_headers(body), AsyncBody(body))

        return send

    return wrapped


async def _pause() -> None:
    """Let other tasks run, as during a real request."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # trio, on which aiobotocore runs with httpx and anyio
        await sys.modules["anyio"].sleep(0)
    else:
        await asyncio.sleep(0)


def _patch_endpoint(original: _Method) -> _Method:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it replaces a constructor
        original(self, *args, **kwargs)
        # This may be the first client of a library that was imported since.
        with _lock:
            if _users:
                _replace_async()

    return __init__


def _patch_signing(original: _Method) -> _Method:
    def add_auth(self: Any, request: Any) -> Any:
        if self.credentials is None and _scope_of(request) is not None:
            from botocore.credentials import ReadOnlyCredentials

            # The client was made without credentials. The signer is used for this request only.
            self.credentials = ReadOnlyCredentials("testing", "testing", None)
        return original(self, request)

    return add_auth


_TARGETS: Final = (b"DynamoDB_20120810.", b"DynamoDBStreams_20120810.")
_MAX_BYTES: Final = Limits().body_bytes


class Body:
    """The body of a response, for botocore."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self, *_: object, **__: object) -> Iterator[bytes]:
        """Yield the whole body."""
        yield self._content

    def read(self, *_: object, **__: object) -> bytes:
        """Return the whole body."""
        return self._content


class AsyncBody:
    """The body of a response for aiobotocore, on aiohttp or httpx."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    async def read(self) -> bytes:
        """Return the whole body."""
        return self._content

    aread = read


def is_for_dynamodb(headers: Any) -> bool:
    """Whether a request with these headers is for DynamoDB or its streams."""
    target = headers.get("X-Amz-Target")
    return target is not None and _bytes(target).startswith(_TARGETS)


def answer_request(engine: Backend, request: Any) -> tuple[int, bytes]:
    """The status and body of the engine's answer to a request."""
    headers = request.headers
    operation = operation_of(_bytes(headers.get("X-Amz-Target")))
    if not operation:
        return 400, error_body(ServiceError("UnknownOperationException"))
    if operation == "DeleteTable":  # which deletes the heat of the table
        engine_observer.notify_observers(engine)
    body = _bytes(request.body)
    coding = headers.get("Content-Encoding")
    if coding is None:
        return engine.answer(operation, body)
    try:
        body = read_body(body, _bytes(coding), _MAX_BYTES)
    except UnreadableBody as error:
        return error.answer
    return engine.answer(operation, body)


def response_headers(body: bytes) -> dict[str, str]:
    """The headers of a response."""
    return {
        "Server": "pksk",
        "Date": http_date(),
        "Content-Type": JSON_TYPE,
        "Content-Length": str(len(body)),
        "Connection": "keep-alive",
        "x-amzn-RequestId": new_request_id(),
        "x-amz-crc32": str(crc32(body)),
    }


def _bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    if value is None:
        return b""
    return bytes(value if isinstance(value, bytearray | memoryview) else value.read())
