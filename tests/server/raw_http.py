"""HTTP over a raw socket, so that a test decides every byte."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import orjson

from pksk.server import Server

SECONDS = 10.0  # how long a test waits for an immediate response
JSON = "application/x-amz-json-1.0"


@dataclass(frozen=True)
class Response:
    """An answer as it came."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return orjson.loads(self.body)


class Raw:
    """One connection."""

    def __init__(self, server: Server, *, receive_bytes: int | None = None) -> None:
        self.socket = socket.socket()
        if receive_bytes is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(SECONDS)
        self.socket.connect(("127.0.0.1", server.port))
        self._file = self.socket.makefile("rb")

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def end(self) -> None:
        """Write no more."""
        self.socket.shutdown(socket.SHUT_WR)

    def head(self) -> tuple[int, dict[str, str]]:
        line = self._file.readline()
        assert line.startswith(b"HTTP/1.1 "), line
        lines = iter(lambda: self._file.readline().strip(), b"")
        named = (each.decode("latin-1").partition(": ") for each in lines)
        return int(line.split()[1]), {name.lower(): value for name, _, value in named}

    def response(self, *, has_body: bool = True) -> Response:
        status, headers = self.head()
        size = int(headers["content-length"]) if has_body else 0
        return Response(status, headers, self._file.read(size))

    def is_closed(self) -> bool:
        """Whether the server has closed it; waits for that."""
        try:
            return self._file.read(1) == b""
        except ConnectionError:
            return True

    def close(self) -> None:
        self._file.close()
        self.socket.close()


@contextmanager
def connected(server: Server, *, receive_bytes: int | None = None) -> Iterator[Raw]:
    raw = Raw(server, receive_bytes=receive_bytes)
    try:
        yield raw
    finally:
        raw.close()


def call(
    operation: str = "ListTables",
    body: bytes = b"{}",
    *lines: str,
    kind: str | None = JSON,
    service: str = "DynamoDB_20120810",
    length: bool = True,
) -> bytes:
    """The bytes of a call, with some further header lines."""
    head = ["POST / HTTP/1.1", "Host: localhost", f"X-Amz-Target: {service}.{operation}"]
    head += [f"Content-Type: {kind}"] if kind is not None else []
    head += [f"Content-Length: {len(body)}"] if length else []
    return "\r\n".join([*head, *lines, "", ""]).encode("latin-1") + body


def get(path: str = "/", *lines: str, method: str = "GET") -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: localhost", *lines, "", ""]).encode("latin-1")


def exchange(server: Server, data: bytes, *, has_body: bool = True) -> Response:
    """The answer to one request on a connection of its own."""
    with connected(server) as raw:
        raw.send(data)
        return raw.response(has_body=has_body)
