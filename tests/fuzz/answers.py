"""Reads responses from a connection, strictly according to HTTP."""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import dataclass
from typing import Final

__all__ = ["Answer", "Answers", "Wrong"]

_STATUS: Final = re.compile(rb"HTTP/1\.1 ([1-5]\d\d) [ -~]*")
_HEADER: Final = re.compile(rb"([!#-'*+.^_`|~0-9A-Za-z-]+): ([ -~\x80-\xff]*)")


class Wrong(Exception):
    """An answer, or the lack of one, that no client should see."""


@dataclass(slots=True)
class Answer:
    """The parts of an answer; `sent` is its body before it was unpacked."""

    status: int
    headers: dict[bytes, bytes]
    sent: bytes

    @property
    def body(self) -> bytes:
        """The body, unpacked."""
        coding = self.headers.get(b"content-encoding")
        if coding is None:
            return self.sent
        try:
            return gzip.decompress(self.sent) if coding == b"gzip" else zlib.decompress(self.sent)
        except (OSError, EOFError, zlib.error) as error:
            raise Wrong(f"its body is not {coding!r}: {error}") from None


class Answers:
    """Takes the bytes that come, and gives the answers in them."""

    def __init__(self) -> None:
        self.buffer = bytearray()
        self._head: tuple[int, dict[bytes, bytes]] | None = None

    def next(self, *, has_body: bool = True) -> Answer | None:
        """The next answer that is complete; interim ones are passed over."""
        while True:
            if self._head is None and not self._read_head():
                return None
            assert self._head is not None
            status, headers = self._head
            size = int(headers[b"content-length"]) if status >= 200 and has_body else 0
            if len(self.buffer) < size:
                return None
            sent = bytes(self.buffer[:size])
            del self.buffer[:size]
            self._head = None
            if status >= 200:
                return Answer(status, headers, sent)

    def _read_head(self) -> bool:
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        first, *lines = bytes(self.buffer[:end]).split(b"\r\n")
        del self.buffer[: end + 4]
        status = _STATUS.fullmatch(first)
        if status is None:
            raise Wrong(f"no status line: {first[:200]!r}")
        headers: dict[bytes, bytes] = {}
        for line in lines:
            header = _HEADER.fullmatch(line)
            if header is None or header[1].lower() in headers:
                raise Wrong(f"no header, or one that is there already: {line[:200]!r}")
            headers[header[1].lower()] = header[2]
        self._head = int(status[1]), headers
        if self._head[0] >= 200 and not headers.get(b"content-length", b"").isdigit():
            raise Wrong(f"no Content-Length: {headers!r}")
        return True
