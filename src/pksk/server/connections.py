"""The connections of a server: each answers its requests in order, within its deadlines."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable
from time import monotonic
from typing import Final, TypeAlias, cast

from .http import Limits, Request, rejection_response
from .log import EventLog
from .request_reader import Rejection, RequestReader


class Connections:
    """The open connections of a server."""

    def __init__(self, loop: asyncio.AbstractEventLoop, limits: Limits, log: EventLog) -> None:
        self.limits = limits
        self.time = monotonic  # the event loop's own clock may stand still during a whole turn
        self.call_soon = loop.call_soon
        self._log = log
        self._connections: set[Connection] = set()

    def __len__(self) -> int:
        return len(self._connections)

    def add(self, connection: Connection) -> bool:
        """Add a connection; False if there are too many, and it must be closed."""
        self._connections.add(connection)
        if len(self._connections) <= self.limits.connections:
            return True
        self._log("refused", reason="too many connections", connections=self.limits.connections)
        return False

    def discard(self, connection: Connection) -> None:
        """Remove a connection that has ended."""
        self._connections.discard(connection)

    async def watch(self) -> None:
        """End the connections whose deadline has passed, for ever."""
        limits = self.limits
        shortest = min(limits.request_seconds, limits.idle_seconds, limits.write_seconds)
        while True:
            await asyncio.sleep(min(0.5, shortest / 4))
            now = self.time()
            for connection in [each for each in self._connections if each.deadline < now]:
                connection.expire()

    async def drain(self) -> None:
        """Answer the requests that have arrived and end all connections; abort those that take too long."""
        for connection in list(self._connections):
            connection.stop()
        until = self.time() + self.limits.stop_seconds
        while self._connections and self.time() < until:
            await asyncio.sleep(0.005)
        for connection in list(self._connections):
            connection.abort()
        await asyncio.sleep(0)  # lets the event loop call connection_lost


# Reading pauses once this many requests wait behind the current one.
_MAX_WAITING: Final = 64
# One connection answers this many before it lets others run.
_REQUESTS_PER_TURN: Final = 64
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
_TOO_SLOW: Final = 408, "The request took too long."
_TOO_MANY: Final = 503, "There are too many connections."
_RESET: Final = struct.pack("ii", 1, 0)
# A rejected client may still be sending; if the connection closed at once, it would not read the reason.
_LINGER_SECONDS: Final = 2.0


class Connection(asyncio.Protocol):
    """A client's connection.

    `receive` gets each request and this connection, and calls `answer` now or later.
    """

    def __init__(self, connections: Connections, receive: Receive) -> None:
        self._connections = connections
        self._limits = connections.limits
        self._receive = receive
        self._reader = RequestReader(connections.limits, connections.time)
        self._requests = self._reader.requests
        self._is_answering = False
        self._is_processing = False  # inside the loop of `_process_next`
        self._is_blocked = False  # the client reads its answers too slowly
        self._is_paused = False
        self._lingers = False
        self._is_half_closed = False  # the client has closed its side
        self._buffered = 0
        self._set_deadline(self._limits.request_seconds)

    def _set_deadline(self, seconds: float) -> None:
        self.deadline = self._connections.time() + seconds

    # Called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        if not self._connections.add(self):
            self._reject(_TOO_MANY)

    def connection_lost(self, error: Exception | None) -> None:
        self._reader.close()
        self._requests.clear()
        self._connections.discard(self)

    def data_received(self, data: bytes) -> None:
        reader = self._reader
        reader.feed(data)
        if reader.in_request and reader.just_began and not self._is_blocked:
            self._set_deadline(self._limits.request_seconds)
        self._process_next()

    def eof_received(self) -> bool:
        """The client has closed its side; it can still read the answers to what it sent."""
        self._reader.close()
        self._is_half_closed = True
        is_busy = self._is_answering or bool(self._requests)
        # Over TLS nothing can be written after the other end has closed.
        return is_busy and self._transport.can_write_eof()

    def pause_writing(self) -> None:
        self._is_blocked = True
        self._buffered = self._transport.get_write_buffer_size()
        self._set_deadline(self._limits.write_seconds)

    def resume_writing(self) -> None:
        self._is_blocked = False
        self._restart_idle_timer()
        self._process_next()

    # Called by the service.

    def answer(self, data: bytes) -> None:
        """Send the answer to the current request, and process the next one."""
        self._is_answering = False
        if not self._transport.is_closing():
            self._transport.write(data)
        if not self._is_processing:
            self._process_next()

    # Called by the connections.

    def expire(self) -> None:
        """The deadline has passed: close, with an error if a request is incomplete."""
        if self._transport.is_closing():
            self._transport.abort()
        elif self._is_blocked:
            self._expire_blocked()
        elif self._is_answering or self._requests:
            self._set_deadline(self._limits.request_seconds)
        elif self._reader.in_request:
            self._reject(_TOO_SLOW)
        else:
            self._end()

    def stop(self) -> None:
        """Stop reading; close once all requests are answered."""
        self._reader.close()
        if self._lingers or not (self._is_answering or self._requests):
            self._end()

    def abort(self) -> None:
        """Close at once."""
        self._transport.abort()

    def _process_next(self) -> None:
        """Process the waiting requests until one is answered later or others must run."""
        requests = self._requests
        remaining = _REQUESTS_PER_TURN
        self._is_processing = True
        try:
            while requests and not self._is_answering and not self._is_blocked and remaining:
                remaining -= 1
                self._is_answering = True
                self._receive(self, requests.popleft())
        finally:
            self._is_processing = False
        if not remaining and requests:
            self._connections.call_soon(self._process_next)
        elif not (self._is_answering or requests or self._is_blocked):
            self._after_last()
        self._apply_backpressure()

    def _after_last(self) -> None:
        """All requests are answered: wait for the next one, or close."""
        reader = self._reader
        if reader.rejection is not None:
            self._reject(reader.rejection)
        elif reader.is_closed:
            if not self._lingers:
                self._end()
        elif reader.wants_continue and reader.in_request:
            reader.wants_continue = False
            self._transport.write(_CONTINUE)
        else:
            self._restart_idle_timer()

    def _restart_idle_timer(self) -> None:
        if not self._reader.in_request:
            self._set_deadline(self._limits.idle_seconds)

    def _apply_backpressure(self) -> None:
        is_full = (len(self._requests) > _MAX_WAITING or self._is_blocked) and not self._lingers
        if is_full == self._is_paused or self._transport.is_closing():
            return
        self._is_paused = is_full
        if is_full:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _expire_blocked(self) -> None:
        """Extend the deadline if the client has read part of its answer; else abort."""
        unsent = self._transport.get_write_buffer_size()
        if unsent >= self._buffered:
            # With a reset, or the system would keep trying to send the rest.
            connected: socket.socket = self._transport.get_extra_info("socket")
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            self._transport.abort()
            return
        self._buffered = unsent
        self._set_deadline(self._limits.write_seconds)

    def _reject(self, rejection: Rejection) -> None:
        """Send the reason why no more is read, and close once the client could read it."""
        self._reader.close()
        self._reader.rejection = None
        self._lingers = True
        self._set_deadline(min(_LINGER_SECONDS, self._limits.request_seconds))
        if self._transport.is_closing():
            return
        self._transport.write(rejection_response(*rejection))
        if self._is_half_closed:
            self._end()
        elif self._transport.can_write_eof():
            self._transport.write_eof()

    def _end(self) -> None:
        """Close, once all answers are sent."""
        self._reader.close()
        self._requests.clear()
        self._set_deadline(self._limits.write_seconds)
        self._transport.close()


Receive: TypeAlias = Callable[[Connection, Request], None]
