"""From the bytes of an answer to what `call` returns or raises."""

from __future__ import annotations

from typing import Any, Final
from zlib import crc32

import orjson

from pksk.client import NO_ANSWER, ServiceError
from pksk.errors import quote

from .exchange import Exchange

__all__ = ["NOT_DYNAMODB", "answer"]

# A code of our own: an answer came, with the status that the error has, and a DynamoDB does not answer so.
NOT_DYNAMODB: Final = "NotDynamoDB"

_MESSAGES: Final = ("message", "Message")


def answer(exchange: Exchange) -> dict[str, Any]:
    """The answer in DynamoDB's JSON; raises the `ServiceError` that it is.

    Example:
        >>> answer(Exchange("ListTables", b"{}", "AWS", status=200, answer=b'{"TableNames":[]}'))
        {'TableNames': []}
        >>> answer(Exchange("GetItem", b"{}", "AWS", status=400,
        ...                 answer=b'{"__type":"com.amazon.coral.validate#ValidationException","message":"No."}'))
        Traceback (most recent call last):
        pksk.client.ServiceError: ValidationException: No.
    """
    _check_whole(exchange)
    try:
        parsed = orjson.loads(exchange.answer)
    except ValueError:
        raise _unreadable(exchange) from None
    if not isinstance(parsed, dict):
        raise _foreign(exchange)
    if exchange.status < 300:
        return parsed
    raise _refusal(exchange, parsed)


def _check_whole(exchange: Exchange) -> None:
    """Raises where bytes are missing or wrong, which botocore itself does not notice."""
    length, checksum = exchange.headers.get("Content-Length"), exchange.headers.get("x-amz-crc32")
    if length is not None and length != str(len(exchange.answer)):
        raise _broken(exchange, f"{len(exchange.answer)} bytes of {length} came")
    if checksum is not None and checksum != str(crc32(exchange.answer)):
        raise _broken(exchange, "its checksum, x-amz-crc32, is wrong")


def _refusal(exchange: Exchange, body: dict[str, Any]) -> ServiceError:
    kind = body.pop("__type", None) or exchange.headers.get("x-amzn-ErrorType")
    if not isinstance(kind, str):
        return _foreign(exchange)
    messages = [body.pop(name) for name in _MESSAGES if name in body]
    code = kind.rpartition("#")[2].partition(":")[0]
    return ServiceError(code, messages[0] if messages else None, exchange.status, body)


def _unreadable(exchange: Exchange) -> ServiceError:
    headers = exchange.headers
    is_ended = "Content-Length" in headers or "Transfer-Encoding" in headers
    if not is_ended and not exchange.answer:
        return _broken(exchange, "it ends within its headers")
    is_json = "json" in headers.get("Content-Type", "json")
    if exchange.status >= 300 or not exchange.answer or not is_json:
        return _foreign(exchange)
    return _broken(exchange, "it is not JSON")


def _broken(exchange: Exchange, why: str) -> ServiceError:
    message = (
        f"{exchange.operation} was sent to {exchange.where}, and its answer is broken: {why}. "
        "It may have been executed or not."
    )
    return ServiceError(NO_ANSWER, message, 0)


def _foreign(exchange: Exchange) -> ServiceError:
    shown = quote(exchange.answer.decode("utf-8", "replace")) if exchange.answer else "no body"
    message = (
        f"{exchange.where} answered {exchange.operation} with HTTP {exchange.status} and {shown}, "
        "as no DynamoDB does. Fix: give the address of one."
    )
    return ServiceError(NOT_DYNAMODB, message, exchange.status)
