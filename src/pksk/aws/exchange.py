"""One request and the answer to it, as bytes, while botocore addresses, signs and sends.

botocore would write requests and read answers by its own model of the service: members that it does not know are
refused or dropped, binary content becomes bytes, and an answer that is cut short becomes an empty one. So it is given
the body that is to be sent, and the body that came is taken from it.
"""

from __future__ import annotations

import json
from binascii import b2a_base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from datetime import datetime
from typing import Any, Final

import orjson

from pksk.client import ServiceError
from pksk.dataclass import dataclass

from .answer_shape import AnswerShape

__all__ = ["Exchange", "current_exchange", "expect_answer", "hook_client", "request_body"]

_EMPTY_BODY: Final = b"{}"


@dataclass
class Exchange:
    """A request, how far it has come, and what came back."""

    operation: str
    body: bytes
    where: str
    is_sent: bool = False
    is_answered: bool = False
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    answer: bytes = b""
    expected: AnswerShape | None = None
    required: str = ""


_CURRENT: ContextVar[Exchange] = ContextVar("pksk.aws.exchange")


@contextmanager
def current_exchange(exchange: Exchange) -> Iterator[None]:
    """A block in which what this thread or task sends is this exchange."""
    token = _CURRENT.set(exchange)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def expect_answer(exchange: Exchange, expected: AnswerShape, request: object) -> None:
    """Notes what the answer to a request must look like."""
    exchange.expected = expected
    exchange.required = expected.required(request)


def hook_client(client: Any) -> None:
    """Makes a client of botocore or aiobotocore send and show the bytes of exchanges."""
    events = client.meta.events
    events.register("before-call", _replace_body)
    events.register("before-send", _note_sent)
    events.register("before-parse", _note_answer)


def _replace_body(params: dict[str, Any], **_: Any) -> None:
    params["body"] = _CURRENT.get().body


def _note_sent(request: Any, **_: Any) -> None:
    exchange = _CURRENT.get()
    if request.body != exchange.body:
        raise RuntimeError("this version of botocore does not send the body that it is given")
    signature = request.headers.get("Authorization")
    if isinstance(signature, bytes):  # at which urllib3 fails where an answer of 303 leads elsewhere
        request.headers["Authorization"] = signature.decode()
    exchange.where = request.url.rstrip("/")
    exchange.is_sent = True


def _note_answer(response_dict: dict[str, Any], **_: Any) -> None:
    exchange = _CURRENT.get()
    exchange.status = response_dict["status_code"]
    exchange.headers = response_dict["headers"]
    exchange.answer = response_dict["body"]
    exchange.is_answered = True
    response_dict["body"] = _EMPTY_BODY  # nobody reads what botocore would make of it


_OPTIONS: Final = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS


def request_body(request: object) -> bytes:
    """A request in JSON, whose binary content is base64 text or bytes; what it says is the service's to check.

    Example:
        >>> request_body({"Item": {"pk": {"S": "a"}, "data": {"B": b"x"}}})
        b'{"Item":{"pk":{"S":"a"},"data":{"B":"eA=="}}}'
    """
    try:
        return orjson.dumps(request, _json_default, _OPTIONS)
    except TypeError:
        pass  # an int beyond 64 bits, a broken text, deep nesting: Python writes these, and the service refuses
    try:
        return json.dumps(request, default=_json_default).encode()
    except (RecursionError, TypeError, ValueError) as error:
        raise ServiceError(
            "SerializationException", f"The request cannot be written as JSON: {error}"
        ) from None


def _json_default(value: object) -> object:
    if isinstance(value, bytes | bytearray | memoryview):
        return b2a_base64(value, newline=False).decode()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, datetime):  # boto3's form of a time
        return value.timestamp()
    raise TypeError(f"{type(value).__name__} is not a value of DynamoDB's JSON")
