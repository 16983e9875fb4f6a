"""What is known of a request that got no answer: surely not sent, or perhaps executed."""

from __future__ import annotations

import sys
from http.client import BadStatusLine, RemoteDisconnected
from socket import gaierror
from traceback import walk_tb
from typing import Any, Final

from pksk.client import NO_ANSWER, NOT_CONFIGURED, NOT_SENT, ServiceError

from .aws_options import AwsOptions
from .causes import causes, in_one_line
from .exchange import Exchange
from .misconfigured import misconfigured

__all__ = ["CLOSED", "failure", "not_configured", "not_sent"]

CLOSED: Final = "the client is closed. Fix: make another one, or close it later."
_CUT: Final = "the connection was closed."


def failure(error: Exception | None, exchange: Exchange, options: AwsOptions) -> ServiceError:
    """The `ServiceError` for what botocore raised instead of an answer.

    Example:
        >>> failure(TimeoutError("slow"), Exchange("PutItem", b"{}", "AWS", is_sent=True), AwsOptions()).code
        'NoAnswer'
    """
    unsent = not exchange.is_sent or _is_before_sending(error)
    if unsent and (why := misconfigured(error, options, is_sent=exchange.is_sent)):
        return not_configured(exchange.operation, exchange.where, why)
    why = _why(error, options)
    if unsent:
        return not_sent(exchange.operation, exchange.where, why)
    message = (
        f"{exchange.operation} was sent to {exchange.where}, and no answer came: {why} "
        "It may have been executed or not."
    )
    return ServiceError(NO_ANSWER, message, 0)


def not_sent(operation: str, where: str, why: str) -> ServiceError:
    """The `ServiceError` of a request that nobody can have got.

    Example:
        >>> not_sent("GetItem", "http://localhost:8000", "the connection was refused.").message
        'GetItem was not sent to http://localhost:8000: the connection was refused.'
    """
    return ServiceError(NOT_SENT, f"{operation} was not sent to {where}: {why}", 0)


def not_configured(operation: str, where: str, why: str) -> ServiceError:
    """The same where no attempt can do better, until something is set otherwise.

    Example:
        >>> not_configured("GetItem", "DynamoDB", "the client is closed.").code
        'NotConfigured'
    """
    return ServiceError(NOT_CONFIGURED, f"{operation} was not sent to {where}: {why}", 0)


def _is_before_sending(error: Exception | None) -> bool:
    """Whether there was no connection yet; aiobotocore has one class for that and for connections that broke."""
    from botocore import exceptions as known

    if isinstance(error, known.ConnectTimeoutError | known.ProxyConnectionError):
        return True
    if not isinstance(error, known.EndpointConnectionError | known.SSLError):
        return False
    cause = error.kwargs.get("error")
    return isinstance(cause, _connecting()) or _is_of_handshake(cause)


def _connecting() -> tuple[type[Exception], ...]:
    """What urllib3 and aiohttp raise where they got no connection."""
    from urllib3.exceptions import NewConnectionError

    aiohttp: Any = sys.modules.get("aiohttp")
    return (gaierror, NewConnectionError, *([aiohttp.ClientConnectorError] if aiohttp else []))


def _is_of_handshake(cause: object) -> bool:
    """Whether TLS failed before it carried anything; it can also fail later."""
    inner = [each for each in (cause, *getattr(cause, "args", ())) if isinstance(each, Exception)]
    functions = {frame.f_code.co_name for each in inner for frame, _ in walk_tb(each.__traceback__)}
    return "do_handshake" in functions


def _why(error: Exception | None, options: AwsOptions) -> str:
    """One line on what happened, and the fix where there is one to tell."""
    from botocore import exceptions as known

    texts: dict[Any, str] = {
        known.ConnectTimeoutError: (
            f"no connection was made within {options.connect_timeout_seconds:g} seconds. "
            "Fix: check the address, and that the network and firewalls let it be reached."
        ),
        known.ProxyConnectionError: (
            f"the proxy {getattr(error, 'kwargs', {}).get('proxy_url')} cannot be reached. "
            "Fix: correct HTTP_PROXY and HTTPS_PROXY, or take them out of the environment."
        ),
        known.ReadTimeoutError: f"nothing came within {options.read_timeout_seconds:g} seconds.",
    }
    for kind, text in texts.items():
        if isinstance(error, kind):
            return text
    if _is_no_http(error):
        return "what came is not HTTP."
    if isinstance(error, known.ConnectionClosedError):
        return _CUT
    if isinstance(error, known.EndpointConnectionError) and not _is_before_sending(error):
        return _CUT
    return _of_connection(error) or in_one_line(error)


def _is_no_http(error: Exception | None) -> bool:
    """Whether something else than HTTP came, as from a server that speaks TLS."""
    aiohttp: Any = sys.modules.get("aiohttp")
    unread = (BadStatusLine, *([aiohttp.ClientResponseError] if aiohttp else []))
    # http.client takes a connection that was closed for an empty line of HTTP.
    return any(
        isinstance(each, unread) and not isinstance(each, RemoteDisconnected) for each in causes(error)
    )


def _of_connection(error: Exception | None) -> str:
    found = list(causes(error))
    if any(isinstance(each, ConnectionRefusedError) for each in found):
        return "the connection was refused. Fix: start a server there, or correct the address."
    if any(isinstance(each, gaierror) for each in found):
        return "its name cannot be resolved. Fix: check the name, and the network."
    return ""
