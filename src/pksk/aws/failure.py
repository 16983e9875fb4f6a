"""The error of a request without an answer: not sent, not configured, or perhaps executed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from http.client import BadStatusLine, RemoteDisconnected
from socket import gaierror
from ssl import SSLCertVerificationError, SSLError
from traceback import walk_tb
from typing import Any, Final

from pksk.client import NO_ANSWER, NOT_CONFIGURED, NOT_SENT, ServiceError

from .answer import answer
from .aws_options import AwsOptions
from .exchange import Exchange

CLOSED: Final = "the client is closed. Fix: make another one, or close it later."
_CONNECTION_CLOSED: Final = "the connection was closed."


def answer_or_failure(exchange: Exchange, error: Exception | None, options: AwsOptions) -> dict[str, Any]:
    """The answer, or the `ServiceError` for what botocore raised instead."""
    if exchange.is_answered:
        return answer(exchange)
    raise failure(error, exchange, options) from error


def failure(error: Exception | None, exchange: Exchange, options: AwsOptions) -> ServiceError:
    """The `ServiceError` for what botocore raised instead of an answer."""
    unsent = not exchange.is_sent or _is_before_sending(error)
    if unsent and (why := configuration_problem(error, options, is_sent=exchange.is_sent)):
        return not_configured(exchange.operation, exchange.endpoint, why)
    why = _reason(error, options)
    if unsent:
        return not_sent(exchange.operation, exchange.endpoint, why)
    message = (
        f"{exchange.operation} was sent to {exchange.endpoint}, and no answer came: {why} "
        "It may have been executed or not."
    )
    return ServiceError(NO_ANSWER, message, 0)


def not_sent(operation: str, endpoint: str, why: str) -> ServiceError:
    """The `ServiceError` of a request that no server can have received."""
    return ServiceError(NOT_SENT, f"{operation} was not sent to {endpoint}: {why}", 0)


def not_configured(operation: str, endpoint: str, why: str) -> ServiceError:
    """The `ServiceError` of a request that fails until a setting changes."""
    return ServiceError(NOT_CONFIGURED, f"{operation} was not sent to {endpoint}: {why}", 0)


def _is_before_sending(error: Exception | None) -> bool:
    """Whether no connection was made; aiobotocore has one class for this and for broken connections."""
    from botocore import exceptions as known

    if isinstance(error, known.ConnectTimeoutError | known.ProxyConnectionError):
        return True
    if not isinstance(error, known.EndpointConnectionError | known.SSLError):
        return False
    cause = error.kwargs.get("error")
    return isinstance(cause, _connect_errors()) or _is_in_handshake(cause)


def _connect_errors() -> tuple[type[Exception], ...]:
    """The errors of urllib3 and aiohttp for a failed connection."""
    from urllib3.exceptions import NewConnectionError

    aiohttp: Any = sys.modules.get("aiohttp")
    return (gaierror, NewConnectionError, *([aiohttp.ClientConnectorError] if aiohttp else []))


def _is_in_handshake(cause: object) -> bool:
    """Whether TLS failed before it carried any data; it can also fail later."""
    inner = [each for each in (cause, *getattr(cause, "args", ())) if isinstance(each, Exception)]
    functions = {frame.f_code.co_name for each in inner for frame, _ in walk_tb(each.__traceback__)}
    return "do_handshake" in functions


def _reason(error: Exception | None, options: AwsOptions) -> str:
    """One line with the reason, and the fix if there is one."""
    from botocore import exceptions as known

    texts: dict[Any, str] = {
        known.ConnectTimeoutError: (
            f"no connection was made within {options.connect_timeout_seconds:g} seconds. "
            "Fix: check the address, the network and the firewalls."
        ),
        known.ProxyConnectionError: (
            f"the proxy {getattr(error, 'kwargs', {}).get('proxy_url')} cannot be reached. "
            "Fix: correct HTTP_PROXY and HTTPS_PROXY, or unset them."
        ),
        known.ReadTimeoutError: f"the answer did not come within {options.read_timeout_seconds:g} seconds.",
    }
    for kind, text in texts.items():
        if isinstance(error, kind):
            return text
    if _is_not_http(error):
        return "the answer is not HTTP."
    if isinstance(error, known.ConnectionClosedError):
        return _CONNECTION_CLOSED
    if isinstance(error, known.EndpointConnectionError) and not _is_before_sending(error):
        return _CONNECTION_CLOSED
    return _connection_reason(error) or in_one_line(error)


def _is_not_http(error: Exception | None) -> bool:
    """Whether the answer is not HTTP, as from a server that expects TLS."""
    aiohttp: Any = sys.modules.get("aiohttp")
    kinds = (BadStatusLine, *([aiohttp.ClientResponseError] if aiohttp else []))
    # http.client raises a BadStatusLine for a closed connection too.
    return any(
        isinstance(each, kinds) and not isinstance(each, RemoteDisconnected) for each in error_causes(error)
    )


def _connection_reason(error: Exception | None) -> str:
    causes = list(error_causes(error))
    if any(isinstance(each, ConnectionRefusedError) for each in causes):
        return "the connection was refused. Fix: start a server there, or correct the address."
    if any(isinstance(each, gaierror) for each in causes):
        return "its name cannot be resolved. Fix: check the name and the network."
    return ""


_SET_KEYS: Final = "Fix: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a profile of ~/.aws."
_CHECK_KEYS: Final = "Fix: check the credentials with 'aws sts get-caller-identity'."
_ENDPOINT_VARIABLES: Final = (
    "AWS_ENDPOINT_URL_DYNAMODB",
    "AWS_ENDPOINT_URL_DYNAMODB_STREAMS",
    "AWS_ENDPOINT_URL",
)


def configuration_problem(error: Exception | None, options: AwsOptions, *, is_sent: bool) -> str:
    """One line with the fix, if a retry would fail in the same way; else an empty text.

    Example:
        >>> from botocore.exceptions import NoCredentialsError
        >>> configuration_problem(NoCredentialsError(), AwsOptions(profile="shop"), is_sent=False)
        "the profile 'shop' has no AWS credentials. Fix: add them: aws configure --profile shop."
        >>> configuration_problem(TimeoutError(), AwsOptions(), is_sent=False)
        ''
    """
    return _tls_problem(error, options) if is_sent else _settings_problem(error, options)


def _settings_problem(error: Exception | None, options: AwsOptions) -> str:
    from botocore import exceptions as known

    # The source of the credentials may be temporarily unreachable, as DynamoDB itself.
    if isinstance(error, known.HTTPClientError | known.ConnectionError):
        return ""
    if isinstance(error, known.NoCredentialsError):
        return _no_credentials(options)
    if isinstance(error, known.PartialCredentialsError):
        missing = error.kwargs.get("cred_var")
        return f"of the AWS credentials, {missing} is missing. Fix: set it too, or unset the others."
    if isinstance(error, known.NoRegionError):
        return "there is no region. Fix: write one, such as region='eu-west-1', or set AWS_DEFAULT_REGION."
    if isinstance(error, ValueError) and (variable := _endpoint_variable()):
        return (
            f"{variable} is {os.environ[variable]!r}. Fix: set it to http://host:port or https://host:port."
        )
    if isinstance(error, known.BotoCoreError | known.ClientError):
        return f"{in_one_line(error)} {_CHECK_KEYS}"
    return in_one_line(error) if isinstance(error, ValueError | RuntimeError | ImportError) else ""


def _no_credentials(options: AwsOptions) -> str:
    if options.profile is None:
        return f"there are no AWS credentials. {_SET_KEYS}"
    return (
        f"the profile {options.profile!r} has no AWS credentials. "
        f"Fix: add them: aws configure --profile {options.profile}."
    )


def _endpoint_variable() -> str:
    """The environment variable that sets an endpoint."""
    return next((name for name in _ENDPOINT_VARIABLES if os.environ.get(name)), "")


def _tls_problem(error: Exception | None, options: AwsOptions) -> str:
    causes: list[Any] = [each for each in error_causes(error) if isinstance(each, SSLError)]
    if rejected := [each for each in causes if isinstance(each, SSLCertVerificationError)]:
        # aiohttp's error has no such message, but its cause has.
        reasons = [text for each in rejected if (text := getattr(each, "verify_message", ""))]
        return (
            f"its TLS certificate was rejected: {reasons[0] if reasons else rejected[0]}. "
            "Fix: set AWS_CA_BUNDLE to the certificate of the authority that signed it."
        )
    if any(
        getattr(each, "reason", None) in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE") for each in causes
    ):
        plain = (options.endpoint or "").replace("https://", "http://")
        return f"it does not use TLS. Fix: write {plain or 'http://'}, or another port."
    return ""


def error_causes(error: BaseException | None) -> Iterator[BaseException]:
    """The causes of an error of botocore, and their causes.

    Example:
        >>> from botocore.exceptions import EndpointConnectionError
        >>> refused = EndpointConnectionError(endpoint_url="http://localhost", error=ConnectionRefusedError("no"))
        >>> list(error_causes(refused))
        [ConnectionRefusedError('no')]
    """
    seen = {id(error)}
    pending: list[object] = [getattr(error, "kwargs", {}).get("error")]
    while pending:
        cause = pending.pop()
        if isinstance(cause, BaseException) and id(cause) not in seen:
            seen.add(id(cause))
            yield cause
            pending += [cause.__cause__, cause.__context__, *cause.args]


def in_one_line(error: Exception | None) -> str:
    r"""The class and the message of an error on one line."""
    if error is None:
        return "this version of botocore does not call the hook. Fix: pip install --upgrade botocore aiobotocore."
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}".rstrip(":. ") + "."
