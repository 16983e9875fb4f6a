"""What all connections of a server share: who is there, and where a request goes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.engine.wire import error_body

from .answering import Answering
from .compression import BodyTooLarge, BrokenBody, UnknownCoding, accepted_coding, packed, unpacked
from .connection import Connection
from .limits import Limits
from .log import Writes
from .metrics import Metrics
from .pages import Pages
from .request import Request
from .responses import JSON_TYPE, new_request_id, plain_response, response, service_response
from .targets import operation_of
from .texts import NO_SUCH_PAGE, TOO_LARGE

__all__ = ["Hall", "Verify"]

# What is wrong with a request's signature, if anything.
Verify = Callable[[Request], ServiceError | None]
_UNKNOWN: Final = ServiceError("UnknownOperationException")
_PREFLIGHT: Final = (
    "Access-Control-Allow-Methods: {}\r\nAccess-Control-Allow-Headers: {}\r\n"
    "Access-Control-Max-Age: 172800\r\n"
)
_EXPOSED: Final = "x-amzn-RequestId,x-amzn-ErrorType,x-amz-crc32,Date"


class Hall:
    """Takes requests from connections, and brings them their answers."""

    def __init__(
        self,
        engine: Engine,
        loop: asyncio.AbstractEventLoop,
        *,
        limits: Limits,
        log: Writes,
        pages: Pages,
        verify: Verify | None,
        cors: str | None,
    ) -> None:
        self.limits = limits
        self.time = loop.time
        self.metrics = Metrics()
        self._answering = Answering(engine, loop)
        self._connections: set[Connection] = set()
        self._log = log
        self._pages = pages
        self._verify = verify
        self._cors = cors

    def admit(self, connection: Connection) -> bool:
        """Take note of a connection; False if there are too many."""
        if len(self._connections) >= self.limits.connections:
            self._log("refused", reason="too many connections", connections=len(self._connections))
            return False
        self._connections.add(connection)
        return True

    def leave(self, connection: Connection) -> None:
        """A connection has ended."""
        self._connections.discard(connection)

    def expire(self) -> None:
        """End the connections whose time is over."""
        now = self.time()
        for connection in [each for each in self._connections if each.deadline < now]:
            connection.expire()

    def stop(self) -> None:
        """Let the requests that have come be answered, and end all connections."""
        for connection in list(self._connections):
            connection.stop()

    def abort(self) -> None:
        """End the connections that are left."""
        for connection in list(self._connections):
            connection.abort()

    def is_empty(self) -> bool:
        """Whether all connections have ended."""
        return not self._connections

    def close(self) -> None:
        """Wait for threads."""
        self._answering.close()

    def receive(self, connection: Connection, request: Request) -> None:
        """Answer a request, now or later."""
        if request.refusal is not None:
            status, reason = request.refusal
            text = TOO_LARGE if status == 413 else f"{reason}\n"
            connection.answer(plain_response(status, text, keeps_alive=False), keeps_alive=False)
        elif request.method == b"POST":
            self._receive_call(connection, request)
        elif request.method == b"OPTIONS":
            connection.answer(self._preflight(request), keeps_alive=request.keeps_alive)
        else:
            page = self._pages.answer(request, self.metrics, len(self._connections))
            connection.answer(page, keeps_alive=request.keeps_alive)

    def _receive_call(self, connection: Connection, request: Request) -> None:
        request.request_id = new_request_id()
        headers = request.by_name
        if request.target.partition(b"?")[0] != b"/":
            connection.answer(plain_response(404, NO_SUCH_PAGE), keeps_alive=request.keeps_alive)
            return
        operation = operation_of(headers.get(b"x-amz-target", b""))
        send = partial(self._send, connection, request, operation)
        if self._verify is not None:
            problem = self._verify(request)
            if problem is not None:
                send(problem.status, error_body(problem))
                return
        if not operation:
            send(_UNKNOWN.status, error_body(_UNKNOWN))
            return
        body = request.body
        coding = headers.get(b"content-encoding")
        if coding is not None:
            unpacked_body = self._unpacked(body, coding, send)
            if unpacked_body is None:
                return
            body = unpacked_body
        self._answering.ask(operation, body, send)

    def _unpacked(self, body: bytes, coding: bytes, send: Callable[[int, bytes], None]) -> bytes | None:
        """A compressed body as it was; None if it was refused."""
        try:
            return unpacked(body, coding, self.limits.body_bytes)
        except BrokenBody:  # AWS answers so too
            send(500, error_body(ServiceError("InternalFailure")))
        except BodyTooLarge:
            send(413, TOO_LARGE.encode())
        except UnknownCoding:
            send(400, error_body(ServiceError("SerializationException")))
        return None

    def _send(
        self, connection: Connection, request: Request, operation: str, status: int, body: bytes
    ) -> None:
        headers = request.by_name
        extra = "" if b"origin" not in headers else self._cors_headers()
        size = len(body)
        accepts = headers.get(b"accept-encoding")
        if accepts is not None and accepts != b"identity":
            coding = accepted_coding(accepts)
            small = packed(body, coding) if coding else None
            if small is not None and coding is not None:
                body = small
                extra += f"Content-Encoding: {coding.decode()}\r\nVary: Accept-Encoding\r\n"
        seconds = self.time() - request.began
        self.metrics.count(operation or "unknown", status, seconds)
        self._log.request(
            id=request.request_id,
            operation=operation,
            status=status,
            ms=round(seconds * 1000, 3),
            bytes_in=len(request.body),
            bytes_out=size,
        )
        keeps_alive = request.keeps_alive
        connection.answer(
            service_response(
                status, body, request.request_id, extra=extra, kind=JSON_TYPE, keeps_alive=keeps_alive
            ),
            keeps_alive=keeps_alive,
        )

    def _cors_headers(self) -> str:
        if self._cors is None:
            return ""
        return f"Access-Control-Allow-Origin: {self._cors}\r\nAccess-Control-Expose-Headers: {_EXPOSED}\r\n"

    def _preflight(self, request: Request) -> bytes:
        headers = request.by_name
        lines = ""
        if b"origin" in headers and self._cors is not None:
            methods = headers.get(b"access-control-request-method", b"POST").decode("latin-1")
            names = headers.get(b"access-control-request-headers", b"*").decode("latin-1")
            lines = self._cors_headers() + _PREFLIGHT.format(methods, names)
        return response(200, b"", lines, keeps_alive=request.keeps_alive)
