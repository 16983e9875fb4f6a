"""What fuzzing has found, each once more."""

from __future__ import annotations

import socket
from time import monotonic, sleep

import pytest

from pksk.engine import Engine
from pksk.server import Limits, Server

CALL = (
    b"POST / HTTP/1.1\r\nHost: a\r\nX-Amz-Target: DynamoDB_20120810.ListBackups\r\n"
    b"Content-Type: application/x-amz-json-1.0\r\nContent-Length: 2\r\n\r\n{}"
)


def test_the_server_does_not_wait_for_a_rejected_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pksk.server.connections._LINGER_SECONDS", 60.0)
    with (
        Engine.open() as engine,
        Server(engine, limits=Limits(request_seconds=60.0)) as server,
        socket.create_connection(("127.0.0.1", server.port)) as client,
    ):
        # The refusal comes after answers that take their time, and so after the end was seen.
        client.sendall(CALL * 50 + b"no HTTP\r\n\r\n")
        client.shutdown(socket.SHUT_WR)
        while client.recv(4096):
            pass

        assert _connections(server) == 1


def _connections(server: Server) -> int:
    """How many connections there are, with the one that asks; once others have had time to go."""
    until = monotonic() + 10
    while True:
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(b"GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n")
            page = b"".join(iter(lambda: client.recv(65536), b""))
        count = int(page.rpartition(b"pksk_connections ")[2].split()[0])
        if count == 1 or monotonic() > until:
            return count
        sleep(0.01)
