"""TLS: with a certificate that fits, and without one that does not."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from pathlib import Path

import boto3
import pytest

from pksk.engine import Engine
from pksk.errors import FileError
from pksk.server import Limits, Server
from pksk.server.listener import tls_context
from tests.server.certificates import certificate
from tests.server.raw_http import call

LoopFactory = Callable[[], asyncio.AbstractEventLoop]


def test_boto3_calls_over_tls(engine: Engine, tmp_path: Path, loop_factory: LoopFactory) -> None:
    cert, key = certificate(tmp_path)
    with Server(engine, tls=tls_context(cert, key), loop_factory=loop_factory) as server:
        client = boto3.client(
            "dynamodb", endpoint_url=server.url, region_name="us-east-1", verify=str(cert),
            aws_access_key_id="any", aws_secret_access_key="any",
        )  # fmt: skip
        assert server.url.startswith("https://")
        assert client.list_tables()["TableNames"] == []
        client.close()


def test_a_tls_connection_serves_a_request_and_is_closed(
    engine: Engine, tmp_path: Path, loop_factory: LoopFactory
) -> None:
    cert, key = certificate(tmp_path)
    context = ssl.create_default_context(cafile=str(cert))
    context.set_alpn_protocols(["h2", "http/1.1"])
    limits = Limits(request_seconds=0.3)  # how long a rejected client is waited for
    with (
        Server(engine, tls=tls_context(cert, key), limits=limits, loop_factory=loop_factory) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=10) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as secure,
    ):
        assert secure.selected_alpn_protocol() == "http/1.1"
        secure.sendall(call() + b"garbage\r\n\r\n")
        got = b""
        while piece := secure.recv(65536):
            got += piece

    assert got.count(b"HTTP/1.1 200") == got.count(b"HTTP/1.1 400") == 1


def test_a_client_without_tls_is_disconnected(
    engine: Engine, tmp_path: Path, loop_factory: LoopFactory
) -> None:
    cert, key = certificate(tmp_path)
    limits = Limits(request_seconds=0.1)
    with (
        Server(engine, tls=tls_context(cert, key), limits=limits, loop_factory=loop_factory) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=10) as silent,
        socket.create_connection(("127.0.0.1", server.port), timeout=10) as plain,
    ):
        plain.sendall(call())

        assert _is_closed(plain)
        assert _is_closed(silent)


def test_invalid_certificate_and_key_files_raise(tmp_path: Path) -> None:
    cert, key = certificate(tmp_path)
    _, other = certificate(tmp_path, "other")
    locked = certificate(tmp_path, "locked", password=b"secret")
    (tmp_path / "text").write_text("no certificate")
    invalid = {
        "the key does not belong": (cert, other),
        "in PEM format": (tmp_path / "text", None),
        "no key": (cert, None),
        "the key has a password": locked,
        "No such file": (tmp_path / "none", key),
        "Is a directory": (cert, tmp_path),
    }
    for reason, files in invalid.items():
        with pytest.raises(FileError, match=reason) as problem:
            tls_context(*files)
        assert problem.value.code == "server-certificate"


def _is_closed(connection: socket.socket) -> bool:
    try:
        while connection.recv(1000):
            pass
    except ConnectionError:
        pass
    return True
