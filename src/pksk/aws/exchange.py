"""One request and the answer to it, as bytes, while botocore addresses, signs and sends.

botocore would write requests and read answers by its own model of the service: members that it does not know are
refused or dropped, binary content becomes bytes, and an answer that is cut short becomes an empty one. So it is given
the body that is to be sent, and the body that came is taken from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

from .expected import Expected

__all__ = ["Exchange", "expect", "under_way", "watch"]

_NOTHING: Final = b"{}"


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
    expected: Expected | None = None
    required: str = ""


_UNDER_WAY: ContextVar[Exchange] = ContextVar("pksk.aws.exchange")


@contextmanager
def under_way(exchange: Exchange) -> Iterator[None]:
    """A block in which what this thread or task sends is this exchange."""
    token = _UNDER_WAY.set(exchange)
    try:
        yield
    finally:
        _UNDER_WAY.reset(token)


def expect(exchange: Exchange, expected: Expected, request: object) -> None:
    """Notes what the answer to a request must look like."""
    exchange.expected = expected
    exchange.required = expected.required(request)


def watch(client: Any) -> None:
    """Makes a client of botocore or aiobotocore send and show the bytes of exchanges."""
    events = client.meta.events
    events.register("before-call", _built)
    events.register("before-send", _leaves)
    events.register("before-parse", _arrived)


def _built(params: dict[str, Any], **_: Any) -> None:
    params["body"] = _UNDER_WAY.get().body


def _leaves(request: Any, **_: Any) -> None:
    exchange = _UNDER_WAY.get()
    if request.body != exchange.body:
        raise RuntimeError("this version of botocore does not send the body that it is given")
    signature = request.headers.get("Authorization")
    if isinstance(signature, bytes):  # at which urllib3 fails where an answer of 303 leads elsewhere
        request.headers["Authorization"] = signature.decode()
    exchange.where = request.url.rstrip("/")
    exchange.is_sent = True


def _arrived(response_dict: dict[str, Any], **_: Any) -> None:
    exchange = _UNDER_WAY.get()
    exchange.status = response_dict["status_code"]
    exchange.headers = response_dict["headers"]
    exchange.answer = response_dict["body"]
    exchange.is_answered = True
    response_dict["body"] = _NOTHING  # nobody reads what botocore would make of it
