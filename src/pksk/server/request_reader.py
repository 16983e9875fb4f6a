"""Reads requests from the bytes of one client."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from .http import Headers, Limits, Request

# The status and the reason why no more requests are read.
Rejection = tuple[int, str]

_NOT_HTTP: Final = 400, "This is not an HTTP request."
_NO_TUNNEL: Final = 400, "This server is not a proxy."
_BODY_TOO_LARGE: Final = 413, "The body is too large."
_HEAD_TOO_LARGE: Final = 400, "The headers are too large."
_PER_HEADER: Final = len(b": \r\n")


class _LimitExceeded(Exception):
    """A request is larger than a limit."""

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(*rejection)
        self.rejection = rejection


class RequestReader:
    r"""Reads requests from pieces of any size; bytes that are not a request end it with a rejection."""

    def __init__(self, limits: Limits, time: Callable[[], float]) -> None:
        self._limits = limits
        self._time = time
        self._parser = HttpRequestParser(self)
        self.requests: deque[Request] = deque()  # complete, and not taken yet
        self.rejection: Rejection | None = None
        self.is_closed = False  # reads no more
        self.in_request = False  # a request has begun and is not complete
        self.just_began = False  # it began in the latest bytes
        self.wants_continue = False  # the client waits for "100 Continue" before it sends the body
        self._target = b""
        self._headers: Headers = []
        self._head: Headers = []
        self._by_name: dict[bytes, bytes] = {}
        self._head_bytes = 0
        self._body = bytearray()
        self._body_counted = 0
        self._unread_bytes = 0  # since the last part of a body: the parser may keep all of it
        self._asks_for_upgrade = False

    def feed(self, data: bytes) -> None:
        """Read what the client sent."""
        if self.is_closed:
            return
        self.just_began = False
        size, rest = len(data), memoryview(data)
        try:
            while rest:
                rest = self._parse(rest)
        except HttpParserError as error:
            cause = error.__context__
            self._reject(cause.rejection if isinstance(cause, _LimitExceeded) else _NOT_HTTP)
        if self.in_request:
            self._count_unread(size)

    def close(self) -> None:
        """Read no more; complete requests stay."""
        self.is_closed = True
        self.in_request = False
        self._body = bytearray()

    # Called by the parser.

    def on_message_begin(self) -> None:
        self.in_request = self.just_began = True
        self._target = b""
        self._headers = []
        self._head_bytes = 0
        self._body = bytearray()

    def on_url(self, part: bytes) -> None:
        self._target += part
        self._head_bytes += len(part)
        if self._head_bytes > self._limits.head_bytes:
            raise _LimitExceeded(_HEAD_TOO_LARGE)

    def on_header(self, name: bytes, value: bytes) -> None:
        # In line, since a request has many headers.
        self._head_bytes += len(name) + len(value) + _PER_HEADER
        if self._head_bytes > self._limits.head_bytes:
            raise _LimitExceeded(_HEAD_TOO_LARGE)
        self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        self._head = self._headers
        self._headers = []  # headers after the body are counted, and ignored
        self._by_name = headers = dict(self._head)
        length = headers.get(b"content-length")
        if length is not None and int(length) > self._limits.body_bytes:
            raise _LimitExceeded(_BODY_TOO_LARGE)
        self._asks_for_upgrade = b"upgrade" in headers and bool(self._parser.should_upgrade())
        self.wants_continue = (
            headers.get(b"expect", b"").lower() == b"100-continue"
            and self._parser.get_http_version() == "1.1"
        )

    def on_body(self, part: bytes) -> None:
        if len(self._body) + len(part) > self._limits.body_bytes:
            raise _LimitExceeded(_BODY_TOO_LARGE)
        self._body += part

    def on_message_complete(self) -> None:
        if self._asks_for_upgrade:  # the parser takes all that follows for another protocol
            return
        parser = self._parser
        target = self._target if self._target.startswith(b"/") else _without_host(self._target)
        body, now, keeps_alive = bytes(self._body), self._time(), parser.should_keep_alive()
        self.requests.append(
            Request(parser.get_method(), target, self._head, self._by_name, body, now, keeps_alive)
        )
        self.in_request = False
        self._body = bytearray()
        if not keeps_alive:
            self.is_closed = True

    def _parse(self, data: memoryview) -> memoryview:
        """Feed the parser; returns the bytes after a request for another protocol."""
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade as upgrade:
            if self._asks_for_upgrade:
                self._ignore_upgrade()
                return data[upgrade.args[0] :]
            self.requests.pop()
            self._reject(_NO_TUNNEL)
        return data[:0]

    def _ignore_upgrade(self) -> None:
        """Parse a request for another protocol again, without the headers that ask for it."""
        parser, head = (
            self._parser,
            [each for each in self._head if each[0] not in {b"upgrade", b"connection"}],
        )
        if b"close" in self._by_name.get(b"connection", b"").lower():
            head.append((b"connection", b"close"))
        version = parser.get_http_version().encode()
        lines = [b"%b %b HTTP/%b" % (parser.get_method(), self._target, version)]
        lines += [b"%b: %b" % each for each in head]
        self._parser = HttpRequestParser(self)
        self._parser.feed_data(b"\r\n".join(lines) + b"\r\n\r\n")

    def _count_unread(self, size: int) -> None:
        """Limit what comes in pieces and completes nothing, such as one endless header."""
        if self.just_began or len(self._body) != self._body_counted:
            self._unread_bytes, self._body_counted = 0, len(self._body)
            return
        self._unread_bytes += size
        if self._unread_bytes > self._limits.head_bytes:
            self._reject(_HEAD_TOO_LARGE)

    def _reject(self, rejection: Rejection) -> None:
        if not self.is_closed:  # bytes after the last request are ignored
            self.rejection = rejection
            self.close()


def _without_host(target: bytes) -> bytes:
    """The path and query of the whole URL that a proxy gets: `http://host/path?query`."""
    scheme, separator, rest = target.partition(b"://")
    if not separator or scheme.lower() not in {b"http", b"https"}:
        return target
    end = min((at for at in (rest.find(b"/"), rest.find(b"?")) if at >= 0), default=len(rest))
    path = rest[end:]
    return path if path.startswith(b"/") else b"/" + path
