"""One connection to the server, and its exchanges one after the other."""

from __future__ import annotations

import socket
from collections import deque
from contextlib import suppress
from select import select
from struct import pack
from time import monotonic
from typing import Final

from .answers import Answer, Answers, Wrong
from .exchange import Act, Exchange, Step

__all__ = ["FuzzConnection"]

_HANGS_SECONDS: Final = 30.0  # others may be using the machine too
_RECEIVED_BYTES: Final = 1 << 18


class FuzzConnection:
    """Carries exchanges: each is begun, its steps taken turn by turn, and its answers collected."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket: socket.socket | None = None
        self._steps: deque[Step] = deque()
        self._answers = Answers()
        self._has_ended = False
        self.exchange: Exchange | None = None
        self.found: list[Answer] = []

    def begin(self, exchange: Exchange) -> None:
        """Take the first step of an exchange."""
        if exchange.is_alone or self._socket is None:
            self._connect()
        self.exchange = exchange
        self._steps.extend(exchange.steps)
        self.step()

    def step(self) -> bool:
        """Take the next step; False if there is none."""
        if not self._steps:
            return False
        step = self._steps.popleft()
        try:
            self._send(step) if isinstance(step, bytes) else self._do(step)
        except ConnectionError:
            self._steps.clear()  # it was rejected midway, as the response says
        return True

    def collect(self) -> list[Answer]:
        """The answers, when all of them are there."""
        exchange, self.exchange = self.exchange, None
        assert exchange is not None
        found: list[Answer] = []
        self.found = found
        until = monotonic() + _HANGS_SECONDS
        while self._socket is not None:
            self._take(exchange, found)
            if self._has_ended or (len(found) == len(exchange.expected) and exchange.ends is False):
                break
            self._receive(until, found)
        self._check_end(exchange, found)
        return found

    def close(self) -> None:
        """End the connection."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _connect(self) -> None:
        self.close()
        self._socket = socket.create_connection(("127.0.0.1", self._port), _HANGS_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.setblocking(False)
        self._answers = Answers()
        self._has_ended = False

    def _send(self, data: bytes) -> None:
        """Send everything, and receive meanwhile, because the server may wait for that."""
        assert self._socket is not None
        rest = memoryview(data)
        until = monotonic() + _HANGS_SECONDS
        while rest:
            try:
                rest = rest[self._socket.send(rest) :]
            except BlockingIOError:
                readable, _, _ = select([self._socket], [self._socket], [], until - monotonic())
                if readable:
                    self._read()
                if self._has_ended or monotonic() > until:
                    raise ConnectionError from None

    def _do(self, act: Act) -> None:
        assert self._socket is not None
        if act is Act.HALF_CLOSE:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_WR)
        elif act is Act.RESET:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, pack("ii", 1, 0))
            self.close()
        elif act is Act.CLOSE:
            self.close()

    def _take(self, exchange: Exchange, found: list[Answer]) -> None:
        while len(found) < len(exchange.expected):
            answer = self._answers.next(has_body=exchange.expected[len(found)].has_body)
            if answer is None:
                return
            found.append(answer)

    def _receive(self, until: float, found: list[Answer]) -> None:
        assert self._socket is not None
        readable, _, _ = select([self._socket], [], [], max(0.0, until - monotonic()))
        if not readable:
            raise Wrong(f"nothing came for {_HANGS_SECONDS:.0f} seconds after {len(found)} answers")
        self._read()

    def _read(self) -> None:
        assert self._socket is not None
        try:
            data = self._socket.recv(_RECEIVED_BYTES)
        except ConnectionError:
            data = b""
        self._has_ended = not data
        self._answers.buffer += data

    def _check_end(self, exchange: Exchange, found: list[Answer]) -> None:
        if self._socket is None:  # closed by ourselves, answers unread
            return
        if self._answers.buffer:
            raise Wrong(f"after {len(found)} answers came more: {bytes(self._answers.buffer[:200])!r}")
        if len(found) < exchange.least:
            raise Wrong(f"the connection was closed after {len(found)} answers of {exchange.least}")
        if self._has_ended:
            self.close()
            if exchange.ends is False:
                raise Wrong("the connection was closed")
