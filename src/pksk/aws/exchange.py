"""One request and the answer to it, as bytes, while botocore addresses, signs and sends.

botocore would write requests and read answers by its own model of the service: it rejects or drops members that it does
not know, turns binary content into bytes, and takes a truncated answer for an empty one. So hooks replace the body that
it sends, and take the body that it receives.
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

_EMPTY_BODY: Final = b"{}"


@dataclass
class Exchange:
    """A request, its state, and its answer."""

    operation: str
    body: bytes
    endpoint: str
    is_sent: bool = False
    is_answered: bool = False
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    answer: bytes = b""
    shape: AnswerShape | None = None
    required_member: str = ""


_CURRENT: ContextVar[Exchange] = ContextVar("pksk.aws.exchange")


@contextmanager
def current_exchange(exchange: Exchange) -> Iterator[None]:
    """A block in which this thread or task sends this exchange."""
    token = _CURRENT.set(exchange)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def hook_client(client: Any) -> None:
    """Let a client of botocore or aiobotocore send the bytes of exchanges, and store those of the answers."""
    events = client.meta.events
    events.register("before-call", _replace_body)
    events.register("before-send", _note_sent)
    events.register("before-parse", _note_answer)


def _replace_body(params: dict[str, Any], **_: Any) -> None:
    params["body"] = _CURRENT.get().body


def _note_sent(request: Any, **_: Any) -> None:
    exchange = _CURRENT.get()
    if request.body != exchange.body:
        raise RuntimeError("this version of botocore does not send the body of the hook")
    signature = request.headers.get("Authorization")
    if isinstance(signature, bytes):  # urllib3 fails on bytes when the answer is a redirect with status 303
        request.headers["Authorization"] = signature.decode()
    exchange.endpoint = request.url.rstrip("/")
    exchange.is_sent = True


def _note_answer(response_dict: dict[str, Any], **_: Any) -> None:
    exchange = _CURRENT.get()
    exchange.status = response_dict["status_code"]
    exchange.headers = response_dict["headers"]
    exchange.answer = response_dict["body"]
    exchange.is_answered = True
    response_dict["body"] = _EMPTY_BODY  # botocore does not parse the answer


_OPTIONS: Final = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS


def request_body(request: object) -> bytes:
    """A request in JSON, whose binary content is base64 text or bytes; the service validates it."""
    try:
        return orjson.dumps(request, _json_default, _OPTIONS)
    except TypeError:
        pass  # an int beyond 64 bits, a lone surrogate, deep nesting: json writes these, and the service rejects them
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
    if isinstance(value, datetime):  # boto3 takes times in this form
        return value.timestamp()
    raise TypeError(f"{type(value).__name__} is not a value of DynamoDB's JSON")
