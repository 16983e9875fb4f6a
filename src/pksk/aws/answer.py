"""Reads the bytes of an answer: what `call` returns or raises."""

from __future__ import annotations

from typing import Any, Final
from zlib import crc32

import orjson

from pksk.client import NO_ANSWER, ServiceError
from pksk.errors import quote

from .exchange import Exchange

# A code of our own: an answer with this status came, but not from a DynamoDB. A read that got a success has status 0,
# since it had no effect and a retry would get the same answer.
NOT_DYNAMODB: Final = "NotDynamoDB"

_MESSAGES: Final = ("message", "Message")
_READS: Final = ("BatchGet", "Describe", "Get", "List", "Query", "Scan", "Search", "TransactGet")
# AWS's codes for what a proxy says by the status alone: too many requests, or an incomplete request.
_PROXY_CODES: Final = {429: "TooManyRequestsException", 408: "RequestTimeout"}
_OK: Final = 200
_REDIRECTS: Final = 3  # the first digit of their status
_LEAST_SERVER_FAULT: Final = 500


def answer(exchange: Exchange) -> dict[str, Any]:
    """The answer in DynamoDB's JSON; raises a `ServiceError` if it is an error.

    Example:
        >>> answer(Exchange("ListTables", b"{}", "AWS", status=200, answer=b'{"TableNames":[]}'))
        {'TableNames': []}
        >>> answer(Exchange("GetItem", b"{}", "AWS", status=400,
        ...                 answer=b'{"__type":"com.amazon.coral.validate#ValidationException","message":"No."}'))
        Traceback (most recent call last):
        pksk.client.ServiceError: ValidationException: No.
    """
    _check_complete(exchange)
    shape = exchange.shape
    if not exchange.answer and shape is not None and shape.is_empty and exchange.status == _OK:
        return {}
    try:
        parsed = orjson.loads(exchange.answer)
    except ValueError:
        raise _unreadable(exchange) from None
    if not isinstance(parsed, dict):
        raise _not_dynamodb(exchange)
    if exchange.status >= _OK + 100:
        raise _service_error(exchange, parsed)
    if shape is not None and (why := shape.mismatch(parsed, exchange.required_member)):
        raise _not_dynamodb(exchange, why)
    return parsed


def _check_complete(exchange: Exchange) -> None:
    """Raise an error if bytes are missing or wrong, which botocore does not notice."""
    length, checksum = exchange.headers.get("Content-Length"), exchange.headers.get("x-amz-crc32")
    if length is not None and length != str(len(exchange.answer)):
        raise _broken(exchange, f"{len(exchange.answer)} bytes of {length} came")
    if checksum is not None and checksum != str(crc32(exchange.answer)):
        raise _broken(exchange, "its checksum, x-amz-crc32, is wrong")


def _service_error(exchange: Exchange, body: dict[str, Any]) -> ServiceError:
    kind = body.pop("__type", None) or exchange.headers.get("x-amzn-ErrorType")
    messages = [body.pop(name) for name in _MESSAGES if name in body]
    message = messages[0] if messages else None
    if not isinstance(kind, str) or not isinstance(message, str | None) or not _has_error_fields(body):
        return _not_dynamodb(exchange)
    code = kind.rpartition("#")[2].partition(":")[0]
    return ServiceError(code, message, exchange.status, body)


def _has_error_fields(fields: dict[str, Any]) -> bool:
    """Whether the other members of an error have the right types: the item, and the reasons of a transaction."""
    reasons = fields.get("CancellationReasons") or []
    if not isinstance(reasons, list) or not all(isinstance(each, dict) for each in reasons):
        return False
    return all(isinstance(each.get("Item", {}), dict | None) for each in (fields, *reasons))


def _unreadable(exchange: Exchange) -> ServiceError:
    headers = exchange.headers
    is_ended = "Content-Length" in headers or "Transfer-Encoding" in headers
    if not is_ended and not exchange.answer:
        return _broken(exchange, "it ends within its headers")
    is_json = "json" in headers.get("Content-Type", "json")
    if exchange.status >= 300 or not exchange.answer or not is_json:
        return _not_dynamodb(exchange)
    return _broken(exchange, "it is not JSON")


def _broken(exchange: Exchange, why: str) -> ServiceError:
    message = (
        f"{exchange.operation} was sent to {exchange.endpoint}, and its answer is broken: {why}. "
        "It may have been executed or not."
    )
    return ServiceError(NO_ANSWER, message, 0)


def _not_dynamodb(exchange: Exchange, why: str = "") -> ServiceError:
    status, is_read = exchange.status, exchange.operation.startswith(_READS)
    body = quote(exchange.answer.decode("utf-8", "replace")) if exchange.answer else "no body"
    location = exchange.headers.get("Location") if status // 100 == _REDIRECTS else None
    target = f" to {quote(location)}" if location else ""
    message = f"{exchange.endpoint} answered {exchange.operation} with HTTP {status}{target} and {body}"
    if status in _PROXY_CODES:
        return ServiceError(_PROXY_CODES[status], f"{message}; it may come from a proxy.", status)
    if status >= _LEAST_SERVER_FAULT:
        outcome = "" if is_read else " It may have been executed or not."
        return ServiceError(NOT_DYNAMODB, f"{message}; it may come from a proxy.{outcome}", status)
    message += (
        f", which is not an answer of DynamoDB{why and f': {why}'}. Fix: use the address of a DynamoDB."
    )
    return ServiceError(NOT_DYNAMODB, message, 0 if is_read and status < _OK + 100 else status)
