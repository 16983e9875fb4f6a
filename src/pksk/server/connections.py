"""The connections of a server: each answers its requests in order, within its deadlines."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable
from time import monotonic
from typing import Final, TypeAlias, cast

from .limits import Limits
from .log import EventLog
from .request import Request
from .request_reader import Refusal, RequestReader
from .responses import refusal_response

__all__ = ["Connection", "Connections", "Receive"]


class Connections:
    """All connections that are open."""

    def __init__(self, loop: asyncio.AbstractEventLoop, limits: Limits, log: EventLog) -> None:
        self.limits = limits
        self.time = monotonic  # the event loop's own clock may stand still for a whole turn
        self._loop = loop
        self._log = log
        self._connections: set[Connection] = set()

    def __len__(self) -> int:
        return len(self._connections)

    def admit(self, connection: Connection) -> bool:
        """Take note of a connection; False if it is one too many, and is to be closed."""
        self._connections.add(connection)
        if len(self._connections) <= self.limits.connections:
            return True
        self._log("refused", reason="too many connections", connections=self.limits.connections)
        return False

    def leave(self, connection: Connection) -> None:
        """A connection has ended."""
        self._connections.discard(connection)

    def later(self, step: Callable[[], None]) -> None:
        """Take a step when others have had their turn."""
        self._loop.call_soon(step)

    def expire(self) -> None:
        """End the connections whose time is over."""
        now = self.time()
        for connection in [each for each in self._connections if each.deadline < now]:
            connection.expire()

    async def watch(self) -> None:
        """Look for those whose time is over, for ever."""
        limits = self.limits
        shortest = min(limits.request_seconds, limits.idle_seconds, limits.write_seconds)
        while True:
            await asyncio.sleep(min(0.5, shortest / 4))
            self.expire()

    async def empty(self) -> None:
        """Let requests that have come be answered and connections end, and end those that do not."""
        for connection in list(self._connections):
            connection.stop()
        until = self.time() + self.limits.stop_seconds
        while self._connections and self.time() < until:
            await asyncio.sleep(0.005)
        for connection in list(self._connections):
            connection.abort()
        await asyncio.sleep(0)  # in which they are told that they are lost


# So many requests may wait behind the one that is answered before no more are read.
_MOST_WAITING: Final = 64
# So many are answered at once before others get their turn.
_AT_ONCE: Final = 64
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
_TOO_SLOW: Final = 408, "The request took too long."
_TOO_MANY: Final = 503, "There are too many connections."
_RESET: Final = struct.pack("ii", 1, 0)
# One who was turned away may still be sending; closed on him, he would not see why.
_LINGER_SECONDS: Final = 2.0


class Connection(asyncio.Protocol):
    """A client's connection, from its beginning to its end.

    `receive` gets a request, and the connection to give its answer to, now or later.
    """

    def __init__(self, hall: Connections, receive: Receive) -> None:
        self._hall = hall
        self._limits = hall.limits
        self._receive = receive
        self._reader = RequestReader(hall.limits, hall.time)
        self._requests = self._reader.requests
        self._is_answering = False
        self._is_at_work = False  # amid the loop that takes one request after the other
        self._is_blocked = False  # the client takes its answers too slowly
        self._is_paused = False
        self._lingers = False
        self._is_half_closed = False  # the client writes no more
        self._buffered = 0
        self.deadline = hall.time() + hall.limits.request_seconds

    # What the event loop tells.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        if not self._hall.admit(self):
            self._turn_away(_TOO_MANY)

    def connection_lost(self, error: Exception | None) -> None:
        self._reader.close()
        self._requests.clear()
        self._hall.leave(self)

    def data_received(self, data: bytes) -> None:
        self._reader.feed(data)
        if self._reader.is_amid:
            self._await_rest()
        self._go_on()

    def eof_received(self) -> bool:
        """The client writes no more; it may still read the answers to what it sent."""
        self._reader.close()
        self._is_half_closed = True
        is_at_it = self._is_answering or bool(self._requests)
        # Over TLS nothing can be written after the other end has closed.
        return is_at_it and self._transport.can_write_eof()

    def pause_writing(self) -> None:
        self._is_blocked = True
        self._buffered = self._transport.get_write_buffer_size()
        self.deadline = self._hall.time() + self._limits.write_seconds

    def resume_writing(self) -> None:
        self._is_blocked = False
        self._rest()
        self._go_on()

    # What those who answer tell.

    def answer(self, data: bytes) -> None:
        """Send the answer to the request at hand, and turn to the next."""
        self._is_answering = False
        if not self._transport.is_closing():
            self._transport.write(data)
        if self._is_at_work:
            return
        reader = self._reader
        if self._requests or self._is_paused or reader.is_over or reader.is_amid:
            self._go_on()
        else:
            self.deadline = self._hall.time() + self._limits.idle_seconds

    # What the hall tells.

    def expire(self) -> None:
        """Its time is over: say so to one who is amid a request, and close."""
        if self._transport.is_closing():
            self._transport.abort()
        elif self._is_blocked:
            self._expire_blocked()
        elif self._is_answering or self._requests:
            self.deadline = self._hall.time() + self._limits.request_seconds
        elif self._reader.is_amid:
            self._turn_away(_TOO_SLOW)
        else:
            self._end()

    def stop(self) -> None:
        """Read nothing further; end when all that came is answered."""
        self._reader.close()
        if self._lingers or not (self._is_answering or self._requests):
            self._end()

    def abort(self) -> None:
        """End at once."""
        self._transport.abort()

    def _go_on(self) -> None:
        """Hand over the next request, unless one is being answered; read on, unless too many wait."""
        requests = self._requests
        left = _AT_ONCE
        self._is_at_work = True
        try:
            while requests and not self._is_answering and not self._is_blocked and left:
                left -= 1
                self._is_answering = True
                self._receive(self, requests.popleft())
        finally:
            self._is_at_work = False
        if not left and requests:
            self._hall.later(self._go_on)
        elif not (self._is_answering or requests or self._is_blocked):
            self._stand_by()
        self._hold_back()

    def _stand_by(self) -> None:
        """All that came is answered."""
        reader = self._reader
        if reader.refusal is not None:
            self._turn_away(reader.refusal)
        elif reader.is_over:
            if not self._lingers:
                self._end()
        elif reader.is_amid:
            self._invite()
        else:
            self._rest()

    def _await_rest(self) -> None:
        if self._reader.is_fresh and not self._is_blocked:
            self.deadline = self._hall.time() + self._limits.request_seconds

    def _invite(self) -> None:
        if self._reader.wants_continue:
            self._reader.wants_continue = False
            self._transport.write(_CONTINUE)

    def _rest(self) -> None:
        if not self._reader.is_amid:
            self.deadline = self._hall.time() + self._limits.idle_seconds

    def _hold_back(self) -> None:
        crowded = (len(self._requests) > _MOST_WAITING or self._is_blocked) and not self._lingers
        if crowded == self._is_paused or self._transport.is_closing():
            return
        self._is_paused = crowded
        if crowded:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _expire_blocked(self) -> None:
        """Give one who has taken some of his answer more time, and nobody else."""
        left = self._transport.get_write_buffer_size()
        if left >= self._buffered:
            # With a reset, or the system would keep on offering him what it has.
            connected: socket.socket = self._transport.get_extra_info("socket")
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            self._transport.abort()
            return
        self._buffered = left
        self.deadline = self._hall.time() + self._limits.write_seconds

    def _turn_away(self, refusal: Refusal) -> None:
        """Say why nothing further is read, and close when the client has had time to see it."""
        self._reader.close()
        self._reader.refusal = None
        self._lingers = True
        self.deadline = self._hall.time() + min(_LINGER_SECONDS, self._limits.request_seconds)
        if self._transport.is_closing():
            return
        self._transport.write(refusal_response(*refusal))
        if self._is_half_closed:
            self._end()
        elif self._transport.can_write_eof():
            self._transport.write_eof()

    def _end(self) -> None:
        """Close, once all that was written has gone out."""
        self._reader.close()
        self._requests.clear()
        self.deadline = self._hall.time() + self._limits.write_seconds
        self._transport.close()


Receive: TypeAlias = Callable[[Connection, Request], None]
