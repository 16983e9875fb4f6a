"""From the bytes of an answer to what `call` returns or raises."""

from __future__ import annotations

from typing import Any, Final
from zlib import crc32

import orjson

from pksk.client import NO_ANSWER, ServiceError
from pksk.errors import quote

from .exchange import Exchange

__all__ = ["NOT_DYNAMODB", "answer"]

# A code of our own: an answer came, with the status that the error has, and a DynamoDB does not answer so. The status
# is 0 of a read that was answered with success: it did nothing, and will be answered so again.
NOT_DYNAMODB: Final = "NotDynamoDB"

_MESSAGES: Final = ("message", "Message")
_READS: Final = ("BatchGet", "Describe", "Get", "List", "Query", "Scan", "Search", "TransactGet")
# What stands before a service says by the status alone: too much came, or not all of the request. AWS's codes for it.
_PROXY_CODES: Final = {429: "TooManyRequestsException", 408: "RequestTimeout"}
_OK: Final = 200
_MOVED: Final = 3  # hundred and something
_LEAST_SERVER_FAULT: Final = 500


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
    expected = exchange.expected
    if not exchange.answer and expected is not None and expected.is_empty and exchange.status == _OK:
        return {}
    try:
        parsed = orjson.loads(exchange.answer)
    except ValueError:
        raise _unreadable(exchange) from None
    if not isinstance(parsed, dict):
        raise _not_dynamodb(exchange)
    if exchange.status >= _OK + 100:
        raise _service_error(exchange, parsed)
    if expected is not None and (why := expected.misfit(parsed, exchange.required)):
        raise _not_dynamodb(exchange, why)
    return parsed


def _check_whole(exchange: Exchange) -> None:
    """Raises where bytes are missing or wrong, which botocore itself does not notice."""
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
    """Whether what comes with an error can be read: the item that is there, and why each of a transaction failed."""
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
        f"{exchange.operation} was sent to {exchange.where}, and its answer is broken: {why}. "
        "It may have been executed or not."
    )
    return ServiceError(NO_ANSWER, message, 0)


def _not_dynamodb(exchange: Exchange, why: str = "") -> ServiceError:
    status, is_read = exchange.status, exchange.operation.startswith(_READS)
    shown = quote(exchange.answer.decode("utf-8", "replace")) if exchange.answer else "no body"
    leads = f" to {quote(to)}" if (to := exchange.headers.get("Location")) and status // 100 == _MOVED else ""
    said = f"{exchange.where} answered {exchange.operation} with HTTP {status}{leads} and {shown}"
    if status in _PROXY_CODES:
        return ServiceError(_PROXY_CODES[status], f"{said}, as what stands before a DynamoDB may.", status)
    if status >= _LEAST_SERVER_FAULT:
        outcome = "" if is_read else " It may have been executed or not."
        return ServiceError(NOT_DYNAMODB, f"{said}, as what stands before a DynamoDB may.{outcome}", status)
    told = f"{said}, as no DynamoDB does{why and f': {why}'}. Fix: give the address of one."
    return ServiceError(NOT_DYNAMODB, told, 0 if is_read and status < _OK + 100 else status)
