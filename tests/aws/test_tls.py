"""Endpoints over TLS: certificates that are trusted, and those that are refused before anything is sent."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from pksk.client import NO_ANSWER, NOT_CONFIGURED, NOT_SENT
from pksk.engine import Engine
from pksk.server import Server
from tests.clients.certificate import Certificate, make_certificate

from .both_clients import Open, refusal
from .faulty_server import Behaviour, FaultyServer, closes, faulty_server


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def server(certificate: Certificate) -> Iterator[Server]:
    with Engine.open() as engine, Server(engine, tls=certificate.context) as server:
        yield server


def test_a_certificate_that_is_trusted(
    server: Server, client_of: Open, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate.path))

    assert client_of(endpoint=server.url).call("ListTables", {}) == {"TableNames": []}


def test_a_certificate_that_is_not_trusted(server: Server, client_of: Open) -> None:
    error = refusal(client_of(endpoint=server.url))

    assert (error.code, error.status) == (NOT_CONFIGURED, 0)
    assert error.message == (
        f"ListTables was not sent to {server.url}: its TLS certificate was rejected: self-signed certificate. "
        "Fix: set AWS_CA_BUNDLE to the certificate of the authority that signed it."
    )


def test_tls_with_a_server_that_has_none(client_of: Open) -> None:
    with Engine.open() as engine, Server(engine) as plain:
        error = refusal(client_of(endpoint=plain.url.replace("http:", "https:")))

    secure = plain.url.replace("http:", "https:")
    assert (error.code, error.status) == (NOT_CONFIGURED, 0)
    assert error.message == (
        f"ListTables was not sent to {secure}: it does not use TLS. Fix: write {plain.url}, or another port."
    )


def test_no_tls_with_a_server_that_has_it(server: Server, client_of: Open) -> None:
    error = refusal(client_of(endpoint=server.url.replace("https:", "http:"), read_timeout_seconds=1))

    assert error.code != NOT_SENT


def _breaks_after(certificate: Certificate) -> Behaviour:
    """Shakes hands, reads a request, and sends bytes that are no TLS."""

    def serve(server: FaultyServer, connection: socket.socket) -> None:
        with (
            connection.dup() as bare,
            certificate.context.wrap_socket(connection, server_side=True) as secure,
        ):
            server.read(secure)
            bare.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            server.over.wait(5)

    return serve


def test_tls_that_breaks_later_may_have_carried_the_request(
    client_of: Open, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate.path))
    with faulty_server(_breaks_after(certificate)) as server:
        error = refusal(client_of(endpoint=server.url.replace("http:", "https:"), read_timeout_seconds=2))

        assert (error.code, error.status) == (NO_ANSWER, 0)
        assert len(server.requests) == 1


def test_a_connection_that_ends_before_hands_are_shaken_carries_nothing(client_of: Open) -> None:
    with faulty_server(closes) as server:
        error = refusal(client_of(endpoint=server.url.replace("http:", "https:")))

    assert error.code in {NOT_SENT, NO_ANSWER}
    assert error.status == 0
