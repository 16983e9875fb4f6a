"""What is known of a request that got no answer: surely not sent, or perhaps executed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from socket import gaierror
from ssl import SSLCertVerificationError
from traceback import walk_tb
from typing import Any, Final

from pksk.client import NO_ANSWER, NOT_SENT, ServiceError

from .aws_options import AwsOptions
from .exchange import Exchange

__all__ = ["failure", "not_sent"]

_CLOSED: Final = "the connection was closed."


def failure(error: Exception | None, exchange: Exchange, options: AwsOptions) -> ServiceError:
    """The `ServiceError` for what botocore raised instead of an answer.

    Example:
        >>> failure(TimeoutError("slow"), Exchange("PutItem", b"{}", "AWS", is_sent=True), AwsOptions()).code
        'NoAnswer'
    """
    why = _why(error, options)
    if not exchange.is_sent or _is_before_sending(error):
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


def _causes(error: BaseException) -> Iterator[BaseException]:
    """What led to an error of botocore: what it names as such, and so on."""
    met = {id(error)}
    waiting: list[object] = [getattr(error, "kwargs", {}).get("error")]
    while waiting:
        cause = waiting.pop()
        if isinstance(cause, BaseException) and id(cause) not in met:
            met.add(id(cause))
            yield cause
            waiting += [cause.__cause__, cause.__context__, *cause.args]


def _why(error: Exception | None, options: AwsOptions) -> str:
    """One line on what happened, and the fix where there is one to tell."""
    from botocore import exceptions as known

    texts: dict[Any, str] = {
        known.NoCredentialsError: (
            "there are no AWS credentials. Fix: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
            "or name a profile of ~/.aws."
        ),
        known.NoRegionError: (
            "there is no region. Fix: name one, such as region='eu-west-1', or set AWS_DEFAULT_REGION."
        ),
        known.ConnectTimeoutError: f"no connection was made within {options.connect_timeout_seconds:g} seconds.",
        known.ReadTimeoutError: f"nothing came within {options.read_timeout_seconds:g} seconds.",
        known.ConnectionClosedError: _CLOSED,
    }
    for kind, text in texts.items():
        if isinstance(error, kind):
            return text
    if isinstance(error, known.EndpointConnectionError) and not _is_before_sending(error):
        return _CLOSED
    return _of_connection(error) or _in_one_line(error)


def _of_connection(error: Exception | None) -> str:
    causes = list(_causes(error)) if error else []
    if refused := [each for each in causes if isinstance(each, SSLCertVerificationError)]:
        # aiohttp's has no such message, but one that has stands behind it.
        told = [text for each in refused if (text := getattr(each, "verify_message", ""))]
        return f"its TLS certificate was refused: {told[0] if told else refused[0]}."
    if any(isinstance(each, ConnectionRefusedError) for each in causes):
        return "the connection was refused. Fix: start a server there, or correct the address."
    if any(isinstance(each, gaierror) for each in causes):
        return "its name cannot be resolved. Fix: check the name, and the network."
    return ""


def _in_one_line(error: Exception | None) -> str:
    if error is None:
        return "this version of botocore does not show its answers. Fix: pip install 'pksk[aws]'."
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}".rstrip(":. ") + "."
