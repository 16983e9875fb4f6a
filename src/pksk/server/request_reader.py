"""Reads requests from the bytes of one client."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from .limits import Limits
from .request import Headers, Request

__all__ = ["Refusal", "RequestReader"]

# The status and the reason for which no further request is read.
Refusal = tuple[int, str]

_NO_HTTP: Final = 400, "This is no HTTP request."
_NO_TUNNEL: Final = 400, "This server is no proxy."
_BODY_TOO_LARGE: Final = 413, "The body is too large."
_HEAD_TOO_LARGE: Final = 431, "The headers are too large."
_PER_HEADER: Final = len(b": \r\n")


class _LimitExceeded(Exception):
    """What was read goes beyond a limit."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(*refusal)
        self.refusal = refusal


class RequestReader:
    r"""Reads requests from bytes, however they are cut; the first that is none ends it with a refusal.

    Example:
        >>> reader = RequestReader(Limits(), time=lambda: 0.0)
        >>> reader.feed(b"GET /health HTTP/1.1\r\n\r\nGET /hea")
        >>> [request.target for request in reader.requests], reader.is_amid
        ([b'/health'], True)
        >>> reader.feed(b"\0")
        >>> reader.refusal
        (400, 'This is no HTTP request.')
    """

    def __init__(self, limits: Limits, time: Callable[[], float]) -> None:
        self._limits = limits
        self._time = time
        self._parser = HttpRequestParser(self)
        self.requests: deque[Request] = deque()  # those that are complete and were not taken yet
        self.refusal: Refusal | None = None
        self.is_over = False  # nothing further is read
        self.is_amid = False  # a request has begun and is not complete
        self.is_fresh = False  # it began in the bytes that came last
        self.wants_continue = False  # its client waits for a word before it sends the body
        self._target = b""
        self._headers: Headers = []
        self._head: Headers = []
        self._by_name: dict[bytes, bytes] = {}
        self._head_bytes = 0
        self._body: bytes | bytearray = b""
        self._body_bytes = 0
        self._body_counted = 0
        self._unread_bytes = 0  # what has come since a part of a body did: the parser may keep all of it
        self._asks_for_upgrade = False

    def feed(self, data: bytes) -> None:
        """Take what came."""
        if self.is_over:
            return
        self.is_fresh = False
        size, left = len(data), memoryview(data)
        try:
            while left:
                left = self._fed(left)
        except HttpParserError as error:
            cause = error.__context__
            self._refuse(cause.refusal if isinstance(cause, _LimitExceeded) else _NO_HTTP)
        if self.is_amid:
            self._count_unread(size)

    def close(self) -> None:
        """Read nothing further; what is complete stays."""
        self.is_over = True
        self.is_amid = False
        self._body = b""

    # What the parser tells.

    def on_message_begin(self) -> None:
        self.is_amid = self.is_fresh = True
        self._target = b""
        self._headers = []
        self._head_bytes = 0
        self._body = b""
        self._body_bytes = 0

    def on_url(self, part: bytes) -> None:
        self._target += part
        self._count_head(len(part))

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count_head(len(name) + len(value) + _PER_HEADER)
        self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        self._head = self._headers
        self._headers = []  # whatever follows the body is counted, and not read
        self._by_name = named = dict(self._head)
        length = named.get(b"content-length")
        if length is not None and int(length) > self._limits.body_bytes:
            raise _LimitExceeded(_BODY_TOO_LARGE)
        self._asks_for_upgrade = b"upgrade" in named and bool(self._parser.should_upgrade())
        self.wants_continue = (
            b"expect" in named
            and named[b"expect"].lower() == b"100-continue"
            and self._parser.get_http_version() == "1.1"
        )

    def on_body(self, part: bytes) -> None:
        self._body_bytes += len(part)
        if self._body_bytes > self._limits.body_bytes:
            raise _LimitExceeded(_BODY_TOO_LARGE)
        if not self._body:
            self._body = part
            return
        if not isinstance(self._body, bytearray):
            self._body = bytearray(self._body)
        self._body += part

    def on_message_complete(self) -> None:
        if self._asks_for_upgrade:  # the parser takes all that follows for another protocol
            return
        parser = self._parser
        body = self._body if isinstance(self._body, bytes) else bytes(self._body)
        target = self._target if self._target.startswith(b"/") else _without_host(self._target)
        keeps_alive = parser.should_keep_alive()
        self.requests.append(
            Request(parser.get_method(), target, self._head, self._by_name, body, self._time(), keeps_alive)
        )
        self.is_amid = False
        self._body = b""
        if not keeps_alive:
            self.is_over = True

    def _fed(self, data: memoryview) -> memoryview:
        """Give bytes to the parser; gives those that it has left, after a request for another protocol."""
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade as upgrade:
            if self._asks_for_upgrade:
                self._read_on()
                return data[upgrade.args[0] :]
            self.requests.pop()
            self._refuse(_NO_TUNNEL)
        return data[:0]

    def _read_on(self) -> None:
        """Read a request that asks for another protocol as one that does not: nobody has to grant that."""
        old, kept = self._parser, [each for each in self._head if each[0] not in {b"upgrade", b"connection"}]
        if b"close" in self._by_name.get(b"connection", b"").lower():
            kept.append((b"connection", b"close"))
        version = old.get_http_version().encode()
        lines = [b"%b %b HTTP/%b" % (old.get_method(), self._target, version)]
        lines += [b"%b: %b" % each for each in kept]
        self._parser = HttpRequestParser(self)
        self._parser.feed_data(b"\r\n".join(lines) + b"\r\n\r\n")

    def _count_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > self._limits.head_bytes:
            raise _LimitExceeded(_HEAD_TOO_LARGE)

    def _count_unread(self, size: int) -> None:
        """Bound what comes in pieces and completes nothing, such as one endless header."""
        if self.is_fresh or self._body_bytes != self._body_counted:
            self._unread_bytes, self._body_counted = 0, self._body_bytes
            return
        self._unread_bytes += size
        if self._unread_bytes > self._limits.head_bytes:
            self._refuse(_HEAD_TOO_LARGE)

    def _refuse(self, refusal: Refusal) -> None:
        if not self.is_over:  # bytes after a last request are nobody's
            self.refusal = refusal
            self.close()


def _without_host(target: bytes) -> bytes:
    """The path and query of a target as proxies are sent it: `http://host/path?query`."""
    scheme, found, rest = target.partition(b"://")
    if not found or scheme.lower() not in {b"http", b"https"}:
        return target
    place = min((at for at in (rest.find(b"/"), rest.find(b"?")) if at >= 0), default=len(rest))
    path = rest[place:]
    return path if path.startswith(b"/") else b"/" + path
