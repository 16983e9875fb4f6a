"""One connection: requests read from it, one answered at a time, answers written in their order."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from .request import Headers, Request
from .responses import plain_response

if TYPE_CHECKING:
    from .hall import Hall

__all__ = ["Connection"]

# So many requests may wait behind the one that is answered before no more are read.
_WAITING: Final = 64
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class _Refused(Exception):
    """What was read goes beyond a limit."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.refusal = status, reason


class Connection(asyncio.Protocol):
    """A client's connection, from its beginning to its end."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._limits = hall.limits
        self._parser = HttpRequestParser(self)
        self._waiting: deque[Request] = deque()
        self._is_answering = False
        self._is_blocked = False  # the client takes its answers too slowly
        self._is_paused = False
        self._ends = False  # no further request is read
        self._reads = False  # in the midst of a request
        self.deadline = 0.0
        self._target = b""
        self._headers: Headers = []
        self._head_bytes = 0
        self._body: list[bytes] = []
        self._body_bytes = 0

    # What the event loop tells.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self.deadline = self._hall.time() + self._limits.idle_seconds
        if not self._hall.admit(self):
            self._write(plain_response(503, "Too many connections.\n", keeps_alive=False))
            self._end()

    def connection_lost(self, error: Exception | None) -> None:
        self._ends = True
        self._waiting.clear()
        self._hall.leave(self)

    def data_received(self, data: bytes) -> None:
        if self._ends:
            return
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:
            self._refuse(400, "This server speaks HTTP/1.1 and nothing else.")
        except HttpParserError as error:
            cause = error.__context__
            if isinstance(cause, _Refused):
                self._refuse(*cause.refusal)
            else:
                self._refuse(400, "This is no HTTP request.")
        self._go_on()

    def eof_received(self) -> bool:
        """The client writes no more; it may still read the answers to what it sent."""
        self._ends = True
        return self._is_answering or bool(self._waiting)

    def pause_writing(self) -> None:
        self._is_blocked = True
        self.deadline = self._hall.time() + self._limits.write_seconds

    def resume_writing(self) -> None:
        self._is_blocked = False
        self._rest()
        self._go_on()

    # What the parser tells.

    def on_message_begin(self) -> None:
        self._reads = True
        self._target = b""
        self._headers = []
        self._head_bytes = 0
        self._body = []
        self._body_bytes = 0
        if not self._is_blocked:
            self.deadline = self._hall.time() + self._limits.request_seconds

    def on_url(self, part: bytes) -> None:
        self._target += part
        self._count_head(len(part))

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count_head(len(name) + len(value))
        self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        for name, value in self._headers:
            if name == b"content-length" and int(value) > self._limits.body_bytes:
                raise _Refused(413, "The body is too large.")
            if name == b"expect" and value.lower() == b"100-continue" and not self._is_answering:
                self._write(_CONTINUE)

    def on_body(self, part: bytes) -> None:
        self._body_bytes += len(part)
        if self._body_bytes > self._limits.body_bytes:
            raise _Refused(413, "The body is too large.")
        self._body.append(part)

    def on_message_complete(self) -> None:
        body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
        parser = self._parser
        keeps_alive = parser.should_keep_alive()
        self._waiting.append(
            Request(parser.get_method(), self._target, self._headers, body, self._hall.time(), keeps_alive)
        )
        self._reads = False
        self._body = []
        if not keeps_alive:
            self._ends = True

    # What those who answer tell.

    def answer(self, data: bytes, *, keeps_alive: bool = True) -> None:
        """Send the answer to the request at hand, and turn to the next."""
        self._is_answering = False
        self._write(data)
        if not keeps_alive or (self._ends and not self._waiting):
            self._end()
            return
        self._rest()
        if self._waiting or self._is_paused:
            self._go_on()

    def is_idle(self) -> bool:
        """Whether nothing of a request is under way."""
        return not (self._is_answering or self._waiting or self._reads)

    def expire(self) -> None:
        """Its time is over: say so to one who is amid a request, and close."""
        if self._is_blocked:
            self._transport.abort()
        elif self._is_answering or self._waiting:
            self.deadline = self._hall.time() + self._limits.request_seconds
        else:
            if self._reads:
                self._write(plain_response(408, "The request took too long.\n", keeps_alive=False))
            self._end()

    def stop(self) -> None:
        """Read nothing further; end when all that came is answered."""
        self._ends = True
        if not self._is_answering and not self._waiting:
            self._end()

    def abort(self) -> None:
        """End at once."""
        self._transport.abort()

    def _count_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > self._limits.head_bytes:
            raise _Refused(431, "The headers are too large.")

    def _refuse(self, status: int, reason: str) -> None:
        self._ends = True
        self._reads = False
        self._waiting.append(
            Request(b"", b"/", [], b"", self._hall.time(), keeps_alive=False, refusal=(status, reason))
        )

    def _go_on(self) -> None:
        """Hand over the next request, unless one is being answered; read on, unless too many wait."""
        if self._waiting and not self._is_answering and not self._is_blocked:
            self._is_answering = True
            self._hall.receive(self, self._waiting.popleft())
        crowded = len(self._waiting) > _WAITING or self._is_blocked
        if crowded != self._is_paused and not self._transport.is_closing():
            self._is_paused = crowded
            if crowded:
                self._transport.pause_reading()
            else:
                self._transport.resume_reading()

    def _rest(self) -> None:
        if not self._reads:
            self.deadline = self._hall.time() + self._limits.idle_seconds

    def _write(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(data)

    def _end(self) -> None:
        self._ends = True
        self._waiting.clear()
        self._transport.close()
