"""A server on a raw socket whose behaviour a test defines for each connection."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import TypeAlias
from zlib import crc32

__all__ = [
    "Behaviour",
    "FaultyServer",
    "closes",
    "closes_after",
    "faulty_server",
    "hangs",
    "replies",
    "resets_after",
    "sends",
]

Behaviour: TypeAlias = Callable[["FaultyServer", socket.socket], None]


@dataclass
class FaultyServer:
    """The requests of a server, and the end of the test, until which a response can be withheld."""

    url: str
    requests: list[bytes] = field(default_factory=list)
    over: Event = field(default_factory=Event)

    def read(self, connection: socket.socket) -> bytes:
        """One request, head and body."""
        data = b""
        while b"\r\n\r\n" not in data or len(data) < _length(data):
            piece = connection.recv(65536)
            if not piece:
                raise ConnectionError
            data += piece
        self.requests.append(data)
        return data


@contextmanager
def faulty_server(behaviour: Behaviour) -> Iterator[FaultyServer]:
    """The server, for a block; each connection has its thread."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = FaultyServer(f"http://127.0.0.1:{listener.getsockname()[1]}")
    accepting = Thread(target=_accept, args=(listener, server, behaviour))
    accepting.start()
    try:
        yield server
    finally:
        server.over.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        accepting.join(10)


def closes(server: FaultyServer, connection: socket.socket) -> None:
    """Closes before anything is read."""


def closes_after(server: FaultyServer, connection: socket.socket) -> None:
    """Reads a request, and closes."""
    server.read(connection)


def resets_after(server: FaultyServer, connection: socket.socket) -> None:
    """Reads a request, and resets the connection."""
    server.read(connection)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def hangs(server: FaultyServer, connection: socket.socket) -> None:
    """Reads a request, and never answers."""
    server.read(connection)
    server.over.wait(30)


def sends(data: bytes) -> Behaviour:
    """Reads a request, sends these bytes and closes."""

    def send(server: FaultyServer, connection: socket.socket) -> None:
        server.read(connection)
        connection.sendall(data)

    return send


def replies(status: str, body: bytes, **headers: str) -> Behaviour:
    """Answers every request with the same."""
    given = {"Content-Type": "application/x-amz-json-1.0", "x-amz-crc32": str(crc32(body))}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{name}: {value}" for name, value in given.items() if value]
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *lines, "", ""])

    def reply(server: FaultyServer, connection: socket.socket) -> None:
        while True:
            server.read(connection)
            connection.sendall(head.encode() + body)

    return reply


def _accept(listener: socket.socket, server: FaultyServer, behaviour: Behaviour) -> None:
    served = []
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            thread = Thread(target=_serve, args=(connection, server, behaviour))
            served.append((connection, thread))
            thread.start()
    for connection, thread in served:
        with suppress(OSError):  # clients may keep a connection for longer than this server is there
            connection.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def _serve(connection: socket.socket, server: FaultyServer, behaviour: Behaviour) -> None:
    with connection, suppress(OSError):
        connection.settimeout(30)
        behaviour(server, connection)


def _length(data: bytes) -> int:
    head, _, _ = data.partition(b"\r\n\r\n")
    sizes = [
        line.partition(b":")[2] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
    ]
    return len(head) + 4 + sum(map(int, sizes))
