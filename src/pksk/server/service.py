"""Answers the requests of one server: calls by the engine, all others by a page."""

from __future__ import annotations

import asyncio
import logging
from functools import lru_cache, partial
from typing import Final, Protocol

import orjson

from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.engine.service_errors import error_body

from .compression import (
    SERIALIZATION_ERROR,
    WORTH_BYTES,
    UnreadableBody,
    accepted_coding,
    compress,
    read_body,
)
from .connections import Connection, Connections
from .cors import Cors
from .limits import Limits
from .log import EventLog
from .metrics import Metrics
from .pages import Pages, home_page
from .request import Request, operation_of
from .request_batcher import OnAnswer, RequestBatcher
from .responses import JSON_TYPE, NO_SUCH_PAGE, new_request_id, plain_response, service_response

__all__ = ["Calls", "Service", "Verify"]

_LOG: Final = logging.getLogger("pksk.server")


class Service:
    """Takes requests from connections: calls go to the engine, all others get a page."""

    def __init__(
        self,
        engine: Engine,
        loop: asyncio.AbstractEventLoop,
        hall: Connections,
        *,
        url: str,
        data: str,
        log: EventLog,
        verify: Verify | None,
        cors: str | None,
    ) -> None:
        metrics, allowed = Metrics(), Cors(cors)
        self._answering = RequestBatcher(engine, loop, metrics)
        self._calls = Calls(
            self._answering, limits=hall.limits, metrics=metrics, log=log, cors=allowed, verify=verify
        )
        page = home_page(engine.settings, url=url, data=data, signed=verify is not None)
        self._pages = Pages(engine, home=page, cors=allowed, metrics=metrics, connections=hall.__len__)

    def receive(self, connection: Connection, request: Request) -> None:
        """Answer a request, now or later."""
        try:
            if request.method == b"POST":
                self._calls.receive(connection, request)
            else:
                connection.answer(self._pages.answer(request))
        except Exception:  # a defect of ours, for which nobody is to wait in vain
            _LOG.exception("a request failed")
            failed = plain_response(500, "This request failed.\n", keeps_alive=request.keeps_alive)
            connection.answer(failed)

    def close(self) -> None:
        """Wait for what is still under way."""
        self._answering.close()


class Verify(Protocol):
    """What is wrong with a request's signature, if anything."""

    def __call__(self, request: Request, /) -> ServiceError | None:
        """The error that answers it, or None."""


_PLAIN_JSON: Final = "application/json"
# The types that calls may be of; their answers are of the same.
_CONTENT_TYPES: Final = {kind.encode(): kind for kind in (JSON_TYPE, _PLAIN_JSON)}
_UNKNOWN_OPERATION: Final = 400, error_body(ServiceError("UnknownOperationException"))
_NO_SUCH_PAGE: Final = 404, NO_SUCH_PAGE.encode()


class Calls:
    """Takes calls from connections, and brings them their answers."""

    def __init__(
        self,
        answering: RequestBatcher,
        *,
        limits: Limits,
        metrics: Metrics,
        log: EventLog,
        cors: Cors,
        verify: Verify | None,
    ) -> None:
        self._answering = answering
        self._limits = limits
        self._metrics = metrics
        self._log = log
        self._cors = cors
        self._verify = verify

    def receive(self, connection: Connection, request: Request) -> None:
        """Answer a call, now or later; the checks are in AWS's order."""
        headers = request.by_name
        kind = _CONTENT_TYPES.get(headers.get(b"content-type", b"")) or _content_type(request)
        if kind is None or (request.target != b"/" and request.path != b"/"):
            self.send(connection, request, "", "text/plain", *_NO_SUCH_PAGE)
            return
        operation = operation_of(headers.get(b"x-amz-target", b""))
        answer = partial(self.send, connection, request, operation, kind)
        if not operation:
            answer(*(_UNKNOWN_OPERATION if _is_json(request.body) else SERIALIZATION_ERROR))
            return
        problem = self._verify(request) if self._verify is not None else None
        if problem is not None:
            answer(problem.status, error_body(problem))
        elif b"content-encoding" not in headers:
            self._answering.ask(operation, request.body, answer)
        else:
            self._unpack_and_ask(operation, request, answer)

    def _unpack_and_ask(self, operation: str, request: Request, answer: OnAnswer) -> None:
        try:
            body = read_body(request.body, request.by_name[b"content-encoding"], self._limits.body_bytes)
        except UnreadableBody as unusable:
            answer(*unusable.answer)
        else:
            self._answering.ask(operation, body, answer)

    def send(
        self, connection: Connection, request: Request, operation: str, kind: str, status: int, body: bytes
    ) -> None:
        """Write an answer to its connection, and note that it was given."""
        headers = request.by_name
        extra = self._cors.headers(request) if b"origin" in headers else ""
        if len(body) >= WORTH_BYTES and b"accept-encoding" in headers:
            coding = _coding(headers[b"accept-encoding"])
            if coding is not None:
                body = compress(body, coding)
                extra += f"Content-Encoding: {coding.decode()}\r\nVary: Accept-Encoding\r\n"
        seconds = self._metrics.time() - request.began
        self._metrics.count(operation, status, seconds, len(request.body), len(body))
        request_id = new_request_id()
        if self._log.requests:
            self._log(
                "request",
                id=request_id,
                operation=operation or None,
                status=status,
                ms=round(seconds * 1000, 3),
                bytes_in=len(request.body),
                bytes_out=len(body),
            )
        connection.answer(
            service_response(
                status, body, request_id, kind=kind, extra=extra, keeps_alive=request.keeps_alive
            )
        )


def _content_type(request: Request) -> str | None:
    """The type that a request is of, where it is not written in the usual way; None if it is of no type of ours."""
    given = request.by_name.get(b"content-type", b"").partition(b";")[0].strip().lower()
    return _CONTENT_TYPES.get(given) or (None if request.body else _PLAIN_JSON)


def _is_json(body: bytes) -> bool:
    try:
        orjson.loads(body or b"{}")
    except ValueError:
        return False
    return True


_coding = lru_cache(maxsize=256)(accepted_coding)
