"""Takes the place of a few methods of botocore and aiobotocore while any interception is open."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Any, Final

from pksk.errors import PkskError

from .responses import AsyncBody, Body, answered, headers_of, is_for_dynamodb
from .scopes import Scope, claiming

__all__ = ["install", "remove"]

_Method = Callable[..., Any]
# The modules of aiobotocore that send, their classes, and the class of what each gives.
_ASYNC: Final = (
    ("aiobotocore.httpsession", "AIOHTTPSession", "AioAWSResponse"),
    ("aiobotocore.httpxsession", "HttpxSession", "HttpxAWSResponse"),
)
_lock: Final = RLock()
_users = 0
# What stood there, and what stands there now.
_replaced: dict[tuple[type, str], tuple[_Method, _Method]] = {}


def install() -> None:
    """Replace the methods, unless it is done already."""
    global _users  # noqa: PLW0603 - one count for the process, whose classes these are
    auth, endpoint, session = _botocore()
    with _lock:
        _users += 1
        _replace(session, "send", _sending)
        _replace(endpoint, "__init__", _watching_imports)
        _replace(auth, "add_auth", _signing_without_credentials)
        _replace_async()


def remove() -> None:
    """Put the methods back that were there, when nobody needs ours any more."""
    global _users  # noqa: PLW0603
    with _lock:
        _users -= 1
        if _users:
            return
        while _replaced:
            (owner, name), (original, ours) = _replaced.popitem()
            # Somebody may have wrapped ours meanwhile: it passes everything on, and his is his to remove.
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
            expected="Requests of boto3, aiobotocore and what stands on them all go through botocore.",
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

            _replace(owner, "send", _sending_async(getattr(awsrequest, response)))


def _claimed(request: Any) -> Scope | None:
    return claiming(request.url) if is_for_dynamodb(request.headers) else None


def _sending(original: _Method) -> _Method:
    from botocore.awsrequest import AWSResponse

    def send(self: Any, request: Any) -> Any:
        scope = _claimed(request)
        if scope is None:
            return original(self, request)
        status, body = answered(scope.engine, request)
        return AWSResponse(request.url, status, headers_of(body), Body(body))

    return send


def _sending_async(response: Callable[..., Any]) -> Callable[[_Method], _Method]:
    def wrapped(original: _Method) -> _Method:
        async def send(self: Any, request: Any) -> Any:
            scope = _claimed(request)
            if scope is None:
                return await original(self, request)
            await _pause()
            status, body = answered(scope.engine, request)
            return response(request.url, status, headers_of(body), AsyncBody(body))

        return send

    return wrapped


async def _pause() -> None:
    """Let others run, as they do while a request is on its way."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # trio, which aiobotocore runs on by means of httpx and anyio
        await sys.modules["anyio"].sleep(0)
    else:
        await asyncio.sleep(0)


def _watching_imports(original: _Method) -> _Method:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it is one
        original(self, *args, **kwargs)
        # A client has been made; perhaps the first one of a package that was imported just now.
        with _lock:
            if _users:
                _replace_async()

    return __init__


def _signing_without_credentials(original: _Method) -> _Method:
    def add_auth(self: Any, request: Any) -> Any:
        if self.credentials is None and _claimed(request) is not None:
            from botocore.credentials import ReadOnlyCredentials

            # A client that was made where there were none. The signer is this request's own.
            self.credentials = ReadOnlyCredentials("testing", "testing", None)
        return original(self, request)

    return add_auth
