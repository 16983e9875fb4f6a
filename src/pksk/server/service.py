"""Answers the requests of a server: the engine answers operations, and pages all other requests."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Final

import orjson

from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.engine.service_errors import error_body

from . import compression, http
from .connections import Connection, Connections
from .log import EventLog
from .metrics import Metrics
from .pages import Pages, home_page
from .request_batcher import OnAnswer, RequestBatcher

_LOG: Final = logging.getLogger("pksk.server")


class Service:
    """Passes the requests of connections to the engine or to the pages."""

    def __init__(
        self,
        engine: Engine,
        loop: asyncio.AbstractEventLoop,
        connections: Connections,
        *,
        url: str,
        data: str,
        log: EventLog,
        verify: http.Verify | None,
        cors: str | None,
    ) -> None:
        metrics, allowed = Metrics(), http.Cors(cors)
        self._batcher = RequestBatcher(engine, loop, metrics)
        self._calls = Calls(
            self._batcher, limits=connections.limits, metrics=metrics, log=log, cors=allowed, verify=verify
        )
        self._pages = Pages(
            engine,
            home=partial(home_page, engine.settings, url=url, data=data, signed=verify is not None),
            cors=allowed,
            metrics=metrics,
            connections=connections.__len__,
        )

    def receive(self, connection: Connection, request: http.Request) -> None:
        """Answer a request, now or later."""
        try:
            if request.method == b"POST":
                self._calls.receive(connection, request)
            else:
                connection.answer(self._pages.answer(request))
        except Exception:  # a bug; the client still gets an answer
            _LOG.exception("a request failed")
            failed = http.plain_response(500, "This request failed.\n", keeps_alive=request.keeps_alive)
            connection.answer(failed)

    def close(self) -> None:
        """Wait for the requests in threads."""
        self._batcher.close()


_OK: Final = 200
_PLAIN_JSON: Final = "application/json"
# The content types of operations; the answer has the type of its request.
_CONTENT_TYPES: Final = {kind.encode(): kind for kind in (http.JSON_TYPE, _PLAIN_JSON)}
_UNKNOWN_OPERATION: Final = 400, error_body(ServiceError("UnknownOperationException"))
_NO_SUCH_PAGE: Final = 404, http.NO_SUCH_PAGE.encode()


class Calls:
    """Calls the operations of the engine for connections."""

    def __init__(
        self,
        batcher: RequestBatcher,
        *,
        limits: http.Limits,
        metrics: Metrics,
        log: EventLog,
        cors: http.Cors,
        verify: http.Verify | None,
    ) -> None:
        self._batcher = batcher
        self._limits = limits
        self._metrics = metrics
        self._log = log
        self._cors = cors
        self._verify = verify

    def receive(self, connection: Connection, request: http.Request) -> None:
        """Answer an operation, now or later; the checks are in AWS's order."""
        headers, kind = request.by_name, _content_type(request)
        if kind is None or (request.target != b"/" and request.path != b"/"):
            self.send(connection, request, "", "text/plain", *_NO_SUCH_PAGE)
            return
        operation = http.operation_of(headers.get(b"x-amz-target", b""))
        answer: OnAnswer = partial(self.send, connection, request, operation, kind)
        if operation == "DescribeEndpoints" and b"host" in headers:
            answer = partial(_send_endpoint, answer, headers[b"host"].decode("latin-1"))
        if not operation:
            answer(*(_UNKNOWN_OPERATION if _is_json(request.body) else compression.SERIALIZATION_ERROR))
            return
        problem = self._verify(request) if self._verify is not None else None
        if problem is not None:
            answer(problem.status, error_body(problem))
        elif b"content-encoding" not in headers:
            self._batcher.submit(operation, request.body, answer)
        else:
            self._unpack_and_submit(operation, request, answer)

    def _unpack_and_submit(self, operation: str, request: http.Request, answer: OnAnswer) -> None:
        try:
            body = compression.read_body(
                request.body, request.by_name[b"content-encoding"], self._limits.body_bytes
            )
        except compression.UnreadableBody as error:
            answer(*error.answer)
        else:
            self._batcher.submit(operation, body, answer)

    def send(
        self,
        connection: Connection,
        request: http.Request,
        operation: str,
        kind: str,
        status: int,
        body: bytes,
    ) -> None:
        """Send an answer to its connection, compressed if the client accepts it, and count it."""
        headers = request.by_name
        extra = self._cors.headers(request)
        if len(body) >= compression.SMALLEST_BYTES and b"accept-encoding" in headers:
            # Of several such headers the first counts, as on AWS.
            accepts = next(value for name, value in request.headers if name == b"accept-encoding")
            coding = compression.accepted_coding(accepts)
            if coding is not None:
                body = compression.compress(body, coding)
                extra += f"Content-Encoding: {coding.decode()}\r\nVary: Accept-Encoding\r\n"
        seconds = self._metrics.time() - request.received
        self._metrics.count(operation, status, seconds, len(request.body), len(body))
        request_id = http.new_request_id()
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
            http.service_response(
                status, body, request_id, kind=kind, extra=extra, keeps_alive=request.keeps_alive
            )
        )


def _send_endpoint(answer: OnAnswer, host: str, status: int, body: bytes) -> None:
    """Send the answer of DescribeEndpoints, which names the host of this request; clients then call it."""
    if status == _OK:  # the body of an error need not be JSON
        described = orjson.loads(body)
        for endpoint in described["Endpoints"]:
            endpoint["Address"] = host
        body = orjson.dumps(described)
    answer(status, body)


def _content_type(request: http.Request) -> str | None:
    """The content type of a request to DynamoDB; None if it has another type."""
    kind = request.by_name.get(b"content-type", b"")
    content_type = _CONTENT_TYPES.get(kind) or _CONTENT_TYPES.get(kind.partition(b";")[0].strip().lower())
    return content_type or (None if request.body else _PLAIN_JSON)


def _is_json(body: bytes) -> bool:
    try:
        orjson.loads(body or b"{}")
    except ValueError:
        return False
    return True
