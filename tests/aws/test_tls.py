"""Endpoints over TLS: trusted certificates, and untrusted ones, to which nothing is sent."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from pksk.client import NO_ANSWER, NOT_CONFIGURED, NOT_SENT
from pksk.engine import Engine
from pksk.server import Server
from tests.clients.certificate import Certificate, make_certificate

from .both_clients import Open, error_of
from .faulty_server import Behaviour, FaultyServer, closes, faulty_server


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def server(certificate: Certificate) -> Iterator[Server]:
    with Engine.open() as engine, Server(engine, tls=certificate.context) as server:
        yield server


def test_a_trusted_certificate_is_accepted(
    server: Server, client_of: Open, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate.path))

    assert client_of(endpoint=server.url).call("ListTables", {}) == {"TableNames": []}


def test_an_untrusted_certificate_raises(server: Server, client_of: Open) -> None:
    error = error_of(client_of(endpoint=server.url))

    assert (error.code, error.status) == (NOT_CONFIGURED, 0)
    assert error.message == (
        f"ListTables was not sent to {server.url}: its TLS certificate was rejected: self-signed certificate. "
        "Fix: set AWS_CA_BUNDLE to the certificate of the authority that signed it."
    )


def test_tls_to_a_server_without_tls_raises(client_of: Open) -> None:
    with Engine.open() as engine, Server(engine) as plain:
        error = error_of(client_of(endpoint=plain.url.replace("http:", "https:")))

    secure = plain.url.replace("http:", "https:")
    assert (error.code, error.status) == (NOT_CONFIGURED, 0)
    assert error.message == (
        f"ListTables was not sent to {secure}: it does not use TLS. Fix: write {plain.url}, or another port."
    )


def test_a_plain_connection_to_a_tls_server_raises(server: Server, client_of: Open) -> None:
    error = error_of(client_of(endpoint=server.url.replace("https:", "http:"), read_timeout_seconds=1))

    assert error.code != NOT_SENT


def _breaks_after(certificate: Certificate) -> Behaviour:
    """Completes the handshake, reads a request, and sends bytes that are not TLS."""

    def serve(server: FaultyServer, connection: socket.socket) -> None:
        with (
            connection.dup() as bare,
            certificate.context.wrap_socket(connection, server_side=True) as secure,
        ):
            server.read(secure)
            bare.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            server.over.wait(5)

    return serve


def test_a_tls_failure_after_the_handshake_leaves_the_outcome_unknown(
    client_of: Open, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate.path))
    with faulty_server(_breaks_after(certificate)) as server:
        error = error_of(client_of(endpoint=server.url.replace("http:", "https:"), read_timeout_seconds=2))

        assert (error.code, error.status) == (NO_ANSWER, 0)
        assert len(server.requests) == 1


def test_a_connection_closed_during_the_handshake_has_sent_no_request(client_of: Open) -> None:
    with faulty_server(closes) as server:
        error = error_of(client_of(endpoint=server.url.replace("http:", "https:")))

    assert error.code in {NOT_SENT, NO_ANSWER}
    assert error.status == 0
